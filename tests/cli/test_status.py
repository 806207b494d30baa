"""`bot status`: open bumps and quarantines, looked at and left alone."""

from bot.core.commands import VERBS
from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_tests import Outcome
from tests.cli.hub import BUMP, GOLDEN, TEST, github, hub

__all__ = ["github", "hub"]

STATUS = ("status",)


def test_without_a_bump_there_is_nothing_to_say(hub):
    found = hub(*STATUS)

    assert found.document["pull_requests"] == found.document["quarantines"] == []
    assert found.people.startswith("no bump is open onto main")


def test_a_bump_is_shown_with_what_it_waits_for(hub, github):
    hub(*BUMP)

    found = hub(*STATUS)

    [pull] = found.document["pull_requests"]
    assert (pull["track"], pull["tag"], pull["state"], pull["next"]) == ("dev", "26.06-py3", "waiting", None)
    assert f"#{pull['number']} dev to 26.06-py3: waiting" in found.people


def test_what_the_bot_would_do_next_is_said_and_not_done(hub, github):
    github.goes(f"{TEST}@dgx_h100", Outcome("drift", scaled(megatron_files()[GOLDEN], {"lm loss": 1.000_01})))
    hub(*BUMP)
    github.finish()
    before = list(github.writes)

    found = hub(*STATUS)

    assert found.document["pull_requests"][0]["next"] == "round"
    assert "next: round" in found.people
    assert github.writes == before


def test_a_test_out_of_the_gate_is_listed_with_its_issue_and_its_time(hub, github):
    github.goes(f"{TEST}@dgx_h100", Outcome("oom"))
    hub(*BUMP)
    github.finish()
    hub("quarantine", TEST, "--class", "oom", "--file-issue")

    found = hub(*STATUS)

    [out] = found.document["quarantines"]
    assert (out["test"], out["class"], out["age_days"], out["days_left"]) == (TEST, "oom", 0, 60)
    assert out["issue"]["state"] == "open"
    assert "out of the gate: 1" in found.people


def test_it_is_anyones_to_ask():
    assert next(verb for verb in VERBS if verb.name == "status").level == "anyone"
