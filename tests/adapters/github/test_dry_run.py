"""What a dry run keeps is what the same story sends."""

import re

import pytest

from bot.core.blob import blob_id
from bot.core.host import Gate, Node
from bot.github.dry_run import DryRunHost

PIN, DOCKERFILE, IMAGE = ".ngc_version.dev", "docker/Dockerfile", "docker/build/notes.txt"
FILES = {PIN: b"nvcr.io/nvidia/pytorch:26.06-py3\n", DOCKERFILE: b"FROM x\r\n" * 200_000, IMAGE: b"\xff\x00"}

THERE = blob_id(FILES[PIN])


def a_bump(host):
    """Tell the story of a bump: files, a branch, a draft, labels, texts, gates, one more commit."""
    base = host.base_head("main")
    tree = host.write_tree(base.tree, FILES)
    sha = host.write_commit(tree, base.sha, "Move the pins\n\nSigned-off-by: A <a@example.org>")
    host.create_branch("bot/bump", sha)
    assert host.bot_head("bot/bump") == sha
    pull = host.open_pull_request("bot/bump", "main", "Move the pins", "The text")
    host.add_labels(pull.number, ["Run functional tests", "container::lts"])
    comment = host.write_comment(pull.number, f"/ok to test {sha}")
    host.edit_comment(comment.id, "edited")
    host.edit_pull_request(pull.number, "Another text")
    host.set_gate(sha, Gate("pins", passed=True, summary="agree"))
    host.set_gate(base.sha, Gate("pins", passed=False))
    more = host.write_commit(tree, sha, "Again")
    host.advance_branch("bot/bump", more)
    merged = host.write_tree(base.tree, {PIN: FILES[PIN]}, {IMAGE: None, "copy": Node("100644", THERE)})
    more = host.write_commit(merged, more, "Merge", base.sha)
    host.advance_branch("bot/bump", more)
    assert host.bot_head("bot/bump") == more
    return tree, pull, comment


@pytest.mark.parametrize("signed", ["user", "app", "both", "fork", "app on a fork"])
def test_the_calls_of_a_dry_run_are_those_that_are_sent(stage_of, ear, signed):
    stage = stage_of(signed)
    if "fork" in signed:
        stage.push("main", {"new": b"new"})
    rehearsal = DryRunHost(stage.repository, stage.push_repository, stage.host._accounts)

    kept_tree, *_ = a_bump(rehearsal)
    assert [method for method, path, _ in ear.heard if method != "GET" and path != "/graphql"] == []
    start = len(ear.heard)
    sent_tree, pull, comment = a_bump(stage.host)

    kept = [(call.method, call.path, call.body) for call in rehearsal.calls]
    sent = [it for it in ear.heard[start:] if it[0] != "GET" and it[1] != "/graphql"]
    assert kept_tree == sent_tree
    assert anonymous(kept, 0, 0) == anonymous(sent, pull.number, comment.id)


def anonymous(calls, number, comment):
    """Return the calls with numbers, and shas by when they first come up, named alike in all stories."""
    text = repr(calls).replace(f"/issues/comments/{comment}'", "/issues/comments/COMMENT'")
    text = re.sub(rf"/(pulls|issues)/{number}(?=['/])", r"/\1/NUMBER", text)
    seen: dict[str, str] = {}
    return re.sub(r"\b[0-9a-f]{40}\b", lambda found: seen.setdefault(found[0], f"sha {len(seen)}"), text)


def test_a_dry_run_shows_the_pull_request_that_it_would_open(stage_of):
    stage = stage_of("both")
    rehearsal = DryRunHost(stage.repository, stage.push_repository, stage.host._accounts)

    _, kept, comment = a_bump(rehearsal)
    _, opened, _ = a_bump(stage.host)

    assert (kept.number, comment.id) == (0, 0)
    assert (kept.title, kept.draft, kept.author, kept.head_branch, kept.base, kept.head_repository) == (
        opened.title,
        opened.draft,
        opened.author,
        opened.head_branch,
        opened.base,
        opened.head_repository,
    )
    assert comment.author == stage.host.actor("comment")


def test_a_dry_run_leaves_the_repository_as_it_was(stage_of):
    stage = stage_of("user")
    before = stage.host.base_head("main")

    a_bump(DryRunHost(stage.repository, stage.push_repository, stage.host._accounts))

    assert stage.host.base_head("main") == before
    assert stage.host.bot_head("bot/bump") is None
    assert stage.host.pull_requests("bot/bump") == ()


@pytest.mark.parametrize("signed", ["user", "app"])
def test_the_calls_for_an_issue_are_those_that_are_sent(stage_of, ear, signed):
    stage = stage_of(signed)
    rehearsal = DryRunHost(stage.repository, stage.push_repository, stage.host._accounts)

    def file(host):
        issue = host.open_issue("Quarantined: t", "The text", ["a"])
        host.edit_issue(issue.number, "more")
        host.set_issue_state(issue.number, "closed")
        return issue

    shown = file(rehearsal)
    assert [method for method, *_ in ear.heard if method != "GET"] == []
    start = len(ear.heard)
    made = file(stage.host)

    kept = [(call.method, call.path, call.body) for call in rehearsal.calls]
    sent = [(method, path, body) for method, path, body in ear.heard[start:] if method != "GET"]
    assert anonymous(kept, 0, 0) == anonymous(sent, made.number, 0)
    assert (shown.number, shown.author, shown.labels) == (0, made.author, ("a",))
