"""A project on a GitLab server, request by request: how long is waited, and what a failure means.

No redirect is followed, and a request that writes is sent once.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import gitlab
import requests
import stamina
from gitlab.exceptions import GitlabError

from bot.core.errors import ServiceError

URL_HINT = "set GITLAB_URL to the address of GitLab itself, such as `https://gitlab.example.com`"
LATER_HINT = "try again later"
_EXCERPT = 200
_PAGE_SIZE = 100


@dataclass(frozen=True, slots=True)
class Patience:
    """How long GitLab is waited for: seconds for an answer, tries in all, seconds before the next try.

    Where GitLab itself says after how many seconds to come again, that is done up to `longest`. A list of
    more than `pages` pages is longer than any of ours and not followed for ever.
    """

    timeout: float = 10.0
    attempts: int = 3
    wait: float = 0.5
    longest: float = 60.0
    pages: int = 1000


class NotThere(ServiceError):
    """GitLab answered 404; `said` are its words."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


class _TooMany(GitlabError):
    """GitLab asks for patience; `seconds` as its header says."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many requests", HTTPStatus.TOO_MANY_REQUESTS)
        self.seconds = seconds


class GitLabServer:
    """Requests to one project; `url` is the server's address, `project` the project's path or number.

    `scope` is the scope that a token needs, as hints name it. Every method raises ServiceError when GitLab
    gives no sound answer, and NotThere when it says that there is no such thing.
    """

    def __init__(
        self, url: str, token: str | None, project: str, *, scope: str, patience: Patience | None = None
    ) -> None:
        self.url = url
        self.project = project
        self._root = f"/projects/{quote(project, safe='')}"
        self._scope_hint = f"set GITLAB_TOKEN to a token of that project with the scope {scope}"
        self._patience = patience or Patience()
        self._api = gitlab.Gitlab(url, private_token=token, timeout=self._patience.timeout)
        # requests would take the token along to wherever a redirect leads.
        self._api.session.hooks["response"].append(self._examine)

    def session(self) -> AbstractContextManager[Any]:
        """Return a block at whose end the connections are closed; the next call opens new ones."""
        return self._api

    def address(self, path: str) -> str:
        """Return the whole address of a path in the project."""
        return f"{self._api.api_url}{self._root}{path}"

    def document(self, path: str, **query: str) -> dict[str, Any]:
        """Return the mapping that GitLab has at a path of the project."""
        document = self._json(self._send("get", path, query))
        if not isinstance(document, dict):
            raise self._no_gitlab()
        return document

    def items(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        """Yield every item of a list, page by page."""
        page = "1"
        for _ in range(self._patience.pages):
            asked = query | {"page": page, "per_page": str(_PAGE_SIZE)}
            response = self._send("get", path, asked)
            items = self._json(response)
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise self._no_gitlab()
            yield from items
            # Without the header, the first page that is not full is the last one.
            following = str(int(page) + 1) if len(items) == _PAGE_SIZE else ""
            page = response.headers.get("X-Next-Page", following)
            if not page.isdecimal():
                return
        raise ServiceError(f"{self._where} sends a list of more than {self._patience.pages} pages: `{path}`")

    def listing(self, path: str) -> list[dict[str, Any]]:
        """Return a list that GitLab sends as a whole, without pages."""
        items = self._json(self._send("get", path, {}))
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise self._no_gitlab()
        return items

    def stream(self, path: str, piece: int) -> Iterator[bytes]:
        """Yield what lies at a path in pieces of at most `piece` bytes, as they come."""
        response = self._send("get", path, {}, streamed=True)
        with response:
            try:
                yield from response.iter_content(piece)
            except OSError as error:
                raise ServiceError(
                    f"{self._where} broke off in the middle: {_reason(error)}", hint=LATER_HINT
                ) from error

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Do what a path of the project stands for, and return what came of it. Never sent twice."""
        document = self._json(self._send("post", path, {}, body=body))
        return document if isinstance(document, dict) else {}

    def _send(
        self,
        method: str,
        path: str,
        query: dict[str, str],
        *,
        streamed: bool = False,
        body: dict[str, Any] | None = None,
    ) -> requests.Response:
        try:
            for attempt in stamina.retry_context(
                on=self._may_pass,
                attempts=self._patience.attempts if method == "get" else 1,
                timeout=None,
                wait_initial=self._patience.wait,
                wait_jitter=self._patience.wait,
            ):
                with attempt:
                    # python-gitlab's own retries sleep for as long as the server says.
                    return self._api.http_request(
                        method,
                        self._root + path,
                        query_data=query,
                        post_data=body,
                        streamed=streamed,
                        obey_rate_limit=False,
                    )
        except GitlabError as error:
            raise self._explained(error, path) from error
        except OSError as error:
            raise ServiceError(f"{self._where} gives no answer: {_reason(error)}", hint=URL_HINT) from error
        raise AssertionError("the last attempt returns or raises")

    def _may_pass(self, error: Exception) -> bool | float:
        if isinstance(error, _TooMany):
            return error.seconds if error.seconds <= self._patience.longest else False
        if isinstance(error, GitlabError):
            status = error.response_code or 0
            return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return isinstance(error, OSError)

    @property
    def _where(self) -> str:
        return f"GitLab at `{self.url}`"

    def _explained(self, error: GitlabError, path: str) -> ServiceError:
        status, said = error.response_code, " ".join(str(error.error_message).split())[:_EXCERPT]
        if isinstance(error, _TooMany):
            hint = f"try again in {error.seconds:.0f} seconds"
            return ServiceError(f"{self._where} has had too many requests", hint=hint)
        if status == HTTPStatus.UNAUTHORIZED:
            return ServiceError(f"{self._where} does not accept the token: {said}", hint=self._scope_hint)
        if status == HTTPStatus.FORBIDDEN:
            return ServiceError(
                f"{self._where} forbids to read `{self.project}`: {said}", hint=self._scope_hint
            )
        if status == HTTPStatus.NOT_FOUND and "Project Not Found" in said:
            return ServiceError(
                f"{self._where} shows no project `{self.project}` to the token", hint=self._scope_hint
            )
        if status == HTTPStatus.NOT_FOUND:
            return NotThere(f"{self._where} has no `{path}` in `{self.project}`: {said}", said)
        return ServiceError(f"{self._where} failed with {status}: {said}", hint=LATER_HINT)

    def _json(self, response: requests.Response) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise self._no_gitlab() from error

    def _no_gitlab(self) -> ServiceError:
        return ServiceError(f"`{self.url}` does not answer as GitLab does", hint=URL_HINT)

    def _examine(self, response: Any, *_: object, **__: object) -> None:
        if response.is_redirect:
            response.close()
            target = str(response.headers["location"]).partition("?")[0][:_EXCERPT]
            raise ServiceError(f"`{self.url}` redirects to `{target}`, which is not followed", hint=URL_HINT)
        if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            with suppress(KeyError, ValueError):
                seconds = float(response.headers["Retry-After"])
                response.close()
                raise _TooMany(seconds)


def _reason(error: OSError) -> str:
    """Return what broke, without the text of requests: it may quote the token, its cause does not."""
    cause = getattr(error.args[0], "reason", "") if error.args else ""
    return f"{type(error).__name__} {cause}".strip()[:_EXCERPT]
