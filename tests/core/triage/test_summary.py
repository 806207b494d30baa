"""What is said before any row."""

import pytest

from bot.core.triage.jobs import Subject
from bot.core.triage.summary import Judged, Triage, headline, is_bad_image, may_run_again
from bot.core.triage.verdict import Verdict, VerdictKind
from tests.core.triage.world import RESULTS, SUBJECT, job, run

BUCKET = Subject("unit", "", "data/**", "dgx_h100")


def judged(kind, about=SUBJECT, tests=()):
    return Judged(about, job(), Verdict(VerdictKind(kind), "because", ()), tests)


def triage(*rows, passed=(), unfinished=(), **more):
    return Triage(run(**more), rows, passed, unfinished)


def test_a_finished_run_without_failures_needs_no_words():
    assert headline(triage(passed=(SUBJECT,)), 20) == ()


def test_failing_unit_tests_are_said_first_with_their_names():
    found = triage(judged("unit-tests", BUCKET, ("a.py::x", "a.py::y")), judged("infra", BUCKET))

    assert headline(found, 20) == (
        "no functional test ran, because unit tests failed",
        "unit tests `data/**` on dgx_h100: a.py::x, a.py::y",
        "unit tests `data/**` on dgx_h100: because",
    )


@pytest.mark.parametrize(
    "more", [{"passed": (SUBJECT,)}, {"unfinished": (SUBJECT,)}], ids=["passed", "running"]
)
def test_functional_tests_that_ran_nevertheless_are_not_said_to_be_missing(more):
    [said] = headline(triage(judged("unit-tests", Subject("unit", "", "b", "")), **more), 20)

    assert said == "unit tests `b` on an unknown platform: because"


@pytest.mark.parametrize(
    ("unfinished", "said"),
    [
        ((SUBJECT, BUCKET), "the run is not over (in progress); jobs without a verdict: 2"),
        ((), "the run is not over (in progress); jobs without a verdict: some"),
    ],
)
def test_a_run_that_goes_on_is_said_to(unfinished, said):
    assert headline(triage(unfinished=unfinished, status="in_progress", conclusion=None), None) == (said,)


@pytest.mark.parametrize(("hangs", "bad"), [(20, False), (21, True)])
def test_more_hangs_than_the_recipe_says_are_the_images_fault(hangs, bad):
    rows = [judged("hang")] * hangs

    assert is_bad_image(rows, 20) is bad
    assert headline(triage(*rows), 20) == (
        (f"{hangs} tests hang, more than 20: the image is at fault",) if bad else ()
    )
    assert headline(triage(*rows), None) == ()


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((), False),
        (("infra",), True),
        (("nccl", "drift"), True),
        (("drift",), False),
        (("nccl",) * 5, True),
        (("nccl",) * 6, False),
        (("nccl", *("superseded",) * 9), True),
    ],
)
def test_failed_jobs_are_run_again_when_luck_was_bad_and_they_are_few(kinds, expected):
    assert may_run_again([judged(kind) for kind in kinds], RESULTS) is expected


def test_verdicts_are_counted():
    found = triage(judged("hang"), judged("drift"), judged("drift"))

    assert found.counts == ((VerdictKind.DRIFT, 2), (VerdictKind.HANG, 1))
