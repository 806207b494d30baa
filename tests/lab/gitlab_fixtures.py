"""A simulated GitLab whose clients are held to GitLab's own description, where there is one."""

from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest

from bot.lab.gitlab.server import GitLabLab
from bot.lab.server import Stage, serving
from tests.adapters.gitlab import description


@pytest.fixture(scope="module")
def gitlab_stages() -> Iterator[tuple[Stage, Stage]]:
    """One pair of servers for the tests of a module."""
    with serving() as api, serving() as storage:
        yield api, storage


@pytest.fixture
def gitlab_lab(gitlab_stages: tuple[Stage, Stage]) -> Iterator[GitLabLab]:
    """An empty GitLab; the test fails where a request is none that GitLab describes."""
    lab = GitLabLab.play(*gitlab_stages)
    yield lab
    file = description.description_file()
    api = description.load(file) if file else {}
    told = {
        complaint
        for sent in lab.requests
        if file
        for complaint in description.complaints(api, sent.method.lower(), sent.path, parse_qs(sent.query))
    }
    assert told == set()
    assert lab.storage.told_secrets == []
