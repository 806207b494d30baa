"""One signed-in line to GitHub: PyGithub's `Requester`, whose failures come out explained."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from github.Auth import Auth
from github.GithubException import GithubException
from github.Requester import Requester

from bot.core.errors import Refused, ServiceError
from bot.core.host import Call
from bot.github.errors import explain
from bot.github.retry import PatientRetry
from bot.github.unchanged import Answers, address_of

API_VERSION = "2022-11-28"
"""https://docs.github.com/rest/about-the-rest-api/api-versions"""


@dataclass(frozen=True, slots=True)
class Server:
    """Where the API is and how it is treated; times are in seconds."""

    api_url: str = "https://api.github.com"
    between_writes: float = 1.0
    timeout: int = 30
    retry: PatientRetry = field(default_factory=PatientRetry)


class Session(Requester):
    """A `Requester` for lazy PyGithub objects: nothing is read unless somebody asks for it.

    Whatever goes wrong is raised as a `BotError`. After a 401 the request was not done: where the
    credential can be had anew, `forget` drops it and the request is sent once more.
    """

    def __init__(self, auth: Auth, server: Server, forget: Callable[[], None] | None = None) -> None:
        self._made_from = (auth, server, forget)
        super().__init__(
            auth=auth,
            base_url=server.api_url.rstrip("/"),
            timeout=server.timeout,
            user_agent="ngc-bump-bot",
            per_page=100,
            verify=True,
            retry=server.retry,
            pool_size=None,
            seconds_between_writes=server.between_writes,
            lazy=True,
            api_version=API_VERSION,
        )
        self._forget = forget
        self._answers = Answers()

    def requestJson(  # noqa: N802 - PyGithub's name
        self,
        verb: str,
        url: str,
        parameters: dict[str, Any] | None = None,
        headers: dict[str, Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> tuple[int, dict[str, Any], str]:
        """Send a request; a refused credential is renewed once, a moved repository is not followed.

        What was read before is asked for by its tag, and taken as it was where it has not changed.
        """
        address = address_of(url, parameters)
        known = self._answers.find(address) if verb == "GET" else None
        tagged = {**(headers or {}), "If-None-Match": known.tag} if known else headers
        answer = self._send_signed(verb, url, parameters, tagged, *args, **kwargs)
        if known and answer[0] == HTTPStatus.NOT_MODIFIED:
            return HTTPStatus.OK, {**known.headers, **answer[1]}, known.body
        if verb == "GET" and answer[0] == HTTPStatus.OK:
            self._answers.keep(address, answer[1], answer[2])
        if HTTPStatus.MULTIPLE_CHOICES <= answer[0] < HTTPStatus.BAD_REQUEST:
            raise Refused(
                f"GitHub answers `{verb} {url}` with another address: the repository has moved",
                hint="use the name that the repository has now",
            )
        return answer

    def _send_signed(self, verb: str, url: str, *args: Any, **kwargs: Any) -> tuple[int, dict[str, Any], str]:
        answer = super().requestJson(verb, url, *args, **kwargs)
        if answer[0] == HTTPStatus.UNAUTHORIZED and self._forget is not None:
            self._forget()
            answer = super().requestJson(verb, url, *args, **kwargs)
        return answer

    def twin(self) -> "Session":
        """Return another session of the same identity: one session is for one thread."""
        return Session(*self._made_from)

    def target(self, url: str) -> str:
        """Return the address to which GitHub sends whoever asks for `url`; nothing is sent there."""
        try:
            status, headers, output = self._send_signed("GET", url)
            if status >= HTTPStatus.BAD_REQUEST:
                raise self.createException(status, headers, json.loads(output or "null"))
        except (GithubException, OSError, ValueError, RuntimeError) as error:
            raise explain(error, "GET", url) from error
        if not (status >= HTTPStatus.MULTIPLE_CHOICES and isinstance(headers.get("location"), str)):
            raise ServiceError(f"GitHub does not say where `GET {url}` is to be had ({status})")
        return str(headers["location"])

    def requestJsonAndCheck(  # noqa: N802 - PyGithub's name
        self, verb: str, url: str, *args: Any, **kwargs: Any
    ) -> tuple[dict[str, Any], Any]:
        """Send a request and return the headers and the JSON document of the answer."""
        try:
            headers, document = super().requestJsonAndCheck(verb, url, *args, **kwargs)
        except (GithubException, OSError, ValueError, RuntimeError) as error:
            raise explain(error, verb, url) from error
        if isinstance(document, dict) and isinstance(document.get("data"), str):
            # What PyGithub makes of a body that is no JSON, such as a proxy's page.
            raise ServiceError(
                f"`{verb} {url}` was answered with a page instead of JSON",
                hint="check GITHUB_API_URL and the proxy",
            )
        return headers, document

    def graphql_query(self, query: str, variables: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Ask a question and return the headers and the answer; an answer with errors is none."""
        try:
            return super().graphql_query(query, variables)
        except GithubException as error:
            raise explain(error, "POST", self.graphql_url) from error

    def send(self, call: Call) -> Any:
        """Make a write and return the document that GitHub answers with."""
        if call.path == "/graphql" and call.body:
            return self.graphql_query(call.body["query"], call.body["variables"])[1]
        _, document = self.requestJsonAndCheck(call.method, call.path, input=call.body)
        return document
