"""How far the bot got with a command that somebody gave in a comment."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CommandState:
    """One command of a comment, since it was first begun at `begun_at` (UTC).

    `outcome` is what the answer says of it, None until it is decided: the bot was stopped in between,
    and does the command once more. Once decided it is never done again. `aim` is on what it is carried out,
    such as a run of CI, None until that is known.
    """

    begun_at: datetime
    outcome: str | None = None
    aim: str | None = None
