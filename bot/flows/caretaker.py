"""Hands each key of work to the repository that it is about; one that fails keeps no other from its work."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.core.errors import BotError
from bot.core.work import Again, Key
from bot.flows.notebook import Notebook
from bot.flows.tend import Tending
from bot.service_ports import Meter

MakeTending = Callable[[], Tending]
"""Reads a recipe anew and makes what tends its repository. Raises UsageError for a recipe with problems."""


@dataclass(slots=True)
class _Repository:
    name: str
    make: MakeTending
    tending: Tending | None = field(default=None)


class Caretaker:
    """Looks at keys of several repositories, `repositories` by `owner/name`.

    The recipe of a repository is read again at each resync, or at each look where nothing is to be kept
    (`keeps`). While it has problems, every look at that repository fails with them.
    """

    def __init__(
        self,
        repositories: Mapping[str, MakeTending],
        notebook: Notebook,
        meter: Meter,
        *,
        keeps: bool = True,
    ) -> None:
        self._repositories = {name.lower(): _Repository(name, make) for name, make in repositories.items()}
        self._notebook = notebook
        self._meter = meter
        self._keeps = keeps
        for name in repositories:
            notebook.watches(name)

    def look(self, key: Key) -> Again | None:
        """Look at a key. Raises what the look raises."""
        repository = self._repositories[key.lane]
        kind = key.name.partition(" ")[0]
        began, problem = time.monotonic(), ""
        try:
            return self._tending(repository, anew=kind == "resync" or not self._keeps).look(key)
        except BotError as error:
            problem = str(error)
            raise
        except Exception as error:
            problem = f"a bug: {type(error).__name__}"
            raise
        finally:
            self._meter.looked(kind, time.monotonic() - began, ok=not problem)
            if kind == "resync":
                self._notebook.beat(repository.name, problem)

    def _tending(self, repository: _Repository, *, anew: bool) -> Tending:
        if anew or repository.tending is None:
            repository.tending = None
            repository.tending = repository.make()
        return repository.tending
