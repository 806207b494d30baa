import pytest

from bot.core.errors import ServiceError
from bot.gitlab.branch_files import GitLabBranch
from bot.gitlab.server import Patience
from tests.adapters.gitlab import description
from tests.adapters.gitlab.stub import (
    StubGitLab,
    document,
    file_document,
    late,
    message,
    page,
    serving,
    text,
)

DOCKERFILE = b"ARG FROM_IMAGE_NAME=nvcr.io/nvidia/pytorch:26.04-py3\r\n"
PIN = "docker/.ngc_version.dev"
SCOPE_HINT = "set GITLAB_TOKEN to a token of that project with the scope `read_repository` or `read_api`"


@pytest.fixture
def server():
    stub = StubGitLab()
    stub.push("main", "1" * 40, {"Dockerfile": DOCKERFILE, PIN: b"26.04-py3\n"})
    with serving(stub):
        yield stub


def branch(server: StubGitLab, name: str = "main", **changes) -> GitLabBranch:
    arguments = {"url": server.url, "token": server.token, "project": server.project} | changes
    return GitLabBranch(**arguments, branch=name, patience=Patience(timeout=0.3, wait=0))


def test_files_are_read_byte_by_byte(server):
    server.push(
        "main", "2" * 40, {"a b/ü%2F.bin": bytes(range(256)), "empty": b"", "bom": b"\xef\xbb\xbfx\r\n"}
    )

    files = branch(server).read(["a b/ü%2F.bin", "empty", "bom"])

    assert files == {"a b/ü%2F.bin": bytes(range(256)), "empty": b"", "bom": b"\xef\xbb\xbfx\r\n"}


def test_a_file_that_the_branch_has_not_is_none(server):
    assert branch(server).read(["nowhere/Dockerfile", PIN]) == {
        "nowhere/Dockerfile": None,
        PIN: b"26.04-py3\n",
    }


def test_a_branch_is_named_by_its_whole_name(server):
    server.push("core_r0.17/x", "3" * 40, {PIN: b"25.11-py3\n"})

    source = branch(server, "core_r0.17/x")

    assert source.label == "gitlab:core_r0.17/x"
    assert source.read([PIN]) == {PIN: b"25.11-py3\n"}


def test_all_files_are_of_one_commit_though_somebody_pushes_in_between(server):
    def push() -> None:
        server.push("main", "2" * 40, {"Dockerfile": b"FROM other\n", PIN: b"26.06-py3\n"})

    server.after_request = push

    assert branch(server).read(["Dockerfile", PIN]) == {"Dockerfile": DOCKERFILE, PIN: b"26.04-py3\n"}


def test_each_read_sees_the_branch_as_it_is_then(server):
    source = branch(server)
    source.read([PIN])
    server.push("main", "2" * 40, {PIN: b"26.06-py3\n"})

    assert source.read([PIN]) == {PIN: b"26.06-py3\n"}


def test_nothing_is_asked_for_no_file(server):
    assert branch(server).read([]) == {}
    assert server.requests == []


def test_the_requests_are_what_gitlab_describes(server):
    file = description.description_file()
    if file is None:
        pytest.skip("GITLAB_API_DESCRIPTION names no description of GitLab's API")
    api = description.load(file)

    branch(server).read(["Dockerfile", PIN, "missing"])

    told = [description.complaints(api, sent.method, sent.path, sent.query) for sent in server.requests]
    assert told == [[], [], []]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        pytest.param(
            lambda: text(429, "Retry later"), "failed with 429: Retry later", id="too many requests"
        ),
        pytest.param(lambda: page(502), "failed with 502: ", id="bad gateway"),
        pytest.param(
            lambda: message(500, "500 Internal Server Error"), "failed with 500", id="internal error"
        ),
        pytest.param(lambda: late(0.6), "gives no answer: ", id="no answer in time"),
    ],
)
def test_a_fault_that_may_pass_is_waited_for_but_not_for_ever(server, fault, said):
    server.faults = [fault, fault]

    assert branch(server).read([PIN]) == {PIN: b"26.04-py3\n"}

    server.requests.clear()
    server.faults = [fault, fault, fault]
    with pytest.raises(ServiceError) as failure:
        branch(server).read([PIN])

    assert f"GitLab at `{server.url}` {said}" in failure.value.message
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("changes", "name", "said", "hint"),
    [
        pytest.param(
            {"token": "wrong"},
            "main",
            "does not accept the token: 401 Unauthorized",
            SCOPE_HINT,
            id="wrong token",
        ),
        pytest.param({"token": None}, "main", "does not accept the token", SCOPE_HINT, id="no token"),
        pytest.param(
            {"project": "group/other"},
            "main",
            "shows no project `group/other` to the token",
            SCOPE_HINT,
            id="project",
        ),
        pytest.param({}, "gone", "has no branch `gone` in `group/sub/name`", None, id="branch"),
    ],
)
def test_what_is_wrongly_configured_is_told_at_once(server, changes, name, said, hint):
    with pytest.raises(ServiceError) as failure:
        branch(server, name, **changes).read([PIN])

    assert failure.value.message.startswith(f"GitLab at `{server.url}` {said}")
    assert failure.value.hint == hint
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("fault", "said", "hint"),
    [
        pytest.param(
            lambda: document(403, {"error": "insufficient_scope", "error_description": "…", "scope": "api"}),
            "forbids to read `group/sub/name`: insufficient_scope",
            SCOPE_HINT,
            id="a token of too small a scope",
        ),
        pytest.param(
            lambda: document(404, {"error": "404 Not Found"}),
            "does not know the address of a file: 404 Not Found",
            "has to pass on `%2F` as it is",
            id="a proxy that decodes the path",
        ),
        pytest.param(
            lambda: page(404), "does not know the address of a file", "GITLAB_URL", id="another web server"
        ),
        pytest.param(
            lambda: page(200), "does not answer as GitLab does", "GITLAB_URL", id="a page to sign in"
        ),
        pytest.param(lambda: document(200, [1]), "does not answer as GitLab does", "GITLAB_URL", id="a list"),
        pytest.param(
            lambda: (200, "application/json", b"{"),
            "does not answer as GitLab does",
            "GITLAB_URL",
            id="half a document",
        ),
        pytest.param(
            lambda: document(200, {"content": "eA=="}),
            "sent a file that is not whole",
            "try again",
            id="no checksum",
        ),
        pytest.param(
            lambda: document(200, file_document(PIN, "main", "1" * 40, b"26.04-py3\n") | {"content": "MjY="}),
            "sent a file that is not whole",
            "try again",
            id="content cut short",
        ),
        pytest.param(
            lambda: (302, "text/html", b"https://elsewhere.example.com/users/sign_in?token=1"),
            "redirects to `https://elsewhere.example.com/users/sign_in`, which is not followed",
            "GITLAB_URL",
            id="a redirect to another host",
        ),
    ],
)
def test_an_answer_that_is_none_is_told_at_once(server, fault, said, hint):
    server.faults = [fault]

    with pytest.raises(ServiceError) as failure:
        branch(server).read([PIN])

    assert said in failure.value.message
    assert hint in failure.value.hint
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_named():
    with serving(StubGitLab()) as gone:
        pass

    with pytest.raises(ServiceError, match=r"gives no answer: ConnectionError .*Connection refused"):
        branch(gone).read([PIN])


def test_a_token_that_cannot_be_sent_is_not_shown(server):
    with pytest.raises(ServiceError) as failure:
        branch(server, token="s3cret\n").read([PIN])

    assert "s3cret" not in failure.value.message
    assert server.requests == []
