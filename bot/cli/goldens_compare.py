"""`bot goldens compare`: how far golden values moved, on the command line."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.errors import UsageError
from bot.core.goldens.comparison import Row
from bot.core.goldens.golden import Golden
from bot.core.goldens.read import read_golden
from bot.core.goldens.report import Compared, Pair, compare_files, farthest_first, not_compared
from bot.core.goldens.tables import csv_table, markdown_table, terminal_table
from bot.core.goldens.trajectory import panels
from bot.flows.golden_pairs import changed_in_clone, in_two_folders

_TEXTS = {"text": terminal_table, "json": terminal_table, "csv": csv_table, "markdown": markdown_table}


def run(
    *,
    old_dir: str | None,
    new_dir: str | None,
    checkout: str | None,
    rev: str | None,
    charts: str | None,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
    **options: str | None,
) -> Result:
    """Compare two folders, or a clone's work tree with one of its commits."""
    settings = wiring.settings(config)
    if old_dir is not None:
        if new_dir is None or checkout or rev:
            raise UsageError(
                "two folders are compared, or a clone with one of its commits",
                hint="give `OLD_DIR NEW_DIR`, or `--checkout DIR` and `--rev REVISION`",
            )
        goldens = wiring.load_recipe(recipe).goldens if recipe else None
        pairs = in_two_folders(wiring.folder(old_dir), wiring.folder(new_dir))
    else:
        place = checkout or "."
        selection = select(recipe=recipe, repo=repo, base=base, checkout=place, default=settings.recipe)
        goldens = selection.recipe.goldens
        pairs = changed_in_clone(wiring.clone(place), rev or "HEAD", goldens)
    compared = [compare_files(pair, goldens) for pair in pairs]
    drawn = _charts(charts, pairs) if charts else []
    document = {**_document(compared), **({"charts": drawn} if charts else {})}
    text = _TEXTS[options["format"] or "text"](compared)
    if charts and options["format"] in {None, "text", "json"}:
        text += f"\n\n{len(drawn)} charts written to {charts}"
    return Result(document, text, 1 if any(it.exceeded for it in compared) else 0)


def _charts(folder: str, pairs: Sequence[Pair]) -> list[str]:
    """Draw what both sides have, and return the paths of the charts."""
    drawing = wiring.charts(folder)
    drawn = []
    for pair in pairs:
        old, new = read_golden(pair.old or b""), read_golden(pair.new or b"")
        shown = panels(old, new) if isinstance(old, Golden) and isinstance(new, Golden) else ()
        drawn += [drawing.write(pair.file, shown)] if shown else []
    return drawn


def _document(compared: Sequence[Compared]) -> Mapping[str, Any]:
    return {
        "rows": [_row(it, row) for it, row in farthest_first(compared)],
        "files": len(compared),
        "not_compared": [{"file": file, "reason": reason} for file, reason in not_compared(compared)],
    }


def _row(it: Compared, row: Row) -> Mapping[str, Any]:
    return {
        "file": it.file,
        "metric": row.metric,
        "n": row.n,
        "signed_mean": row.signed_mean,
        "mean_abs": row.mean_abs,
        "median_abs": row.median_abs,
        "max_abs": row.max_abs,
        "max_step": row.max_step,
        "missing_steps": list(row.coverage.missing),
        "added_steps": list(row.coverage.added),
        "not_finite_steps": list(row.coverage.not_finite),
        "from_zero_steps": list(row.coverage.from_zero),
        "measure": row.measure,
        "request": row.request,
        "exceeded": it.exceeded.get(row.metric),
    }
