"""The demonstration: each story comes to its end, and says what the world says."""

import json

import pytest

from bot.cli.main import main
from bot.core.errors import UsageError
from bot.demo.play import Pace, play
from bot.demo.story import load_story, names, parse_story

NEW = "nvcr.io/nvidia/pytorch:26.06-py3"


def test_the_first_story_goes_from_a_release_to_the_review(capsys):
    assert main(["demo", "--fast", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    final = document["final"]
    pull = final["pull_request"]
    kinds = [event["kind"] for event in document["events"]]
    assert (document["schema"], document["command"], document["story"]) == (1, "demo", "release")
    assert final["pins"] == {"docker/.ngc_version.dev": NEW, ".gitlab/stages/01.build.yml": NEW}
    assert (pull["draft"], pull["labels"]) == (False, ["Run functional tests"])
    assert [it["author"] for it in pull["commits"]] == ["bump-bot"] * 3
    assert final["approvals"] == [it["sha"] for it in pull["commits"]]
    assert pull["head"] == final["approvals"][-1]
    assert [it["conclusion"] for it in final["runs"]] == ["failure", "failure", "success"]
    assert [it["sha"] for it in final["runs"]] == final["approvals"]
    assert (final["goldens_changed"], final["gate"]) == (2, "success")
    assert final["quarantined"] == ["moe/moe_small_ep2_alltoall"]
    assert len(final["issues"]) == 1
    assert kinds[0] == "release"
    assert kinds.index("pull-request") < kinds.index("approval") < kinds.index("run") < kinds.index("ready")


def test_in_the_story_of_comments_only_a_person_with_permission_is_followed(capsys):
    assert main(["demo", "--fast", "--json", "--story", "comment"]) == 0

    document = json.loads(capsys.readouterr().out)
    reactions = {it["text"].split(":")[1] for it in document["events"] if it["kind"] == "reaction"}
    assert {"eyes", "-1", "+1"} <= reactions
    assert document["final"]["goldens_changed"] == 1
    assert document["final"]["pull_request"]["draft"] is False


def test_a_story_that_does_not_come_to_its_end_fails():
    story = parse_story("title: t\nfrom: 26.04-py3\nsteps: [{until: run}]", "stuck")
    told = []

    played = play(story, Pace(0.0, patience=0.5), told.append, opened=lambda _: None)

    assert played.missed == "run, after 0 s"
    assert played.final["pull_request"] is None


def test_a_story_that_is_not_there_is_refused_with_the_names(capsys):
    assert main(["demo", "--story", "tragedy"]) == 2
    assert "`release`" in capsys.readouterr().err


@pytest.mark.parametrize("name", names())
def test_every_story_can_be_read(name):
    assert load_story(name).steps


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "title: [",
        "title: t\nfrom: 26.04-py3",
        "title: t\nfrom: 26.04-py3\nsteps: [{}]",
        "title: t\nfrom: 26.04-py3\nsteps: [{until: run, finish: run}]",
        "title: t\nfrom: 26.04-py3\nsteps: [{until: christmas}]",
        "title: t\nfrom: 26.04-py3\nsteps: []\ntests: {a/b@c: {goes: well}}",
    ],
)
def test_a_text_that_is_no_story_is_refused(text):
    with pytest.raises(UsageError):
        parse_story(text, "odd")
