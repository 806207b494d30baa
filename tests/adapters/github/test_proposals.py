"""Open pull requests over GraphQL: what is asked, what an answer may leave out, and where it ends."""

import json

import pytest

from bot.core.blob import blob_id
from bot.github import proposals
from bot.github.reading import PROPOSAL_PAGES
from tests.adapters.github.hosts import REPOSITORY, user_host
from tests.adapters.github.scripted import Reply
from tests.judges.graphql import judge_query

PIN = "docker/pin"
SHA = "0123456789" * 4


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(proposals.question(REPOSITORY, "main", [PIN, "b"], None), id="the first page"),
        pytest.param(proposals.question(REPOSITORY, "main", [], "cursor"), id="another page, no files"),
        pytest.param(proposals.changes_question(REPOSITORY, [7, 8]), id="changes"),
    ],
)
def test_github_understands_the_question(asked):
    body = json.dumps({"query": asked.text, "variables": dict(asked.variables)})

    assert judge_query(body.encode()) == ()


def test_nothing_that_is_asked_for_is_part_of_the_query():
    evil = 'main") { id } evil: pullRequests(baseRefName: "x'

    asked = proposals.question(REPOSITORY, evil, [evil], evil)

    assert "evil" not in asked.text
    assert list(asked.variables.values()).count(evil) == 3


def node(number, **changes):
    found = {"oid": SHA, "f0": {"oid": "a" * 40, "type": "blob"}}
    return {
        "number": number,
        "url": f"https://github.com/acme/widgets/pull/{number}",
        "title": "Move",
        "author": {"login": "ada"},
        "headRefName": "topic",
        "headRefOid": SHA,
        "headRepository": {"nameWithOwner": "ada/widgets"},
        "commits": {"nodes": [{"commit": found}]},
        **changes,
    }


def page(*nodes, after=None):
    info = {"hasNextPage": after is not None, "endCursor": after}
    return {"repository": {"pullRequests": {"pageInfo": info, "nodes": list(nodes)}}}


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        pytest.param({}, "files", {PIN: "a" * 40}, id="all is there"),
        pytest.param({"author": None}, "author", "ghost", id="a deleted account"),
        pytest.param({"headRepository": None}, "head_repository", None, id="a deleted fork"),
        pytest.param({"commits": {"nodes": []}}, "files", {PIN: None}, id="no commit"),
        pytest.param(
            {"commits": {"nodes": [{"commit": {"oid": SHA, "f0": None}}]}},
            "files",
            {PIN: None},
            id="no such file",
        ),
        pytest.param(
            {"commits": {"nodes": [{"commit": {"oid": SHA, "f0": {"oid": "b" * 40, "type": "tree"}}}]}},
            "files",
            {PIN: None},
            id="a folder",
        ),
    ],
)
def test_what_github_leaves_empty_is_read_as_such(changes, name, value):
    [found], after = proposals.answer(page(node(7, **changes)), [PIN])

    assert (found.number, getattr(found, name), after) == (7, value, None)


def test_what_these_credentials_may_not_see_is_left_out():
    found, _ = proposals.answer(page(None, node(7)), [PIN])

    assert [it.number for it in found] == [7]


def test_pages_are_read_to_the_last_one(script, server):
    script.replies = [Reply(200, {"data": page(node(9), after="next")}), Reply(200, {"data": page(node(7))})]

    found = user_host(server).proposals("main", [PIN])

    assert [it.number for it in found] == [9, 7]
    assert [it.body["variables"].get("after") for it in script.heard] == [None, "next"]


def test_there_is_an_end_to_the_pages(script, server):
    script.replies = [Reply(200, {"data": page(node(n), after=f"{n}")}) for n in range(PROPOSAL_PAGES + 5)]

    assert len(user_host(server).proposals("main", [PIN])) == PROPOSAL_PAGES


def changed(*paths, more=False):
    return {"files": {"nodes": [{"path": it} for it in paths], "pageInfo": {"hasNextPage": more}}}


@pytest.mark.parametrize(
    ("shown", "touches"),
    [
        pytest.param(changed("docs/a", PIN), True, id="the pin among others"),
        pytest.param(changed("docs/a"), False, id="another file"),
        pytest.param(changed("docs/a", more=True), True, id="more files than are listed"),
        pytest.param({"files": None}, False, id="no list of files"),
        pytest.param(None, False, id="no such pull request"),
    ],
)
def test_a_pull_request_touches_a_file_that_it_changes_or_may_change(shown, touches):
    assert proposals.touching({"repository": {"p0": shown}}, [7], [PIN]) == ({7} if touches else set())


def test_files_by_their_ids_are_proved_and_read_alone_where_they_are_no_text(script, server):
    text, data = b"text", b"\xff"
    ids = [blob_id(text), blob_id(data), "f" * 40]
    fields = {"isBinary": False, "isTruncated": False, "byteSize": 4}
    shown = {
        "f0": {"oid": ids[0], "text": "text", **fields},
        "f1": {"oid": ids[1], "text": "\ufffd", **fields},
        "f2": None,
    }
    script.replies = [
        Reply(200, {"data": {"repository": shown}}),
        Reply(200, {"sha": ids[1], "content": "/w==", "encoding": "base64", "url": ""}),
    ]

    assert user_host(server).contents(ids) == {ids[0]: text, ids[1]: data}
