"""The goldens of two real bumps, refreshed in a clone of the bump's own parent from a run of the bump."""

import pytest

from tests.cli.refresh_story import Story
from tests.corpus import Goldens, real_goldens

BUMPS = [
    # Unasked, of which only `--all` looks at those that passed; asked; refused whatever a person says.
    pytest.param(4611, {"unasked": 71, "passed": 3, "asked": 7, "refused": 0}, id="26.04"),
    pytest.param(5632, {"unasked": 24, "passed": 0, "asked": 3, "refused": 2}, id="26.06"),
]


@pytest.fixture
def refreshed(lab, bot, monkeypatch, tmp_path):
    def of(pull_request: int) -> tuple[Story, Goldens]:
        goldens = real_goldens(pull_request)
        story = Story(lab, bot, tmp_path / "clone", goldens.tree)
        story.script.outcomes = dict(goldens.outcomes)
        monkeypatch.setenv("GITHUB_API_URL", lab.url)
        monkeypatch.setenv("GITHUB_TOKEN", lab.user_token("ann"))
        return story, goldens

    return of


@pytest.mark.parametrize(("pull_request", "count"), BUMPS)
def test_the_goldens_of_a_real_bump_take_their_places(refreshed, pull_request, count):
    story, goldens = refreshed(pull_request)
    run = story.finished()

    failing = story.refresh(run, "--dry-run").document
    every = story.refresh(run, "--dry-run", which="--all").document
    accepted = story.refresh(run, "--accept", "all", which="--all").document

    assert len(failing["written"]) == count["unasked"] - count["passed"]
    assert len(every["written"]) == count["unasked"]
    may = [it["person_may_accept"] for it in every["refused"]]
    assert (may.count(True), may.count(False)) == (count["asked"], count["refused"])
    assert len(accepted["written"]) == count["unasked"] + count["asked"]
    left = {it["file"] for it in accepted["refused"]}
    assert {path: story.read(path) for path in goldens.new} == {
        path: (goldens.old if path in left else goldens.new)[path] for path in goldens.new
    }
    assert all("/bert/" in path for path in left)
    assert all('"nan"' in it["reason"] or "large-drift" in it["reason"] for it in accepted["refused"])
    assert not set(goldens.new) & {it["file"] for it in every["not_covered"]}
