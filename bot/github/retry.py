"""When a request is sent again: reads that failed, and whatever GitHub refused because of a rate limit.

A write whose outcome is unknown (a lost connection, a server error) is never sent twice: the bot
looks for the object first. A refused request was not done, so it may be repeated, whatever it is.

Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

import json
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from github.GithubException import GithubException
from github.Requester import Requester
from urllib3 import BaseHTTPResponse, Retry
from urllib3.connectionpool import ConnectionPool

from bot.core.errors import ServiceError

_REFUSALS = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS})
_FAILURE = HTTPStatus.INTERNAL_SERVER_ERROR

SECONDARY_LIMIT_WAIT = 60.0
"""Seconds to wait where GitHub names a limit and no time: "at least one minute"."""


def limit_wait(status: int, headers: Mapping[str, str], message: str, now: float) -> float | None:
    """Return the seconds that GitHub asks to wait, or None if the answer is no rate limit.

    `headers` is looked up by any case; `now` is in seconds since the epoch, as `x-ratelimit-reset` is.
    """
    after = headers.get("Retry-After", "")
    limited = status == HTTPStatus.TOO_MANY_REQUESTS or after or Requester.isRateLimitError(message)
    if status not in _REFUSALS or not limited:
        return None
    if after.isdecimal():
        return max(float(after), 1.0)
    reset = headers.get("X-RateLimit-Reset", "")
    if headers.get("X-RateLimit-Remaining") == "0" and reset.isdecimal():
        # The limit ends somewhere within the named second.
        return max(float(reset) - now, 0.0) + 1.0
    return SECONDARY_LIMIT_WAIT


class PatientRetry(Retry):
    """The policy, as urllib3 asks for it; `longest_wait` caps the seconds that one request waits in all."""

    def __init__(
        self,
        total: int | None = 4,
        *,
        longest_wait: float = 120.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        waited: float = 0.0,
        pause: float | None = None,
        **urllib3_options: Any,
    ) -> None:
        # Every method may be repeated as far as urllib3 is concerned: `increment` decides.
        options = {
            "allowed_methods": None,
            "raise_on_status": False,
            "backoff_factor": 0.5,
            **urllib3_options,
        }
        super().__init__(total, **options)
        self._longest_wait = longest_wait
        self._sleep = sleep
        self._clock = clock
        self._waited = waited
        self._pause = pause

    def new(self, **changes: Any) -> Self:
        """Return a copy with `changes`, as urllib3 asks for it before each repetition."""
        own = {
            "longest_wait": self._longest_wait,
            "sleep": self._sleep,
            "clock": self._clock,
            "waited": self._waited,
        }
        return super().new(**(own | changes))

    def is_retry(self, method: str, status_code: int, has_retry_after: bool = False) -> bool:  # noqa: ARG002, FBT001, FBT002 - urllib3's signature
        """Whether `increment` has to look at the answer at all."""
        return status_code in _REFUSALS or status_code >= _FAILURE

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """Return the state for another try; raise what ends the request where there must be none."""
        if response is not None and response.status < _FAILURE:
            wait = self._asked_to_wait(method, url, response)
            return self.new(waited=self._waited + wait, pause=wait)
        never_arrived = error is not None and self._is_connection_error(error)
        if _is_read(method, url) or never_arrived:
            return super().increment(method, url, response, error, _pool, _stacktrace)
        raise error or _exception(response)

    def _asked_to_wait(self, method: str | None, url: str | None, response: BaseHTTPResponse) -> float:
        refusal = _exception(response)
        message = str(refusal.data.get("message") or "")
        wait = limit_wait(response.status, response.headers, message, self._clock())
        if wait is None:
            raise refusal
        if self._waited + wait > self._longest_wait:
            raise ServiceError(
                f"GitHub asks to wait {wait:.0f} s before `{method} {urlsplit(url or '').path}` (rate limit)",
                hint=f"the bot waits {self._longest_wait:.0f} s at most: run it again later",
            )
        return wait

    def sleep(self, response: BaseHTTPResponse | None = None) -> None:  # noqa: ARG002 - urllib3's signature
        """Wait as long as GitHub asked, else a moment that grows with each failure."""
        self._sleep(self.get_backoff_time() if self._pause is None else self._pause)


def _is_read(method: str | None, url: str | None) -> bool:
    # The bot asks questions in GraphQL; what it changes there can be changed twice without harm.
    return method in {"GET", "HEAD"} or urlsplit(url or "").path.endswith("/graphql")


def _exception(response: BaseHTTPResponse | None) -> GithubException:
    assert response is not None  # noqa: S101 - urllib3 gives a response or an error
    body = response.read(decode_content=True).decode("utf-8", "replace")
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        document = {"data": body}
    return Requester.createException(response.status, dict(response.headers), document)
