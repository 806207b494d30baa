"""A comparison of goldens → text for a terminal, CSV, or Markdown for a pull request."""

import csv
import io
from collections.abc import Iterable, Sequence

from bot.core.goldens.comparison import Row
from bot.core.goldens.report import BUCKETS, Compared, by_metric, farthest_first, not_compared, spread
from bot.core.markdown import cell, code_cell, one_line, rows

_SHOWN = 20
"""Rows of each list on a terminal."""

_CSV_HEAD = ("file", "metric", "n_steps", "avg_rel_diff")
"""The header of Megatron-LM's script; our own columns follow."""

_CSV_MORE = (
    "mean_abs",
    "median_abs",
    "max_abs",
    "max_step",
    "missing_steps",
    "measure",
    "request",
    "exceeded",
    "not_compared",
)

_PIPE = "\\|"
"""The table's own sign inside a cell."""

_FIXED = 2_000
"""Characters of a text in Markdown that are in no list."""

_PARTS = 3.3
"""What is left goes to three folded lists and a short one."""

_ROW_HEAD = (
    "| file | metric | n | signed mean | mean | median | max | at step |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
)

_METRIC_HEAD = ["median |signed|", "largest |signed|", "largest mean|d|", "files", "metric"]

_ELSEWHERE = "`bot goldens compare --format csv` shows all"


def csv_table(compared: Sequence[Compared]) -> str:
    """Return one line for each row and one for each gap, farthest first; numbers in full."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*_CSV_HEAD, *_CSV_MORE))
    for it, row in farthest_first(compared):
        figures = (row.signed_mean, row.mean_abs, row.median_abs, row.max_abs, row.max_step)
        more = (len(row.coverage.missing), row.measure, row.request, it.exceeded.get(row.metric))
        writer.writerow((it.file, row.metric, row.n, *figures, *more, None))
    for file, reason in not_compared(compared):
        writer.writerow((file, *[None] * (len(_CSV_HEAD) + len(_CSV_MORE) - 2), reason))
    return out.getvalue().removesuffix("\n")


def terminal_table(compared: Sequence[Compared]) -> str:
    """Return text for a terminal: how the moves spread, what moved farthest, what is missing."""
    ordered = farthest_first(compared)
    files = "1 golden" if len(compared) == 1 else f"{len(compared)} goldens"
    blocks = [[f"{files}, {len(ordered)} metrics compared"]]
    if ordered:
        blocks.append(
            _columns([["", *BUCKETS], *([name, *map(str, it)] for name, it in spread(compared).items())])
        )
        blocks.append(
            ["by metric:", *(f"  {line}" for line in _columns([_METRIC_HEAD, *_metrics(compared)]))]
        )
        head = ["mean|d|", "max|d|", "at", "signed", "n", "metric", "file"]
        table = _columns([head, *(_shown(it, row) for it, row in ordered[:_SHOWN])])
        title = "farthest first, as (old - new) / old unless another measure is named:"
        blocks.append([title, *(f"  {line}" for line in table), *_rest(ordered)])
    blocks += _listed("beyond the limits of the recipe", _beyond(compared))
    blocks += _listed("not compared", not_compared(compared))
    return "\n\n".join("\n".join(block) for block in blocks)


def _metrics(compared: Iterable[Compared]) -> list[list[str]]:
    return [
        [
            _figure(it.median_signed),
            _figure(it.largest_signed),
            _figure(it.largest_mean),
            str(it.files),
            one_line(it.metric, 40),
        ]
        for it in by_metric(compared)
    ]


def _shown(it: Compared, row: Row) -> list[str]:
    measure = "" if row.measure == "relative" else f" ({row.measure})"
    at = "" if row.max_step is None else str(row.max_step)
    figures = [_figure(row.mean_abs), _figure(row.max_abs), at, _figure(row.signed_mean), str(row.n)]
    return [*figures, one_line(row.metric, 40) + measure, one_line(it.file, 200)]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2e}" if value else "0"


def _columns(table: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of aligned columns, the last one as it is."""
    widths = [max(len(line[at]) for line in table) for at in range(len(table[0]) - 1)]
    return [
        "  ".join([*(word.ljust(width) for word, width in zip(line, widths, strict=False)), line[-1]])
        for line in table
    ]


def _rest(entries: Sequence[object]) -> list[str]:
    return [f"  … and {len(entries) - _SHOWN} more; {_ELSEWHERE}"] if len(entries) > _SHOWN else []


def _listed(title: str, entries: Sequence[tuple[str, str]]) -> list[list[str]]:
    lines = [f"  {one_line(file, 200)}: {one_line(reason, 300)}" for file, reason in entries[:_SHOWN]]
    return [[f"{title}:", *lines, *_rest(entries)]] if entries else []


def _beyond(compared: Iterable[Compared]) -> list[tuple[str, str]]:
    return [(it.file, sentence) for it in compared for sentence in it.exceeded.values()]


def markdown_table(compared: Sequence[Compared], *, elsewhere: str = _ELSEWHERE, limit: int = 60_000) -> str:
    """Return Markdown of less than `limit` characters: how the moves spread, and the rest folded.

    `elsewhere` says where a reader finds what did not fit.
    """
    ordered = farthest_first(compared)
    part = int(max(limit - _FIXED, 0) / _PARTS)
    parts = [f"{len(compared)} golden files, {len(ordered)} metrics compared."]
    if ordered:
        lines = [
            f"| {name.replace('|', _PIPE)} | {' | '.join(map(str, it))} |\n"
            for name, it in spread(compared).items()
        ]
        names = " | ".join(BUCKETS)
        head = f"| (old - new) / old | {names} |\n|---|{'--:|' * len(BUCKETS)}\n"
        parts.append(head + "".join(lines))
        lines = [f"| {' | '.join(figures)} | {cell(name, 60)} |\n" for *figures, name in _metrics(compared)]
        head = f"| {' | '.join(it.replace('|', _PIPE) for it in _METRIC_HEAD)} |\n|{'--:|' * 4}---|\n"
        parts.append(head + rows("".join(lines), part // 6, elsewhere))
        worst = "".join(_markdown_row(it, row) for it, row in ordered)
        parts.append(_folded("Farthest first", _ROW_HEAD, worst, part, elsewhere))
    for title, entries in (
        ("Beyond the limits", _beyond(compared)),
        ("Not compared", not_compared(compared)),
    ):
        if entries:
            lines = [f"| {code_cell(file, 200)} | {cell(reason, 300)} |\n" for file, reason in entries]
            body = "".join(lines)
            head = "| file | |\n|---|---|\n"
            parts.append(_folded(f"{title} ({len(entries)})", head, body, part, elsewhere))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _markdown_row(it: Compared, row: Row) -> str:
    figures = (row.signed_mean, row.mean_abs, row.median_abs, row.max_abs)
    measure = "" if row.measure == "relative" else f" ({row.measure})"
    at = "" if row.max_step is None else row.max_step
    numbers = " | ".join(_figure(it) for it in figures)
    return f"| {code_cell(it.file, 200)} | {cell(row.metric, 60)}{measure} | {row.n} | {numbers} | {at} |\n"


def _folded(title: str, head: str, body: str, limit: int, elsewhere: str) -> str:
    kept = rows(body, limit, elsewhere)
    return f"<details><summary>{title}</summary>\n\n{head}{kept}\n</details>\n"
