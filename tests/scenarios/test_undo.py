"""Stories of a bump that is taken back, before and after its merge."""

import pytest

from bot.core.errors import Refused
from bot.core.undo import ChangedSince
from bot.lab.megatron import megatron_files
from tests.judges.kill import Killed, killed, writes
from tests.scenarios.conftest import BRANCH, NEW, OLD, REPOSITORY

PIN = "docker/.ngc_version.dev"
BUILD = ".gitlab/stages/01.build.yml"
UNDO = f"bot/base-image/main/undo-dev-{NEW}"


def push(story, files, branch="main", author="maintainer"):
    return story.lab.world.push(REPOSITORY, branch, files, author)


def vouched(story, files):
    sha = push(story, files, BRANCH, "contributor")
    story.lab.world.comment(REPOSITORY, 1, "maintainer", f"/ok to test {sha}")
    return sha


def files(story, revision):
    return story.lab.world.files(REPOSITORY, revision)


def status(story):
    [found] = [body for body in story.comments() if body.startswith("<!-- ngc-bump-bot:status -->")]
    return found


def merge(story, number=1):
    return story.lab.world.merge(REPOSITORY, number, "maintainer")


def test_an_open_bump_is_taken_back_on_its_branch(story):
    first = story.bump()

    outcome = story.undo(1, why="the image hangs")

    commit = story.lab.world.repository(REPOSITORY).git.commit(outcome.sha)
    assert commit.parents == (first.sha,)
    assert files(story, outcome.sha) == files(story, "main")
    assert sorted(outcome.restored) == sorted([BUILD, PIN])
    assert commit.message.startswith(f'Revert "chore: Update Docker image version to {NEW}"\n')
    assert "the image hangs" in commit.message
    assert "the image hangs" in status(story)


def test_a_merged_bump_is_taken_back_by_one_draft(story):
    story.bump()
    merge(story)

    outcome = story.undo(1, why="the image hangs")

    pull = story.pulls[-1]
    assert (pull.pull.head_branch, pull.pull.draft, pull.pull.base_branch) == (UNDO, True, "main")
    assert pull.title == f'Revert "chore: Update Docker image version to {NEW}"'
    assert [label.name for label in pull.labels] == ["Run functional tests"]
    assert story.pins(outcome.sha) == {OLD}
    assert [it.sha for it in story.copy_pr_bot.approvals][-1] == outcome.sha
    assert "the image hangs" in pull.body
    assert "Takes back #1 on branch `main`" in pull.body


@pytest.mark.parametrize("merged", [False, True], ids=["open", "merged"])
def test_taken_back_twice_is_taken_back_once(story, merged):
    story.bump()
    if merged:
        merge(story)
    first = story.undo()

    second = story.undo()

    assert (second.sha, second.written) == (first.sha, False)
    assert len(story.pulls) == (2 if merged else 1)


def test_a_bump_that_was_taken_back_is_not_made_again_unasked(story):
    story.bump()
    undone = story.undo(why="the image hangs")

    with pytest.raises(Refused, match="taken back"):
        story.bump()

    assert "the image hangs" in status(story)
    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) == undone.sha
    outcome = story.bump(anyway=True)
    assert story.pins(outcome.sha) == {NEW}
    assert story.bump().sha == outcome.sha


def test_what_others_did_on_the_branch_stays(story):
    story.bump()
    vouched(story, {"tests/unit_tests/test_it.py": b"fixed\n"})

    outcome = story.undo()

    assert files(story, outcome.sha) == {**files(story, "main"), "tests/unit_tests/test_it.py": b"fixed\n"}


def test_after_a_merge_of_the_base_the_bytes_of_the_base_come_back(story):
    story.bump()
    push(story, {PIN: megatron_files()[PIN].replace(OLD.encode(), b"26.05-py3")})
    story.bump()
    vouched(story, {"docs/note.md": "fine\n"})

    outcome = story.undo()

    assert files(story, outcome.sha) == {**files(story, "main"), "docs/note.md": b"fine\n"}


def test_a_file_that_somebody_else_changed_on_the_branch_too_refuses_it_all(story):
    story.bump()
    last = vouched(story, {BUILD: files(story, BRANCH)[BUILD] + b"# A remark.\n"})

    with pytest.raises(ChangedSince) as refused:
        story.undo()

    assert refused.value.files == ((BUILD, "a commit of somebody else on the branch changed it too"),)
    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) == last


def test_a_file_that_the_base_changed_after_the_merge_refuses_it_all(story):
    story.bump()
    merge(story)
    push(story, {BUILD: files(story, "main")[BUILD] + b"# A remark.\n"})

    with pytest.raises(ChangedSince) as refused:
        story.undo()

    assert refused.value.files == ((BUILD, "the base has changed it since"),)
    assert story.bot_branches == [BRANCH]


def test_a_push_that_the_pull_request_does_not_show_yet_is_seen(story):
    story.bump()
    story.lab.world.lag = 50
    foreign = push(story, {"docs/note.md": "hm\n"}, BRANCH, "contributor")

    with pytest.raises(Refused, match=foreign):
        story.undo()


def test_a_commit_that_nobody_vouches_for_is_not_built_upon(story):
    story.bump()
    foreign = push(story, {"docs/note.md": "hm\n"}, BRANCH, "contributor")

    with pytest.raises(Refused, match=foreign):
        story.undo()

    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) == foreign


def test_a_base_from_which_people_took_it_back_already_is_left_alone(story):
    story.bump()
    merge(story)
    push(story, {path: megatron_files()[path] for path in (PIN, BUILD)})

    assert story.undo().pull_request is None
    assert len(story.pulls) == 1


def test_a_bump_that_was_squashed_into_the_base_is_taken_back(story):
    outcome = story.bump()
    [pull] = story.pulls
    squashed = push(story, {path: files(story, outcome.sha)[path] for path in (PIN, BUILD)})
    pull.state, pull.pull.merged_at, pull.pull.merge_commit_sha = "closed", pull.created_at, squashed
    story.lab.world.delete_branch(REPOSITORY, BRANCH, "maintainer")

    undone = story.undo()

    assert story.pins(undone.sha) == {OLD}


def test_without_its_ledger_the_bot_knows_its_bump_and_its_undoing(story):
    story.bump()
    merge(story)
    story.lose_ledger()
    first = story.undo()
    story.lose_ledger()

    assert story.undo().sha == first.sha


def test_without_its_ledger_the_bot_knows_that_an_open_bump_was_taken_back(story):
    story.bump()
    undone = story.undo()
    story.lose_ledger()

    with pytest.raises(Refused, match="taken back"):
        story.bump()

    assert story.undo().sha == undone.sha


def test_an_undoing_that_was_closed_stays_closed(story):
    story.bump()
    merge(story)
    story.undo()
    story.lab.world.close(REPOSITORY, 2)

    with pytest.raises(Refused, match="stays closed"):
        story.undo()


def a_pull_request_of_a_person(story):
    push(story, {"docs/note.md": "fine\n"}, "topic", "contributor")
    story.lab.world.open_pull_request(REPOSITORY, "topic", "main", "contributor", title="chore: Update")


def a_branch_that_only_looks_like_the_bots(story):
    pins = {path: files(story, "main")[path].replace(OLD.encode(), NEW.encode()) for path in (PIN, BUILD)}
    push(story, {**pins, "setup.py": "import os\n"}, BRANCH, "contributor")
    story.lab.world.open_pull_request(REPOSITORY, BRANCH, "main", "contributor")


def a_bump_that_was_never_merged(story):
    story.bump()
    story.lab.world.close(REPOSITORY, 1)


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        pytest.param(lambda story: None, "has no pull request #1", id="no such number"),
        pytest.param(a_pull_request_of_a_person, "#1 is no bump of the bot", id="somebody else's"),
        pytest.param(a_branch_that_only_looks_like_the_bots, "no commit of the bot", id="a branch by name"),
        pytest.param(a_bump_that_was_never_merged, "never merged", id="closed"),
    ],
)
def test_what_is_no_bump_is_not_taken_back(story, prepare, reason):
    prepare(story)

    with pytest.raises(Refused, match=reason):
        story.undo()


def test_another_base_than_the_pull_requests_is_refused(story):
    story.bump()

    with pytest.raises(Refused, match="#1 is onto `main`, not `dev`"):
        story.undo(base="dev")


WRITES = {False: 5, True: 7}
"""Writes of an undoing on the branch, and by a pull request of its own."""


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("merged", "number"), [(merged, it) for merged in WRITES for it in range(1, WRITES[merged] + 1)]
)
def test_killed_at_any_write_and_started_again_it_converges(story, merged, number, when):
    first = story.bump()
    if merged:
        merge(story)
    with pytest.raises(Killed), killed(number, when, writes):
        story.undo()

    outcome = story.undo()

    git = story.lab.world.repository(REPOSITORY).git
    parent = story.lab.world.repository(REPOSITORY).branch("main") if merged else first.sha
    assert git.commit(outcome.sha).parents == (parent,)
    assert story.pins(outcome.sha) == {OLD}
    assert story.bot_branches == ([BRANCH, UNDO] if merged else [BRANCH])
    assert len(story.pulls) == (2 if merged else 1)
    approved = [approval.sha for approval in story.copy_pr_bot.approvals]
    assert approved == ([first.sha, outcome.sha] if merged else [first.sha])


@pytest.mark.parametrize("merged", WRITES, ids=["open", "merged"])
def test_the_kill_table_reaches_the_last_write(story, merged):
    story.bump()
    if merged:
        merge(story)

    with killed(None, "after", writes) as count:
        story.undo()

    assert count.begun == WRITES[merged]
