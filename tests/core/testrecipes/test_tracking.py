"""Tracking issues and their ledgers: what goes in comes out, and nothing else is believed."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from bot.core.host import Actor, Issue
from bot.core.testrecipes.hunk import Hunk
from bot.core.testrecipes.ledger_block import (
    BEGIN,
    END,
    Done,
    Entry,
    read_block,
    replace_block,
    with_entry,
    write_block,
)
from bot.core.testrecipes.tracking import (
    MARKER,
    UMBRELLA_MARKER,
    Open,
    Use,
    choose_issue,
    expiry_marker,
    list_quarantines,
    tracked,
)
from tests.texts.judge import HOSTILE, notifying, obeyed

BOT, ADA = Actor(1, "bot"), Actor(2, "ada")
HUNK = Hunk(15, ("        scope: [mr]",), ("        # Broken — see #7", "        scope: [mr-broken]\r"))
ENTRY = Entry(
    test="gpt3_mcore_tp1",
    model="gpt",
    platform="dgx_h100",
    reason="hang",
    remedy="broken",
    owner="NVIDIA/mcore-reviewers",
    since=date(2026, 7, 1),
    expires=date(2026, 8, 30),
    done=(Done("tests/test_utils/recipes/h100/gpt.yaml", HUNK, "60db1d25" * 5),),
)
UNIT = replace(
    ENTRY, test="tests/unit_tests/a.py::T::test_y", model="", platform=None, owner=None, remedy="mark"
)


def issue(number, *entries, marker=MARKER, author=BOT, state="open"):
    body = f"{marker}\nText.\n\n{write_block(entries)}\n"
    return Issue(
        number, f"https://x/{number}", "Title", body, state, author, datetime(2026, 7, 1, tzinfo=UTC)
    )


def test_a_ledger_is_read_back_exactly():
    assert read_block(f"before\n{write_block([ENTRY, UNIT])}\nafter") == (ENTRY, UNIT)


def test_a_ledger_survives_an_editor_that_writes_crlf():
    assert read_block(write_block([ENTRY]).replace("\n", "\r\n")) == (ENTRY,)


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_a_ledger_is_obeyed_or_notifies(text):
    hunk = Hunk(1, (text,), (f"{text} {END}", "```"))
    block = write_block([replace(ENTRY, done=(Done("f", hunk),))])

    assert obeyed(block) == []
    assert notifying(block) == []
    if text.isprintable():
        assert read_block(block)[0].done[0].hunk == hunk


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(f"{BEGIN}\n```json\n[", id="no end"),
        pytest.param(f"{BEGIN}\n```json\n[1]\n```\n{END}", id="another shape"),
        pytest.param(f"{BEGIN}\n```json\n{'[' * 5000}\n```\n{END}", id="deep"),
        *(
            pytest.param(write_block([ENTRY]).replace(old, new), id=f"{key}")
            for key, old, new in [
                ("a hostile owner", "NVIDIA/mcore-reviewers", "x\\n@everybody"),
                ("a hostile test", "gpt3_mcore_tp1", "x --> y"),
                ("a hostile platform", "dgx_h100", "x y"),
                ("a hostile class", '"hang"', '"@team"'),
                ("a hostile remedy", '"broken"', '"merge"'),
                ("no date", "2026-08-30", "soon"),
            ]
        ),
    ],
)
def test_a_block_that_cannot_be_read_says_nothing(text):
    assert read_block(text) == ()


def test_a_block_is_made_anew_and_the_text_around_it_stays():
    text = f"People wrote this.\n\n{write_block([ENTRY])}\n\nAnd this.\n"

    assert replace_block(text, [UNIT]) == f"People wrote this.\n\n{write_block([UNIT])}\n\nAnd this.\n"


def test_an_entry_takes_the_place_of_the_older_one_for_the_same_test():
    newer = replace(ENTRY, done=())

    assert with_entry((UNIT, ENTRY), newer) == (UNIT, newer)
    assert with_entry((UNIT,), ENTRY) == (UNIT, ENTRY)


def test_only_the_bots_own_issues_with_a_marker_in_front_count():
    issues = [
        issue(1, ENTRY),
        issue(2, ENTRY, author=ADA),
        issue(3, ENTRY, marker="Text first"),
        issue(4, UNIT, marker=UMBRELLA_MARKER),
    ]

    assert [(it.issue.number, it.entries, it.umbrella) for it in tracked(issues, BOT.id)] == [
        (1, (ENTRY,), False),
        (4, (UNIT,), True),
    ]


def other(number, **more):
    return replace(ENTRY, test=f"other_{number}", **more)


FULL = [issue(1, other(1)), issue(2, other(2))]


@pytest.mark.parametrize(
    ("issues", "chosen"),
    [
        pytest.param([], Open(umbrella=False), id="the first one"),
        pytest.param([issue(5, other(1)), issue(6, ENTRY)], 6, id="the test's own"),
        pytest.param([issue(6, ENTRY, state="closed")], Open(umbrella=False), id="a closed one is done with"),
        pytest.param(
            [issue(6, replace(ENTRY, platform="dgx_gb200"))], Open(umbrella=False), id="another platform"
        ),
        pytest.param([issue(1, other(1))], Open(umbrella=False), id="one is left"),
        pytest.param(FULL, Open(umbrella=True), id="no one is left"),
        pytest.param(
            [issue(1, other(1)), issue(2, other(2, model="moe"))], Open(umbrella=False), id="another suite"
        ),
        pytest.param([*FULL, issue(3, other(3), marker=UMBRELLA_MARKER)], 3, id="the umbrella"),
        pytest.param(
            [*FULL, issue(3, other(3, model="moe"), marker=UMBRELLA_MARKER)],
            Open(umbrella=True),
            id="the umbrella of another suite",
        ),
        pytest.param([*FULL, issue(3, ENTRY, marker=UMBRELLA_MARKER)], 3, id="under the umbrella already"),
    ],
)
def test_a_quarantine_finds_its_issue(issues, chosen):
    found = choose_issue(tracked(issues, BOT.id), ENTRY, 2)

    assert (found.tracked.issue.number if isinstance(found, Use) else found) == chosen


def test_quarantines_are_listed_by_the_time_that_is_left():
    late = replace(ENTRY, test="late", expires=date(2026, 9, 30))
    known = tracked([issue(2, late), issue(1, ENTRY, state="closed")], BOT.id)

    listed = list_quarantines(known, date(2026, 8, 30))

    assert [(it.entry.test, it.number, it.state, it.age, it.left, it.has_expired) for it in listed] == [
        ("gpt3_mcore_tp1", 1, "closed", 60, 0, True),
        ("late", 2, "open", 60, 31, False),
    ]
    assert listed[0].entry.owner == "NVIDIA/mcore-reviewers"
    assert listed[0].url == "https://x/1"


def test_the_marker_of_an_expiry_tells_quarantines_apart():
    markers = {expiry_marker(it) for it in (ENTRY, UNIT, replace(ENTRY, expires=date(2026, 9, 1)))}

    assert len(markers) == 3
    assert expiry_marker(ENTRY) == (
        "<!-- ngc-bump-bot:quarantine:expired gpt gpt3_mcore_tp1 dgx_h100 2026-08-30 -->"
    )


def test_a_ledger_is_json_that_people_can_read():
    block = write_block([ENTRY])

    (entry,) = json.loads(block.partition("```json\n")[2].partition("\n```")[0])
    assert (entry["test"], entry["expires"]) == ("gpt3_mcore_tp1", "2026-08-30")
    assert entry["done"][0]["hunk"]["before"] == ["        scope: [mr]"]
