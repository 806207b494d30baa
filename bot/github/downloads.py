"""Streams a file from the store to which GitHub sent us, without credentials."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus

import requests
from urllib3.exceptions import HTTPError

from bot.core.errors import ServiceError
from bot.github.egress import checked_target

PIECE = 128 * 1024
"""Bytes of a piece."""

_GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)


@dataclass(frozen=True, slots=True)
class DownloadPatience:
    """How often a download is begun, the seconds between two tries, and the longest silence in seconds."""

    attempts: int = 4
    wait: float = 1.0
    timeout: float = 60.0
    sleep: Callable[[float], None] = time.sleep


class _NotYetError(Exception):
    """The store did not begin to answer as it should; another try may do."""


def stream(
    locate: Callable[[], str | None], api_url: str, what: str, patience: DownloadPatience
) -> Iterator[bytes]:
    """Yield the bytes of a file as they are stored; none where it is gone.

    `locate` returns a fresh address of it, or None; `what` says what it is in people's words. Until the
    first byte has come it is tried again. Raises ServiceError when that does not help, or later.
    """
    for attempt in range(1, patience.attempts + 1):
        url = locate()
        if url is None:
            return
        try:
            yield from _pieces(checked_target(url, api_url), what, patience.timeout)
        except _NotYetError as error:
            if attempt == patience.attempts:
                raise ServiceError(
                    f"{what} could not be fetched: {error}", hint="check the network and try again later"
                ) from error
            patience.sleep(patience.wait * 2 ** (attempt - 1))
        else:
            return


def _pieces(url: str, what: str, timeout: float) -> Iterator[bytes]:
    with requests.Session() as session:
        # Without this, requests would look for a password of the host in the user's .netrc.
        session.auth = _as_nobody
        try:
            response = session.get(
                url,
                stream=True,
                timeout=timeout,
                allow_redirects=False,
                headers={"Accept-Encoding": "identity"},
            )
        except (requests.RequestException, OSError) as error:
            raise _NotYetError(type(error).__name__) from error
        with closing(response):
            if response.status_code in _GONE:
                return
            if response.status_code != HTTPStatus.OK or "Content-Encoding" in response.headers:
                raise _NotYetError(f"the store answered with status {response.status_code}")
            yield from _body(response, what)


def _body(response: requests.Response, what: str) -> Iterator[bytes]:
    begun = False
    try:
        while piece := response.raw.read(PIECE, decode_content=False):
            begun = True
            yield piece
    except (HTTPError, OSError) as error:
        if not begun:
            raise _NotYetError(type(error).__name__) from error
        raise ServiceError(
            f"{what} broke off while it was read ({type(error).__name__})", hint="try again"
        ) from error


def _as_nobody(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request
