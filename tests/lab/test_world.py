"""What stories do, and what the world says of a story that broke the rules."""

import pytest

from bot.lab import branches, conversations
from bot.lab.server import GitHubLab
from tests.lab.conftest import REPOSITORY


@pytest.fixture
def number(megatron: GitHubLab) -> int:
    """A pull request of ann."""
    world = megatron.world
    start = world.repository(REPOSITORY).branch("main") or ""
    world.create_branch(REPOSITORY, "bot/x", start, author="ann")
    world.push(REPOSITORY, "bot/x", {"docker/pin": "26.06\n"}, author="ann")
    return world.open_pull_request(REPOSITORY, "bot/x", "main", author="ann").number


def test_files_are_pushed_changed_and_removed(megatron: GitHubLab):
    world = megatron.world
    world.push(
        REPOSITORY, "main", {"docker/pin": "26.06\n", "README.md": None, "new/file": b"\xff"}, author="ann"
    )
    assert world.files(REPOSITORY, "main") == {
        "data/blob.bin": b"\x00\x01\xff",
        "docker/pin": b"26.06\n",
        "new/file": b"\xff",
    }


def test_names_are_compared_without_case(megatron: GitHubLab):
    world = megatron.world
    assert world.repository("nvidia/megatron-lm") is world.repository(REPOSITORY)
    assert world.user("Ann") is world.user("ann")


def test_a_custom_role_needs_its_base(megatron: GitHubLab):
    with pytest.raises(ValueError, match="custom role"):
        megatron.world.set_role(REPOSITORY, "ann", "release manager")


def test_a_clean_story_breaks_no_rule(megatron: GitHubLab, number: int):
    world = megatron.world
    head = world.repository(REPOSITORY).branch("bot/x")
    world.label(REPOSITORY, number, "a", "A", "b")
    world.comment(REPOSITORY, number, "ann", f"/ok to test {head}")
    world.comment(REPOSITORY, number, "max", f"/ok to test {head}")
    world.create_branch(REPOSITORY, f"pull-request/{number}", head or "", author="max")
    assert world.invariants() == ()


def test_two_open_pull_requests_of_one_head_are_told(megatron: GitHubLab, number: int):
    start = megatron.world.repository(REPOSITORY).branch("main") or ""
    megatron.world.create_branch(REPOSITORY, "dev", start, author="ann")
    megatron.world.open_pull_request(REPOSITORY, "bot/x", "dev", author="ann")
    assert megatron.world.invariants() == (f"{REPOSITORY}: 2 open pull requests from {REPOSITORY}:bot/x",)


def test_an_approval_that_is_given_twice_is_told(megatron: GitHubLab, number: int):
    head = megatron.world.repository(REPOSITORY).branch("bot/x")
    for _ in range(2):
        megatron.world.comment(REPOSITORY, number, "ann", f"/ok to test {head}")
    assert megatron.world.invariants() == (f"{REPOSITORY}#{number}: ann approved {head} 2 times",)


def test_a_mirror_of_something_else_is_told(megatron: GitHubLab, number: int):
    main = megatron.world.repository(REPOSITORY).branch("main") or ""
    megatron.world.create_branch(REPOSITORY, f"pull-request/{number}", main, author="max")
    told = f"branch pull-request/{number} was moved to {main}, which never was a head of that pull request"
    assert megatron.world.invariants() == (f"{REPOSITORY}: {told}",)


def test_a_branch_that_lost_commits_is_told(megatron: GitHubLab, number: int):
    world = megatron.world
    main = world.repository(REPOSITORY).branch("main") or ""
    branches.move(world, world.repository(REPOSITORY), "bot/x", main, world.user("ann"), force=True)
    assert world.invariants() == (f"{REPOSITORY}: branch bot/x lost commits when ann moved it to {main}",)


def test_a_label_that_is_there_twice_is_told(megatron: GitHubLab, number: int):
    issue = megatron.world.issue(REPOSITORY, number)
    label = conversations.make_label(megatron.world, megatron.world.repository(REPOSITORY), "a")
    issue.labels += [label, label]
    assert megatron.world.invariants() == (f"{REPOSITORY}#{number}: label `a` is there 2 times",)
