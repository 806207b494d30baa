"""Every request of these tests is judged."""

from collections.abc import Iterator

import pytest

from bot.lab.git import Signature
from bot.lab.server import GitHubLab
from tests.judges.plugin import github_judge
from tests.lab.client import Api, api
from tests.lab.fixtures import lab, lab_stage

__all__ = ["ann", "github_judge", "lab", "lab_stage", "megatron"]

REPOSITORY = "NVIDIA/Megatron-LM"


@pytest.fixture
def megatron(lab: GitHubLab) -> GitHubLab:
    """A lab with one repository of three files; ann may write there, bob may not, max maintains it."""
    files = {"README.md": "one\n", "docker/pin": "26.04\n", "data/blob.bin": b"\x00\x01\xff"}
    lab.world.add_repository(REPOSITORY, files)
    lab.world.set_role(REPOSITORY, "ann", "write")
    lab.world.set_role(REPOSITORY, "max", "maintain")
    lab.world.user("bob")
    return lab


@pytest.fixture
def ann(megatron: GitHubLab) -> Iterator[Api]:
    """Requests of a user who may write."""
    with api(megatron, "ann") as client:
        yield client


def push_orphan(lab: GitHubLab, branch: str) -> None:
    """Begin a branch that shares no history with the others."""
    git = lab.world.repository(REPOSITORY).git
    ann = Signature("ann", "ann@example.org", lab.world.now())
    tree = git.write_tree(None, [("a", "100644", git.write_blob(b"1"))])
    lab.world.create_branch(REPOSITORY, branch, git.write_commit(tree, [], "Orphan", ann, ann), author="ann")
