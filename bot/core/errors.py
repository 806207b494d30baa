"""What the bot explains to a person, as exceptions; anything else that escapes is a bug.

    BotError
    ├── UsageError     2  wrong usage or configuration
    ├── Refused        3  the bot will not do it, with the reason
    └── ServiceError   4  an outside service failed

Exit status 1, for what was checked and is not so, is a result and no error.
Each message says what is wrong; `path` and `line` say where, `hint` says what to do next.
"""

from typing import ClassVar


class BotError(Exception):
    """An explained failure: printed or posted without a traceback.

    `code` is a stable word for machines, `exit_code` is the process's exit status,
    `path` a file relative to the repository, `line` counts from 1.
    """

    exit_code: ClassVar[int] = 70
    code: ClassVar[str] = "error"

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint

    @property
    def where(self) -> str:
        """`path:line`, `path` or an empty string."""
        if self.path is None:
            return ""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class UsageError(BotError):
    """The command line, the settings or a bump recipe is wrong."""

    exit_code = 2
    code = "usage"


class Refused(BotError):
    """A person has to settle something first; what was already done stands, and is not done twice."""

    exit_code = 3
    code = "refused"


class ServiceError(BotError):
    """A registry, a code host or another outside service did not do its part."""

    exit_code = 4
    code = "service"
