"""A place on the wire between `requests` and the network, for judges and for killers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

Send = Callable[[PreparedRequest], Response]
Interceptor = Callable[[PreparedRequest, Send], Response]
"""Gets a request and what sends it on; returns the answer."""


@contextmanager
def intercepted(interceptor: Interceptor) -> Iterator[None]:
    """Let `interceptor` handle every request of the process until the block ends; blocks nest."""
    original = HTTPAdapter.send

    def send(self: HTTPAdapter, request: PreparedRequest, *args: Any, **options: Any) -> Response:
        return interceptor(request, lambda sent: original(self, sent, *args, **options))

    HTTPAdapter.send = send  # type: ignore[method-assign]  # clients of requests offer no other place
    try:
        yield
    finally:
        HTTPAdapter.send = original  # type: ignore[method-assign]


def body_of(request: PreparedRequest) -> bytes | None:
    """Return the bytes that a request carries, or None."""
    return request.body.encode() if isinstance(request.body, str) else request.body
