"""The pin format `yaml-rows`: what is there and must not be edited, with the line that says why."""

import pytest

from bot.core.pins.errors import PinError
from bot.core.pins.yaml_rows import locate

WHERE = {
    "rows": ["job", "parallel", "matrix"],
    "match": {"IMAGE": "DEV"},
    "key": "BASE",
    "platform": "PLATFORM",
}
HEAD = "job:\n  parallel:\n    matrix:\n"
ROW = "      - IMAGE: DEV\n        PLATFORM: amd64\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(
            f"{HEAD}{ROW}        BASE: &base x:1\n",
            6,
            "`BASE` has an anchor, so other places use its value",
            id="anchor",
        ),
        pytest.param(
            f".base: &base x:1\n{HEAD}{ROW}        BASE: *base\n", 7, "`BASE` is an alias", id="alias"
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: >-\n          x:1\n", 6, "`BASE` is a block scalar", id="folded block"
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: |\n          x:1\n", 6, "`BASE` is a block scalar", id="literal block"
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: x:1\n          y\n",
            6,
            "`BASE` goes over several lines or has escapes or a tag",
            id="plain over two lines",
        ),
        pytest.param(
            f'{HEAD}{ROW}        BASE: "x:1\n          y"\n',
            6,
            "`BASE` goes over several lines or has escapes or a tag",
            id="quoted over two lines",
        ),
        pytest.param(
            f'{HEAD}{ROW}        BASE: "x\\x3a1"\n',
            6,
            "`BASE` goes over several lines or has escapes or a tag",
            id="escape",
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: 'it''s'\n",
            6,
            "`BASE` goes over several lines or has escapes or a tag",
            id="doubled quote",
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: !!str x:1\n",
            6,
            "`BASE` goes over several lines or has escapes or a tag",
            id="tag",
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: !reference [.x, base]\n",
            6,
            "`BASE` is a list or mapping, not a single value",
            id="reference to another job",
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: {{x: 1}}\n",
            6,
            "`BASE` is a list or mapping, not a single value",
            id="mapping",
        ),
        pytest.param(
            f"{HEAD}{ROW}        BASE: 26.10\n",
            6,
            "`BASE` is not read as text",
            id="a number loses its last zero",
        ),
        pytest.param(f"{HEAD}{ROW}        BASE:\n", 6, "`BASE` is not read as text", id="nothing"),
        pytest.param(
            f"{HEAD}      - IMAGE: DEV\n        BASE: x:1\n        PLATFORM: [amd64, arm64]\n",
            6,
            "`PLATFORM` names no single platform",
            id="several platforms in a row",
        ),
    ],
)
def test_a_value_that_a_cut_could_damage_is_refused(text, line, message):
    with pytest.raises(PinError) as refused:
        locate(text, WHERE)

    assert (refused.value.line, refused.value.message) == (line, message)


SHARED = ".shared: &shared\n  IMAGE: DEV\n  BASE: x:1\n  PLATFORM: amd64\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(
            f"{SHARED}{HEAD}      - <<: *shared\n",
            8,
            "`IMAGE`, `BASE`, `PLATFORM` may come in by the merge key `<<`",
            id="the whole row",
        ),
        pytest.param(
            f"{SHARED}{HEAD}{ROW}        <<: *shared\n",
            10,
            "`BASE` may come in by the merge key `<<`",
            id="the pin",
        ),
        pytest.param(
            f"{SHARED}{HEAD}      - {{<<: *shared, IMAGE: DEV, BASE: y:1}}\n",
            8,
            "`PLATFORM` may come in by the merge key `<<`",
            id="the platform",
        ),
        pytest.param(
            f"{HEAD}      - &row {{IMAGE: DEV, BASE: x:1}}\n      - {{<<: *row, PLATFORM: arm64}}\n",
            4,
            "the row has an anchor that other places use",
            id="from the row before",
        ),
        pytest.param(
            ".job: &job {parallel: {matrix: []}}\njob:\n  <<: *job\n",
            3,
            "`parallel` may come in by the merge key `<<`",
            id="the list",
        ),
        pytest.param(
            ".matrix: &matrix\n  - {IMAGE: DEV, BASE: x:1}\njob:\n  parallel:\n    matrix: *matrix\n",
            5,
            "`matrix` is an alias",
            id="the list by an alias",
        ),
        pytest.param(f"{SHARED}{HEAD}      - *shared\n", 1, "the row is an alias", id="a row by an alias"),
        pytest.param(
            f"{HEAD}      - &row {{IMAGE: DEV, BASE: x:1}}\n      - *row\n",
            4,
            "the row has an anchor that other places use",
            id="a row twice",
        ),
        pytest.param(
            f"{HEAD}      - &amd {{IMAGE: DEV, BASE: x:1, PLATFORM: amd64}}\n"
            "      - {<<: *amd, IMAGE: LTS}\n",
            4,
            "the row has an anchor that other places use",
            id="another image's row inherits this one",
        ),
        pytest.param(
            "job: &job\n  parallel:\n    matrix:\n      - {IMAGE: DEV, BASE: x:1}\nother:\n  <<: *job\n",
            1,
            "`job` has an anchor that other places use",
            id="another job inherits the list",
        ),
    ],
)
def test_what_comes_in_from_elsewhere_is_refused(text, line, message):
    with pytest.raises(PinError) as refused:
        locate(text, WHERE)

    assert (refused.value.line, refused.value.message) == (line, message)


@pytest.mark.parametrize(
    ("text", "first", "second", "key"),
    [
        pytest.param(f"{HEAD}{ROW}        BASE: x:1\n        BASE: y:1\n", 6, 7, "BASE", id="in the row"),
        pytest.param(f"{HEAD}{ROW}        BASE: x:1\n{HEAD}", 1, 7, "job", id="on the way"),
        pytest.param(f"a: {{b: 1,\n  b: 2}}\n{HEAD}{ROW}", 1, 2, "b", id="elsewhere in the file"),
        pytest.param(f'{HEAD}{ROW}\n"job": 1\n', 1, 7, "job", id="once in quotes"),
        pytest.param(f"a: 1\n---\nx: {{c: 1, c: 2}}\nx: 1\n{HEAD}", 3, 3, "c", id="the first of two"),
        pytest.param("- [{a: 1, ? b : 2, b: 3}]\n", 1, 1, "b", id="deep in a list"),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_both_lines(text, first, second, key):
    with pytest.raises(PinError) as refused:
        locate(text, WHERE)

    assert refused.value.line == second
    assert (
        refused.value.message == f"the key `{key}` stands twice in one mapping, in lines {first} and {second}"
    )


def test_a_list_in_two_documents_is_refused():
    with pytest.raises(
        PinError, match="two documents of the file have the list `job / parallel / matrix`"
    ) as refused:
        locate(f"{HEAD}{ROW}---\n{HEAD}{ROW}", WHERE)

    assert refused.value.line == 10


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param("job:\n\tparallel: 1\n", 2, "character '\\\\t' that cannot start any token", id="tab"),
        pytest.param("a: 1\nb: [x\n", 3, "not valid YAML: ", id="bracket never closed"),
        pytest.param("a: 1\nb: 'x\n", 3, "not valid YAML: ", id="quote never closed"),
        pytest.param("a: 1\nb: *nowhere\n", 2, "undefined alias", id="alias to nothing"),
        pytest.param("a: 1\nb: x\x07\n", 2, "control character", id="control character"),
        pytest.param("%YAML 1.200\n---\na: 1\n", None, "version", id="a YAML of the future"),
        pytest.param('a: "\\U99999999"\n', None, "not valid YAML", id="a character beyond Unicode"),
        pytest.param("[" * 1500, None, "nested too deeply", id="nested without end"),
    ],
)
def test_what_is_no_yaml_is_refused_with_its_line(text, line, message):
    with pytest.raises(PinError, match=message) as refused:
        locate(text, WHERE)

    assert refused.value.line == line
