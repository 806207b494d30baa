"""The messages of merges and undoings, whole, and with everything in them that an enemy could put there."""

import pytest

from bot.texts import Texts
from tests.texts.judge import HOSTILE, notifying, obeyed, obeyed_in_source, rendered

SIGNED = {"name": "bump-bot", "email": "1+bump-bot@users.noreply.github.com"}
UNDO = {"tag": "26.06-py3", "track": "dev", "why": "the image hangs"}
MESSAGES = {
    "merge.txt.j2": {
        "base": "main",
        "branch": "bot/base-image/main/dev-26.06-py3",
        "derived": ["docker/.ngc_version.dev"],
        "from_base": ["uv.lock", "golden.json"],
        **SIGNED,
    },
    "landed.md.j2": {"tag": "26.06-py3", "track": "dev", "base": "main"},
    "undo_commit.txt.j2": {**UNDO, "title": 'Revert "Move"', "files": ["pin", "golden.json"], **SIGNED},
    "undo_pull_request.md.j2": {**UNDO, "number": 7, "base": "main", "files": ["pin", "golden.json"]},
    "undone.md.j2": UNDO,
}


def render(template, **changed):
    return Texts().render(template, **{**MESSAGES[template], **changed})


def test_a_merge_message():
    assert (
        render("merge.txt.j2")
        == """\
Merge main into bot/base-image/main/dev-26.06-py3

Derived anew: docker/.ngc_version.dev
Taken from main, to be judged by the next run: uv.lock, golden.json
Signed-off-by: bump-bot <1+bump-bot@users.noreply.github.com>
"""
    )


def test_a_merge_message_of_which_nothing_is_to_be_said():
    assert render("merge.txt.j2", derived=[], from_base=[]).splitlines()[1:] == [
        "",
        "Signed-off-by: bump-bot <1+bump-bot@users.noreply.github.com>",
    ]


def test_a_status_of_a_base_that_is_there_already():
    assert (
        render("landed.md.j2")
        == """\
<!-- ngc-bump-bot:status -->
### Base image `26.06-py3`, `dev` track

| | |
| --- | --- |
| pins | branch `main` is at this release already |
| to go on | nothing is left to move; close this pull request, or merge what else is on it, such as golden \
values |
"""
    )


def test_a_commit_that_takes_back():
    assert (
        render("undo_commit.txt.j2")
        == """\
Revert "Move"

Takes back what the bot changed for 26.06-py3 on the dev track: 2 files.

the image hangs

Signed-off-by: bump-bot <1+bump-bot@users.noreply.github.com>
"""
    )
    assert "track: 1 file.\n\nSigned-off" in render("undo_commit.txt.j2", files=["pin"], why="")


def test_a_pull_request_that_takes_back():
    assert (
        render("undo_pull_request.md.j2")
        == """\
<!-- ngc-bump-bot:begin -->
Takes back #7 on branch `main`: what the bot changed for `26.06-py3` on the `dev` track gets the bytes that \
it had before.

the image hangs

| file |
| --- |
| `pin` |
| `golden.json` |

What other people changed in #7 stays.
<!-- ngc-bump-bot:end -->
"""
    )
    assert "before.\n\n| file |" in render("undo_pull_request.md.j2", why="")


@pytest.mark.parametrize(
    ("why", "row"),
    [
        pytest.param("it hangs", "| taken back | the bot's changes on this branch are undone: it hangs |"),
        pytest.param("", "| taken back | the bot's changes on this branch are undone |"),
    ],
)
def test_a_status_of_what_was_taken_back(why, row):
    assert row in render("undone.md.j2", why=why).splitlines()


WORDS = {
    name: [key for key, value in values.items() if isinstance(value, str)]
    for name, values in MESSAGES.items()
}
LISTS = {
    name: [key for key, value in values.items() if isinstance(value, list)]
    for name, values in MESSAGES.items()
}


@pytest.mark.parametrize("template", MESSAGES)
@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_nothing_hostile_does_anything_in_any_message(template, text):
    body = render(
        template, **dict.fromkeys(WORDS[template], text), **dict.fromkeys(LISTS[template], [text] * 2)
    )

    assert obeyed_in_source(body) == []
    if template.endswith(".md.j2"):
        page = rendered(body)
        assert obeyed(body) == []
        assert notifying(body) == [] or template == "undo_pull_request.md.j2"
        assert set(page.tags) <= {"p", "h3", "table", "thead", "tbody", "tr", "th", "td", "code"}
        assert len(page.comments) == body.count("<!--")


def test_an_undoing_links_no_more_than_its_own_bump():
    body = render("undo_pull_request.md.j2", files=["#1", "a #2"], why="see #3", base="#4")

    assert notifying(body) == notifying(render("undo_pull_request.md.j2"))


@pytest.mark.parametrize("length", [1, 200])
def test_a_message_is_short_enough_whatever_there_is_to_say(length):
    many = ["`x|" * length] * 3_000

    for template in MESSAGES:
        body = render(template, **dict.fromkeys(LISTS[template], many))
        assert len(body) <= 60_000
