"""Tends one repository: for each key of work it looks at what the key names, and does what is due there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from bot.core.errors import BotError, Refused
from bot.core.recipe import BumpRecipe
from bot.core.work import Again, Key, conversation_number
from bot.flows.answer import EXPIRED, Answering
from bot.flows.bumps import Bumps, Wanted
from bot.flows.notebook import Notebook
from bot.flows.release_watch import ReleaseWatch
from bot.service_ports import CommandLog, Discussions, Pauses

ASKED_AGAIN = 30.0
"""Seconds after which the bot looks whether copy-pr-bot has taken an approval; no webhook tells that."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What a repository is tended with, beside its bumps; `answering` is None where the bot says nothing."""

    discussions: Discussions
    log: CommandLog
    pauses: Pauses
    answering: Answering | None
    now: Callable[[], datetime]


class Tending:
    """Looks at the keys of one repository, one at a time."""

    def __init__(
        self,
        recipe: BumpRecipe,
        bumps: Bumps,
        releases: ReleaseWatch,
        outside: Outside,
        notebook: Notebook,
    ) -> None:
        self._recipe = recipe
        self._bumps = bumps
        self._releases = releases
        self._outside = outside
        self._notebook = notebook

    def look(self, key: Key) -> Again | None:
        """Look at a key; what is not settled now asks for another look.

        Raises ServiceError when the outside fails; a refusal is for a person, who is told where it stands.
        """
        number = conversation_number(key)
        if number is not None:
            return self._conversation(number)
        kind = key.name.partition(" ")[0]
        if kind == "releases":
            self._watch_releases()
            return None
        return self._everything() if kind == "resync" else self._all_open()

    def _conversation(self, number: int) -> Again | None:
        self._answer(number)
        if self._is_paused():
            return None
        wanted = self._bumps.of(number)
        return self._bump(wanted) if wanted else None

    def _answer(self, number: int) -> None:
        if self._outside.answering is not None:
            self._outside.answering.answer(number)

    def _everything(self) -> Again | None:
        """Answer what no webhook told of, then look at each open bump; no failure keeps others back."""
        failures = [*self._catch_up()] if self._outside.answering else []
        asked = self._open_bumps(failures)
        if failures:
            raise failures[0]
        return asked

    def _catch_up(self) -> Iterator[BotError]:
        repository, log = self._recipe.repository, self._outside.log
        since = log.comments_read(repository) or self._outside.now() - EXPIRED
        discussed = self._outside.discussions.discussed_since(since)
        is_complete = True
        for number in sorted(discussed):
            try:
                self._answer(number)
            except Refused:
                # Such as a conversation that was moved away: looking again would change nothing.
                continue
            except BotError as error:
                is_complete = False
                yield error
        # Moments of the host, not of this machine, whose clock may jump; only after all was answered.
        if discussed and is_complete:
            log.read_comments(repository, max(discussed.values()))

    def _all_open(self) -> Again | None:
        failures: list[BotError] = []
        asked = self._open_bumps(failures)
        if failures:
            raise failures[0]
        return asked

    def _open_bumps(self, failures: list[BotError]) -> Again | None:
        """Look at each open bump; what fails is added to `failures`."""
        if self._is_paused():
            return None
        wanted = self._bumps.open()
        self._notebook.only_bumps(self._recipe.repository, frozenset((it.base, it.track) for it in wanted))
        asked: Again | None = None
        for it in wanted:
            try:
                asked = self._bump(it) or asked
            except BotError as error:
                failures.append(error)
        return asked

    def _bump(self, wanted: Wanted) -> Again | None:
        try:
            outcome = self._bumps.run(wanted)
        except Refused:
            return None
        return Again(ASKED_AGAIN) if outcome.approval == "asked" else None

    def _watch_releases(self) -> None:
        try:
            self._releases.look(may_begin=not self._is_paused())
        except Refused:
            return

    def _is_paused(self) -> bool:
        pause = self._outside.pauses.paused(self._recipe.repository)
        self._notebook.pause(self._recipe.repository, pause)
        return pause is not None
