"""A program in a container as values: what is run, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of the machine that the program sees at `target`; both paths are absolute."""

    source: str
    target: str
    read_only: bool = True


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A program in a container of `image`, an image's id or name on the machine; none is pulled.

    `command` replaces what the image runs by itself. `network` is false for a program that needs none,
    `gpus` true for one that needs the machine's. `timeout` is in seconds, None for as long as it takes.
    """

    image: str
    command: tuple[str, ...]
    platform: str | None = None
    mounts: tuple[Mount, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    workdir: str | None = None
    network: bool = True
    gpus: bool = False
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class RunReport:
    """How the program ended: its exit status, the last lines that it wrote, and the seconds that it took.

    `stopped` is why the bot ended it, `cancelled` or `timed out`, and empty where it ended by itself.
    """

    exit_status: int
    tail: tuple[str, ...]
    seconds: float
    stopped: str = ""
