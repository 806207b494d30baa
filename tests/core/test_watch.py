import pytest

from bot.core.events import (
    BranchPushed,
    CheckRequested,
    CommentCreated,
    IssueChanged,
    PipelineFinished,
    PullRequestChanged,
    RunCompleted,
    TagSeen,
)
from bot.core.host import Actor
from bot.core.watch import Watch, Watched
from bot.core.work import Key, conversation_number

REPOSITORY = "Acme/Widgets"
WATCH = Watch(
    [Watched(REPOSITORY, frozenset({"main", "core_r0.17"}), "adlr/widgets"), Watched("a/b", frozenset())]
)
PERSON, APP = Actor(1, "ada"), Actor(2, "some[bot]", is_app=True)
BUMP = "bot/base-image/main/dev-26.06-py3"


def comment(body="thanks", *, author=PERSON, on_pull_request=False, repository=REPOSITORY):
    return CommentCreated(repository, 12, 900, author, body, on_pull_request)


def run(branch, numbers=(), repository=REPOSITORY):
    return RunCompleted(repository, 7, branch, "a" * 40, "failure", numbers)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        pytest.param(comment("/bot help"), "conversation 12", id="a command on an issue"),
        pytest.param(comment(on_pull_request=True), "conversation 12", id="a comment on a pull request"),
        pytest.param(
            comment(author=APP, on_pull_request=True), "conversation 12", id="copy-pr-bot on a pull request"
        ),
        pytest.param(
            PullRequestChanged(REPOSITORY, 12, "labeled", BUMP),
            "conversation 12",
            id="the bump itself",
        ),
        pytest.param(IssueChanged(REPOSITORY, 12, "closed"), "conversation 12", id="a tracking issue closed"),
        pytest.param(run("pull-request/12"), "conversation 12", id="a run of a vetted head"),
        pytest.param(run(BUMP, (12,)), "conversation 12", id="a run of the bump's branch"),
        pytest.param(CheckRequested(REPOSITORY, "a", (12,)), "conversation 12", id="a check asked for again"),
        pytest.param(
            PipelineFinished("ADLR/widgets", 3, "pull-request/12", "a", "failed"),
            "conversation 12",
            id="a pipeline of a vetted head",
        ),
        pytest.param(BranchPushed(REPOSITORY, "core_r0.17", "a"), "branch core_r0.17", id="a push to a base"),
        pytest.param(TagSeen(REPOSITORY, "lts", "26.06-py3"), "releases lts", id="a tag"),
    ],
)
def test_what_can_change_a_bump_pokes_it_in_the_lane_of_its_repository(event, name):
    assert WATCH.key(event) == Key("acme/widgets", name)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(comment(), id="talk on an issue"),
        pytest.param(comment("/bot help", author=APP), id="an App's command on an issue"),
        pytest.param(comment("/bot help", repository="acme/gadgets"), id="a repository that is not watched"),
        pytest.param(PullRequestChanged(REPOSITORY, 12, "opened", "feature"), id="another pull request"),
        pytest.param(run("main"), id="a run of the base branch"),
        pytest.param(run("feature", (12,)), id="a run of somebody's branch"),
        pytest.param(run("pull-request/012"), id="a number that GitHub does not write"),
        pytest.param(run("pull-request/12/x"), id="a branch that only looks like the mirror"),
        pytest.param(run("pull-request/99999999999"), id="a number too long for one"),
        pytest.param(run(BUMP), id="a run that names no pull request"),
        pytest.param(run(BUMP, (12, 13)), id="a run of two pull requests"),
        pytest.param(
            PipelineFinished("adlr/gadgets", 3, "pull-request/12", "a", "failed"), id="another project"
        ),
        pytest.param(BranchPushed(REPOSITORY, "feature", "a"), id="a push to somebody's branch"),
        pytest.param(TagSeen("acme/gadgets", "dev", "26.06-py3"), id="a tag for a repository not watched"),
    ],
)
def test_what_cannot_change_a_bump_pokes_nothing(event):
    assert WATCH.key(event) is None


def test_a_project_and_a_repository_of_one_name_are_told_apart():
    assert WATCH.key(PipelineFinished("acme/widgets", 3, "pull-request/12", "a", "failed")) is None


def test_a_key_of_a_conversation_has_its_number():
    assert conversation_number(WATCH.key(comment("/bot help"))) == 12
    assert conversation_number(WATCH.key(TagSeen(REPOSITORY, "dev", "26.06-py3"))) is None


def test_a_key_reads_like_what_it_is():
    assert str(WATCH.key(comment("/bot help"))) == "acme/widgets conversation 12"
