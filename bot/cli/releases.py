"""`bot releases`: what the registry has for a track."""

from contextlib import closing

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.errors import UsageError
from bot.flows.releases import ReleaseRow, list_releases

LIMIT = 12
"""How many of the newest tags are looked at unless `--limit` says; each costs the registry a request."""


def run(
    *,
    track: str | None,
    limit: int | None,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """List the newest tags of a track."""
    if limit is not None and limit < 1:
        raise UsageError(f"`--limit {limit}` lists nothing", hint="give a number from 1 up")
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    chosen = selection.recipe.track(selection.track(track))
    registry = wiring.registry(settings)
    with closing(wiring.ledger(settings)) as ledger:
        rows = list_releases(registry, ledger, chosen.image, chosen.scheme, limit or LIMIT)
    return Result({"image": chosen.image, "tags": [_row(row) for row in rows]}, _text(chosen.image, rows))


def _row(row: ReleaseRow) -> dict[str, object]:
    return {
        "tag": row.tag,
        "platforms": list(row.platforms),
        "digest": row.digest,
        "first_seen": row.first_seen.isoformat(),
        "repushed": list(row.repushed),
    }


def _text(image: str, rows: tuple[ReleaseRow, ...]) -> str:
    if not rows:
        return f"{image}: no tag of the track's form"
    lines = [
        f"  {row.tag}  {', '.join(row.platforms)}  {row.digest[:19]}  first seen {row.first_seen:%Y-%m-%d}"
        + (f"  RE-PUSHED, was {row.repushed[-1][:19]}" if row.repushed else "")
        for row in rows
    ]
    return "\n".join([f"{image}, newest first:", *lines])
