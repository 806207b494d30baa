"""Charts: one SVG for each file, the same for the same values, drawable whatever the values are."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bot.charts import DrawnCharts, SvgCharts
from bot.core.errors import UsageError
from bot.core.goldens.trajectory import Line, Panel, panels
from tests.core.goldens.made import read, training

FILE = "moe/test_tp1/golden_values_dev_dgx_h100.json"


def panel(title: str = "lm loss", values: tuple[float, ...] = (1.0, 2.0)) -> Panel:
    line = Line(tuple(range(len(values))), values)
    return Panel(title, "step", line, line, line, "relative")


def texts(path: str) -> list[str]:
    return ["".join(it.itertext()) for it in ET.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_a_chart_lies_where_its_file_does_and_says_what_it_shows(tmp_path):
    old, new = (read(training(lm_loss=values, num_zeros=values)) for values in ([1.0, 2.0], [1.0, 3.0]))

    path = SvgCharts(tmp_path / "charts").write(FILE, panels(old, new))

    assert path == str(tmp_path / "charts" / "moe/test_tp1/golden_values_dev_dgx_h100.svg")
    shown = texts(path)
    assert shown.count("old") == shown.count("new") == 2
    for text in ("lm loss", "num zeros", "moe/test_tp1", "(old - new) / old", "step"):
        assert text in " ".join(shown)
    assert "old and new values of golden_values_dev_dgx_h100.json" in shown


def test_the_same_values_make_the_same_bytes(tmp_path):
    written = [SvgCharts(tmp_path / it).write(FILE, [panel(), panel("b"), panel("c")]) for it in ("a", "b")]

    first, second = ((tmp_path / it).read_bytes() for it in written)
    assert first == second
    assert b"<dc:date>" not in first


def test_the_background_is_the_pages_own(tmp_path):
    path = SvgCharts(tmp_path).write(FILE, [panel()])

    background = next(ET.parse(path).iter("{http://www.w3.org/2000/svg}path"))
    assert background.get("style") == "fill: none"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param((), id="none"),
        pytest.param((1.0,), id="one"),
        pytest.param((float("nan"), 1.0), id="a gap"),
        pytest.param((float("inf"), float("-inf"), 1.0), id="infinite"),
        pytest.param((1e308, -1e308), id="as large as can be"),
        pytest.param((0.0, 0.0), id="zeros"),
    ],
)
def test_any_values_can_be_drawn(tmp_path, values):
    assert texts(SvgCharts(tmp_path).write(FILE, [panel(values=values)]))


@pytest.mark.parametrize("title", ["$x_1$", "<b>&amp;</b>", "\x1b[31m\x00", r"\frac{1}{2}", "%s %d"])
def test_a_name_is_only_text(tmp_path, title):
    path = SvgCharts(tmp_path).write(f"{title.replace(chr(0), '')}/a.json", [panel(title)])

    assert not {"b", "script"} & {it.tag.rpartition("}")[2] for it in ET.parse(path).iter()}


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(UsageError, match="cannot be written"):
        SvgCharts(tmp_path / "file").write(FILE, [panel()])


def test_a_chart_for_a_page_is_the_one_that_would_be_written(tmp_path):
    written = SvgCharts(tmp_path).write(FILE, [panel()])

    assert DrawnCharts().svg(FILE, (panel(),)) == Path(written).read_bytes()


def test_charts_for_pages_are_drawn_once_and_from_several_threads():
    charts = DrawnCharts(kept=2)
    with ThreadPoolExecutor(4) as threads:
        drawn = list(threads.map(lambda number: charts.svg(FILE, (panel(f"metric {number % 2}"),)), range(8)))

    assert len({id(it) for it in drawn}) == 2
