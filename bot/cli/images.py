"""`bot images`: the components of two images side by side."""

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.components import Component
from bot.core.image import resolve_tag
from bot.flows.images import ImageComparison, compare_images


def run(
    *,
    old: str,
    new: str,
    track: str | None,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Compare two tags of a track's image."""
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    chosen = selection.recipe.track(selection.track(track))
    registry = wiring.registry(settings)
    old, new = (resolve_tag(tag, chosen.scheme, lambda: registry.tags(chosen.image)) for tag in (old, new))
    found = compare_images(registry, chosen.image, old, new, chosen.scheme)
    document = {
        "old": old,
        "new": new,
        "components": [_row(row) for row in found.components],
        "breaking": list(found.breaking),
        "warnings": list(found.warnings),
    }
    return Result(document, _text(f"{chosen.image}: {old} -> {new}", found))


def _row(row: Component) -> dict[str, object]:
    return {"name": row.name, "platform": row.platform, "old": row.old, "new": row.new, "change": row.change}


def _text(title: str, found: ImageComparison) -> str:
    shown = [row for row in found.components if row.change != "same"]
    cells = [("component", "platform", "old", "new", "change")]
    cells += [(row.name, row.platform, row.old or "-", row.new or "-", row.change) for row in shown]
    widths = [max(len(line[column]) for line in cells) for column in range(5)]
    table = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    same = f"{len(found.components) - len(shown)} more are the same"
    notes = [*(f"look: {it}" for it in found.breaking), *(f"warning: {it}" for it in found.warnings)]
    return "\n".join([title, *table, same, *notes])
