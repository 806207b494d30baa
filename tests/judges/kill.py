"""Kills the process in the middle of its work, as far as its requests can tell."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from requests import PreparedRequest, Response

from tests.judges.wire import Send, intercepted


class Killed(BaseException):
    """The process is gone; no `except Exception` of the code under test may save it."""


@dataclass
class Count:
    """How many requests of the chosen kind were begun."""

    begun: int = 0


def any_request(_request: PreparedRequest) -> bool:
    """Choose every request."""
    return True


def writes(request: PreparedRequest) -> bool:
    """Choose requests that change something; GraphQL is a POST that only reads here."""
    return request.method != "GET" and not (request.url or "").endswith("/graphql")


@contextmanager
def killed(
    at: int | None,
    when: Literal["before", "after"],
    which: Callable[[PreparedRequest], bool] = any_request,
) -> Iterator[Count]:
    """Raise Killed at the request number `at` (from 1) of those that `which` chooses.

    `before`: the server never sees it. `after`: the server has done it, and the client never hears.
    Once dead, nothing is sent any more. With `at=None` nobody is killed and the requests are counted.
    """
    count = Count()

    def send_or_die(request: PreparedRequest, send: Send) -> Response:
        if not which(request):
            if at is not None and count.begun >= at:
                raise Killed
            return send(request)
        count.begun += 1
        if at is not None and (count.begun > at or (count.begun == at and when == "before")):
            raise Killed
        response = send(request)
        if count.begun == at:
            raise Killed
        return response

    with intercepted(send_or_die):
        yield count
