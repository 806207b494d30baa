"""The judge on the wire hears what concerns it and remembers what was wrong."""

import pytest
import requests
from requests import PreparedRequest, Response

from tests.judges.openapi import github
from tests.judges.plugin import Judge
from tests.judges.wire import intercepted

URL = "http://127.0.0.1:9"


def answering(status: int, content: bytes):
    def send(request: PreparedRequest) -> Response:
        response = Response()
        response.status_code, response._content, response.url = status, content, request.url or ""
        return response

    return send


@pytest.fixture
def judge() -> Judge:
    return Judge(github())


def heard(
    judge: Judge, method: str, url: str, status: int = 200, content: bytes = b"{}", **options: object
) -> list[str]:
    request = requests.Request(method, url, **options).prepare()
    judge.hear(request, answering(200, b"{}"))
    return judge.findings


def test_a_wrong_request_to_a_watched_server_is_remembered(judge: Judge):
    judge.watch(URL, answers=False)
    said = 'query state: "opened" is not one of "open", "closed" or "all"'
    found = heard(judge, "GET", f"{URL}/repos/a/b/pulls?state=opened")
    assert found == [f"GET /repos/a/b/pulls?state=opened -> 200: {said}"]


def test_a_server_that_is_not_watched_is_not_heard(judge: Judge):
    judge.watch(URL, answers=True)
    assert heard(judge, "GET", "http://127.0.0.1:99/repos/a/b/pulls", params={"state": "opened"}) == []
    assert judge.used.total() == 0


def test_answers_are_judged_only_where_they_are_ours(judge: Judge):
    judge.watch(URL, answers=False)
    assert heard(judge, "GET", f"{URL}/rate_limit") == []
    judge.watch(URL, answers=True)
    assert heard(judge, "GET", f"{URL}/rate_limit")[0].startswith("GET /rate_limit -> 200: answer 200: ")


def test_queries_go_to_the_judge_of_graphql(judge: Judge):
    judge.watch(URL, answers=True)
    assert heard(judge, "POST", f"{URL}/graphql", json={"query": "{ stars }"}) == [
        "POST /graphql -> 200: query: Cannot query field 'stars' on type 'Query'."
    ]


def test_the_operations_that_were_used_are_counted(judge: Judge):
    judge.watch(URL, answers=False)
    for branch in ("main", "bot/x"):
        heard(judge, "GET", f"{URL}/repos/a/b/branches/{branch}")
    assert judge.used == {"GET /repos/{owner}/{repo}/branches/{branch}": 2}


def test_the_wire_is_as_before_when_the_block_ends():
    before = requests.adapters.HTTPAdapter.send
    with pytest.raises(RuntimeError, match="stop"), intercepted(lambda _request, _send: Response()):
        raise RuntimeError("stop")
    assert requests.adapters.HTTPAdapter.send is before
