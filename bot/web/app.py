"""The service as an ASGI application: webhooks in, `/healthz` and pages out."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.core.standing import Heartbeat, ReleaseSeen, ServiceState
from bot.service_ports import Standing, WorkQueue
from bot.web.body import BodyReader, TooMuch
from bot.web.intake import Answer, Intake

# GitHub sends no more than this: https://docs.github.com/en/webhooks/webhook-events-and-payloads
BODY_LIMIT = 25 * 1024 * 1024
_MEMORY = 4 * BODY_LIMIT
# GitHub waits no longer: https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks
_SECONDS = 10.0
# What takes longer than a few milliseconds to check is not checked where other requests wait for it.
_LARGE = 256 * 1024

Endpoint = Callable[[Request], Awaitable[Response]]


def create_app(
    intake: Intake,
    queue: WorkQueue,
    pages: Sequence[BaseRoute] = (),
    *,
    body_limit: int = BODY_LIMIT,
    standing: Standing | None = None,
    metrics: Callable[[], bytes] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Starlette:
    """Return the application: `/webhooks/NAME` for each source of `intake`, `/healthz`, and `pages`.

    `standing` tells the heartbeats, `metrics` makes the page `/metrics` that Prometheus reads.
    """
    reader = BodyReader(body_limit, _MEMORY, _SECONDS)
    routes = [
        Route(f"/webhooks/{source}", _webhook(intake, source, reader), methods=["POST"])
        for source in intake.sources
    ]
    if metrics is not None:
        routes.append(Route("/metrics", _metrics(metrics)))
    return Starlette(routes=[*routes, Route("/healthz", _health(queue, standing, now)), *pages])


def _webhook(intake: Intake, source: str, reader: BodyReader) -> Endpoint:
    async def receive(request: Request) -> Response:
        try:
            body = await reader.read(request)
        except TooMuch as error:
            return _response(Answer(error.status, error.status.phrase))
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in request.headers.raw}
        if len(body) > _LARGE:
            return _response(await run_in_threadpool(intake.receive, source, headers, body))
        return _response(intake.receive(source, headers, body))

    return receive


def _response(answer: Answer) -> Response:
    return PlainTextResponse(f"{answer.text}\n", answer.status)


def _metrics(page: Callable[[], bytes]) -> Endpoint:
    async def metrics(_request: Request) -> Response:
        return Response(page(), media_type="text/plain; version=0.0.4")

    return metrics


def _health(queue: WorkQueue, standing: Standing | None, now: Callable[[], datetime]) -> Endpoint:
    async def health(_request: Request) -> Response:
        state, known = queue.state(), standing.state() if standing else ServiceState()
        hearts = known.heartbeats
        missed = [it.repository for it in hearts if it.is_missed(now())]
        word = "stopped" if not state.alive else "late" if missed else "ok"
        status = HTTPStatus.OK if word == "ok" else HTTPStatus.SERVICE_UNAVAILABLE
        document = {
            "status": word,
            "due": state.due,
            "later": state.later,
            "running": state.running,
            "failing": len(state.failing),
            "given_up": len(state.given_up),
            "heartbeats": [_heartbeat(it, now()) for it in hearts],
            "releases": [_release(it) for it in known.releases],
        }
        return JSONResponse(document, status)

    return health


def _heartbeat(heart: Heartbeat, now: datetime) -> dict[str, object]:
    # Without login: what failed is for the log, and not for whoever asks.
    return {
        "repository": heart.repository,
        "missed": heart.is_missed(now),
        "last_tick": _written(heart.last_tick),
        "last_success": _written(heart.last_success),
    }


def _release(seen: ReleaseSeen) -> dict[str, object]:
    return {
        "repository": seen.repository,
        "track": seen.track,
        "tag": seen.tag,
        "first_seen": _written(seen.first_seen),
        "pushed_again": len(seen.alerts),
    }


def _written(moment: datetime | None) -> str | None:
    return moment.isoformat(timespec="seconds") if moment else None
