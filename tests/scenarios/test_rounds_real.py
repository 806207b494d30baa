"""Two real bumps of NVIDIA/Megatron-LM in rounds: their old goldens in the tree, their new ones in CI."""

import pytest

from bot.core.rounds import State, Words
from tests.corpus import real_goldens
from tests.scenarios.conftest import BRANCH, REPOSITORY
from tests.scenarios.round_story import Ci, approvals, subjects


@pytest.mark.parametrize(
    ("pull_request", "count"),
    [
        # Of #4611 three tests pass with either golden: what moved in those is compared by none of its checks.
        pytest.param(4611, {"drifted": 68, "passed": 3, "accepted": 7, "never": 0}, id="26.04"),
        # Of #5632 two are broken off runs of bert, padded with "nan".
        pytest.param(5632, {"drifted": 24, "passed": 0, "accepted": 3, "never": 2}, id="26.06"),
    ],
)
def test_what_drifted_is_refreshed_unasked_and_what_moved_far_on_a_persons_word(story, pull_request, count):
    goldens = real_goldens(pull_request)
    story.lab.world.push(REPOSITORY, "main", goldens.tree, author="maintainer")
    ci = Ci(story)
    ci.script.outcomes = dict(goldens.outcomes)

    def taken() -> set[str]:
        files = story.lab.world.files(REPOSITORY, BRANCH)
        changed = {path for path, old in goldens.old.items() if files[path] != old}
        assert all(files[path] == goldens.new[path] for path in changed)
        return changed

    story.bump()
    ci.finish()
    story.bump()
    unasked = taken()
    assert len(unasked) == count["drifted"]

    ci.finish()
    asked = story.bump().report
    assert asked.state is State.ASKING
    assert taken() == unasked

    story.bump(words=Words(refresh=["all"]))
    assert len(taken() - unasked) == count["accepted"]
    ci.finish()
    report = story.bump(words=Words(refresh=["all"])).report

    left = set(goldens.new) - taken()
    assert len(left) == count["passed"] + count["never"]
    assert sum(len(tests) for _, tests in report.judged) == count["never"]
    assert report.state is (State.ASKING if count["never"] else State.READY)
    assert len(subjects(story)) == 2
    assert len(approvals(story)) == len(ci.runs) == 3
