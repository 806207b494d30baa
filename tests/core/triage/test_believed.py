"""Which runs are believed."""

import pytest

from bot.core.triage.believed import disbelief
from tests.core.triage.world import RESULTS, run


def reason(**more):
    return disbelief(run(**more), RESULTS, pull_request=12, vouched=["a" * 40])


def test_a_push_of_a_vouched_commit_to_the_mirror_branch_is_believed():
    assert reason() is None


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ({"is_foreign": True}, "it ran a commit of another repository"),
        (
            {"workflow": ".github/workflows/other.yml"},
            "it is a run of `.github/workflows/other.yml`, not of `.github/workflows/cicd-main.yml`",
        ),
        ({"event": "workflow_dispatch"}, "it was begun by `workflow_dispatch`, not by a push"),
        ({"branch": "pull-request/121"}, "it ran on `pull-request/121`, not on `pull-request/12`"),
        ({"sha": "b" * 40}, f"nobody vouched for its commit {'b' * 40}"),
    ],
)
def test_any_other_run_is_not(what, expected):
    assert reason(**what) == expected
