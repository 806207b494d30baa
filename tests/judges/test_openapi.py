"""The judge of the REST API catches what GitHub would refuse or ignore, and nothing else."""

import json
from typing import Any

import pytest

from tests.judges.openapi import Finding, _is_forgotten_null, github

REPO = "/repos/acme/widgets"
SHA = "0" * 40


def findings(method: str, target: str, body: Any = None) -> list[str]:
    raw = None if body is None else json.dumps(body).encode()
    return [str(finding) for finding in github().judge_request(method, target, raw)]


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        pytest.param("GET", "/user", None, id="no parameters"),
        pytest.param(
            "GET", f"{REPO}/branches/bot/base-image/main/dev-26.06-py3", None, id="a branch with slashes"
        ),
        pytest.param("GET", f"{REPO}/branches/bot%2Fx", None, id="a branch with its slashes escaped"),
        pytest.param(
            "GET",
            f"{REPO}/compare/main...owner:bot/x?per_page=100&page=2",
            None,
            id="a comparison across forks",
        ),
        pytest.param("GET", f"{REPO}/contents/", None, id="the root of the files"),
        pytest.param("GET", f"{REPO}/contents/docker/.ngc_version.dev?ref=main", None, id="a file"),
        pytest.param("GET", f"{REPO}/git/matching-refs/heads/bot/?per_page=100", None, id="refs, paged"),
        pytest.param("GET", f"{REPO}/pulls?state=all&head=acme:bot/x", None, id="a list with filters"),
        pytest.param("GET", "/search/issues?q=repo:acme/widgets+is:pr", None, id="a search"),
        pytest.param("POST", f"{REPO}/git/refs", {"ref": "refs/heads/x", "sha": SHA}, id="a ref"),
        pytest.param("PATCH", f"{REPO}/git/refs/heads/bot/x", {"sha": SHA, "force": False}, id="a moved ref"),
        pytest.param(
            "POST",
            f"{REPO}/git/trees",
            {"base_tree": SHA, "tree": [{"path": "a", "mode": "100644", "type": "blob", "content": "x"}]},
            id="a tree with text inline",
        ),
        pytest.param(
            "POST",
            f"{REPO}/git/trees",
            {"tree": [{"path": "a", "mode": "100644", "type": "blob", "sha": None}]},
            id="a tree without a file",
        ),
        pytest.param(
            "POST", f"{REPO}/git/commits", {"message": "m", "tree": SHA, "parents": [SHA]}, id="a commit"
        ),
        pytest.param(
            "POST",
            f"{REPO}/pulls",
            {"title": "t", "head": "x", "base": "main", "body": "b", "draft": True},
            id="a draft",
        ),
        pytest.param("POST", f"{REPO}/issues/1/labels", {"labels": ["a"]}, id="labels as documented"),
        pytest.param("POST", f"{REPO}/issues/1/labels", ["a"], id="labels as a bare list"),
        pytest.param(
            "POST",
            f"{REPO}/check-runs",
            {"name": "n", "head_sha": SHA, "status": "completed", "conclusion": "success"},
            id="a finished check run",
        ),
        pytest.param(
            "PATCH",
            f"{REPO}/check-runs/7",
            {"status": "completed", "conclusion": "failure", "output": {"title": "t", "summary": "s"}},
            id="a changed check run",
        ),
        pytest.param(
            "POST", "/app/installations/7/access_tokens", {"permissions": {}}, id="a token, in PyGithub's way"
        ),
    ],
)
def test_a_right_request_passes(method: str, target: str, body: Any):
    assert findings(method, target, body) == []


@pytest.mark.parametrize(
    ("method", "target", "body", "said"),
    [
        pytest.param("GET", "/repos/acme", None, "path: no such operation", id="a path of no operation"),
        pytest.param("PUT", f"{REPO}/pulls", {}, "path: no such operation", id="a method of no operation"),
        pytest.param(
            "GET",
            f"{REPO}/pulls/seven",
            None,
            'path pull_number: "seven" is not of type "integer"',
            id="a word for a number",
        ),
        pytest.param(
            "GET",
            f"{REPO}/pulls?state=opened",
            None,
            'query state: "opened" is not one of',
            id="a value of no enumeration",
        ),
        pytest.param(
            "GET", f"{REPO}/pulls?sate=open", None, "query sate: not described", id="a misspelt query"
        ),
        pytest.param(
            "GET",
            f"{REPO}/pulls?per_page=many",
            None,
            'query per_page: "many" is not of type "integer"',
            id="a word for a size",
        ),
        pytest.param("GET", "/search/issues", None, "query q: missing", id="a query left out"),
        pytest.param(
            "GET",
            f"{REPO}/commits/main/check-runs?filter=newest",
            None,
            'query filter: "newest" is not one of',
            id="an unknown filter",
        ),
        pytest.param("POST", f"{REPO}/pulls", None, "body: missing", id="no body"),
        pytest.param(
            "POST",
            f"{REPO}/pulls",
            {"title": "t", "head": "x"},
            'body: "base" is a required property',
            id="a key left out",
        ),
        pytest.param(
            "POST",
            f"{REPO}/pulls",
            {"title": "t", "head": "x", "base": "main", "is_draft": True},
            "body: Additional properties are not allowed ('is_draft' was unexpected)",
            id="a key that GitHub would ignore",
        ),
        pytest.param(
            "POST",
            f"{REPO}/pulls",
            {"title": "t", "head": "x", "base": "main", "draft": "yes"},
            'body draft: "yes" is not of type "boolean"',
            id="a word for a flag",
        ),
        pytest.param(
            "POST",
            f"{REPO}/git/trees",
            {"tree": [{"path": "a", "mode": "644", "content": "x"}]},
            'body tree/0/mode: "644" is not one of',
            id="a mode of no file",
        ),
        pytest.param(
            "POST",
            f"{REPO}/git/trees",
            {"tree": [{"path": "a", "text": "x"}]},
            "body tree/0: Additional properties are not allowed ('text' was unexpected)",
            id="an unknown key in a list",
        ),
        pytest.param(
            "POST",
            f"{REPO}/check-runs",
            {"name": "n", "head_sha": SHA, "status": "done"},
            'body status: "done" is not one of',
            id="a status of no check run",
        ),
        pytest.param(
            "POST",
            f"{REPO}/check-runs",
            {"name": "n", "head_sha": SHA, "conclusion": "passed"},
            'body conclusion: "passed" is not one of',
            id="a conclusion of no check run",
        ),
        pytest.param(
            "PATCH",
            f"{REPO}/check-runs/7",
            {"status": "completed"},
            "body:",
            id="completed without a conclusion",
        ),
        pytest.param(
            "PATCH",
            f"{REPO}/check-runs/7",
            {"conclusion": "success", "titel": "t"},
            "'titel' was unexpected",
            id="an unknown key beside alternatives",
        ),
        pytest.param(
            "POST",
            f"{REPO}/check-runs",
            {"name": "n", "head_sha": SHA, "output": {"title": "t"}},
            'body output: "summary" is a required property',
            id="a key left out of an inner object",
        ),
        pytest.param(
            "POST", f"{REPO}/issues/1/labels", {"label": ["a"]}, "body:", id="labels under a wrong key"
        ),
        pytest.param("POST", f"{REPO}/issues/1/labels", [], "body:", id="an empty list of labels"),
        pytest.param(
            "POST",
            f"{REPO}/statuses/{SHA}",
            {"state": "failed", "context": "c"},
            'body state: "failed" is not one of',
            id="a state of no status",
        ),
        pytest.param(
            "POST",
            f"{REPO}/issues/comments/7/reactions",
            {"content": "tada"},
            'body content: "tada" is not one of',
            id="a reaction of no kind",
        ),
        pytest.param(
            "POST",
            f"{REPO}/git/commits",
            {"message": "m", "tree": SHA, "parents": SHA},
            "body parents:",
            id="one parent for a list",
        ),
        pytest.param(
            "POST",
            f"{REPO}/git/commits",
            {"message": "m", "tree": SHA, "author": {"name": "a"}},
            'body author: "email" is a required property',
            id="an author without an address",
        ),
        pytest.param("GET", "/user", {"a": 1}, "body: not described", id="a body where none is read"),
    ],
)
def test_a_wrong_request_is_caught(method: str, target: str, body: Any, said: str):
    found = findings(method, target, body)
    assert any(said in finding for finding in found), found


def test_a_body_that_is_not_json_is_caught():
    found = github().judge_request("POST", f"{REPO}/pulls", b"title=t")
    assert [finding.where for finding in found] == ["body"]


def answered(method: str, path: str, status: int, document: Any) -> list[str]:
    raw = b"" if document is None else json.dumps(document).encode()
    return [str(finding) for finding in github().judge_answer(method, path, status, raw)]


REF = {
    "ref": "refs/heads/x",
    "node_id": "R",
    "url": "https://example.org",
    "object": {"type": "commit", "sha": SHA, "url": "https://example.org"},
}


@pytest.mark.parametrize(
    ("status", "document", "said"),
    [
        pytest.param(201, REF, [], id="as described"),
        pytest.param(
            201,
            {**REF, "surprise": 1},
            ["answer 201: Additional properties are not allowed ('surprise' was unexpected)"],
            id="a key that GitHub does not send",
        ),
        pytest.param(
            201,
            {"ref": "x"},
            [
                'answer 201: "node_id" is a required property',
                'answer 201: "url" is a required property',
                'answer 201: "object" is a required property',
            ],
            id="keys left out",
        ),
        pytest.param(200, REF, ["answer 200: not described"], id="a success that is not described"),
        pytest.param(
            422, {"message": "no", "documentation_url": "https://docs", "status": "422"}, [], id="a refusal"
        ),
        pytest.param(401, {"message": "Bad credentials"}, [], id="a refusal that is not described"),
        pytest.param(
            401,
            {"error": "no"},
            ["answer 401: Additional properties are not allowed ('error' was unexpected)"],
            id="no refusal of GitHub's",
        ),
    ],
)
def test_answers_are_judged_as_strictly(status: int, document: Any, said: list[str]):
    assert answered("POST", f"{REPO}/git/refs", status, document) == said


def test_an_unchanged_answer_is_always_right():
    assert answered("GET", f"{REPO}/branches/main", 304, None) == []


def test_the_closest_operation_is_meant():
    spec = github()
    meant = {
        path: spec.operation("get", path)
        for path in (f"{REPO}/commits/main/status", f"{REPO}/commits/main", f"{REPO}/issues/comments/7")
    }
    assert [operation and operation.template for operation in meant.values()] == [
        "/repos/{owner}/{repo}/commits/{ref}/status",
        "/repos/{owner}/{repo}/commits/{ref}",
        "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    ]


def test_the_description_names_its_licence():
    assert github().document["info"]["license"]["name"] == "MIT"


@pytest.mark.parametrize(
    "where",
    [
        pytest.param("answer 200 head/repo", id="a fork that is gone"),
        pytest.param("answer 200 3/labels/0/description", id="a label without a description"),
        pytest.param("answer 200 items/0/body", id="a pull request without a text"),
    ],
)
def test_nulls_that_the_description_forgot_are_no_findings(where: str):
    assert _is_forgotten_null(Finding(where, 'null is not of type "string"'))
    assert not _is_forgotten_null(Finding(where, '7 is not of type "string"'))
    assert not _is_forgotten_null(Finding("answer 200 head/sha", 'null is not of type "string"'))
