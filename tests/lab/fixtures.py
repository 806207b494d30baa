"""A lab whose clients and answers are judged."""

from collections.abc import Iterator

import pytest

from bot.lab.server import GitHubLab, Stage, serving
from tests.judges.plugin import Judge


@pytest.fixture(scope="session")
def lab_stage() -> Iterator[Stage]:
    """One server for the labs of all tests."""
    with serving() as stage:
        yield stage


@pytest.fixture
def lab(lab_stage: Stage, github_judge: Judge) -> Iterator[GitHubLab]:
    """An empty lab; the test fails where a request or an answer is not as GitHub describes it."""
    github_judge.watch(lab_stage.url, answers=True)
    with GitHubLab.play(lab_stage) as lab:
        yield lab
