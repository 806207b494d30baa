"""Judged servers, and the stages on which every code host is watched."""

import pytest

from bot.lab.server import GitHubLab
from tests.contracts.stages import EmulateStage, FakeStage, LabStage, Stage
from tests.contracts.work_stages import Desk, MemoryStage
from tests.emulators.emulator import emulator, emulator_process
from tests.judges.plugin import github_judge

__all__ = ["emulator", "emulator_process", "github_judge"]

_WITH_ALL_ROUTES = ["in memory", "in memory, on a fork", "lab: user", "lab: app on a fork"]
_EMULATED = [
    pytest.param("emulate: user", marks=pytest.mark.component("emulate")),
    pytest.param("emulate: app", marks=pytest.mark.component("emulate")),
]


@pytest.fixture(scope="module")
def shared_lab():
    with GitHubLab.start() as lab:
        yield lab


def _stage(request, github_judge) -> Stage:
    kind, _, signed = request.param.partition(": ")
    if kind == "lab":
        lab = request.getfixturevalue("shared_lab")
        github_judge.watch(lab.url, answers=False)
        return LabStage(lab, signed)
    if kind == "emulate":
        return EmulateStage(request.getfixturevalue("emulator"), signed)
    return FakeStage("bump-bot/widgets" if "fork" in kind else "acme/widgets")


@pytest.fixture(params=_WITH_ALL_ROUTES + _EMULATED)
def stage(request, github_judge) -> Stage:
    """Everywhere."""
    return _stage(request, github_judge)


@pytest.fixture(params=_WITH_ALL_ROUTES)
def full_stage(request, github_judge) -> Stage:
    """Where all of it works: `emulate` has no GraphQL, search, roles, and moves no head of a pull request."""
    return _stage(request, github_judge)


@pytest.fixture
def host(stage):
    return stage.host


@pytest.fixture(params=[MemoryStage], ids=["memory"])
def work_stage(request):
    """Where a work queue is watched."""
    stage = request.param()
    yield stage
    stage.close()


@pytest.fixture
def desk():
    """What does the work."""
    return Desk()


@pytest.fixture
def queue(work_stage, desk):
    """A queue that has started."""
    queue = work_stage.queue()
    queue.start(desk)
    return queue
