"""Goldens out of the artifacts of a run on GitHub: where they are by the API, the bytes from its store."""

import random
from http import HTTPStatus

import pytest

from bot.artifacts.reader import ZipReader
from bot.lab.blobs import BlobFault
from bot.lab.runs import ArtifactPlan, JobPlan
from tests.adapters.artifact_store import AT_ONCE
from tests.contracts.test_ci_runs import LabCiStage
from tests.fakes.zips import streamed

GOLDEN = "golden_values_dev_dgx_h100.json"
LARGE = streamed({GOLDEN: b"{}", "logs/0/0/attempt_0/0/stderr.log": random.Random(0).randbytes(300_000)})


class Finished:
    """A run that has ended, with two artifacts, and what is read of them."""

    def __init__(self, lab, judge) -> None:
        judge.watch(lab.url, answers=True)
        stage = LabCiStage(lab, "user")
        jobs = [
            JobPlan(f"gpt/{name} - latest", artifacts=(ArtifactPlan(f"logs-{name}", lambda: LARGE),))
            for name in ("a", "b")
        ]
        self.run = stage.begin(jobs)
        stage.finish(self.run)
        self.ci, self.blobs, self.expire = stage.ci, lab.blobs, stage.expire
        self.reader = ZipReader(stage.ci.location, [lab.url], patience=AT_ONCE)
        self.artifacts = self.ci.artifacts(self.run)

    def read(self):
        found = self.reader.read(self.artifacts, lambda _, name: name == GOLDEN)
        return [found[artifact.id] for artifact in self.artifacts]


@pytest.fixture
def finished(shared_lab, github_judge):
    store = shared_lab.blobs
    store.ranges, store.faults, store.log, store.violations = "azure", [], [], []
    yield Finished(shared_lab, github_judge)
    assert store.violations == []
    store.ranges, store.faults = "azure", []


def test_a_golden_costs_two_parts_of_its_artifact(finished):
    assert [found.files for found in finished.read()] == [{GOLDEN: b"{}"}] * 2
    assert [request.status for request in finished.blobs.log] == [HTTPStatus.PARTIAL_CONTENT] * 4
    assert sum(request.sent for request in finished.blobs.log) < len(LARGE) / 2


def test_a_store_that_sends_no_parts_is_read_as_a_whole(finished):
    finished.blobs.ranges = "none"

    assert [found.files for found in finished.read()] == [{GOLDEN: b"{}"}] * 2


@pytest.mark.parametrize(
    "fault",
    [
        BlobFault(times=3),
        BlobFault(reset_after=10, times=3),
        BlobFault(status=HTTPStatus.FORBIDDEN),
    ],
    ids=["busy", "resets", "an address that expired"],
)
def test_a_fault_that_passes_does_no_harm(finished, fault):
    finished.blobs.faults = [fault]

    assert [found.files for found in finished.read()] == [{GOLDEN: b"{}"}] * 2


def test_an_artifact_that_expired_since_it_was_listed_is_said_to_be_gone(finished):
    finished.expire(finished.run)

    for found, artifact in zip(finished.read(), finished.artifacts, strict=True):
        assert found.reason.startswith("GitHub has deleted what was at")
        assert f"/actions/artifacts/{artifact.id}/zip` (410)" in found.reason
    assert finished.blobs.log == []
