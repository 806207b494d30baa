"""The ledger of quarantines: a block in the text of a tracking issue that says what was done, and until when.

The block is JSON in a code fence. People can edit an issue, so what it says is a hint that is checked against
the files; a block that cannot be read says nothing. In its strings every sign is escaped by which GitHub or a
reader of commands would do something.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from pydantic import StringConstraints, TypeAdapter, ValidationError

from bot.core.testrecipes.hunk import Hunk

BEGIN, END = "<!-- ngc-bump-bot:ledger -->", "<!-- ngc-bump-bot:ledger:end -->"
_BLOCK = re.compile(rf"{BEGIN}\s*```json\n(.*?)\n```\s*{END}", re.DOTALL)
_ACTIVE = re.compile(r"[@#`<>&]|(?<!\w)/|/(?=\W*ok)|(?<=\bGH)-(?=[0-9])", re.IGNORECASE)


# Whoever may edit an issue may write into its ledger: names that go on into messages are held to their form.
_Test = Annotated[str, StringConstraints(pattern=r"\A[A-Za-z0-9_.+/:-]+\z", max_length=500)]
_Name = Annotated[str, StringConstraints(pattern=r"\A[A-Za-z0-9_.+-]*\z", max_length=200)]
_Owner = Annotated[str, StringConstraints(pattern=r"\A[A-Za-z0-9-]{1,39}(?:/[A-Za-z0-9._-]{1,100})?\z")]


@dataclass(frozen=True, slots=True)
class Done:
    """A hunk, the file that it was done in, and the sha of the commit that carries it, once there is one."""

    file: str
    hunk: Hunk
    commit: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One test out of the gate. `platform` is None for a unit test, `model` empty.

    `owner` is a login or `ORG/TEAM`, None where the bump recipe names nobody. `done` is empty until the files
    are edited. On the day `expires` the quarantine is announced as expired.
    """

    test: _Test
    model: _Name
    platform: _Name | None
    reason: Literal["hang", "oom", "crash", "regression", "over budget"]
    remedy: Literal["broken", "allow-failure", "n-repeat", "mark"]
    owner: _Owner | None
    since: date
    expires: date
    done: tuple[Done, ...] = ()

    @property
    def key(self) -> tuple[str, str, str | None]:
        """What no two quarantines share."""
        return self.model, self.test, self.platform


_ENTRIES = TypeAdapter(tuple[Entry, ...])


def write_block(entries: Sequence[Entry]) -> str:
    """Return the block that says `entries`."""
    document = json.dumps(_ENTRIES.dump_python(tuple(entries), mode="json"), indent=1)
    return f"{BEGIN}\n```json\n{_ACTIVE.sub(_escaped, document)}\n```\n{END}"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def read_block(text: str) -> tuple[Entry, ...]:
    """Return the entries of the block in a text; none where there is no block, or none that can be read."""
    found = _BLOCK.search(text.replace("\r\n", "\n"))
    if found is None:
        return ()
    try:
        return _ENTRIES.validate_json(found[1])
    except (ValidationError, RecursionError):
        return ()


def replace_block(text: str, entries: Sequence[Entry]) -> str:
    """Return a text with its block made anew and all else left as it is, but for the ends of its lines."""
    block = write_block(entries)
    return _BLOCK.sub(lambda _: block, text.replace("\r\n", "\n"), count=1)


def with_entry(entries: Sequence[Entry], new: Entry) -> tuple[Entry, ...]:
    """Return the entries with one added, or put in the place of the older one for the same test."""
    if all(it.key != new.key for it in entries):
        return (*entries, new)
    return tuple(new if it.key == new.key else it for it in entries)
