"""The lab's GitLab and its object storage as two servers on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.lab.github_api import Fault, LogEntry
from bot.lab.gitlab.api import GitLabApi
from bot.lab.gitlab.storage import ObjectStorage
from bot.lab.gitlab.world import GitLabWorld
from bot.lab.server import Stage, serving


class GitLabLab:
    """A running GitLab; `url` is what clients take as its address, `storage_url` lies on another port."""

    def __init__(self, url: str, storage_url: str) -> None:
        self.url = url
        self.storage_url = storage_url
        self.world = GitLabWorld()
        self.storage = ObjectStorage()
        self.api = GitLabApi(self.world, self.storage, storage_url)

    @classmethod
    @contextmanager
    def start(cls) -> "Iterator[GitLabLab]":
        """Serve an empty world on two free ports of loopback until the block ends."""
        with serving() as stage, serving() as storage_stage:
            yield cls.play(stage, storage_stage)

    @classmethod
    def play(cls, stage: Stage, storage_stage: Stage) -> "GitLabLab":
        """Put an empty world on two stages that run already."""
        lab = cls(stage.url, storage_stage.url)
        stage.app, storage_stage.app = lab.api, lab.storage
        return lab

    @property
    def faults(self) -> list[Fault]:
        """What will go wrong; stories add to it."""
        return self.api.faults

    @property
    def requests(self) -> list[LogEntry]:
        """Every request that was answered, the first one first."""
        return self.api.log
