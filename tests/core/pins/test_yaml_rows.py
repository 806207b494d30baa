"""The pin format `yaml-rows`: which rows are pins, and where exactly their values stand."""

import pytest

from bot.core.errors import UsageError
from bot.core.pins.span import splice
from bot.core.pins.yaml_rows import locate

OLD, NEW = "nvcr.io/nvidia/pytorch:26.06-py3", "nvcr.io/nvidia/pytorch:26.08-py3"
WHERE = {"rows": ["job", "parallel", "matrix"], "match": {"IMAGE": "DEV"}, "key": "BASE"}
BY_PLATFORM = {**WHERE, "platform": "PLATFORM"}

ONE_ROW = f"job:\n  parallel:\n    matrix:\n      - IMAGE: DEV\n        BASE: {OLD}\n"


def found(text, where=WHERE):
    return [(pin.span.of(text), pin.platform) for pin in locate(text, where)]


def bumped(text, where=WHERE):
    return splice(text, [(pin.span, NEW) for pin in locate(text, where)])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ONE_ROW, id="block style"),
        pytest.param(ONE_ROW.rstrip("\n"), id="no final line feed"),
        pytest.param(ONE_ROW.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("\ufeff" + ONE_ROW, id="byte order mark"),
        pytest.param(
            f"\ufeff# 🚀 für arm\r\n{ONE_ROW}", id="mark, mixed line ends and characters beyond ASCII"
        ),
        pytest.param(f'name: "🚀 \\U0001F680"\n{ONE_ROW}', id="emoji before the pin"),
        pytest.param(ONE_ROW.replace(OLD, f'"{OLD}"   # keep'), id="double quotes and a comment"),
        pytest.param(ONE_ROW.replace(OLD, f"'{OLD}'"), id="single quotes"),
        pytest.param(
            f"job: {{parallel: {{matrix: [{{IMAGE: DEV, BASE: {OLD}}}, {{IMAGE: LTS, BASE: x}}]}}}}\n",
            id="flow style",
        ),
        pytest.param(
            f'{{"job": {{"parallel": {{"matrix": [{{"BASE": "{OLD}", "IMAGE": "DEV"}}]}}}}}}', id="JSON"
        ),
        pytest.param(
            f"job:\n  parallel:\n    matrix:\n    - BASE: {OLD}\n      MORE: [1, 2]\n      IMAGE: 'DEV'\n",
            id="another order, list not indented",
        ),
        pytest.param(
            "include:\n- local: a.yml\n.x:\n  rules:\n    - !reference [.rules, on_mr]\n"
            f"  script:\n    - !reference [.setup, script]\n{ONE_ROW}",
            id="custom tags and two indents",
        ),
        pytest.param(
            f"spec:\n  inputs:\n    stage: {{default: build}}\n---\n{ONE_ROW}...\n", id="second document"
        ),
        pytest.param(f"%YAML 1.1\n---\n{ONE_ROW}", id="YAML 1.1"),
        pytest.param(f".a: &x 1\n.b: &x 2\n.c: *x\n{ONE_ROW}", id="an anchor's name used twice"),
        pytest.param(f".a: &loop [*loop]\n{ONE_ROW}", id="an alias to its own list"),
        pytest.param(f"? [a, b]\n: c\n? [a, b]\n: d\n{ONE_ROW}", id="lists as keys"),
        pytest.param(ONE_ROW.replace("job:", "job: &job"), id="an anchor on the way"),
        pytest.param(
            ONE_ROW.replace("- IMAGE", "# - IMAGE: DEV\n      #   BASE: x\n      - IMAGE"), id="commented row"
        ),
        pytest.param(
            ONE_ROW.replace(
                "- IMAGE", "- plain\n      - [IMAGE, DEV]\n      - !reference [.x, rows]\n      - IMAGE"
            ),
            id="rows that are no mappings",
        ),
        pytest.param(f"{ONE_ROW}      - IMAGE: DEV\n        OTHER: x\n", id="a matching row without the key"),
        pytest.param(f"{ONE_ROW}      - BASE: x\n", id="a row without the sibling"),
        pytest.param(f"{ONE_ROW}      - IMAGE: [DEV, LTS]\n        BASE: x\n", id="a sibling that is a list"),
        pytest.param(f".dev: &dev DEV\n{ONE_ROW.replace('DEV', '*dev')}", id="a sibling that is an alias"),
        pytest.param(
            f".x: &x {{IMAGE: LTS}}\n{ONE_ROW}      - &y {{IMAGE: LTS, BASE: x}}\n      - *y\n      - *x\n",
            id="aliases that are other rows",
        ),
        pytest.param(f"{ONE_ROW}      - {{<<: {{BASE: x}}, IMAGE: LTS}}\n", id="a merge key in another row"),
        pytest.param(
            f".x: &x {{A: 1}}\n{ONE_ROW}        <<: *x\n", id="a merge key that brings nothing needed"
        ),
        pytest.param(f'{ONE_ROW}      - {{IMAGE: DEV, "<<": x}}\n', id="a quoted << is no merge key"),
        pytest.param(f"- not a mapping\n---\njust text\n---\n{ONE_ROW}", id="documents of other kinds"),
    ],
)
def test_only_the_value_of_the_matching_row_moves(text):
    assert found(text) == [(OLD, None)]
    assert bumped(text) == text.replace(OLD, NEW)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("# only a comment\n", id="comment"),
        pytest.param("job: text\n", id="no mapping on the way"),
        pytest.param("other: {parallel: {matrix: []}}\n", id="no such job"),
        pytest.param("job: {parallel: {matrix: {IMAGE: DEV, BASE: x}}}\n", id="no list at the end"),
        pytest.param("job: {parallel: {matrix: }}\n", id="nothing at the end"),
        pytest.param(
            "job: {parallel: {matrix: [{IMAGE: dev, BASE: x}, {IMAGE: DEV2, BASE: x}]}}\n", id="no match"
        ),
        pytest.param("job: {parallel: {matrix: []}}\n---\njob: {parallel: 4}\n", id="an empty list"),
    ],
)
def test_where_there_is_no_such_row_there_is_no_pin(text):
    assert locate(text, WHERE) == ()


def test_rows_with_the_same_value_are_told_apart_by_their_role():
    text = (
        "job:\n  parallel:\n    matrix:\n"
        f"      - {{IMAGE: LTS, BASE: {OLD}, PLATFORM: amd64}}\n"
        f"      - {{IMAGE: DEV, BASE: {OLD}, PLATFORM: amd64}}\n"
        f"      - {{IMAGE: DEV, BASE: {OLD}, PLATFORM: arm64}}\n"
        "      - {IMAGE: UTIL, BASE: python:3.10, PLATFORM: amd64}\n"
        f"build: {{variables: {{IMAGE: DEV, BASE: {OLD}}}}}\n"
    )

    assert found(text, BY_PLATFORM) == [(OLD, "amd64"), (OLD, "arm64")]
    assert bumped(text, BY_PLATFORM).split("\n") == [
        line.replace(OLD, NEW) if number in (5, 6) else line
        for number, line in enumerate(text.split("\n"), 1)
    ]


def test_every_sibling_of_match_has_to_fit():
    where = {**WHERE, "match": {"IMAGE": "DEV", "VERSION": "26.10"}}
    rows = "{IMAGE: DEV, VERSION: 26.1, BASE: a}, {IMAGE: DEV, VERSION: 26.10, BASE: b}"
    text = f"job: {{parallel: {{matrix: [{rows}]}}}}"

    assert found(text, where) == [("b", None)]


def test_a_row_that_names_no_platform_has_none():
    assert found(ONE_ROW, BY_PLATFORM) == [(OLD, None)]


def test_the_root_itself_may_be_the_list():
    assert found(f"- IMAGE: DEV\n  BASE: {OLD}\n", {**WHERE, "rows": []}) == [(OLD, None)]


COMMENTED = """\
job:
  parallel:
    matrix:
      # one
      - IMAGE: DEV # two
        BASE: a # three
      # four
      # five

      # six
      # seven
      - # eight
        BASE: b
        IMAGE: DEV
        NOTE: |
          text

      # nine
      - {IMAGE: DEV, BASE: c, EMPTY: , ITEMS: [1,
         2]} # ten
      - IMAGE: DEV
        BASE: d
        EMPTY:
      # eleven
      - {IMAGE: DEV, BASE: e}
"""


def test_the_context_of_a_pin_is_its_row_with_the_comments_before_and_behind_it():
    contexts = {pin.span.of(COMMENTED): pin.context.of(COMMENTED) for pin in locate(COMMENTED, WHERE)}
    lines = COMMENTED.split("\n")

    assert contexts == {
        "a": "\n".join(lines[1:6]),
        "b": "\n".join(lines[9:16]),
        "c": "\n" + "\n".join(lines[16:20]),
        "d": "\n" + "\n".join(lines[20:23]),
        "e": "\n" + "\n".join(lines[23:25]),
    }


def test_rows_that_share_a_line_share_the_comment_behind_it():
    text = "# above\njob: {parallel: {matrix: [{IMAGE: DEV, BASE: a}, {IMAGE: DEV, BASE: b}]}} # behind"

    first, second = (pin.context.of(text) for pin in locate(text, WHERE))

    assert first == text
    assert second == "{IMAGE: DEV, BASE: b}]}} # behind"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": "job/parallel"}, "`rows` in `where` must be a list of texts"),
        ({"rows": ["job", 1]}, "`rows` in `where` must be a list of texts"),
        ({"match": {}}, "`match` in `where` must map texts to texts"),
        ({"match": ["IMAGE"]}, "`match` in `where` must map texts to texts"),
        ({"match": {"VERSION": 26.1}}, "`match` in `where` must map texts to texts"),
        ({"key": None}, "`key` in `where` must be a text"),
        ({"platform": 64}, "`platform` in `where` must be a text"),
    ],
)
def test_a_where_that_makes_no_sense_is_the_recipes_fault(change, message):
    with pytest.raises(UsageError) as refused:
        locate(ONE_ROW, {**WHERE, **change})

    assert refused.value.message == message
