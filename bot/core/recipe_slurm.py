"""The section of a bump recipe that says how programs run in a repository's container on a Slurm cluster."""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, Strict

from bot.core.container import Mount
from bot.core.recipe_types import Count, RecipeModel
from bot.core.slurm import ClusterJob


def _word(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", value, re.ASCII):
        raise ValueError("has to be a name of letters, digits, `.`, `_` and `-`")
    return value


def _folder(value: str) -> str:
    if not re.fullmatch(r"(?:/(?!\.\.?(?:/|\Z))[\w.-]+)+", value, re.ASCII):
        raise ValueError("has to be an absolute path, such as `/workspace`")
    return value


Word = Annotated[str, AfterValidator(_word)]
Folder = Annotated[str, AfterValidator(_folder)]


class SlurmJobs(RecipeModel):
    """How programs run in the container on a Slurm cluster with pyxis."""

    nodes: Count = 1
    """Nodes of a job; the program runs once on each."""
    gpus_per_node: Annotated[int, Strict(), Field(ge=0)] = 0
    """GPUs of each node; with none, the job asks for no GPU."""
    minutes: Count = 60
    """Minutes after which Slurm ends a job."""
    workdir: Folder | None = None
    """The working folder, where the repository's files are; the image's own unless named."""
    partition: Word | None = None
    """The partition; the cluster's default unless named."""
    account: Word | None = None
    """The account that a job is charged to; the user's default unless named."""
    archive: Annotated[bool, Strict()] = False
    """Whether the cluster wants the image as an archive, imported with enroot first."""

    def job(self, image: str, command: Sequence[str], mounts: Sequence[Mount] = ()) -> ClusterJob:
        """Return a job that runs `command`; `image` is in pyxis's form, or an archive's path."""
        return ClusterJob(
            image=image,
            command=tuple(command),
            mounts=tuple(mounts),
            workdir=self.workdir,
            nodes=self.nodes,
            gpus_per_node=self.gpus_per_node,
            minutes=self.minutes,
            partition=self.partition,
            account=self.account,
        )
