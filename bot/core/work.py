"""Keys of work: what the bot looks at again, and in whose lane."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """A thing to look at. Keys of one `lane` (a repository) are never worked on at the same time.

    Two pokes of equal keys are one piece of work.
    """

    lane: str
    name: str

    def __str__(self) -> str:
        return f"{self.lane} {self.name}"


def conversation(repository: str, number: int) -> Key:
    """Return the key of an issue or pull request: its comments, and the bump whose pull request it is."""
    return Key(repository.lower(), f"conversation {number}")


def conversation_number(key: Key) -> int | None:
    """Return the number of the issue or pull request that a key is about, None for any other key."""
    kind, _, number = key.name.partition(" ")
    return int(number) if kind == "conversation" else None


def branch(repository: str, name: str) -> Key:
    """Return the key of a base branch: every bump onto it."""
    return Key(repository.lower(), f"branch {name}")


def releases(repository: str, track: str) -> Key:
    """Return the key of a track: whether a newer image is due."""
    return Key(repository.lower(), f"releases {track}")


def resync(repository: str) -> Key:
    """Return the key of a whole repository: the comments that no webhook told of, and every open bump."""
    return Key(repository.lower(), "resync")


@dataclass(frozen=True, slots=True)
class Again:
    """What a handler returns that wants to look at its key once more, `seconds` from now."""

    seconds: float


@dataclass(frozen=True, slots=True)
class WorkState:
    """How much there is to do. `alive` is false once the queue has stopped.

    Of keys that wait, `due` may begin at once, or when their lane is free, and `later` at a later moment.
    `failing` are keys whose last run failed; `given_up` are not tried again before they are poked.
    """

    alive: bool
    due: int
    later: int
    running: int
    failing: tuple[Key, ...]
    given_up: tuple[Key, ...]
