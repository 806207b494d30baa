"""The commands by which a person answers a question of the bot's."""

from dataclasses import replace

import pytest

from bot.core.triage.jobs import Subject
from bot.core.triage.summary import Judged, Triage
from bot.core.triage.verdict import Verdict, VerdictKind
from bot.core.ways_out import SHOWN, ways_out
from tests.core.triage.world import SUBJECT, job, run

WHERE = "--recipe megatron-lm --pr 12"


def said(*rows):
    judged = tuple(Judged(subject, job(), Verdict(VerdictKind(kind), "why", ())) for kind, subject in rows)
    return ways_out(Triage(run(), judged, (), ()), "megatron-lm", 12)


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("large-drift", f"bot goldens refresh --run-id 7 --only-failing --accept gpt/gpt_x {WHERE}"),
        ("inference-drift", f"bot goldens refresh --run-id 7 --only-failing --accept gpt/gpt_x {WHERE}"),
        ("over-budget", f"bot quarantine gpt/gpt_x --as n-repeat=1 {WHERE}"),
        ("hang", f"bot quarantine gpt/gpt_x --platform dgx_h100 --class hang --file-issue {WHERE}"),
        ("oom", f"bot quarantine gpt/gpt_x --platform dgx_h100 --class oom --file-issue {WHERE}"),
        ("unknown", f"bot quarantine gpt/gpt_x --platform dgx_h100 --class regression --file-issue {WHERE}"),
        ("infra", f"bot retry {WHERE}"),
    ],
)
def test_each_question_has_its_command(kind, command):
    assert said((kind, SUBJECT)) == (command,)


@pytest.mark.parametrize("kind", ["drift", "broken-on-base", "missing-golden", "superseded"])
def test_where_a_person_is_not_asked_there_is_none(kind):
    assert said((kind, SUBJECT)) == ()


def test_a_test_without_platform_is_named_alone():
    assert said(("oom", replace(SUBJECT, platform=""))) == (
        f"bot quarantine gpt/gpt_x --class oom --file-issue {WHERE}",
    )


def test_one_command_accepts_several_tests_each_once():
    other = replace(SUBJECT, test="gpt_y")

    [command] = said(
        ("large-drift", SUBJECT),
        ("large-drift", replace(SUBJECT, platform="dgx_gb200")),
        ("inference-drift", other),
    )

    assert "--accept gpt/gpt_x --accept gpt/gpt_y --recipe" in command


def test_of_many_a_few_are_shown():
    assert len(said(*(("oom", replace(SUBJECT, test=f"t{n}")) for n in range(9)))) == SHOWN


@pytest.mark.parametrize("name", ["a; rm -rf x", "$(x)", "a b", "`x`", ""])
def test_a_name_that_a_shell_would_act_on_is_in_no_command(name):
    assert said(("oom", Subject("functional", "gpt", name, "dgx_h100"))) == ()
