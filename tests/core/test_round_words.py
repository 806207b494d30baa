"""What a person's words change about the next step of a pull request."""

from dataclasses import replace

import pytest

from bot.core.approval import VouchedCommit
from bot.core.errors import UsageError
from bot.core.goldens.offer import Refreshed
from bot.core.host import Commit
from bot.core.rounds import (
    CommitRound,
    Rest,
    RetryFailed,
    RoundSeen,
    State,
    TakeOut,
    Words,
    next_in_round,
    round_title,
    rounds_begun,
)
from bot.core.testrecipes.request import QuarantineRequest, UnquarantineRequest
from bot.core.testrecipes.target import FunctionalTest
from bot.core.triage.summary import Judged, Triage
from bot.core.triage.verdict import Verdict, VerdictKind
from tests.core.triage.world import RESULTS, SUBJECT, job, run

TEST = FunctionalTest("gpt_x", "gpt")
OUT = TakeOut(QuarantineRequest(TEST, "oom", None), file_issue=True)
BACK = UnquarantineRequest(TEST)
ON_GB200 = replace(SUBJECT, platform="dgx_gb200")


def seen(*subjects, rounds=0, written=None, **more):
    rows = tuple(
        Judged(subject, job(id=number), Verdict(VerdictKind.OOM, "no memory", ()))
        for number, subject in enumerate(subjects, 1)
    )
    found = Triage(run(conclusion="failure"), rows, (), ())
    refreshed = Refreshed(written, (), (), (), {}) if written else None
    return RoundSeen(found.run, found, rounds=rounds, refreshed=refreshed, **more)


def step(found, words):
    return next_in_round(RESULTS, None, found, words, is_draft=True)


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        pytest.param(Words(), False, id="nothing was said"),
        pytest.param(Words(refresh=["x"]), True, id="refresh"),
        pytest.param(Words(quarantine=["x"]), True, id="quarantine"),
        pytest.param(Words(retry=True), True, id="retry"),
        pytest.param(Words(out=(OUT,)), True, id="out"),
        pytest.param(Words(back=(BACK,)), True, id="back"),
        pytest.param(Words(run=7), True, id="a run"),
        pytest.param(Words(every=True), False, id="of no run"),
    ],
)
def test_a_persons_word_begins_a_round_however_many_there_were(words, begins):
    found = seen(SUBJECT, rounds=3, written={"golden.json": b"{}"})

    assert words.begins_a_round is begins
    assert isinstance(step(found, words), CommitRound if begins else Rest)


def test_what_a_person_wants_of_single_tests_is_a_round():
    found = seen(SUBJECT, asked=(OUT,), back=(BACK,))

    assert step(found, Words(out=(OUT,), back=(BACK,))) == CommitRound(1, found.run, {}, (), (OUT,), (BACK,))


def test_what_is_done_already_is_no_round():
    rest = step(seen(SUBJECT), Words(out=(OUT,), back=(BACK,)))

    assert isinstance(rest, Rest)
    assert rest.state is State.ASKING


def test_after_another_try_the_rounds_are_counted_anew():
    found = seen(SUBJECT, rounds=3, written={"golden.json": b"{}"})

    assert step(found, Words(retry=True)) == CommitRound(1, found.run, {"golden.json": b"{}"}, ())


@pytest.mark.parametrize("named", ["1", "gpt/gpt_x - latest", "gpt/gpt_x", "gpt_x"])
def test_one_job_is_named_by_its_number_or_its_test(named):
    found = seen(SUBJECT)

    assert step(found, Words(retry=True, job=named)) == RetryFailed(found.run, 1)


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("gpt_y", "run 7 has no failed job `gpt_y`"),
        ("3", "run 7 has no failed job `3`"),
        ("gpt_x", "run 7 has 2 failed jobs `gpt_x`"),
    ],
)
def test_a_job_that_is_not_told_apart_is_asked_for_again(named, says):
    with pytest.raises(UsageError, match=says) as caught:
        step(seen(SUBJECT, ON_GB200), Words(retry=True, job=named))

    assert "bot triage --run-id 7 --json" in (caught.value.hint or "")


def commits(*numbers):
    subjects = (round_title("Refresh golden values", "26.06-py3", number) for number in numbers)
    return [
        VouchedCommit(Commit("a" * 40, "b" * 40, ("c" * 40,), "somebody", subject), "ledger")
        for subject in subjects
    ]


@pytest.mark.parametrize(
    ("numbers", "attempt", "rounds"),
    [
        pytest.param((1, 2, 3), 1, 3, id="the bot alone"),
        pytest.param((1, 2, 3), 2, 3, id="the bot's own second try"),
        pytest.param((1, 2, 3), 3, 0, id="a third try is a person's"),
        pytest.param((1, 2, 3, 1), 1, 1, id="a person has begun anew"),
        pytest.param((1, 2, 3, 1, 1, 2), 1, 2, id="and the bot went on"),
        pytest.param((1, 1), 1, 1, id="two commits of one round"),
    ],
)
def test_rounds_are_counted_since_a_person_had_a_hand_in_it(numbers, attempt, rounds):
    assert rounds_begun(commits(*numbers), attempt) == rounds
