"""The pages of the dashboard, read only: what the board says, as HTML that anybody may see."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from bot.core.board import Board, Bump, GoldenChange
from bot.core.goldens.trajectory import Panel
from bot.service_ports import BoardReader, ChartImages, PageFiles

CHARTS_SHOWN = 6
"""Charts on the page of a bump: those of the goldens that moved farthest; the others are linked."""

SECURITY = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every answer: nothing from another host, nothing inline, in nobody's frame."""

_ALWAYS_ASK = "no-cache"
_NEVER_CHANGES = "public, max-age=31536000, immutable"
_TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8"}


@dataclass(frozen=True, slots=True)
class ChartPlace:
    """A golden that a bump changes, and the address of its chart, empty where there is nothing to draw."""

    change: GoldenChange
    address: str


class Dashboard:
    """Answers for the pages; `now` is the clock."""

    def __init__(
        self, board: BoardReader, pages: PageFiles, charts: ChartImages, now: Callable[[], datetime]
    ) -> None:
        self._board = board
        self._pages = pages
        self._charts = charts
        self._now = now
        self._assets = {
            f"/assets/page.{_digest(content)}.{kind}": (content, kind)
            for kind in _TYPES
            for content in [pages.asset(f"page.{kind}")]
        }

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the pages, of their charts and of the files that they name."""
        bump = "/{owner}/{name}/{base:path}/{track}"
        return [
            Route("/", self._overview),
            Route(f"/bumps{bump}", self._bump),
            Route(f"/charts{bump}/{{tag}}/{{number:int}}.svg", self._chart),
            Route("/favicon.ico", self._no_icon),
            *(Route(address, self._asset) for address in self._assets),
        ]

    async def _overview(self, request: Request) -> Response:
        board = self._board.snapshot()
        return await self._page(request, "overview.html.j2", board, None)

    async def _bump(self, request: Request) -> Response:
        board = self._board.snapshot()
        bump = _found(board, request, request.query_params.get("tag"))
        if bump is None:
            return await self._page(request, "missing.html.j2", board, None, HTTPStatus.NOT_FOUND)
        return await self._page(request, "bump.html.j2", board, bump)

    async def _chart(self, request: Request) -> Response:
        bump = _found(self._board.snapshot(), request, request.path_params["tag"])
        number = request.path_params["number"]
        change = bump.goldens[number] if bump and number < len(bump.goldens) else None
        if change is None or not change.panels:
            return _answer(request, b"", "text/plain", status=HTTPStatus.NOT_FOUND)
        panels = _farthest(change) if "farthest" in request.query_params else change.panels
        drawn = await run_in_threadpool(self._charts.svg, change.file, panels)
        return _answer(request, drawn, "image/svg+xml")

    async def _asset(self, request: Request) -> Response:
        content, kind = self._assets[request.url.path]
        return _answer(request, content, _TYPES[kind], cache=_NEVER_CHANGES)

    async def _no_icon(self, request: Request) -> Response:
        return _answer(request, b"", "image/x-icon", status=HTTPStatus.NO_CONTENT)

    async def _page(
        self,
        request: Request,
        template: str,
        board: Board,
        bump: Bump | None,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> Response:
        style, script = self._assets
        # A bump of many goldens makes a large page, and other requests do not wait for it.
        text = await run_in_threadpool(
            self._pages.render,
            template,
            board=board,
            bump=bump,
            charts=_charts(bump) if bump else [],
            charts_shown=CHARTS_SHOWN,
            bump_address=_address,
            now=self._now(),
            style=style,
            script=script,
        )
        return _answer(request, text.encode(), "text/html; charset=utf-8", status=status)


def _found(board: Board, request: Request, tag: str | None) -> Bump | None:
    place = request.path_params
    return board.bump(f"{place['owner']}/{place['name']}", place["base"], place["track"], tag)


def _charts(bump: Bump) -> list[ChartPlace]:
    """Return the goldens of a bump, the one that moved farthest first."""
    address = f"{_address(bump, 'charts')}/{quote(bump.tag, safe='')}"
    places = [
        ChartPlace(change, f"{address}/{number}.svg" if change.panels else "")
        for number, change in enumerate(bump.goldens)
    ]
    return sorted(places, key=lambda it: it.change.distance, reverse=True)


def _farthest(change: GoldenChange) -> tuple[Panel, ...]:
    """Return the panel of the metric that moved farthest: one alone can be read on a phone."""
    row = change.farthest
    return tuple(it for it in change.panels if row and it.title == row.metric) or change.panels[:1]


def _address(bump: Bump, kind: str = "bumps") -> str:
    return f"/{kind}/{quote(bump.repository)}/{quote(bump.base)}/{quote(bump.track, safe='')}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _answer(
    request: Request,
    content: bytes,
    media_type: str,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    cache: str = _ALWAYS_ASK,
) -> Response:
    tag = f'"{_digest(content)}"'
    headers = {**SECURITY, "ETag": tag, "Cache-Control": cache}
    asked = request.headers.get("if-none-match", "")
    if status is HTTPStatus.OK and tag in {it.strip().removeprefix("W/") for it in asked.split(",")}:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, status, headers, media_type)
