"""Charts of golden values as SVG files: the only home of matplotlib.

The same goldens give the same bytes, so a chart that is kept in git differs only when values do.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from bot.core.errors import UsageError
from bot.core.goldens.trajectory import Line, Panel
from bot.core.markdown import one_line

# Sky blue and vermilion of the palette by Okabe and Ito are told apart in every form of colour blindness
# (https://jfly.uni-koeln.de/color/), and seen on white and on black alike; so is this grey.
_OLD, _NEW, _INK = "#56B4E9", "#D55E00", "#7A7A7A"

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "ngc-bump-bot",
    "svg.fonttype": "none",  # text stays text: small files that can be searched
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "text.parse_math": False,  # a `$` in a metric's name is a dollar
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "figure.facecolor": "none",  # the page's own background, light or dark
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
}
_HUGE = 1e100
"""Nothing that large, nor what is no number, is drawn: the axis could not hold it."""

_COLUMNS = 2
_PANEL_INCHES = (5.2, 3.4)
_TITLE_INCHES = 0.6
_LEFT_INCHES = 0.9
_WORDS = {"relative": "(old - new) / old", "absolute": "old - new", "share": "differs"}


class SvgCharts:
    """Implements `bot.ports.Charts`: writes one SVG for each file below a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, file: str, panels: Sequence[Panel]) -> str:
        """Write the chart of `file` and return its path."""
        target = self._folder / PurePosixPath(file).with_suffix(".svg")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _save(file, panels, target)
        except OSError as error:
            raise UsageError(
                f"cannot be written: {error.strerror}", path=str(target), hint="name a folder of your own"
            ) from error
        return str(target)


class DrawnCharts:
    """Implements `bot.service_ports.ChartImages`; those that were asked for last are kept.

    One is drawn at a time: the style of matplotlib belongs to the whole process.
    """

    def __init__(self, kept: int = 64) -> None:
        self._lock = threading.Lock()
        self._draw = lru_cache(kept)(_bytes)

    def svg(self, file: str, panels: tuple[Panel, ...]) -> bytes:
        """Return the chart of `file` as an SVG."""
        with self._lock:
            return self._draw(file, panels)


def _bytes(file: str, panels: tuple[Panel, ...]) -> bytes:
    drawn = BytesIO()
    _save(file, panels, drawn)
    return drawn.getvalue()


def _save(file: str, panels: Sequence[Panel], target: Path | BytesIO) -> None:
    with _style():
        _draw(file, panels).savefig(target, format="svg", metadata={"Date": None, "Creator": None})


@contextmanager
def _style() -> Iterator[None]:
    with mpl.rc_context(_STYLE):
        yield


def _draw(file: str, panels: Sequence[Panel]) -> Figure:
    columns = min(_COLUMNS, len(panels))
    lines = -(-len(panels) // columns)
    width, height = _PANEL_INCHES
    width, height = width * columns, height * lines + _TITLE_INCHES
    figure = Figure(figsize=(width, height))
    FigureCanvasSVG(figure)
    # Fixed margins: matplotlib's own layout engines take most of the time of a chart.
    grid = figure.add_gridspec(
        lines,
        columns,
        left=_LEFT_INCHES / width,
        right=1 - 0.15 / width,
        bottom=0.5 / height,
        top=1 - (_TITLE_INCHES + 0.25) / height,
        wspace=0.25,
        hspace=0.3,
    )
    for index, panel in enumerate(panels):
        _draw_panel(figure, grid[index // columns, index % columns], panel)
    folder, _, name = file.rpartition("/")
    test = "/".join(folder.split("/")[-2:])
    title = f"{one_line(test, 90)}\nold and new values of {one_line(name, 90)}"
    figure.suptitle(title, fontsize=10, y=1 - 0.1 / height)
    return figure


def _draw_panel(figure: Figure, place: SubplotSpec, panel: Panel) -> None:
    inner = place.subgridspec(2, 1, height_ratios=(3, 1), hspace=0.22)
    upper = figure.add_subplot(inner[0])
    lower = figure.add_subplot(inner[1], sharex=upper)
    upper.set_title(one_line(panel.title, 60), fontsize=10)
    # The old line is broad and the new one narrow, so both are seen where they agree.
    upper.plot(*_points(panel.old), color=_OLD, linewidth=3.2, label="old")
    upper.plot(*_points(panel.new), color=_NEW, linewidth=1.2, linestyle="--", label="new")
    upper.legend(loc="best", fontsize=8)
    upper.tick_params(labelbottom=False)
    _draw_difference(lower, panel)


def _draw_difference(axes: Axes, panel: Panel) -> None:
    axes.axhline(0, color=_INK, linewidth=0.8)
    steps, values = _points(panel.difference)
    axes.vlines(steps, 0, values, color=_NEW, linewidth=1.4)
    axes.set_ylabel(_WORDS[panel.measure], fontsize=7)
    axes.set_xlabel(panel.axis, fontsize=8)
    axes.margins(y=0.2)


def _points(line: Line) -> tuple[list[int], list[float]]:
    """Return the points that can be drawn. Gaps are drawn over: a golden may pad four steps of five."""
    drawn = [(step, value) for step, value in zip(line.steps, line.values, strict=True) if abs(value) < _HUGE]
    return [step for step, _ in drawn], [value for _, value in drawn]
