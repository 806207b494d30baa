"""Which runs are believed."""

import pytest

from bot.core.triage.believed import disbelief, disbelief_by_hand
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


def by_hand(**more):
    return disbelief_by_hand(run(**more), RESULTS)


@pytest.mark.parametrize("more", [{}, {"sha": "c" * 40}, {"branch": "pull-request/1"}])
def test_who_names_a_run_vouches_for_its_commit(more):
    assert by_hand(**more) is None


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ({"is_foreign": True}, "it ran a commit of another repository"),
        ({"event": "workflow_dispatch"}, "it was begun by `workflow_dispatch`, not by a push"),
        ({"branch": "main"}, "it ran on `main`, not on `pull-request/0`"),
        ({"branch": "pull-request/12x"}, "it ran on `pull-request/12x`, not on `pull-request/0`"),
        ({"branch": "pull-request/"}, "it ran on `pull-request/`, not on `pull-request/0`"),
    ],
)
def test_the_run_has_to_be_a_pull_requests_own_all_the_same(what, expected):
    assert by_hand(**what) == expected
