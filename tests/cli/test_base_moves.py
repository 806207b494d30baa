"""`bot bump` once the base has moved, from the command line, on the simulated GitHub."""

from tests.cli.test_undo import BUILD, PIN, REPOSITORY, anonymous, bumped, github, writes

__all__ = ["bumped", "github"]


def move(github, tag):
    old = github.world.files(REPOSITORY, "main")[PIN]
    github.world.push(REPOSITORY, "main", {PIN: old.replace(b"26.04", tag.encode())}, "ada")


def test_a_dry_run_shows_the_merge_and_makes_none(bumped, github):
    move(github, "26.05")
    before = writes(github)

    outcome = bumped("bump", "26.07-py3", "--no-verify", "--dry-run")

    shown = [f"{call['method']} {call['path']}" for call in outcome.document["calls"]]
    commit = next(call["body"] for call in outcome.document["calls"] if call["path"].endswith("/git/commits"))
    assert (outcome.status, writes(github)) == (0, before)
    assert len(commit["parents"]) == 2
    assert "Derived anew:" in commit["message"]
    assert {PIN, BUILD} <= {it["path"] for it in outcome.document["calls"][0]["body"]["tree"]}
    bumped("bump", "26.07-py3", "--no-verify")
    assert [anonymous(it) for it in writes(github)[len(before) :]] == [anonymous(it) for it in shown]


def test_that_github_has_not_found_out_yet_is_said(bumped, github):
    move(github, "26.05")
    github.world.computes_mergeability_later = True

    outcome = bumped("bump", "26.07-py3", "--no-verify")

    assert "has not found out yet" in outcome.people
    assert "has not found out yet" not in bumped("bump", "26.07-py3", "--no-verify").people
