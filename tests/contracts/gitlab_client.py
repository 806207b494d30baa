"""A GitLab with one project, and the bot's client of it."""

from datetime import UTC, datetime

import pytest

from bot.core.errors import ServiceError
from bot.gitlab.pipelines import GitLabPipelines
from bot.gitlab.server import Patience
from tests.lab.gitlab_fixtures import gitlab_lab, gitlab_stages

__all__ = ["gitlab_lab", "gitlab_stages"]

PATH = "ADLR/megatron-lm"
NOW = datetime(2026, 8, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
def world(gitlab_lab):
    gitlab_lab.world.now = lambda: NOW
    gitlab_lab.world.add_project(PATH, {"docker/pin": b"26.06-py3\n"})
    return gitlab_lab.world


@pytest.fixture
def project(world):
    return world.projects[PATH]


def client(lab, token=None, project=PATH) -> GitLabPipelines:
    token = lab.world.token(PATH) if token is None else token
    return GitLabPipelines(lab.url, token, project, Patience(timeout=5, wait=0))


def failure(call, *arguments) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        call(*arguments)
    return caught.value
