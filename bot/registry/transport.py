"""A GET to a registry: size caps, redirects by our own rules, retries, and errors for people."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import stamina

from bot.core.address import same_origin
from bot.core.errors import ServiceError
from bot.registry.egress import Egress, parse_url
from bot.registry.protocol import is_html, printable

_MAX_REDIRECTS = 3
_REDIRECTS = (301, 302, 303, 307, 308)
_EXCERPT_BYTES = 4096
_EXCERPT_LENGTH = 120


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a registry, in seconds.

    `deadline` bounds one call of the client, whatever it takes; `timeout` one wait on the network.
    Between `attempts` the wait grows from `first_wait` to `longest_wait`, with up to `jitter` on top.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 60.0
    jitter: float = 1.0
    timeout: float = 20.0
    deadline: float = 180.0


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask: `what` says it in people's words, `limit` is the largest answer in bytes that is read."""

    url: httpx.URL
    what: str
    limit: int
    accept: Sequence[str] = ("application/json",)
    redirects: int = _MAX_REDIRECTS


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, from `url` after any redirect. Of an error's body only the beginning is read."""

    url: httpx.URL
    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def content_type(self) -> str:
        """The `Content-Type` header, or an empty string."""
        return str(self.headers.get("content-type", ""))

    @property
    def is_redirect(self) -> bool:
        """Whether the registry sends us elsewhere."""
        return self.status in _REDIRECTS and "location" in self.headers

    @property
    def is_html(self) -> bool:
        """Whether a page for people came instead of a document."""
        return is_html(self.content_type, self.body)


class BusyError(Exception):
    """The registry asks to come again later (429), or has a fault that may pass (5xx)."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"status {answer.status}")
        self.answer = answer


class Transport:
    """GET requests on behalf of one registry. Nothing it has sent as a credential shows up in a message."""

    def __init__(self, client: httpx.AsyncClient, egress: Egress, patience: Patience) -> None:
        self._client = client
        self._egress = egress
        self._secrets: set[str] = set()
        self._retry = stamina.AsyncRetryingCaller(
            attempts=patience.attempts,
            # The deadline of the whole call is kept outside, also while a request hangs.
            timeout=None,
            wait_initial=patience.first_wait,
            wait_max=patience.longest_wait,
            wait_jitter=patience.jitter,
        ).on(lambda error: pause(error, patience.longest_wait))

    def keep_secret(self, text: str) -> None:
        """Blot `text` out of every message from now on."""
        self._secrets.add(text)

    async def get(self, request: Request, authorization: str | None = None) -> Answer:
        """Return the answer to `request`, an error status included, once the registry has one to give.

        `authorization` goes to the origin of the request only. Raises ServiceError when there is no
        answer, when it is too large, or when a redirect leads where nothing may be sent.
        """
        if authorization:
            self.keep_secret(authorization.partition(" ")[2])
        try:
            return await self._retry(self._follow, request, authorization)
        except BusyError as busy:
            raise self.complaint(request, busy.answer) from None
        except (httpx.TransportError, httpx.DecodingError) as error:
            reason = f"{type(error).__name__} {printable(str(error), _EXCERPT_LENGTH)}".strip()
            raise ServiceError(
                f"`{self._name(request.url)}` could not be asked for {request.what}: {reason}",
                hint="check the network and try again later",
            ) from error

    async def _follow(self, request: Request, authorization: str | None) -> Answer:
        url, redirects = request.url, request.redirects
        while (answer := await self._send(request, url, authorization)).is_redirect:
            if redirects == 0:
                raise self.complaint(request, answer, "with a redirect too many")
            redirects -= 1
            target = parse_url(answer.headers["location"], base=url)
            if target is None or not self._egress.allows_redirect(target):
                raise self._stray(request, target)
            # Signed stores refuse a second credential, and it is none of their business.
            authorization = authorization if same_origin(target, url) else None
            url = target
        return answer

    async def _send(self, request: Request, url: httpx.URL, authorization: str | None) -> Answer:
        # Unpacked, a small answer can be huge, and none of these documents needs packing.
        headers = {"Accept": ", ".join(request.accept), "Accept-Encoding": "identity"}
        if authorization:
            headers["Authorization"] = authorization
        async with self._client.stream("GET", url, headers=headers) as response:
            body = await self._read(response, request)
        answer = Answer(url, response.status_code, response.headers, body)
        if answer.status == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            raise BusyError(answer)
        return answer

    async def _read(self, response: httpx.Response, request: Request) -> bytes:
        limit = request.limit if response.is_success else _EXCERPT_BYTES
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > limit and response.is_success:
                raise ServiceError(
                    f"`{self._name(request.url)}` answered the request for {request.what}"
                    f" with more than {limit} bytes",
                    hint="no registry needs that much: see what answers at this address",
                )
            if len(body) > limit:
                break
        return bytes(body)

    def _stray(self, request: Request, target: httpx.URL | None) -> ServiceError:
        # Only the origin: the query of a signed address is a secret.
        place = printable(f"{target.scheme}://{target.host}", _EXCERPT_LENGTH) if target else "nowhere"
        return ServiceError(
            f"`{self._egress.host}` redirected the request for {request.what} to `{place}`,"
            " where this registry's requests may not go",
            hint="report it if the registry has moved; until then nothing is read from there",
        )

    def complaint(self, request: Request, answer: Answer, how: str = "") -> ServiceError:
        """Return the error that says what was asked, what came back and what a person can do."""
        words = self._words(answer)
        how = how or f"with status {answer.status}"
        return ServiceError(
            f"`{self._name(answer.url)}` answered the request for {request.what} {how}"
            + (f": `{words}`" if words else ""),
            hint=_hint(answer),
        )

    def _name(self, url: httpx.URL) -> str:
        return self._egress.host if same_origin(url, self._egress.endpoint) else url.host

    def _words(self, answer: Answer) -> str:
        text = answer.body[:_EXCERPT_BYTES].decode(errors="replace")
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return printable(text.replace("`", "'"), _EXCERPT_LENGTH)


def _hint(answer: Answer) -> str:
    if answer.status in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        return "a private repository needs a valid `NGC_API_KEY`; check the repository's name too"
    if answer.status == httpx.codes.NOT_FOUND and not answer.is_html:
        return "check the repository's name"
    if wait := retry_after(answer.headers):
        return f"the registry asks to wait {wait:.0f} s before the next request"
    if answer.status == httpx.codes.TOO_MANY_REQUESTS or answer.status >= httpx.codes.INTERNAL_SERVER_ERROR:
        return "try again later"
    return "see what answers at this address: a proxy, a login page or another service"


def pause(error: Exception, longest: float) -> bool | float:
    """Return whether to try again after `error`, or after how many seconds where the registry said so.

    A wait longer than `longest` is not cut short but ends the attempts: the registry meant it.
    """
    if isinstance(error, BusyError):
        seconds = retry_after(error.answer.headers)
        if seconds is None:
            return True
        return seconds if seconds <= longest else False
    return isinstance(error, httpx.TransportError)


def retry_after(headers: httpx.Headers) -> float | None:
    """Return the seconds of a `Retry-After` header, or None.

    A date is taken relative to the answer's own `Date`, so that a wrong clock here does no harm.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    until, now = _date(text), _date(headers.get("date", ""))
    return max(0.0, (until - now).total_seconds()) if until and now else None


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    # `-0000` reads as a time without a zone; every date of HTTP is in UTC.
    return moment.replace(tzinfo=moment.tzinfo or UTC)
