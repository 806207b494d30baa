"""What a look at a bump came to, as the page shows it."""

from dataclasses import replace

import pytest

from bot.core.board import Standing
from bot.core.errors import Refused
from bot.core.rounds import State
from bot.core.triage.verdict import VerdictKind
from bot.flows.board import bump_seen, bump_stopped
from bot.flows.bump import BumpOutcome
from bot.flows.rounds import RoundReport
from tests.core.bump_world import GOAL, NOW, WORK, pull, sha


def outcome(**changed):
    return replace(BumpOutcome(WORK, pull(labels=("CI",)), sha(1), "taken", ("commit",)), **changed)


def test_a_bump_without_a_report_waits():
    bump = bump_seen(GOAL, outcome(), NOW)

    assert (bump.standing, bump.before, bump.tag) == (Standing.WAITING, "26.04-py3", "26.06-py3")
    assert (bump.pull_request.number, bump.labels, bump.written) == (7, ("CI",), ("commit",))
    assert (bump.head, bump.approval) == (sha(1), "taken")


def test_a_bump_that_needs_no_pull_request_has_none():
    assert bump_seen(GOAL, outcome(pull_request=None), NOW).pull_request is None


@pytest.mark.parametrize(
    ("state", "standing"),
    [
        (State.WAITING, Standing.WAITING),
        (State.ASKING, Standing.ASKING),
        (State.READY, Standing.READY),
    ],
)
def test_a_report_says_where_the_bump_stands(state, standing):
    report = RoundReport(state, ("because",), judged=((VerdictKind.HANG, ()),), passed=3)

    bump = bump_seen(GOAL, outcome(report=report), NOW)

    assert (bump.standing, bump.sentences, bump.passed) == (standing, ("because",), 3)
    assert [it.kind for it in bump.verdicts] == [VerdictKind.HANG]


@pytest.mark.parametrize(("merged", "standing"), [(True, Standing.MERGED), (False, Standing.CLOSED)])
def test_a_pull_request_that_was_closed_ends_the_bump(merged, standing):
    closed = pull(state="closed", merged=merged)

    assert bump_seen(GOAL, outcome(pull_request=closed), NOW).standing is standing


def test_a_refusal_says_what_to_do():
    bump = bump_stopped(GOAL, Refused("foreign commits", hint="vouch for them"), NOW)

    assert (bump.standing, bump.sentences) == (Standing.STOPPED, ("foreign commits", "vouch for them"))


def test_a_refusal_without_a_hint_says_why():
    assert bump_stopped(GOAL, Refused("no"), NOW).sentences == ("no",)
