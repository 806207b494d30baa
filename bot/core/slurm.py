"""A program in a container on a Slurm cluster → the argument lists of `sbatch` and `srun`.

The container's options are those of pyxis (https://github.com/NVIDIA/pyxis#usage), the others Slurm's
(https://slurm.schedmd.com/sbatch.html). No value becomes a part of a shell's text: `STEP_SCRIPT` is the same
for every job, and takes all that differs as its own arguments. What reads the answers is `slurm_states`.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace

from bot.core.container import Mount
from bot.core.errors import Refused
from bot.core.image import ImageRef

STEP_SCRIPT = '#!/bin/sh\nexec srun "$@"\n'
"""The batch script of every job: one step, whose arguments are the script's."""

# Slurm takes more of the environment for options (SBATCH_*, SLURM_*), and hands all of it on to the job.
_KEPT = re.compile(r"PATH|HOME|USER|LOGNAME|LANG|TMPDIR|XDG_[A-Z_]+|SLURM_CONF|ENROOT_[A-Z_]+")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", re.ASCII)
_ARCHIVE = ".sqsh"


@dataclass(frozen=True, slots=True)
class ClusterJob:
    """A program in a container. `image` is in pyxis's form or the absolute path of an archive.

    The program runs once on each of the nodes, for at most so many minutes; `partition` and `account` are
    the cluster's own defaults where they are None.
    """

    image: str
    command: tuple[str, ...]
    mounts: tuple[Mount, ...] = ()
    workdir: str | None = None
    nodes: int = 1
    gpus_per_node: int = 0
    minutes: int = 60
    partition: str | None = None
    account: str | None = None
    writable: bool = False

    @property
    def name(self) -> str:
        """What Slurm calls the job: the same for the same job, so that one that runs already is found."""
        return f"bot-{hashlib.sha256(repr(astuple(self)).encode(errors='backslashreplace')).hexdigest()[:16]}"


def container_image(image: ImageRef) -> str:
    """Return a reference in pyxis's form, `host#repository:tag`; with a slash it would ask Docker Hub."""
    return str(replace(image, separator="#"))


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return what Slurm's programs get to see: no token, and nothing that they would take for an option."""
    return {name: value for name, value in environ.items() if _KEPT.fullmatch(name)}


def sbatch_arguments(job: ClusterJob, folder: str) -> tuple[str, ...]:
    """Return the command that submits a job; `folder` is one that every node sees, and gets the log.

    The path of a file that holds `STEP_SCRIPT` is to follow, and then `step_arguments`. A job that Slurm has
    to stop is not begun anew behind the bot's back. Raises Refused for values that Slurm would read
    otherwise than as what they are.
    """
    return tuple(_sbatch(job, folder))


def _sbatch(job: ClusterJob, folder: str) -> Iterator[str]:
    yield from ("sbatch", "--parsable", "--no-requeue", "--open-mode=append")
    yield f"--job-name={job.name}"
    yield f"--chdir={_path(folder, 'the folder of logs')}"
    yield f"--output={log_path(job, _path(folder, 'the folder of logs').replace('%', '%%'), '%j')}"
    yield from (f"--nodes={_count(job.nodes, 'nodes')}", "--ntasks-per-node=1")
    yield f"--time={_count(job.minutes, 'minutes')}"
    if job.gpus_per_node:
        yield f"--gpus-per-node={_count(job.gpus_per_node, 'GPUs')}"
    for option, value in (("partition", job.partition), ("account", job.account)):
        if value is not None:
            yield f"--{option}={_word(value, option)}"


def log_path(job: ClusterJob, folder: str, number: int | str) -> str:
    """Return the path of the log of a job that Slurm has given a number."""
    return f"{folder.rstrip('/')}/{job.name}-{number}.log"


def step_arguments(job: ClusterJob) -> tuple[str, ...]:
    """Return what `srun` is given. Raises Refused like `sbatch_arguments`."""
    return tuple(_step(job))


def _step(job: ClusterJob) -> Iterator[str]:
    # A rank that failed would leave the others waiting for it until the job's time is over.
    yield "--kill-on-bad-exit=1"
    yield f"--container-image={_image(job.image)}"
    if job.mounts:
        yield f"--container-mounts={','.join(_mount(it) for it in job.mounts)}"
    if job.workdir is not None:
        yield f"--container-workdir={_path(job.workdir, 'the working folder')}"
    # Clusters set their own defaults for these two, and pyxis's own are the other way round.
    yield "--container-writable" if job.writable else "--container-readonly"
    yield "--no-container-mount-home"
    yield "--"
    if not job.command or not job.command[0]:
        raise Refused("there is no program to run", hint="name one behind `--`")
    for word in job.command:
        if "\0" in word:
            raise Refused("an argument of the program holds a NUL, which none can")
        yield word


def _image(image: str) -> str:
    # An archive is a path, and anything else is asked of a registry.
    if image.startswith("/"):
        if not image.endswith(_ARCHIVE):
            raise Refused(f"`{image[:100]}` is no `{_ARCHIVE}` archive", hint="import the image first")
        return _path(image, "the archive")
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]-]+#[a-z0-9][a-z0-9._/-]*[A-Za-z0-9_.:@-]*", image, re.ASCII):
        raise Refused(
            f"`{image[:100]}` is no image in pyxis's form",
            hint="write `registry#repository:tag`, such as `nvcr.io#nvidia/pytorch:26.06-py3`",
        )
    return image


def _mount(mount: Mount) -> str:
    paths = [_path(it, "a mount") for it in (mount.source, mount.target)]
    for path in paths:
        if re.search(r"[,:]", path):
            raise Refused(
                f"`{path[:100]}` cannot be mounted: pyxis reads `,` and `:` as signs of its own",
                hint="give it another name, or mount the folder above it",
            )
    return ":".join((*paths, "ro")) if mount.read_only else ":".join(paths)


def _path(path: str, what: str) -> str:
    if not path.startswith("/") or ".." in path.split("/"):
        raise Refused(f"{what} has to be an absolute path without `..`: `{path[:100]}`")
    # Slurm replaces nothing any more in a file name with a backslash.
    if not path.isprintable() or "\\" in path:
        raise Refused(f"{what} has signs in its path that Slurm does not take as they are: `{path[:100]!a}`")
    return path


def _word(value: str, option: str) -> str:
    if not _WORD.fullmatch(value):
        raise Refused(
            f"`{value[:100]!a}` is no name for `--{option}`", hint="letters, digits, `.`, `_` and `-`"
        )
    return value


def _count(number: int, what: str) -> int:
    if number < 1:
        raise Refused(f"a job has at least one of its {what}, not {number}")
    return number
