"""The service as one process: webhooks, work queue, schedule and answers, put together and run."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from starlette.types import ASGIApp

from bot import wiring
from bot.core.errors import BotError, UsageError
from bot.core.recipe import BumpRecipe
from bot.core.watch import Watch, Watched
from bot.core.work import Again, Key, WorkState, releases, resync
from bot.flows.answer import Answering
from bot.flows.bump import Patience
from bot.flows.bumps import Bumps, Tools
from bot.flows.caretaker import Caretaker
from bot.flows.notebook import Notebook
from bot.flows.orders import Desk, Orders
from bot.flows.release_watch import ReleaseWatch
from bot.flows.tend import Outside, Tending
from bot.flows.undo import Undo, UndoOutcome
from bot.ports import CodeHost, Ledger
from bot.service_ports import CommandLog, Meter, Pauses
from bot.settings import Settings
from bot.web.app import create_app
from bot.web.dashboard import Dashboard
from bot.web.intake import Intake, Source

LOG = logging.getLogger("bot")

GRACE = 20.0
"""Seconds that running work has to end once the service is told to stop."""


class _Stores(NamedTuple):
    ledger: Ledger
    log: CommandLog
    pauses: Pauses


class Service:
    """One process of the bot, from `start` to `stop`; `app` answers its requests, in whatever server."""

    def __init__(self, settings: Settings, recipes: Sequence[str]) -> None:
        self._settings = settings
        self._recipes = {recipe.repository: recipe for recipe in map(wiring.load_recipe, recipes)}
        if len(self._recipes) != len(recipes):
            raise UsageError("two of the recipes are for one repository", hint="name each repository once")
        self._opened = ExitStack()
        stores = _Stores(
            self._opened.enter_context(closing(wiring.ledger(settings))),
            self._opened.enter_context(closing(wiring.command_log(settings))),
            self._opened.enter_context(closing(wiring.pauses(settings))),
        )
        interval = timedelta(seconds=settings.resync)
        self._board = wiring.board(settings.mode, interval)
        self.notebook = Notebook(_now, interval, self._board)
        self._meter = wiring.meter()
        self._queue = wiring.work_queue(_report)
        self._budgets: dict[str, Callable[[], int | None]] = {}
        self._hosts: dict[str, CodeHost] = {}
        making = {
            recipe.repository: self._maker(name, recipe.repository, stores)
            for name, recipe in zip(recipes, self._recipes.values(), strict=True)
        }
        # A dry run ends with its look: what it would have written is not there at the next one.
        self._caretaker = Caretaker(making, self.notebook, self._meter, keeps=settings.mode != "dry-run")
        self.app = self._application()

    def _application(self) -> ASGIApp:
        watched = (
            Watched(it.repository, frozenset({it.base}), it.gitlab.project if it.gitlab else None)
            for it in self._recipes.values()
        )
        senders = wiring.webhooks(self._settings)
        sources = {name: Source(read, secrets) for name, (read, secrets) in senders.items()}
        intake = Intake(sources, Watch(watched), self._queue)
        self._meter.watch(self.notebook, self._queue.state, self._requests_left, _now)
        pages = Dashboard(self._board, wiring.pages(), wiring.chart_images(), _now).routes()
        return create_app(
            intake, self._queue, pages, standing=self.notebook, metrics=self._meter.page, now=_now
        )

    def _requests_left(self) -> int | None:
        left = [number for it in self._budgets.values() if (number := it()) is not None]
        return min(left, default=None)

    @property
    def work(self) -> WorkState:
        """How much there is to do."""
        return self._queue.state()

    def start(self) -> None:
        """Begin to work, unless the bot is stopped by its mode."""
        self._queue.start(self._look)
        if self._settings.mode == "stopped":
            LOG.warning("stopped", extra={"fields": {"why": "BOT_MODE is `stopped`: nothing is done"}})
            return
        for recipe in self._recipes.values():
            self._queue.every(self._settings.resync, resync(recipe.repository))
            if recipe.schedule is not None:
                key = releases(recipe.repository, recipe.schedule.track)
                self._queue.every(self._settings.release_poll, key)

    def stop(self, grace: float = GRACE) -> None:
        """Let running work end, and close the database."""
        left = self._queue.stop(grace)
        LOG.info("ended", extra={"fields": {"left": [str(key) for key in left]}})
        self._opened.close()

    def _look(self, key: Key) -> Again | None:
        if self._settings.mode == "stopped":
            return None
        began = time.monotonic()
        try:
            again = self._caretaker.look(key)
        finally:
            self._show_unwritten(key)
        LOG.info("looked", extra={"fields": {"key": str(key), "seconds": round(time.monotonic() - began, 3)}})
        return again

    def _show_unwritten(self, key: Key) -> None:
        """Log what a dry run would have written."""
        host = self._hosts.pop(key.lane, None)
        for call in wiring.recorded(host) if host else ():
            LOG.info("would write", extra={"fields": {"method": call.method, "path": call.path}})

    def _maker(self, name: str, repository: str, stores: _Stores) -> Callable[[], Tending]:
        def make() -> Tending:
            recipe = wiring.load_recipe(name)
            if recipe.repository != repository:
                raise UsageError(
                    f"recipe `{name}` is for `{recipe.repository}` now, and was for `{repository}`",
                    hint="start the service anew to look after another repository",
                )
            return self._tending(recipe, stores)

        return make

    def _tending(self, recipe: BumpRecipe, stores: _Stores) -> Tending:
        settings, notebook = self._settings, self.notebook
        host, self._budgets[recipe.repository] = wiring.service_host(settings, recipe.repository)
        is_dry = settings.mode == "dry-run"
        if is_dry:
            self._hosts[recipe.repository.lower()] = host
        ledger = wiring.unwritten(stores.ledger) if is_dry else stores.ledger
        # What a dry run only shows is not counted.
        meter = wiring.meter() if is_dry else self._meter
        tools = _tools(settings, recipe, host, ledger, meter)
        bumps = Bumps(recipe, tools, notebook)
        reading = wiring.ci_reading(settings, recipe) if recipe.results else None

        def undo(number: int, why: str) -> UndoOutcome:
            return Undo(recipe, number, host, ledger, texts=tools.texts, now=_now, why=why).run()

        orders = Orders(recipe, Desk(bumps, undo, notebook, stores.log, stores.pauses, reading, _now))
        answering = Answering(host, stores.log, tools.texts, orders, now=_now, report=_report_bug)
        outside = Outside(host, stores.log, stores.pauses, None if is_dry else answering, _now)
        return Tending(recipe, bumps, ReleaseWatch(recipe, tools, bumps, notebook), outside, notebook)


def _tools(settings: Settings, recipe: BumpRecipe, host: CodeHost, ledger: Ledger, meter: Meter) -> Tools:
    return Tools(
        host,
        ledger,
        wiring.texts(),
        wiring.registry(settings),
        lambda goal, words: wiring.rounds(settings, recipe, goal, host=host, ledger=ledger, words=words),
        Patience(0, lambda: None),
        meter,
        _now,
    )


def _now() -> datetime:
    return datetime.now(UTC)


def _report(key: Key, error: BaseException, tried_again: bool) -> None:  # noqa: FBT001 - the queue's signature
    fields: Mapping[str, object] = {
        "key": str(key),
        "error": str(error),
        "hint": error.hint if isinstance(error, BotError) else None,
        "tried_again": tried_again,
    }
    trace = None if isinstance(error, BotError) else error
    LOG.error("failed", extra={"fields": fields}, exc_info=trace)


def _report_bug(error: Exception) -> None:
    LOG.error("a command failed", extra={"fields": {"error": str(error)}}, exc_info=error)
