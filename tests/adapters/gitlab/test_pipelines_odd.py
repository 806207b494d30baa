"""Pipelines from a server that answers oddly, or not as GitLab does."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.core.errors import ServiceError
from bot.gitlab.pipelines import GitLabPipelines
from bot.gitlab.server import Patience
from tests.adapters.gitlab.stub import Answer, Request, StubGitLab, document, page, serving

PROJECT = {"id": 7, "ci_config_path": ""}
PIPELINE = {
    "id": 1,
    "project_id": 7,
    "sha": "1" * 40,
    "ref": "main",
    "status": "success",
    "source": "push",
    "created_at": "2026-08-22T12:00:00.000Z",
    "web_url": "https://gitlab.example.com/group/name/-/pipelines/1",
}
JOB = {
    "id": 10,
    "name": "test",
    "stage": "gpt",
    "status": "success",
    "created_at": "2026-08-22T12:00:00.000Z",
    "started_at": "2026-08-22T12:00:01.000Z",
    "finished_at": "2026-08-22T12:01:01.000Z",
    "web_url": "https://gitlab.example.com/group/name/-/jobs/10",
    "tag_list": ["gpu"],
}
BRIDGE = {"id": 11, "name": "begin", "downstream_pipeline": {"id": 2, "project_id": 7}}


class ScriptedGitLab(StubGitLab):
    """Answers each address, from `/projects/<project>` on, as `script` says; lists are empty unless told."""

    def __init__(self) -> None:
        super().__init__()
        self.script: dict[str, Callable[[], Answer] | Any] = {"": PROJECT, "/pipelines/1": PIPELINE}

    def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        told = self.script.get("/".join(["", *request.path.split("/")[5:]]).rstrip("/"), [])
        return told() if callable(told) else document(200, told)


@pytest.fixture
def server():
    with serving(ScriptedGitLab()) as stub:
        yield stub


def client(server, **patience) -> GitLabPipelines:
    return GitLabPipelines(
        server.url, "reader", "group/name", Patience(**{"timeout": 5, "wait": 0} | patience)
    )


def said_by(call, *arguments) -> str:
    with pytest.raises(ServiceError) as caught:
        call(*arguments)
    return caught.value.message


NOT_WHOLE = "sent a pipeline or job that is not whole"
NO_GITLAB = "does not answer as GitLab does"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": None}, "gpt / "),
        ({"name": ""}, "gpt / "),
        ({"stage": None}, " / test"),
        ({"name": "größer 🚀 / ../x\n"}, "gpt / größer 🚀 / ../x\n"),
    ],
)
def test_a_name_is_handed_on_as_it_is(server, changes, expected):
    server.script["/pipelines/1/jobs"] = [JOB | changes]

    assert [job.name for job in client(server).jobs(1)] == [expected]


def test_a_job_needs_no_tags_and_no_times(server):
    server.script["/pipelines/1/jobs"] = [
        JOB | {"tag_list": None, "started_at": None, "finished_at": None, "status": "from the future"}
    ]

    (job,) = client(server).jobs(1)

    assert (job.labels, job.started_at, job.completed_at, job.seconds) == ((), None, None, None)
    assert (job.status, job.conclusion) == ("from the future", None)


@pytest.mark.parametrize(
    "text", ["2026-08-22T14:00:01.000+02:00", "2026-08-22T12:00:01", "2026-08-22T12:00:01Z"]
)
def test_times_are_utc(server, text):
    server.script["/pipelines/1/jobs"] = [JOB | {"started_at": text}]

    assert client(server).jobs(1)[0].started_at == datetime(2026, 8, 22, 12, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"artifacts": [{"file_type": "trace", "size": 5, "filename": "job.log"}]}, []),
        ({"artifacts_file": {"filename": "a.zip", "size": 5}}, [("a.zip", 5, False)]),
        ({"artifacts_file": {"filename": None, "size": 0}}, [("artifacts.zip", 0, False)]),
        (
            # Older versions of GitLab leave the list out.
            {"artifacts_file": {"filename": "a.zip", "size": 5}, "artifacts": None},
            [("a.zip", 5, False)],
        ),
        (
            {"artifacts": [{"file_type": "archive", "size": 6, "filename": "b.zip"}]},
            [("b.zip", 6, True)],
        ),
        ({"artifacts": [], "artifacts_expire_at": "2026-08-01T00:00:00Z"}, [("artifacts.zip", 0, True)]),
    ],
)
def test_an_artifact_is_what_can_be_had_or_could(server, changes, expected):
    server.script["/pipelines/1/jobs"] = [JOB | changes]

    found = client(server).artifacts(1)

    assert [(it.name, it.size, it.expired) for it in found] == expected


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"id": None}, id="no id"),
        pytest.param({"id": "10"}, id="an id in quotes"),
        pytest.param({"id": True}, id="an id that is true"),
        pytest.param({"id": -1}, id="a negative id"),
        pytest.param({"id": [1]}, id="an id that is a list"),
        pytest.param({"name": 5}, id="a name that is a number"),
        pytest.param({"status": {}}, id="a status that is a mapping"),
        pytest.param({"tag_list": 5}, id="tags that are a number"),
        pytest.param({"started_at": "yesterday"}, id="a time that is none"),
    ],
)
def test_a_job_that_is_not_whole_is_an_error(server, changes):
    server.script["/pipelines/1/jobs"] = [JOB, JOB | {"id": 12} | changes]

    assert said_by(client(server).jobs, 1) == f"GitLab at `{server.url}` {NOT_WHOLE}"


@pytest.mark.parametrize(
    "changes",
    [
        {"artifacts_file": {"filename": "a.zip", "size": -1}},
        {"artifacts_file": {"filename": "a.zip"}},
        {"artifacts_file": "a.zip"},
        {"artifacts": [{"size": 1}]},
        {"artifacts_file": {"size": 1}, "finished_at": None, "created_at": None},
    ],
)
def test_an_artifact_that_is_not_whole_is_an_error(server, changes):
    server.script["/pipelines/1/jobs"] = [JOB | changes]

    assert NOT_WHOLE in said_by(client(server).artifacts, 1)


@pytest.mark.parametrize(
    "changes",
    [
        {"downstream_pipeline": {"id": 2}},
        {"downstream_pipeline": {"project_id": 7}},
        {"downstream_pipeline": 2},
        {"name": 5},
    ],
)
def test_a_trigger_job_that_is_not_whole_is_an_error(server, changes):
    server.script["/pipelines/1/bridges"] = [BRIDGE | changes]

    assert NOT_WHOLE in said_by(client(server).jobs, 1)


@pytest.mark.parametrize(
    ("address", "told", "said"),
    [
        ("", {}, NOT_WHOLE),
        ("/pipelines/1/jobs", {"message": "hello"}, NO_GITLAB),
        ("/pipelines/1/jobs", [1], NO_GITLAB),
        ("/pipelines/1/jobs", None, NO_GITLAB),
        ("/pipelines/1/jobs", lambda: page(200), NO_GITLAB),
        ("/pipelines/1/jobs", lambda: (200, "application/json", b"["), NO_GITLAB),
        ("/pipelines/1/jobs", lambda: page(500), "failed with 500"),
        (
            "/pipelines/1/jobs",
            lambda: (302, "text/html", b"https://elsewhere.example.com/sign_in?token=1"),
            "redirects to `https://elsewhere.example.com/sign_in`, which is not followed",
        ),
    ],
)
def test_an_answer_that_is_none_is_told(server, address, told, said):
    server.script[address] = told

    assert said in said_by(client(server).jobs, 1)


@pytest.mark.parametrize("told", [[], "1", {"id": 1}, PIPELINE | {"created_at": None}])
def test_a_pipeline_that_is_not_whole_is_an_error(server, told):
    server.script["/pipelines/1"] = told
    server.script["/pipelines"] = [told]

    for call, argument in ((client(server).run, 1), (client(server).runs, "main")):
        assert "GitLab" in said_by(call, argument)


def test_a_log_is_not_fetched_from_where_a_redirect_leads(server):
    server.script["/jobs/10/trace"] = lambda: (302, "text/html", b"https://elsewhere.example.com/log")

    assert "is not followed" in said_by(list, client(server).log(10))


def test_a_list_without_end_is_not_followed_for_ever(server):
    server.script["/pipelines/1/jobs"] = [JOB] * 100

    said = said_by(client(server, pages=5).jobs, 1)

    assert said == f"GitLab at `{server.url}` sends a list of more than 5 pages: `/pipelines/1/jobs`"
    assert [sent.query["page"] for sent in server.requests if "jobs" in sent.path] == [
        [str(n)] for n in range(1, 6)
    ]


def test_a_job_that_is_listed_twice_is_one(server):
    server.script["/pipelines/1/jobs"] = [JOB, JOB]

    assert len(client(server).jobs(1)) == 1


def test_the_token_goes_to_no_other_place_than_the_server(server):
    place = client(server).location(10)

    assert place.url == f"{server.url}/api/v4/projects/group%2Fname/jobs/10/artifacts"
    assert place.headers == {"PRIVATE-TOKEN": "reader"}
    assert "reader" not in repr(place)
