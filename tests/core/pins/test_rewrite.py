"""A pin site as a whole: what `inspect` says of it, and what `rewrite` does or refuses."""

from dataclasses import replace

import pytest

from bot.core.errors import UsageError
from bot.core.image import TagScheme, parse_image
from bot.core.pins.errors import PinError
from bot.core.pins.rewrite import Problem, inspect, rewrite
from bot.core.pins.site import PinSite, Shape

PYTORCH = "nvcr.io/nvidia/pytorch"
MONTHLY = TagScheme("YY.MM-py3")
OLD_DIGEST, NEW_DIGEST = "sha256:" + "1a" * 32, "sha256:" + "2b" * 32
NEW = parse_image(f"{PYTORCH}:26.08-py3")
MOVED_ON = "the file has moved on: update the bump recipe"

VERSION_FILE = PinSite("docker/.ngc_version.dev", "whole-file", {})
ARGUMENT = PinSite("docker/Dockerfile", "dockerfile-arg", {"arg": "BASE"})
ROWS = PinSite(
    ".gitlab/build.yml",
    "yaml-rows",
    {"rows": ["build", "matrix"], "match": {"IMAGE": "DEV"}, "key": "BASE", "platform": "PLATFORM"},
    count=2,
    platforms=("amd64", "arm64"),
)


def rows(*pins):
    lines = [f"  - {{IMAGE: DEV, BASE: '{PYTORCH}:{tag}', PLATFORM: {platform}}}" for tag, platform in pins]
    return "\n".join(["build:\n  matrix:", f"  - {{IMAGE: LTS, BASE: '{PYTORCH}:26.06-py3'}}", *lines, ""])


def read(text, site):
    return inspect(text, site, PYTORCH, MONTHLY)


def moved(text, site, new=NEW):
    return rewrite(text, site, PYTORCH, MONTHLY, new)


@pytest.mark.parametrize(
    ("site", "before", "after", "lines"),
    [
        pytest.param(VERSION_FILE, f"{PYTORCH}:26.06-py3\n", f"{PYTORCH}:26.08-py3\n", (1,), id="whole file"),
        pytest.param(
            VERSION_FILE, f"{PYTORCH}:26.06-py3", f"{PYTORCH}:26.08-py3", (1,), id="no final line feed"
        ),
        pytest.param(
            ARGUMENT,
            f"# x\r\nARG BASE={PYTORCH}:26.06-py3\r\n",
            f"# x\r\nARG BASE={PYTORCH}:26.08-py3\r\n",
            (2,),
            id="CRLF",
        ),
        pytest.param(
            replace(ARGUMENT, form="release"),
            "ARG BASE=24.03\n",
            "ARG BASE=26.08\n",
            (1,),
            id="release alone",
        ),
        pytest.param(
            replace(ARGUMENT, form="tag"), "ARG BASE=24.03-py3\n", "ARG BASE=26.08-py3\n", (1,), id="tag"
        ),
        pytest.param(
            ROWS,
            rows(("26.06-py3", "amd64"), ("26.06-py3", "arm64")),
            rows(("26.08-py3", "amd64"), ("26.08-py3", "arm64")),
            (4, 5),
            id="two rows",
        ),
        pytest.param(
            ROWS,
            rows(("26.08-py3", "arm64"), ("26.06-py3", "amd64")),
            rows(("26.08-py3", "arm64"), ("26.08-py3", "amd64")),
            (5,),
            id="one row is there already",
        ),
        pytest.param(
            PinSite("x.toml", "regex", {"pattern": "'(?P<pin>.+?)'"}, count=2),
            f"'{PYTORCH}:26.06-py3' 'nvcr.io#nvidia/pytorch:26.06-py3'\n",
            f"'{PYTORCH}:26.08-py3' 'nvcr.io#nvidia/pytorch:26.08-py3'\n",
            (1,),
            id="two pins in one line",
        ),
    ],
)
def test_every_pin_moves_once_and_nothing_else(site, before, after, lines):
    first = moved(before, site)
    again = moved(first.text, site)

    assert (first.text, first.lines) == (after, lines)
    assert (again.text, again.lines) == (after, ())
    assert {image.tag for image in again.before} == {"26.08-py3"}


def test_what_each_pin_said_before_comes_back_in_the_order_of_the_text():
    before = moved(rows(("26.08-py3", "amd64"), ("26.06-py3", "arm64")), ROWS).before

    assert [image.tag for image in before] == ["26.08-py3", "26.06-py3"]


def test_pins_that_say_less_and_more_of_one_old_image_do_not_disagree():
    site = PinSite("x", "regex", {"pattern": "'(?P<pin>.+?)'"}, count=2)
    before = f"'{PYTORCH}:26.06-py3'\n'{PYTORCH}:26.06-py3@{OLD_DIGEST}'\n"

    after = moved(before, site, NEW.at("26.08-py3", NEW_DIGEST)).text

    assert after == f"'{PYTORCH}:26.08-py3'\n'{PYTORCH}:26.08-py3@{NEW_DIGEST}'\n"


@pytest.mark.parametrize(
    ("digest", "new", "after", "lines"),
    [
        pytest.param(
            OLD_DIGEST, NEW.at("26.08-py3", NEW_DIGEST), NEW_DIGEST, (1,), id="pushed again: it moves"
        ),
        pytest.param(
            NEW_DIGEST, NEW.at("26.08-py3", NEW_DIGEST), NEW_DIGEST, (), id="the same digest: it stays"
        ),
        pytest.param(OLD_DIGEST, NEW, OLD_DIGEST, (), id="unknown digest: it stays"),
    ],
)
def test_a_digest_at_the_new_tag(digest, new, after, lines):
    result = moved(f"{PYTORCH}:26.08-py3@{digest}", VERSION_FILE, new)

    assert (result.text, result.lines) == (f"{PYTORCH}:26.08-py3@{after}", lines)


@pytest.mark.parametrize(
    ("site", "text", "line", "message"),
    [
        pytest.param(VERSION_FILE, "", 1, "the file is empty", id="the format's own refusal"),
        pytest.param(ARGUMENT, "ARG BASE\n", None, "expected 1 pin, found none at arg `BASE`", id="no pin"),
        pytest.param(
            ARGUMENT,
            f"\nARG BASE={PYTORCH}:26.06-py3\nARG BASE={PYTORCH}:26.06-py3\n",
            2,
            "expected 1 pin, found 2",
            id="a pin too many",
        ),
        pytest.param(
            ARGUMENT,
            f"ARG BASE={PYTORCH}:latest",
            1,
            f"`{PYTORCH}:latest` names no release: `latest` moves by itself",
            id="a value that is no release",
        ),
        pytest.param(
            ROWS,
            rows(("26.06-py3", "amd64")),
            4,
            "expected 2 pins, found 1; line 4: expected one pin of platform `arm64`, found none",
            id="a row is missing",
        ),
        pytest.param(
            ROWS,
            rows(("26.06-py3", "amd64"), ("26.06-py3", "amd64")),
            5,
            "expected one pin of platform `amd64`, found 2; "
            "line 4: expected one pin of platform `arm64`, found none",
            id="a platform twice",
        ),
        pytest.param(
            replace(ROWS, platforms=("amd64",)),
            rows(("26.06-py3", "amd64"), ("26.06-py3", "arm64")),
            5,
            "platform `arm64` is not in the bump recipe",
            id="an unexpected platform",
        ),
        pytest.param(
            replace(ROWS, count=1, platforms=("amd64",)),
            f"build: {{matrix: [{{IMAGE: DEV, BASE: '{PYTORCH}:26.06-py3'}}]}}",
            1,
            "expected one pin of platform `amd64`, found none; line 1: the pin names no platform",
            id="no platform",
        ),
        pytest.param(
            ROWS,
            rows(("26.06-py3", "amd64"), ("26.04-py3", "arm64")),
            4,
            "pins disagree: `26.06-py3` in line 4 and `26.04-py3` in line 5",
            id="two old values",
        ),
        pytest.param(
            PinSite("x", "regex", {"pattern": "'(?P<pin>.+?)'"}, count=3),
            f"'{PYTORCH}:26.06-py3'\n'{PYTORCH}:26.06-py3@{OLD_DIGEST}'\n'{PYTORCH}:26.06-py3@{NEW_DIGEST}'",
            2,
            f"pins disagree: `{OLD_DIGEST}` in line 2 and `{NEW_DIGEST}` in line 3",
            id="two old digests",
        ),
        pytest.param(
            ARGUMENT,
            f"\nARG BASE={PYTORCH}:26.06-py3@{OLD_DIGEST}",
            2,
            f"`{PYTORCH}:26.06-py3@sha256:{'1a' * 20}` carries a digest, and that of `26.08-py3` is unknown "
            "without the registry",
            id="unknown digest",
        ),
        pytest.param(
            PinSite("x", "regex", {"pattern": r"(?P<pin>nvcr\S+26\.06-py3)"}),
            f"\n{PYTORCH}:26.06-py3",
            2,
            f"the pin does not read back as `{PYTORCH}:26.08-py3`",
            id="a pattern that names the old tag",
        ),
        pytest.param(
            PinSite("x", "regex", {"pattern": r"[ab](?=.*?(?P<pin>nvcr\S+))"}, count=2),
            f"\nab {PYTORCH}:26.06-py3",
            2,
            "two edits claim the same place",
            id="a pattern that finds one place twice",
        ),
    ],
)
def test_a_site_that_is_not_as_the_recipe_says_is_refused_with_path_and_line(site, text, line, message):
    with pytest.raises(PinError) as refused:
        moved(text, site)

    assert (refused.value.path, refused.value.line, refused.value.message) == (site.path, line, message)


def test_a_hint_says_what_to_do_about_a_file_that_moved_on():
    with pytest.raises(PinError) as refused:
        moved("FROM x\n", ARGUMENT)

    assert refused.value.hint == MOVED_ON
    assert str(refused.value) == "docker/Dockerfile: expected 1 pin, found none at arg `BASE`"


def test_a_checker_sees_every_pin_with_its_line_value_and_problem():
    text = (
        "build:\n  matrix:\n"
        f"  - {{IMAGE: DEV, BASE: '{PYTORCH}:26.06-py3', PLATFORM: amd64}} # hold: waiting for TE\n"
        "  - {IMAGE: DEV, BASE: 'python:3.10', PLATFORM: arm64}\n"
    )

    reading = read(text, replace(ROWS, count=3))

    good, bad = reading.pins
    assert (good.line, good.value, str(good.image), good.platform, good.hold, good.problem) == (
        3,
        f"{PYTORCH}:26.06-py3",
        f"{PYTORCH}:26.06-py3",
        "amd64",
        (3, "hold: waiting for TE"),
        None,
    )
    assert (bad.line, bad.value, bad.image, bad.platform, bad.hold) == (4, "python:3.10", None, "arm64", None)
    assert bad.problem == "`python:3.10` is not an image reference"
    assert reading.problems == (Problem(3, "expected 3 pins, found 2", MOVED_ON),)
    assert reading.all_problems == (*reading.problems, Problem(4, bad.problem))


def test_pins_that_disagree_are_no_problem_of_the_site():
    reading = read(rows(("26.06-py3", "amd64"), ("26.04-py3", "arm64")), ROWS)

    assert [pin.image.tag for pin in reading.pins] == ["26.06-py3", "26.04-py3"]
    assert reading.all_problems == ()


def test_a_refusal_of_the_format_is_a_problem_with_its_line_and_hint():
    reading = read(f"{PYTORCH}:26.06-py3\r\n", VERSION_FILE)

    assert reading.pins == ()
    (problem,) = reading.problems
    assert (problem.line, problem.message) == (1, "a carriage return would become part of the image's name")
    assert problem.hint == "the file must be one image reference and at most one final line feed"


def test_a_where_that_makes_no_sense_is_not_blamed_on_the_file():
    with pytest.raises(UsageError, match="`arg` in `where` must be a text"):
        read("ARG BASE=x\n", replace(ARGUMENT, where={}))


OLDER = replace(
    ROWS,
    shapes=(
        Shape({"rows": ["old", "matrix"], "match": {"IMAGE": "DEV"}, "key": "BASE"}),
        Shape({"rows": ["oldest"], "match": {"IMAGE": "DEV"}, "key": "BASE"}, count=2),
    ),
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(
            f"old:\n  matrix:\n  - {{IMAGE: DEV, BASE: '{PYTORCH}:26.04-py3'}}\n", (3,), id="the second shape"
        ),
        pytest.param(
            f"old: {{matrix: []}}\noldest:\n- {{IMAGE: DEV, BASE: '{PYTORCH}:26.04-py3'}}\n"
            f"- {{IMAGE: DEV, BASE: '{PYTORCH}:26.04-py3'}}\n",
            (3, 4),
            id="the third shape",
        ),
    ],
)
def test_an_older_shape_is_taken_where_the_main_one_finds_nothing(text, lines):
    result = moved(text, OLDER)

    assert result.text == text.replace("26.04", "26.08")
    assert result.lines == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            rows(("26.06-py3", "amd64"))
            + f"old: {{matrix: [{{IMAGE: DEV, BASE: '{PYTORCH}:26.06-py3'}}]}}\n",
            "expected 2 pins, found 1",
            id="some rows of the main shape",
        ),
        pytest.param(
            f"oldest: [{{IMAGE: DEV, BASE: '{PYTORCH}:26.06-py3'}}]",
            "expected 2 pins, found 1",
            id="older, miscounted",
        ),
        pytest.param(
            "build: {matrix: []}\n",
            "expected 2 pins, found none at rows `build / matrix`, match `IMAGE: DEV`, key `BASE`, "
            "platform `PLATFORM`",
            id="no shape fits",
        ),
    ],
)
def test_a_shape_that_finds_pins_is_the_one_that_judges(text, message):
    assert read(text, OLDER).problems[0].message == message
