"""The next step of a pull request, for whatever CI showed and people said."""

from dataclasses import replace

import pytest

from bot.core.approval import VouchedCommit
from bot.core.goldens.offer import Refreshed
from bot.core.host import Commit
from bot.core.recipe_results import Quarantine
from bot.core.rounds import (
    NOT_BEGUN,
    CommitRound,
    MarkReady,
    ReportBadImage,
    Rest,
    RetryFailed,
    RoundSeen,
    State,
    Words,
    next_in_round,
    round_title,
    rounds_begun,
)
from bot.core.triage.jobs import Subject
from bot.core.triage.label_proof import LabelSeen
from bot.core.triage.summary import Judged, Triage
from bot.core.triage.verdict import Evidence, Verdict, VerdictKind
from tests.core.triage.world import RESULTS, SUBJECT, job, run

ON_GB200 = replace(SUBJECT, platform="dgx_gb200")
OTHER = replace(SUBJECT, test="gpt_y")
BUCKET = Subject("unit", "", "data/**", "dgx_h100")
GOLDEN = "cases/gpt/gpt_x/golden_values_dev_dgx_h100.json"
QUARANTINE = Quarantine(
    recipes="recipes", scopes={"mr": "mr-broken"}, model_config_file="{model}/{test}.yaml", bad_image=3
)
NEW = {GOLDEN: b"{}"}


def judged(kind, subject=SUBJECT, tests=()):
    return Judged(subject, job(), Verdict(VerdictKind(kind), f"because of {kind}", ()), tests)


def triage(*rows, passed=(), **more):
    return Triage(run(**more), rows, passed, ())


def refreshed(written=None, accepted=()):
    return Refreshed(written or {}, (), (), (), {}, frozenset(accepted))


def seen(*rows, passed=(), attempt=1, conclusion="failure", **more):
    found = triage(*rows, passed=passed, attempt=attempt, conclusion=conclusion)
    return RoundSeen(found.run, found, **more)


GATE = Subject("other", "", "Nemo_CICD_Test", "")
GREEN = {"passed": (SUBJECT, GATE), "conclusion": "success"}


def step(found, words=Words(), *, is_draft=True, quarantine=QUARANTINE):  # noqa: B008 - a frozen value
    return next_in_round(RESULTS, quarantine, found, words, is_draft=is_draft)


def asks(found, words=Words(), **more):  # noqa: B008 - a frozen value
    rest = step(found, words, **more)
    assert isinstance(rest, Rest)
    assert rest.state is State.ASKING
    return rest.sentences


def test_before_ci_has_begun_there_is_nothing_to_do():
    assert step(RoundSeen()) == NOT_BEGUN


def test_while_ci_runs_nothing_is_begun():
    waiting = run(status="in_progress", conclusion=None)

    rest = step(RoundSeen(waiting), Words(refresh=["all"], retry=True))

    assert rest == Rest(State.WAITING, ("CI is in progress: https://ci.example/run",))


def test_a_label_that_ci_did_not_see_is_said_before_anything_else():
    label = LabelSeen("contradicted", (Evidence("configure", 3, "scope=L0"),))

    assert asks(seen(judged("drift"), label=label, refreshed=refreshed(NEW))) == (
        "CI did not see the label: `configure` says `scope=L0`",
    )


def test_new_goldens_begin_a_round():
    found = seen(judged("drift"), refreshed=refreshed(NEW))

    assert step(found) == CommitRound(1, found.run, NEW, ())


def test_a_golden_that_was_refreshed_before_needs_a_persons_word():
    before = {"changed_before": [GOLDEN]}

    [said] = asks(seen(judged("drift"), refreshed=refreshed(NEW), **before))
    assert said.startswith("`gpt/gpt_x` on dgx_h100 drifts; its golden was refreshed before, or")
    accepted = seen(judged("drift"), refreshed=refreshed(NEW, [GOLDEN]), **before)
    assert step(accepted) == CommitRound(1, accepted.run, NEW, ())


@pytest.mark.parametrize(
    ("kind", "before", "words", "leaves"),
    [
        pytest.param("hang", (), Words(), False, id="the first hang"),
        pytest.param("hang", (SUBJECT,), Words(), True, id="the second hang"),
        pytest.param("hang", (ON_GB200,), Words(), False, id="it hung on another platform"),
        pytest.param("hang", (), Words(quarantine=["gpt/gpt_x"]), True, id="the first hang, and a word"),
        pytest.param("oom", (SUBJECT,), Words(), False, id="not a hang this time"),
        pytest.param("oom", (), Words(quarantine=["gpt_x"]), True, id="a word"),
        pytest.param("over-budget", (SUBJECT,), Words(), False, id="over budget"),
        pytest.param("oom", (), Words(quarantine=["gpt_y"]), False, id="a word about another"),
    ],
)
def test_a_test_leaves_the_gate_when_it_hung_twice_or_on_a_persons_word(kind, before, words, leaves):
    row = judged(kind)
    found = seen(row, hung_before=before)

    if leaves:
        assert step(found, words) == CommitRound(1, found.run, {}, (row,))
    else:
        assert asks(found, words)


def test_only_a_functional_test_leaves_the_gate():
    row = judged("unit-tests", BUCKET)

    assert asks(seen(row), Words(quarantine=["data/**", "all"]))[0].startswith("no functional test ran")


def test_a_test_that_cannot_leave_is_asked_about_with_the_reason():
    found = seen(judged("hang"), hung_before=[SUBJECT], stays={SUBJECT: "the row mixes tests"})

    assert asks(found) == (
        "`gpt/gpt_x` on dgx_h100: hang, and it cannot leave the gate: the row mixes tests",
    )


def test_all_commits_of_a_round_are_one_step():
    row = judged("hang")
    found = seen(row, judged("drift", OTHER), hung_before=[SUBJECT], refreshed=refreshed(NEW), rounds=2)

    assert step(found) == CommitRound(3, found.run, NEW, (row,))


@pytest.mark.parametrize(
    "words", [Words(refresh=["gpt_x"]), Words(quarantine=["gpt_y"]), Words(retry=True)], ids=repr
)
def test_after_three_rounds_only_a_person_begins_another(words):
    found = seen(judged("drift"), refreshed=refreshed(NEW), rounds=3)

    assert asks(found) == ("3 rounds have not made it green; `/bot retry` begins another",)
    number = 1 if words.retry else 4
    assert step(found, words) == CommitRound(number, found.run, NEW, ())


@pytest.mark.parametrize(
    ("rows", "attempt", "again"),
    [
        pytest.param([judged("nccl")], 1, True, id="bad luck"),
        pytest.param([judged("infra"), judged("oom", OTHER)], 1, True, id="bad luck among others"),
        pytest.param([judged("nccl")], 2, False, id="bad luck again"),
        pytest.param([judged("oom")], 1, False, id="no bad luck"),
        pytest.param([judged("infra")] * 6, 1, False, id="too many"),
    ],
)
def test_failed_jobs_run_once_more_where_luck_was_bad(rows, attempt, again):
    found = seen(*rows, attempt=attempt)

    if again:
        assert step(found) == RetryFailed(found.run)
    else:
        assert len(asks(found)) == len(rows)


def test_a_commit_that_is_due_anyway_saves_the_second_try():
    found = seen(judged("nccl", OTHER), judged("drift"), refreshed=refreshed(NEW))

    assert isinstance(step(found), CommitRound)


def test_a_person_may_ask_for_another_try_of_anything_but_success():
    found = seen(judged("oom"), attempt=4)

    assert step(found, Words(retry=True)) == RetryFailed(found.run)
    assert step(seen(**GREEN), Words(retry=True)) == MarkReady()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("large-drift", "moved beyond the limits; `/bot refresh gpt_x` accepts the new values"),
        ("inference-drift", "answers otherwise; `/bot refresh gpt_x` accepts the new values"),
        ("hang", "hangs; it leaves the gate once it hangs in a second run, or by `/bot quarantine`"),
        ("over-budget", "is over the time limit while its repeats pass: give it fewer repeats"),
        ("broken-on-base", "fails on the base branch as well"),
        ("oom", "oom: because of oom"),
        ("resume-mismatch", "resume-mismatch: because of resume-mismatch"),
    ],
)
def test_a_person_is_told_of_each_test_what_there_is_to_do(kind, said):
    assert asks(seen(judged(kind))) == (f"`gpt/gpt_x` on dgx_h100 {said}",)


def test_a_job_without_platform_is_named_alone_and_unit_tests_come_first():
    build = Subject("build", "", "build (gb-gpu)", "")

    assert asks(seen(judged("unknown", build), judged("unit-tests", BUCKET, ("a.py::x",)))) == (
        "no functional test ran, because unit tests failed",
        "unit tests `data/**` on dgx_h100: a.py::x",
        "`build (gb-gpu)` unknown: because of unknown",
    )


HANGS = [judged("hang", replace(SUBJECT, test=f"t{n}")) for n in range(4)]


ALL = Words(refresh=["all"], quarantine=["all"], retry=True)


@pytest.mark.parametrize("words", [Words(), ALL])
def test_so_many_hangs_are_the_images_fault_and_nothing_is_taken_out_or_refreshed(words):
    found = seen(*HANGS, judged("nccl"), hung_before=[it.subject for it in HANGS], refreshed=refreshed(NEW))

    assert step(found, words) == ReportBadImage(found.run, tuple(HANGS), 3)


def test_a_bad_image_is_reported_once():
    assert asks(seen(*HANGS, judged("nccl"), bad_image=7), ALL) == (
        "4 tests hang, more than 3: the image is at fault",
        "no test is taken out for that: #7",
    )


def test_without_a_quarantine_in_the_recipe_hangs_are_asked_about_one_by_one():
    assert len(asks(seen(*HANGS), quarantine=None)) == 4


def test_a_green_run_makes_a_draft_ready_for_review():
    assert step(seen(**GREEN)) == MarkReady()


@pytest.mark.parametrize(
    ("more", "is_draft"), [({}, False), ({"was_ready": True}, True), ({"was_ready": True}, False)]
)
def test_reviewers_are_called_once(more, is_draft):
    assert step(seen(**GREEN, **more), is_draft=is_draft) == Rest(State.READY)


@pytest.mark.parametrize("conclusion", ["success", "cancelled"])
def test_a_run_without_a_green_gate_is_a_persons_matter(conclusion):
    other = Subject("other", "", "configure", "")

    assert asks(seen(conclusion=conclusion, passed=(SUBJECT, other))) == (
        "nothing failed, and `Nemo_CICD_Test` is not green: https://ci.example/run",
    )


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        ((GATE, SUBJECT), "dgx_gb200"),
        ((GATE, ON_GB200), "dgx_h100"),
        ((GATE, BUCKET), "dgx_gb200 and dgx_h100"),
    ],
)
def test_a_platform_on_which_nothing_ran_keeps_it_a_draft(passed, said):
    found = seen(conclusion="success", passed=passed, expected=["dgx_h100", "dgx_gb200"])

    assert asks(found) == (f"green, but no functional test ran on {said}",)


def commit(subject, voucher="ledger"):
    return VouchedCommit(Commit("a" * 40, "b" * 40, ("c" * 40,), "somebody", subject), voucher)


def title(number, what="Refresh golden values"):
    return round_title(what, "26.06-py3", number)


FIRST = commit("chore: Update Docker image version to 26.06-py3")


@pytest.mark.parametrize(
    ("commits", "rounds"),
    [
        pytest.param([], 0, id="none"),
        pytest.param([FIRST], 0, id="the pins are no round"),
        pytest.param([FIRST, commit(title(1)), commit(title(1, "Take out"))], 1, id="two commits, one round"),
        pytest.param([FIRST, commit(title(1)), commit(title(2))], 2, id="two rounds"),
        pytest.param([FIRST, commit(title(1)), commit("fix", "vetter")], 0, id="a person has committed"),
        pytest.param(
            [FIRST, commit(title(1)), commit("fix", "vetter"), commit(title(1))], 1, id="and the bot again"
        ),
        pytest.param([FIRST, commit(title(1), "vetter")], 0, id="a subject proves nothing"),
        pytest.param([commit(title(1)), commit(title(2), None)], 0, id="nobody's commit"),
    ],
)
def test_rounds_are_counted_since_a_persons_last_commit(commits, rounds):
    assert rounds_begun(commits) == rounds


def test_a_title_says_what_for_which_tag_in_which_round():
    assert title(12) == "chore: Refresh golden values for 26.06-py3, round 12"
