"""A real Chromium, and the dashboard served to it; both are started once."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright
from starlette.applications import Starlette

from bot.core.board import Board
from bot.lab.server import Stage, serving
from tests.components import component_missing
from tests.fakes.boards import dashboard

COMPONENT = "chromium"
HERE = Path(__file__).parent
AXE = HERE / "node_modules" / "axe-core" / "axe.min.js"
# Chromium asks its maker for updates and the like unless it is told not to.
_QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-gpu",
)


@dataclass
class Visit:
    """An open page, what its console said, and the hosts that it asked for anything."""

    page: Page
    said: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)


class Screens:
    """Opens pages of a board in a browser; screenshots go to the folder that `BOT_SCREENSHOTS` names."""

    def __init__(self, browser: Browser, stage: Stage, folder: Path) -> None:
        self._browser = browser
        self._stage = stage
        self.folder = folder

    @property
    def host(self) -> str:
        return urlsplit(self._stage.url).netloc

    def show(self, board: Board, **clock) -> None:
        """Serve another board from now on."""
        self._stage.app = Starlette(routes=dashboard(board, **clock).routes())

    @contextmanager
    def visit(self, path: str, scheme="light", width=1280, **context) -> Iterator[Visit]:
        """Open a page and close it again; the page is there when the body begins."""
        opened = self._browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            locale="en-GB",
            timezone_id="UTC",
            reduced_motion="reduce",
            **context,
        )
        visit = Visit(opened.new_page())
        visit.page.on("console", lambda message: visit.said.append(message.text))
        visit.page.on("pageerror", lambda error: visit.said.append(str(error)))
        visit.page.on("request", lambda request: visit.hosts.add(urlsplit(request.url).netloc))
        try:
            visit.page.goto(self._stage.url + path)
            visit.page.wait_for_load_state("networkidle")
            yield visit
        finally:
            opened.close()


# Playwright runs a loop in this thread while it lives: it ends with its module, for others run loops too.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        component_missing(
            COMPONENT, "there is no `chromium` on PATH; Debian has it in its package `chromium`"
        )
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=program, args=list(_QUIET))
        except Error as error:
            component_missing(COMPONENT, f"it does not start: {error.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The text of axe-core: it is run by the browser itself, which the page's own rules do not bind."""
    if not AXE.is_file():
        component_missing("axe-core", f"run `npm ci --prefix tests/{HERE.name}` first")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def screens(browser, tmp_path_factory) -> Iterator[Screens]:
    named = os.environ.get("BOT_SCREENSHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("screens")
    with serving() as stage:
        yield Screens(browser, stage, folder)
