"""copy-pr-bot mirrors what a vetter approves, wherever the words stand."""

import pytest

from bot.lab import conversations
from bot.lab.copy_pr_bot import CopyPrBot
from bot.lab.server import GitHubLab
from tests.lab.conftest import REPOSITORY


@pytest.fixture
def head(megatron: GitHubLab) -> str:
    """The head of pull request 1, which bob opened from his fork."""
    world = megatron.world
    world.fork(REPOSITORY, "bob")
    start = world.repository(REPOSITORY).branch("main") or ""
    world.create_branch("bob/Megatron-LM", "fix", start, author="bob")
    sha = world.push("bob/Megatron-LM", "fix", {"docker/pin": "26.06\n"}, author="bob")
    world.open_pull_request(REPOSITORY, "bob:fix", "main", author="bob")
    return sha


@pytest.fixture
def listener(megatron: GitHubLab) -> CopyPrBot:
    return megatron.copy_pr_bot(REPOSITORY)


def mirror(lab: GitHubLab) -> str | None:
    return lab.world.repository(REPOSITORY).branch("pull-request/1")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("/ok to test {sha}", id="as it should be"),
        pytest.param("/ok to test {short}", id="seven digits"),
        pytest.param("/ok to test  {sha}", id="two blanks"),
        pytest.param("/ok to test [{short}](https://x/commits/{sha})", id="a link"),
        pytest.param("Thanks!\r\n/ok to test {sha}\r\nBye", id="on a line of its own"),
        pytest.param("> /ok to test {sha}", id="in a quote"),
        pytest.param("```\n/ok to test {sha}\n```", id="in a code block"),
        pytest.param("    /ok to test {sha}", id="indented"),
        pytest.param("<!-- /ok to test {sha} -->", id="in an HTML comment"),
    ],
)
def test_a_vetter_is_obeyed(megatron: GitHubLab, listener: CopyPrBot, head: str, body: str):
    comment = megatron.world.comment(REPOSITORY, 1, "ann", body.format(sha=head, short=head[:7]))
    assert mirror(megatron) == head
    assert [(approval.sha, approval.by.login) for approval in listener.approvals] == [(head, "ann")]
    assert [(reaction.user.login, reaction.content) for reaction in comment.reactions] == [
        ("copy-pr-bot[bot]", "+1")
    ]


@pytest.mark.parametrize(
    ("login", "body"),
    [
        pytest.param("bob", "/ok to test {sha}", id="not a vetter"),
        pytest.param("ann", "/ok to test 0123456789", id="not the head"),
        pytest.param("ann", "/ok to test", id="no sha"),
        pytest.param("ann", "/ok to test HEAD", id="a name"),
        pytest.param("ann", "Please say /ok to test {sha}", id="within a line"),
    ],
)
def test_others_and_other_words_are_not(
    megatron: GitHubLab, listener: CopyPrBot, head: str, login: str, body: str
):
    megatron.world.comment(REPOSITORY, 1, login, body.format(sha=head))
    assert mirror(megatron) is None
    assert listener.approvals == []


def test_an_old_head_is_not_mirrored_any_more(megatron: GitHubLab, listener: CopyPrBot, head: str):
    megatron.world.push("bob/Megatron-LM", "fix", {"a": "1"}, author="bob")
    megatron.world.comment(REPOSITORY, 1, "ann", f"/ok to test {head}")
    assert mirror(megatron) is None
    assert [event.comment.body for event in listener.ignored] == [f"/ok to test {head}"]


def test_words_that_slip_into_an_edited_comment_are_obeyed(
    megatron: GitHubLab, listener: CopyPrBot, head: str
):
    world = megatron.world
    comment = world.comment(REPOSITORY, 1, "ann", "status: running")
    conversations.edit_comment(
        world, world.repository(REPOSITORY), comment.id, f"log:\n/ok to test {head}", by=world.user("ann")
    )
    assert mirror(megatron) == head


def test_an_app_that_may_write_is_a_vetter(megatron: GitHubLab, listener: CopyPrBot, head: str):
    megatron.app("bump-bot", [REPOSITORY])
    megatron.world.comment(REPOSITORY, 1, "bump-bot[bot]", f"/ok to test {head}")
    assert mirror(megatron) == head


def test_the_mirror_moves_on_with_the_next_approval(megatron: GitHubLab, listener: CopyPrBot, head: str):
    megatron.world.comment(REPOSITORY, 1, "ann", f"/ok to test {head}")
    new = megatron.world.push("bob/Megatron-LM", "fix", {"a": "1"}, author="bob")
    megatron.world.comment(REPOSITORY, 1, "ann", f"/ok to test {new}")
    assert mirror(megatron) == new
    assert megatron.world.invariants() == ()


def test_an_approval_may_fail_and_the_next_one_works(megatron: GitHubLab, listener: CopyPrBot, head: str):
    listener.problems = 1
    comment = megatron.world.comment(REPOSITORY, 1, "ann", f"/ok to test {head}")

    assert (mirror(megatron), comment.reactions, listener.approvals) == (None, [], [])
    said = megatron.world.issue(REPOSITORY, 1).comments[-1]
    assert (said.author.login, said.body) == (
        "copy-pr-bot[bot]",
        "copy-pr-bot had a problem deploying to `test`",
    )
    new = megatron.world.push("bob/Megatron-LM", "fix", {"a": "1"}, author="bob")
    megatron.world.comment(REPOSITORY, 1, "ann", f"/ok to test {new}")
    assert mirror(megatron) == new


def test_what_is_not_obeyed_anyway_uses_up_no_problem(megatron: GitHubLab, listener: CopyPrBot, head: str):
    listener.problems = 1
    megatron.world.comment(REPOSITORY, 1, "bob", f"/ok to test {head}")

    assert (listener.problems, len(megatron.world.issue(REPOSITORY, 1).comments)) == (1, 1)
