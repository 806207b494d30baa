"""Each method costs what its docstring says: no request hides behind an attribute."""

import pytest

from bot.core.blob import blob_id
from bot.core.host import Gate
from tests.contracts.stages import FILES

PIN = ".ngc_version.dev"
REPO = "/repos/{repository}"


@pytest.fixture
def stage(stage_of):
    """A bump in progress: a commit on the bot's branch, a draft with a comment and a gate."""
    stage = stage_of("both")
    host = stage.host
    base = host.base_head("main")
    sha = host.write_commit(host.write_tree(base.tree, {PIN: b"new"}), base.sha, "Move")
    host.create_branch("bot/bump", sha)
    host.open_pull_request("bot/bump", "main", "Move to 26.06-py3", "")
    host.set_gate(sha, Gate("pins", passed=False))
    host.actor("comment")
    stage.comment = host.write_comment(1, "text").id
    stage.base, stage.sha = base, sha
    return stage


_READS = {
    "actor, the second time": (lambda host, _: host.actor("comment"), []),
    "base_head": (lambda host, _: host.base_head("main"), ["GET {repo}/branches/main"]),
    "base_head of no branch": (
        lambda host, _: host.base_head("none"),
        ["GET {repo}/branches/none", "GET {repo}"],
    ),
    "bot_head": (lambda host, _: host.bot_head("bot/bump"), ["GET {repo}/git/ref/heads/bot/bump"]),
    "mirror_head": (lambda host, _: host.mirror_head(7), ["GET {repo}/git/ref/heads/pull-request/7"]),
    "read": (lambda host, it: host.read(it.sha, tuple(FILES)), ["POST /graphql"]),
    "read nothing": (lambda host, it: host.read(it.sha, ()), []),
    "read 101 files": (
        lambda host, it: host.read(it.sha, [f"{n}" for n in range(101)]),
        ["POST /graphql", "POST /graphql"],
    ),
    "commits": (lambda host, it: host.commits("main", it.sha), ["GET {repo}/compare/main...{sha}"]),
    "tree_id": (lambda host, it: host.tree_id(it.base.tree, {PIN: b"x"}), ["POST /graphql"]),
    "pull_requests": (lambda host, _: host.pull_requests("bot/bump"), ["GET {repo}/pulls"]),
    "pull_request_head": (lambda host, _: host.pull_request_head(1), ["GET {repo}/pulls/1"]),
    "proposals": (lambda host, _: host.proposals("main", [PIN]), ["POST /graphql"]),
    "contents": (lambda host, _: host.contents([blob_id(b"new")]), ["POST /graphql"]),
    "touching": (lambda host, _: host.touching([1], [PIN]), ["POST /graphql"]),
    "comments": (lambda host, _: host.comments(1), ["GET {repo}/issues/1/comments"]),
    "thumbs_up": (
        lambda host, it: host.thumbs_up(it.comment),
        ["GET {repo}/issues/comments/{comment}/reactions"],
    ),
    "permission": (lambda host, _: host.permission("ada"), ["GET {repo}/collaborators/ada/permission"]),
    "gate": (lambda host, it: host.gate(it.sha, "pins"), ["GET {repo}/commits/{sha}/check-runs"]),
}

_WRITES = {
    "write_tree": (
        lambda host, it: host.write_tree(it.base.tree, {PIN: b"x", "docker/Dockerfile": b"y"}),
        ["POST /graphql", "POST {repo}/git/trees"],
    ),
    "write_tree of two megabytes": (
        lambda host, it: host.write_tree(it.base.tree, {PIN: b"x" * 999_000, "z": b"y" * 999_000}),
        ["POST /graphql", "POST {repo}/git/trees", "POST {repo}/git/trees"],
    ),
    "write_tree of bytes": (
        lambda host, it: host.write_tree(it.base.tree, {PIN: b"\xff"}),
        ["POST /graphql", "POST {repo}/git/blobs", "POST {repo}/git/trees"],
    ),
    "write_commit": (
        lambda host, it: host.write_commit(it.base.tree, it.base.sha, "Again"),
        ["POST {repo}/git/commits"],
    ),
    "create_branch": (lambda host, it: host.create_branch("bot/two", it.sha), ["POST {repo}/git/refs"]),
    "advance_branch": (
        lambda host, it: host.advance_branch("bot/bump", it.sha),
        ["PATCH {repo}/git/refs/heads/bot/bump"],
    ),
    "open_pull_request": (
        lambda host, it: (
            host.create_branch("bot/two", it.sha),
            host.open_pull_request("bot/two", "main", "T", ""),
        ),
        ["POST {repo}/git/refs", "POST {repo}/pulls"],
    ),
    "edit_pull_request": (lambda host, _: host.edit_pull_request(1, "new"), ["PATCH {repo}/pulls/1"]),
    "close_pull_request": (lambda host, _: host.close_pull_request(1), ["PATCH {repo}/pulls/1"]),
    "add_labels": (lambda host, _: host.add_labels(1, ["a", "b"]), ["POST {repo}/issues/1/labels"]),
    "write_comment": (lambda host, _: host.write_comment(1, "text"), ["POST {repo}/issues/1/comments"]),
    "set_gate on a commit that has one": (
        lambda host, it: host.set_gate(it.sha, Gate("pins", passed=True)),
        ["GET {repo}/commits/{sha}/check-runs", "PATCH {repo}/check-runs/{run}"],
    ),
    "set_gate on a commit that was just made": (
        lambda host, it: host.set_gate(
            host.write_commit(it.base.tree, it.base.sha, "New"), Gate("pins", passed=True)
        ),
        ["POST {repo}/git/commits", "POST {repo}/check-runs"],
    ),
    "set_gate on a commit that has none": (
        lambda host, it: host.set_gate(it.base.sha, Gate("pins", passed=True)),
        ["GET {repo}/commits/{base}/check-runs", "POST {repo}/check-runs"],
    ),
}


@pytest.mark.parametrize(("use", "requests"), _READS.values(), ids=_READS)
def test_a_read_takes_these_requests(stage, ear, use, requests):
    use(stage.host, stage)

    assert ear.since() == named(stage, requests)


@pytest.mark.parametrize(("use", "requests"), _WRITES.values(), ids=_WRITES)
def test_a_write_takes_these_requests(stage, ear, use, requests):
    use(stage.host, stage)

    assert ear.since() == named(stage, requests)


def named(stage, requests):
    (run,) = stage.lab.world.repository(stage.repository).check_runs[:1]
    names = {
        "repo": f"/repos/{stage.repository}",
        "sha": stage.sha,
        "base": stage.base.sha,
        "run": run.id,
        "comment": stage.comment,
    }
    return [request.format(**names) for request in requests]
