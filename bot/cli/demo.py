"""`bot demo`: a story of a bump in a simulated world; needs no account and no network."""

import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import click

from bot.cli.result import Result
from bot.core.errors import UsageError
from bot.core.markdown import one_line
from bot.demo.play import Pace, Played, play
from bot.demo.scene import WRITE_SPACING
from bot.demo.story import load_story, names
from bot.demo.timeline import Event

_WIDTH = 200


def run(
    *,
    story: str | None,
    fast: bool,
    stay: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Play a story, and hand back the state of its world at the end."""
    if recipe or repo or base or config:
        raise UsageError(
            "a story brings its own world", hint="leave out `--recipe`, `--repo`, `--base` and `--config`"
        )
    told = load_story(story or names()[0])
    click.echo(f"{told.title}\n", err=True)
    pace = Pace(pause=0.0) if fast else Pace()
    played = play(told, pace, _tell, opened=_opened, stays=_stay if stay else lambda: None)
    return Result(_document(played), _text(played), 1 if played.missed else 0)


def _opened(page: str) -> None:
    click.echo(f"the page is at {page}/, numbers at /healthz and /metrics", err=True)
    click.echo(
        f"between two writes it waits {WRITE_SPACING} s; against GitHub that is 1 s unless configured\n",
        err=True,
    )


def _tell(event: Event) -> None:
    click.echo(f"{event.at:7.2f} s  {event.actor:<18} {one_line(event.text, _WIDTH)}", err=True)


def _stay() -> None:
    click.echo("\nthe story is over; Ctrl-C ends the service", err=True)
    with suppress(KeyboardInterrupt):
        threading.Event().wait()


def _document(played: Played) -> Mapping[str, Any]:
    return {
        "story": played.story.name,
        "events": [
            {"at": it.at, "actor": it.actor, "kind": it.kind, "text": it.text} for it in played.events
        ],
        "final": played.final,
    }


def _text(played: Played) -> str:
    if played.missed:
        return f"\nthe story did not come to its end: it waited for {played.missed}"
    pull, final = played.final["pull_request"], played.final
    pins = "".join(f"\n  {path}: {value}" for path, value in final["pins"].items())
    runs = ", ".join(str(it["conclusion"]) for it in final["runs"])
    return (
        f"\n#{pull['number']} is {'a draft' if pull['draft'] else 'ready for review'}"
        f" with {len(pull['commits'])} commits, labels {', '.join(pull['labels'])}\n"
        f"pins:{pins}\nruns: {runs}; approvals: {len(final['approvals'])}\n"
        f"golden files changed: {final['goldens_changed']};"
        f" out of the gate: {', '.join(final['quarantined']) or 'nothing'}"
    )
