"""Pull requests, comments, rights and gates, as every code host has them."""

import pytest

from bot.core.blob import blob_id
from bot.core.errors import Refused
from bot.core.host import Gate
from tests.contracts.stages import FILES, NEW, PIN, branch_off


def test_a_pull_request_is_opened_as_a_draft_and_found_again(host):
    sha = branch_off(host)

    opened = host.open_pull_request("bot/bump", "main", "Move", "The text")

    assert (opened.state, opened.draft, opened.merged) == ("open", True, False)
    assert (opened.title, opened.body, opened.base) == ("Move", "The text", "main")
    assert (opened.head_branch, opened.head_sha) == ("bot/bump", sha)
    assert opened.head_repository == host.push_repository
    assert opened.author == host.actor("pull_request")
    assert host.pull_requests("bot/bump") == (opened,)


def test_a_second_pull_request_of_a_branch_is_refused(host):
    branch_off(host)
    host.open_pull_request("bot/bump", "main", "Move", "")

    with pytest.raises(Refused):
        host.open_pull_request("bot/bump", "main", "Move", "")

    assert len(host.pull_requests("bot/bump")) == 1


def test_a_pull_request_without_a_commit_is_refused(host):
    host.create_branch("bot/bump", host.base_head("main").sha)

    with pytest.raises(Refused):
        host.open_pull_request("bot/bump", "main", "Move", "")


def test_a_pull_request_of_a_branch_that_is_not_there_is_refused(host):
    with pytest.raises(Refused):
        host.open_pull_request("bot/bump", "main", "Move", "")


def test_a_closed_pull_request_is_remembered(stage, host):
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number
    stage.close(number)

    assert [(it.number, it.state, it.merged) for it in host.pull_requests("bot/bump")] == [
        (number, "closed", False)
    ]


def test_a_pull_request_is_closed_and_its_branch_stays(host):
    sha = branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number

    host.close_pull_request(number)

    assert [(it.state, it.merged) for it in host.pull_requests("bot/bump")] == [("closed", False)]
    assert host.bot_head("bot/bump") == sha


def test_a_pull_request_shows_what_was_pushed_since(full_stage):
    host = full_stage.host
    branch_off(host)
    host.open_pull_request("bot/bump", "main", "Move", "")
    theirs = full_stage.push("bot/bump", {"fix.py": b"fix"}, into=host.push_repository)

    assert host.pull_requests("bot/bump")[0].head_sha == theirs


def test_the_head_of_anybodys_pull_request_is_known(stage, host):
    stage.point("topic", host.base_head("main").sha)
    sha = stage.push("topic", NEW)
    number = stage.open_pull_request("topic", "main", "Other")

    assert host.pull_request_head(number) == sha
    assert host.pull_request_head(number + 1000) is None


def test_pull_requests_of_other_branches_are_not_the_bots(stage, host):
    stage.point("bot/bump-more", stage.push("main", {"x": b"x"}))
    stage.push("bot/bump-more", {"y": b"y"})
    stage.open_pull_request("bot/bump-more", "main", "Other")

    assert host.pull_requests("bot/bump") == ()


def test_the_text_of_a_pull_request_is_replaced(host):
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "before").number

    host.edit_pull_request(number, "after")

    found = host.pull_requests("bot/bump")[0]
    assert (found.title, found.body) == ("Move", "after")


def test_a_draft_becomes_ready_for_review_and_stays_so(host):
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number

    host.mark_ready(number)
    host.mark_ready(number)

    assert not host.pull_requests("bot/bump")[0].draft


def test_labels_are_added_to_those_that_are_there(host):
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number

    host.add_labels(number, ["Run functional tests"])
    host.add_labels(number, ["container::lts", "Run functional tests"])

    assert set(host.pull_requests("bot/bump")[0].labels) == {"Run functional tests", "container::lts"}


def test_open_pull_requests_are_listed_with_the_ids_of_files_at_their_heads(stage, host):
    stage.point("topic", host.base_head("main").sha)
    sha = stage.push("topic", NEW)
    number = stage.open_pull_request("topic", "main", "Move")

    [found] = host.proposals("main", [PIN, "docker/Dockerfile", "missing", "docker"])

    assert (found.number, found.title, found.head_branch, found.head_sha) == (number, "Move", "topic", sha)
    assert found.head_repository == host.repository
    assert found.author
    assert found.files == {
        PIN: blob_id(NEW[PIN]),
        "docker/Dockerfile": blob_id(FILES["docker/Dockerfile"]),
        "missing": None,
        "docker": None,
    }
    assert host.contents([blob_id(NEW[PIN]), "f" * 40]) == {blob_id(NEW[PIN]): NEW[PIN]}


def test_the_newest_pull_request_is_listed_first(stage, host):
    sha = host.base_head("main").sha
    numbers = []
    for branch in ("one", "two", "three"):
        stage.point(branch, sha)
        stage.push(branch, {branch: b"work"})
        numbers.append(stage.open_pull_request(branch, "main", branch))

    assert [it.number for it in host.proposals("main", [])] == numbers[::-1]


def test_closed_pull_requests_and_those_of_other_bases_are_not_listed(stage, host):
    sha = host.base_head("main").sha
    for branch in ("core_r0.17.0", "topic", "other"):
        stage.point(branch, sha)
    stage.push("topic", NEW)
    stage.push("other", NEW)
    stage.close(stage.open_pull_request("topic", "main", "Move"))
    stage.open_pull_request("other", "core_r0.17.0", "Move")

    assert host.proposals("main", [PIN]) == ()


def test_a_pull_request_changes_what_differs_from_where_it_left_its_base(stage, host):
    sha = host.base_head("main").sha
    for branch, files in (("pins", NEW), ("docs", {"README.md": b"more"})):
        stage.point(branch, sha)
        stage.push(branch, files)
    pins, docs = (stage.open_pull_request(it, "main", it) for it in ("pins", "docs"))
    stage.push("main", {PIN: b"meanwhile\n"})

    assert host.touching([docs, pins], [PIN]) == {pins}


# Comments


@pytest.fixture
def number(host):
    branch_off(host)
    return host.open_pull_request("bot/bump", "main", "Move", "").number


def test_comments_come_oldest_first_with_their_authors(stage, host, number):
    stage.comment(number, "first")
    written = host.write_comment(number, "second")
    stage.comment(number, "third")

    found = host.comments(number)

    assert [it.body for it in found] == ["first", "second", "third"]
    assert found[1] == written
    assert written.author == host.actor("comment")
    assert found[0].author.id != written.author.id
    assert [it.created_at for it in found] == sorted(it.created_at for it in found)
    assert written.created_at.tzinfo is not None


def test_long_conversations_are_read_to_the_end(full_stage):
    host = full_stage.host
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number
    for serial in range(130):
        full_stage.comment(number, f"{serial}")

    assert [it.body for it in host.comments(number)] == [f"{serial}" for serial in range(130)]


def test_a_comment_is_edited_in_place(stage, host, number):
    stage.comment(number, "theirs")
    mine = host.write_comment(number, "before")

    host.edit_comment(mine.id, "after")

    assert [it.body for it in host.comments(number)] == ["theirs", "after"]


def test_a_thumbs_up_names_who_gave_it_and_nothing_else_counts(full_stage):
    host = full_stage.host
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number
    liked, other = (host.write_comment(number, body) for body in ("liked", "not liked"))

    full_stage.like(liked.id)

    assert [it.login for it in host.thumbs_up(liked.id)] == ["ada"]
    assert host.thumbs_up(other.id) == ()


def test_a_comment_that_was_edited_says_so(full_stage):
    host = full_stage.host
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number
    full_stage.comment(number, "before")
    (comment,) = host.comments(number)
    assert not comment.edited

    full_stage.edit(comment.id, "after")

    assert [(it.body, it.edited) for it in host.comments(number)] == [("after", True)]


def test_a_reaction_stands_below_its_comment_once(full_stage):
    host = full_stage.host
    branch_off(host)
    number = host.open_pull_request("bot/bump", "main", "Move", "").number
    full_stage.comment(number, "/bot help")
    (comment,) = host.comments(number)

    for reaction in ("eyes", "eyes", "-1"):
        host.react(comment.id, reaction)

    assert full_stage.reactions(comment.id) == ["eyes", "-1"]
    assert [it.edited for it in host.comments(number)] == [False]


# Rights and gates


@pytest.mark.parametrize("role", ["read", "triage", "write", "maintain", "admin"])
def test_a_permission_is_the_name_of_the_role(full_stage, role):
    full_stage.set_role("ada", role)

    assert full_stage.host.permission("ada") == role


def test_a_role_of_the_owners_own_making_is_unknown(full_stage):
    full_stage.set_role("ada", "release helper")

    assert full_stage.host.permission("ada") == "unknown"


def test_a_person_nobody_knows_has_no_permission(full_stage):
    assert full_stage.host.permission("nobody-of-that-name") == "none"


def test_a_commit_without_a_gate_has_none(full_stage):
    host = full_stage.host

    assert host.gate(host.base_head("main").sha, "base-image/pins in sync") is None


def test_a_gate_shows_what_was_set_last(full_stage):
    host = full_stage.host
    sha = host.base_head("main").sha

    for gate in (Gate("pins", passed=False, summary="differ"), Gate("pins", passed=True, summary="agree")):
        host.set_gate(sha, gate)
        assert host.gate(sha, "pins") == gate

    assert host.gate(sha, "other") is None


def test_a_gate_of_somebody_else_is_not_the_bots(full_stage):
    host = full_stage.host
    sha = host.base_head("main").sha
    full_stage.set_foreign_gate(sha, Gate("pins", passed=True))

    assert host.gate(sha, "pins") is None

    host.set_gate(sha, Gate("pins", passed=False, summary="differ"))
    full_stage.set_foreign_gate(sha, Gate("pins", passed=True))
    assert host.gate(sha, "pins") == Gate("pins", passed=False, summary="differ")


def test_each_role_has_an_actor_that_stays_the_same(host):
    assert host.actor("comment") == host.actor("comment")
    assert host.actor("commit").id > 0
