"""`bot serve`: the service, until it is told to stop."""

import signal
import sys
from contextlib import closing
from socket import AF_INET, AF_INET6, IPPROTO_TCP, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket

import uvicorn
from starlette.types import ASGIApp

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.errors import UsageError
from bot.logs import write_logs
from bot.serving import Service
from bot.settings import Settings


def run(*, recipe: str | None, repo: str | None, base: str | None, config: str | None) -> Result:
    """Serve until SIGINT or SIGTERM comes."""
    settings = wiring.settings(config)
    if repo or base:
        raise UsageError(
            "the service takes repository and branch from recipes", hint="name one by `--recipe`"
        )
    names = _recipes(settings, recipe)
    if not (settings.webhook_secret or settings.gitlab_webhook_secret):
        raise UsageError(
            "no webhook has a secret", hint="set BOT_WEBHOOK_SECRET: without one nobody's webhooks are taken"
        )
    write_logs(sys.stderr, settings.secrets)
    with closing(_listener(settings.listen)) as listener:
        service = Service(settings, names)
        service.start()
        try:
            _answer(service.app, listener)
        finally:
            service.stop()
    document = {"listen": settings.listen, "recipes": list(names)}
    return Result(document, f"served {', '.join(names)} at {settings.listen}")


def _answer(app: ASGIApp, listener: socket) -> None:
    """Answer requests until a signal comes; a second one ends the process at once."""
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
    # uvicorn raises the signal once more when it has ended: without a handler the process would be gone.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(sockets=[listener])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _recipes(settings: Settings, recipe: str | None) -> tuple[str, ...]:
    if recipe:
        return (recipe,)
    named = settings.recipes or ((settings.recipe,) if settings.recipe else ())
    return named or (select(recipe=None, repo=None, base=None).recipe.name,)


def _listener(address: str) -> socket:
    host, _, port = address.rpartition(":")
    family = AF_INET6 if ":" in host else AF_INET
    # With the protocol named, asyncio sends without Nagle's delay (TCP_NODELAY).
    listener = socket(family, SOCK_STREAM, IPPROTO_TCP)
    listener.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), int(port)))
    except OSError as error:
        listener.close()
        raise UsageError(
            f"`{address}` cannot be listened at: {error.strerror or error}", hint="set BOT_LISTEN to another"
        ) from error
    return listener
