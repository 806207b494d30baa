"""What GitHub's refusals are told to a person."""

import json
import traceback

import pytest
from github.Auth import Token
from github.Requester import Requester

from bot.core.errors import Refused, ServiceError
from bot.core.host import Call
from bot.github.errors import BadCredentials, NotFound, explain, said_by
from bot.github.session import Server, Session
from tests.adapters.github.hosts import user_host
from tests.adapters.github.scripted import Reply

REPO = "/repos/acme/widgets"


def refusal(status, body=None, headers=None):
    return Requester.createException(status, headers or {}, body)


def validation(**error):
    return {"message": "Validation Failed", "errors": [{"resource": "PullRequest", **error}]}


FORBIDDEN = {"message": "Resource not accessible by integration"}
NOWHERE = {"message": "Not Found"}


@pytest.mark.parametrize(
    ("answer", "call", "kind", "message", "hint"),
    [
        pytest.param(
            (401, {"message": "Bad credentials"}),
            "GET /user",
            BadCredentials,
            "does not accept the credentials: Bad credentials",
            "GITHUB_TOKEN",
            id="a bad token",
        ),
        pytest.param(
            (401, {"message": "A JSON web token could not be decoded"}),
            "GET /app",
            BadCredentials,
            "does not accept the credentials",
            "BOT_APP_PRIVATE_KEY",
            id="a bad key of an App",
        ),
        pytest.param(
            (404, NOWHERE),
            f"GET {REPO}/pulls/7",
            NotFound,
            "no such thing, or these credentials may not see it",
            "has access",
            id="missing or hidden",
        ),
        pytest.param(
            (404, NOWHERE),
            f"GET {REPO}/installation",
            NotFound,
            "App is not installed on `acme/widgets`",
            "install it",
            id="an App that is not installed",
        ),
        pytest.param(
            (409, {"message": "Git Repository is empty."}),
            f"POST {REPO}/git/trees",
            Refused,
            "refused `POST /repos/acme/widgets/git/trees` (409): Git Repository is empty.",
            "",
            id="an empty repository",
        ),
        pytest.param(
            (422, {"message": "Reference already exists"}),
            f"POST {REPO}/git/refs",
            Refused,
            "Reference already exists",
            "run again",
            id="a branch that is there",
        ),
        pytest.param(
            (422, {"message": "Update is not a fast forward"}),
            f"PATCH {REPO}/git/refs/heads/x",
            Refused,
            "not a fast forward",
            "somebody pushed",
            id="a branch that moved",
        ),
        pytest.param(
            (422, validation(code="custom", message="No commits between main and x")),
            f"POST {REPO}/pulls",
            Refused,
            "Validation Failed: No commits between main and x",
            "nothing that the base branch lacks",
            id="nothing to merge",
        ),
        pytest.param(
            (422, validation(field="head", code="invalid")),
            f"POST {REPO}/pulls",
            Refused,
            "Validation Failed: PullRequest head invalid",
            "",
            id="a field that is wrong",
        ),
        pytest.param(
            (422, {"message": "Validation Failed", "errors": ["Could not resolve to a node"]}),
            f"POST {REPO}/pulls",
            Refused,
            "Could not resolve to a node",
            "",
            id="errors as plain text",
        ),
        pytest.param(
            (400, {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}),
            "POST /graphql",
            ServiceError,
            "API rate limit exceeded",
            "",
            id="GraphQL's own limit",
        ),
        pytest.param(
            (502, {"data": "<html>Unicorn!</html>"}),
            f"POST {REPO}/pulls",
            ServiceError,
            "failed at `POST /repos/acme/widgets/pulls` (502): a page instead of JSON",
            "unknown: run again",
            id="a failure with a page",
        ),
        pytest.param(
            (500, None),
            "GET /user",
            ServiceError,
            "no reason given",
            "try again",
            id="a failure without a word",
        ),
    ],
)
def test_an_answer_is_explained(answer, call, kind, message, hint):
    error = explain(refusal(*answer), *call.split())

    assert type(error) is kind
    assert message in error.message
    assert hint in (error.hint or "")


@pytest.mark.parametrize(
    ("call", "permission"),
    [
        (f"POST {REPO}/check-runs", "checks: write"),
        (f"POST {REPO}/statuses/abc", "commit statuses: write"),
        (f"GET {REPO}/commits/abc/statuses", "commit statuses: read"),
        (f"POST {REPO}/pulls", "pull requests: write"),
        (f"POST {REPO}/issues/1/labels", "pull requests: write"),
        (f"POST {REPO}/git/trees", "contents: write"),
        (f"POST {REPO}/merge-upstream", "contents: write"),
        (f"GET {REPO}/branches/pulls", "contents: read"),
        (f"GET {REPO}/collaborators/ada/permission", "metadata: read"),
        ("GET /orgs/acme/teams/ci/memberships/ada", "members: read"),
    ],
)
def test_a_missing_permission_is_named(call, permission):
    error = explain(refusal(403, FORBIDDEN), *call.split())

    assert type(error) is Refused
    assert f"`{call}` (403): Resource not accessible by integration" in error.message
    assert f"`{permission}`" in (error.hint or "")


def test_githubs_own_word_on_permissions_comes_first():
    headers = {"X-Accepted-GitHub-Permissions": "contents=write,workflows=write"}

    error = explain(refusal(403, {"message": "No"}, headers), "POST", f"{REPO}/git/refs")

    assert "`contents=write,workflows=write`" in (error.hint or "")


def test_single_sign_on_is_led_to_its_page():
    headers = {"X-GitHub-SSO": "required; url=https://github.com/orgs/acme/sso?authorization_request=A"}

    error = explain(refusal(403, {"message": "Resource protected by SAML"}, headers), "GET", REPO)

    assert "https://github.com/orgs/acme/sso?authorization_request=A" in (error.hint or "")


def test_a_long_reason_is_cut_to_one_short_line():
    text = said_by({"message": "a\nb\x1b[31m " + "x" * 5000})

    assert text.startswith("a b[31m xxx")
    assert len(text) == 300


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        pytest.param(Reply(200, b"<html>Sign in to the proxy</html>"), "page instead of JSON", id="a page"),
        pytest.param(Reply(201, b'{"sha": "0123'), "cut off", id="half a document"),
        pytest.param(Reply(200, b""), "does not name what it made", id="nothing"),
    ],
)
def test_an_answer_that_is_no_json_is_a_failure_of_the_service(script, server, reply, message):
    script.replies = [reply]

    with pytest.raises(ServiceError, match=message):
        user_host(server).write_commit("0" * 40, "0" * 40, "text")


def test_a_repository_that_moved_is_not_written_to(script, session):
    moved = {"message": "Moved Permanently", "url": f"{script.url}/repositories/7/git/refs"}
    script.replies = [Reply(307, moved, {"Location": moved["url"]})]

    with pytest.raises(Refused, match="has moved"):
        session.send(Call("POST", f"{REPO}/git/refs", {}))

    assert len(script.heard) == 1


def test_a_redirect_to_another_host_is_not_followed(script, session):
    script.replies = [Reply(301, {}, {"Location": "http://elsewhere.invalid/user"})]

    with pytest.raises(ServiceError, match="another address"):
        session.requestJsonAndCheck("GET", "/user")


def test_graphql_errors_are_explained(script, session):
    message = "Could not resolve to a Repository with the name 'acme/typo'."
    script.replies = [
        Reply(200, {"data": {"r0": None}, "errors": [{"type": "NOT_FOUND", "message": message}]})
    ]

    with pytest.raises(NotFound, match="acme/typo"):
        session.graphql_query("{ viewer { login } }", {})


def test_no_failure_shows_the_token(script, server):
    session = Session(Token("very-secret-token"), server)
    script.replies = [
        Reply(401, {"message": "Bad credentials"}),
        Reply(403, {"message": "No"}),
        Reply(lost=True),
    ]

    for _ in range(3):
        with pytest.raises((ServiceError, Refused)) as caught:
            session.send(Call("POST", f"{REPO}/pulls", {}))
        shown = "".join(traceback.format_exception(caught.value)) + json.dumps(caught.value.hint)
        assert "very-secret-token" not in shown
        assert "very-secret-token" not in repr(session) + repr(Server(script.url))
