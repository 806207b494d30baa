"""Fixtures that hold every request of PyGithub against GitHub's published descriptions."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from requests import PreparedRequest, Response

from tests.judges.graphql import judge_query
from tests.judges.openapi import OpenApi, github
from tests.judges.wire import Send, body_of, intercepted


@dataclass
class Judge:
    """Hears requests to the servers it was told of.

    `findings` is what was wrong, `used` counts the operations that were asked for.
    """

    spec: OpenApi
    servers: dict[str, bool] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)

    def watch(self, url: str, *, answers: bool) -> None:
        """Judge requests to a server, and with `answers` what it says as well."""
        self.servers[url.rstrip("/")] = answers

    def hear(self, request: PreparedRequest, send: Send) -> Response:
        """Send a request on and judge it."""
        response = send(request)
        url = request.url or ""
        server = next((known for known in self.servers if url.startswith(f"{known}/")), None)
        if server is not None:
            self._judge(request, url.removeprefix(server), response, answers=self.servers[server])
        return response

    def _judge(self, request: PreparedRequest, target: str, response: Response, *, answers: bool) -> None:
        method, path = request.method or "GET", target.partition("?")[0]
        body = body_of(request)
        if path == "/graphql":
            found = [*judge_query(body or b"{}")]
        else:
            found = [str(finding) for finding in self.spec.judge_request(method, target, body)]
            if answers:
                content = response.content
                found += map(str, self.spec.judge_answer(method, path, response.status_code, content))
        operation = self.spec.operation(method, path)
        self.used[f"{method} {operation.template if operation else path}"] += 1
        self.findings += [f"{method} {target} -> {response.status_code}: {finding}" for finding in found]


@pytest.fixture
def github_judge() -> Iterator[Judge]:
    """A judge of everything that is sent during a test; the test fails by what it finds."""
    judge = Judge(github())
    with intercepted(judge.hear):
        yield judge
    if judge.findings:
        report = "\n  ".join(dict.fromkeys(judge.findings))
        pytest.fail(f"not as GitHub's description has it:\n  {report}", pytrace=False)
