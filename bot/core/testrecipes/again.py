"""Quarantines that the ledger remembers, done once more on another text of their file."""

from collections.abc import Callable, Iterable
from functools import cache

from bot.core.errors import Refused, UsageError
from bot.core.merge import Rederive
from bot.core.recipe import BumpRecipe
from bot.core.testrecipes.ledger_block import Entry
from bot.core.testrecipes.plan import plan_quarantine
from bot.core.testrecipes.request import QuarantineRequest
from bot.core.testrecipes.target import FunctionalTest


def quarantined_anew(recipe: BumpRecipe, entries: Callable[[], Iterable[Entry]]) -> Rederive:
    """Return what takes the tests of the ledger out of the gate in a text of a test recipe.

    `entries` is asked once, and only when there is a text. For a file in which nothing was quarantined, or
    where one of them cannot be done again, the answer is None: a person has to look.
    """
    known = cache(lambda: tuple(entries()))

    def rederive(path: str, text: str) -> str | None:
        found = [it for it in known() if it.remedy == "broken" and any(done.file == path for done in it.done)]
        after = text
        for entry in found:
            try:
                plan = plan_quarantine(recipe, {path: after.encode()}, _request(entry, path))
            except (Refused, UsageError):
                return None
            after = plan.edits[0].after if plan.edits else after
        return after if found else None

    return rederive


def _request(entry: Entry, path: str) -> QuarantineRequest:
    lines = [line.strip() for done in entry.done if done.file == path for line in done.hunk.after]
    comment = "\n".join(line for line in dict.fromkeys(lines) if line.startswith("#"))
    return QuarantineRequest(
        target=FunctionalTest(entry.test, entry.model),
        reason="hang" if entry.reason == "over budget" else entry.reason,
        issue="(in the comment)",
        platform=entry.platform,
        comment=comment or None,
    )
