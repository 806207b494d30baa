"""The shapes that a CI file's matrix rows have had over the years, moved by one and the same site."""

from pathlib import Path

import pytest

from bot.core.image import TagScheme, parse_image
from bot.core.pins.rewrite import inspect, rewrite
from bot.core.pins.site import PinSite, Shape

ROWS = Path(__file__).parents[2] / "data" / "rows"
PYTORCH = "nvcr.io/nvidia/pytorch"
MONTHLY = TagScheme("YY.MM-py3")
NEW = parse_image(f"{PYTORCH}:26.08-py3")


def site(image):
    """Return the rows of one image: for each platform today, a single one in the other job before."""

    def where(job):
        return {"rows": [job, "parallel", "matrix"], "match": {"IMAGE": image}, "key": "BASE_IMAGE"}

    return PinSite(
        ".gitlab/stages/01.build.yml",
        "yaml-rows",
        {**where("test:pre_build_image"), "platform": "PLATFORM"},
        count=2,
        platforms=("amd64", "arm64"),
        shapes=(Shape(where("test:build_image")),),
    )


DEV, LTS = site("CI_MCORE_DEV_IMAGE"), site("CI_MCORE_LTS_IMAGE")


@pytest.mark.parametrize(
    ("era", "pin_site", "pins"),
    [
        pytest.param("era1", DEV, [(29, "25.06-py3", None)], id="era 1, dev"),
        pytest.param("era1", LTS, [(26, "24.01-py3", None)], id="era 1, lts"),
        pytest.param("era2", DEV, [(28, "25.09-py3", None)], id="era 2, dev"),
        pytest.param("era2", LTS, [(23, "25.09-py3", None)], id="era 2, lts"),
        pytest.param("era3", DEV, [(26, "26.02-py3", "amd64"), (31, "26.02-py3", "arm64")], id="era 3, dev"),
        pytest.param("era3", LTS, [(16, "25.09-py3", "amd64"), (21, "25.09-py3", "arm64")], id="era 3, lts"),
        pytest.param("era4", DEV, [(26, "26.06-py3", "amd64"), (31, "26.06-py3", "arm64")], id="era 4, dev"),
        pytest.param("era4", LTS, [(17, "26.06-py3", "amd64"), (21, "26.06-py3", "arm64")], id="era 4, lts"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_exactly_the_rows_of_one_image_move_in_every_era(era, pin_site, pins, line_end):
    before = (ROWS / f"{era}.yml").read_bytes().decode().replace("\n", line_end)

    reading = inspect(before, pin_site, PYTORCH, MONTHLY)
    result = rewrite(before, pin_site, PYTORCH, MONTHLY, NEW)

    assert [(pin.line, pin.image.tag, pin.platform) for pin in reading.pins] == pins
    assert result.lines == tuple(line for line, _, _ in pins)
    assert result.text.split("\n") == [
        line.replace(pins[0][1], "26.08-py3") if number in result.lines else line
        for number, line in enumerate(before.split("\n"), start=1)
    ]
