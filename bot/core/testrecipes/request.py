"""What a person or a verdict asks for: which test, which remedy, why, and under which issue."""

import re
from dataclasses import dataclass
from typing import Literal

from bot.core.errors import UsageError
from bot.core.markdown import one_line
from bot.core.testrecipes.comment import comment_lines, default_comment
from bot.core.testrecipes.target import Target

Reason = Literal["hang", "oom", "crash", "regression"]
REASONS: tuple[Reason, ...] = ("hang", "oom", "crash", "regression")

MOST_REPEATS = 100


@dataclass(frozen=True, slots=True)
class Broken:
    """Take the test out of the gate."""

    name: Literal["broken"] = "broken"


@dataclass(frozen=True, slots=True)
class AllowFailure:
    """Let it run and fail, on GitLab."""

    name: Literal["allow-failure"] = "allow-failure"


@dataclass(frozen=True, slots=True)
class Repeats:
    """Repeat it `count` times and no more."""

    count: int
    name: Literal["n-repeat"] = "n-repeat"


Remedy = Broken | AllowFailure | Repeats


def issue_address(repository: str, number: int) -> str:
    """Return the address of an issue on GitHub."""
    return f"https://github.com/{repository}/issues/{number}"


def parse_remedy(text: str) -> Remedy:
    """Return the remedy that `broken`, `allow-failure` or `n-repeat=N` names. Raises UsageError."""
    if text == "broken":
        return Broken()
    if text == "allow-failure":
        return AllowFailure()
    if found := re.fullmatch(r"n-repeat=([0-9]{1,3})", text):
        count = int(found[1])
        if 1 <= count <= MOST_REPEATS:
            return Repeats(count)
    hint = f"it is `broken`, `allow-failure` or `n-repeat=N`, with N from 1 to {MOST_REPEATS}"
    raise UsageError(f"`{one_line(text)}` is no remedy", hint=hint)


@dataclass(frozen=True, slots=True)
class QuarantineRequest:
    """Take a test out of the gate, or apply another remedy.

    `issue` is the address of the tracking issue and `reason` the class of the failure; both may be missing
    only where the test goes on running. `comment` replaces the bot's own words, `track` chooses the mark of a
    unit test.
    """

    target: Target
    reason: Reason | None
    issue: str | None
    platform: str | None = None
    remedy: Remedy = Broken()
    why: str = ""
    comment: str | None = None
    track: str = "dev"

    @property
    def comment_lines(self) -> tuple[str, ...]:
        """The comment that says why, as whole lines; none where there is nothing to say."""
        if self.comment is not None:
            return comment_lines(self.comment)
        if self.issue is None:
            return ()
        return comment_lines(default_comment(self.reason or "over budget", self.why, self.issue))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of a log or file that shows why, with where it came from."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class UnquarantineRequest:
    """Put a test back; `track` says whose mark of a unit test goes."""

    target: Target
    platform: str | None = None
    track: str = "dev"
