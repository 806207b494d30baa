"""The goldens that a pull request changes → a section for its text: a table, and charts of the farthest."""

import re
from collections.abc import Sequence

from bot.core.goldens.golden import BadGolden, Golden, Series
from bot.core.goldens.mermaid import chart
from bot.core.goldens.read import read_golden
from bot.core.goldens.report import Pair, compare_files, farthest_first
from bot.core.goldens.tables import markdown_table
from bot.core.markdown import code, fenced
from bot.core.recipe_results import Goldens

CHARTS = 3
"""How many of the files that moved farthest are drawn."""

_CHART = 3_000
"""Characters of a chart."""

LEAST = 2_000
"""Characters below which a summary says nothing."""

_END = "<!-- ngc-bump-bot:goldens:end -->"
_SECTION = re.compile(rf"\n*<!-- ngc-bump-bot:goldens ([0-9a-f]{{40}}) -->\n.*?{_END}", re.DOTALL)


def golden_summary(pairs: Sequence[Pair], goldens: Goldens, sha: str, limit: int) -> str:
    """Return the section about the goldens at the commit `sha`, at most `limit` characters long.

    It is empty where there are none, or where `limit` leaves no room.
    """
    charts = min(CHARTS, max(limit - 2 * LEAST, 0) // (2 * _CHART))
    room = limit - charts * _CHART - LEAST // 2
    if not pairs or room < LEAST // 2:
        return ""
    compared = [compare_files(pair, goldens) for pair in pairs]
    table = markdown_table(compared, elsewhere="see the files of this pull request", limit=room)
    head = f"<!-- ngc-bump-bot:goldens {sha} -->\n### Golden values\n\n"
    lead = f"What this pull request changes, between the base and {code(sha[:10])}.\n\n"
    return f"{head}{lead}{table}{_charts(pairs, goldens, charts)}{_END}"


def _charts(pairs: Sequence[Pair], goldens: Goldens, count: int) -> str:
    by_file = {pair.file: pair for pair in pairs}
    ordered = farthest_first(compare_files(pair, goldens) for pair in pairs)
    drawn: dict[str, str] = {}
    for it, row in ordered:
        if len(drawn) < count and it.file not in drawn and (text := _chart(by_file[it.file], row.metric)):
            # The drawing is made of numbers and of a title without any sign of Markdown.
            drawn[it.file] = f"{code(it.file, 200)}\n\n{fenced(text, 'mermaid')}\n\n"
    return "\n" + "".join(drawn.values()) if drawn else "\n"


def _chart(pair: Pair, metric: str) -> str:
    old, new = (_series(read_golden(it or b""), metric) for it in (pair.old, pair.new))
    return chart(metric, old, new, limit=_CHART - 300) if old and new else ""


def _series(golden: Golden | BadGolden, metric: str) -> Series | None:
    return golden.series.get(metric) if isinstance(golden, Golden) else None


def summary_of(body: str, sha: str) -> str | None:
    """Return the section that a text has already, None unless it is about the commit `sha`."""
    found = _SECTION.search(body)
    return found[0].lstrip("\n") if found and found[1] == sha else None


def without_summary(body: str) -> str:
    """Return a text without such a section."""
    return _SECTION.sub("", body)
