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

    At `context_at` it sees the folder that is built from, read-only. It finds the files `given` in `/given`,
    and those of the names in `takes` that it writes into `/taken` are handed back.
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
    context_at: str | None = None
    given: Mapping[str, bytes] = field(default_factory=dict)
    takes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """How the program ended: its exit status, the last lines that it wrote, and the seconds that it took.

    `stopped` is why the bot ended it, `cancelled` or `timed out`, and empty where it ended by itself. `taken`
    are the files that it handed back, those of at most 64 MiB that are no links.
    """

    exit_status: int
    tail: tuple[str, ...]
    seconds: float
    stopped: str = ""
    taken: Mapping[str, bytes] = field(default_factory=dict)
