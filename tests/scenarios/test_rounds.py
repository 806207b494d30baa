"""From the first red run to `ready for review`: each kind of failure gets its one remedy."""

from bot.core.rounds import State, Words
from bot.lab.megatron_artifacts import scaled, truncated
from bot.lab.megatron_ci import WORKFLOW, MegatronCi
from bot.lab.megatron_matrix import select
from bot.lab.megatron_tests import Outcome
from tests.scenarios.conftest import BRANCH, REPOSITORY
from tests.scenarios.round_story import (
    BOTH,
    FAR,
    GOLDEN,
    NEAR,
    NEARER,
    OF_BOTH,
    OLD,
    ON_H100,
    REFRESHED,
    RESUME,
    TAKEN_OUT,
    approvals,
    ci,
    subjects,
    tracking_issues,
)

__all__ = ["ci"]


def test_a_green_run_makes_the_pull_request_ready_for_review_once(story, ci):
    story.bump()
    assert story.bump().report.state is State.WAITING

    ci.finish()
    outcome = story.bump()

    assert outcome.written == ("ready for review", "status")
    assert not story.pulls[0].pull.draft
    assert story.bump().written == ()


def test_a_draft_that_a_person_makes_of_it_again_stays_a_draft(story, ci):
    story.bump()
    ci.finish()
    story.bump()
    story.pulls[0].pull.draft = True

    outcome = story.bump()

    assert outcome.report.state is State.READY
    assert outcome.written == ()
    assert story.pulls[0].pull.draft


def test_what_only_drifted_is_refreshed_approved_and_green_in_the_next_run(story, ci):
    ci.goes(ON_H100, Outcome("drift", NEAR))
    story.bump()
    ci.finish()

    outcome = story.bump()

    assert outcome.written[:3] == ("round", "gate", "approval")
    assert story.lab.world.files(REPOSITORY, BRANCH)[GOLDEN] == NEAR
    assert subjects(story) == [REFRESHED]
    assert story.bump().written == ("status",)
    assert story.bump().written == ()
    ci.finish()
    assert story.bump().written[0] == "ready for review"
    assert len(ci.runs) == len(approvals(story)) == 2


def test_a_test_of_two_platforms_is_refreshed_on_each_by_its_own_golden(story, ci):
    new = {
        name: scaled(OLD[file], {"lm loss": 1 + number / 100_000})
        for number, (name, file) in enumerate(OF_BOTH.items(), 1)
    }
    for name, golden in new.items():
        ci.goes(f"{BOTH}@{name}", Outcome("drift", golden))
    story.bump()
    ci.finish()
    story.bump()

    files = story.lab.world.files(REPOSITORY, BRANCH)
    assert {name: files[file] for name, file in OF_BOTH.items()} == new


def test_what_moved_far_waits_for_a_person_who_accepts_it(story, ci):
    ci.goes(ON_H100, Outcome("large-drift", FAR))
    story.bump()
    ci.finish()

    asked = story.bump().report
    assert asked.state is State.ASKING
    assert [line for line in asked.sentences if RESUME in line]
    assert subjects(story) == []

    story.bump(words=Words(refresh=["gpt_small_tp1_pp4_resume"]))
    assert story.lab.world.files(REPOSITORY, BRANCH)[GOLDEN] == FAR
    ci.finish()
    assert story.bump().written[0] == "ready for review"


def test_a_golden_that_drifts_again_after_its_refresh_goes_to_a_person(story, ci):
    ci.goes(ON_H100, Outcome("drift", NEAR))
    story.bump()
    ci.finish()
    ci.goes(ON_H100, Outcome("drift", NEARER))
    story.bump()
    ci.finish()

    report = story.bump().report

    assert report.state is State.ASKING
    assert subjects(story) == [REFRESHED]
    assert [line for line in report.sentences if "was refreshed before" in line]


def test_a_test_that_hung_once_stays_and_leaves_the_gate_with_an_issue_when_it_hangs_again(story, ci):
    ci.goes(ON_H100, Outcome("hang"))
    ci.goes(f"{BOTH}@dgx_h100", Outcome("drift", scaled(OLD[OF_BOTH["dgx_h100"]], {"lm loss": 1.000_01})))
    story.bump()
    ci.finish()
    story.bump()
    assert (subjects(story), tracking_issues(story)) == ([REFRESHED], [])

    ci.finish()
    story.bump()

    assert subjects(story) == [REFRESHED, TAKEN_OUT.format(2)]
    [issue] = tracking_issues(story)
    assert "gpt_small_tp1_pp4_resume" in issue.title
    flipped = [
        text for path, text in story.lab.world.files(REPOSITORY, BRANCH).items() if text != OLD.get(path)
    ]
    assert any(f"issues/{issue.number}".encode() in text for text in flipped)
    ci.finish()
    assert story.bump().written[0] == "ready for review"


def test_a_person_may_take_a_test_out_at_once(story, ci):
    ci.goes(ON_H100, Outcome("oom"))
    story.bump()
    ci.finish()
    assert story.bump().report.state is State.ASKING

    story.bump(words=Words(quarantine=[RESUME]))

    assert subjects(story) == [TAKEN_OUT.format(1)]
    assert len(tracking_issues(story)) == 1


def test_infrastructure_is_tried_once_more_and_no_more(story, ci):
    ci.goes(ON_H100, Outcome("infra"))
    story.bump()
    ci.finish()

    assert story.bump().written[0] == "another try"
    assert ci.runs[-1].attempt == 2
    ci.finish()
    report = story.bump().report
    assert report.state is State.ASKING
    assert (len(ci.runs), ci.runs[-1].attempt) == (1, 2)


def test_infrastructure_that_was_bad_luck_is_green_after_the_second_try(story, ci):
    ci.goes(ON_H100, Outcome("nccl"), Outcome())
    story.bump()
    ci.finish()
    story.bump()
    ci.finish()

    assert story.bump().written[0] == "ready for review"


def test_the_truncated_golden_of_a_crash_is_never_taken(story, ci):
    ci.goes(ON_H100, Outcome("oom", truncated(OLD[GOLDEN], 10)))
    story.bump()
    ci.finish()
    story.bump()

    assert subjects(story) == []


def test_failing_unit_tests_are_said_first_because_no_functional_test_ran(story, ci):
    bucket = select(OLD, "unit-tests", "dgx_h100")[0].name
    ci.script.unit_failures = {bucket: ["tests/unit_tests/a/test_x.py::test_y"]}
    story.bump()
    ci.finish()

    report = story.bump().report

    assert report.state is State.ASKING
    assert report.sentences[0] == "no functional test ran, because unit tests failed"
    assert "tests/unit_tests/a/test_x.py::test_y" in report.sentences[1]


def test_a_label_that_makes_ci_compare_nothing_is_read_from_its_log(story, ci):
    ci.goes(ON_H100, Outcome("drift", NEAR))
    story.bump()
    ci.finish()
    story.lab.world.label(REPOSITORY, story.pulls[0].number, "Run tests")
    story.bump()
    ci.finish()

    report = story.bump().report

    assert report.state is State.ASKING
    assert "lightweight=true" in report.sentences[0] or "n_repeat=1" in report.sentences[0]
    assert story.pulls[0].pull.draft


def test_what_fails_in_the_merge_queue_as_well_is_not_blamed_on_the_bump(story, ci):
    ci.goes(ON_H100, Outcome("oom", on_base=True))
    head = ci.world.repository(REPOSITORY).branch("main")
    queue = f"gh-readonly-queue/main/pr-1-{head}"
    ci.world.create_branch(REPOSITORY, queue, head, author="maintainer")
    run = ci.world.run_workflow(REPOSITORY, WORKFLOW, queue, head, event="merge_group")
    ci.world.finish(run)
    story.bump()
    ci.finish()

    report = story.bump().report

    assert [kind for kind, _ in report.judged] == ["broken-on-base"]
    assert report.state is State.ASKING


def test_a_platform_that_the_base_runs_and_the_pull_request_does_not_keeps_it_a_draft(story, ci):
    head = ci.world.repository(REPOSITORY).branch("main")
    queue = f"gh-readonly-queue/main/pr-1-{head}"
    ci.world.create_branch(REPOSITORY, queue, head, author="maintainer")
    ci.world.finish(ci.world.run_workflow(REPOSITORY, WORKFLOW, queue, head, event="merge_group"))
    ci.script.gb200 = False
    story.bump()
    ci.finish()

    report = story.bump().report

    assert report.sentences == ("green, but no functional test ran on dgx_gb200",)
    assert story.pulls[0].pull.draft


def test_a_run_of_another_workflow_with_the_right_commit_is_not_believed(story, ci):
    forged = ".github/workflows/forged.yml"
    story.lab.world.on_push(REPOSITORY, "pull-request/*", MegatronCi(), path=forged, name="Forged")
    story.bump()
    for run in ci.runs:
        if run.workflow.path == forged:
            ci.world.finish(run)

    assert story.bump().report.state is State.WAITING
