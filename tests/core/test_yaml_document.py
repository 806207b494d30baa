"""YAML of our own making: values, lines, and what is said of a text that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.yaml_document import YamlProblem, read_document

TEXT = """\
# a comment
name: bot
tracks:
  dev:
    pins:
      - path: a
        count: 2
      - {path: b}
  "lts": {}
? [not, plain]
: 1
1: one
"""


@pytest.mark.parametrize(
    ("place", "line"),
    [
        pytest.param((), 1, id="the whole document"),
        pytest.param(("name",), 2, id="a key"),
        pytest.param(("tracks", "dev", "pins"), 5, id="a key further in"),
        pytest.param(("tracks", "dev", "pins", 0), 6, id="an item"),
        pytest.param(("tracks", "dev", "pins", 0, "count"), 7, id="a key of an item"),
        pytest.param(("tracks", "dev", "pins", 1, "path"), 8, id="a key in braces"),
        pytest.param(("tracks", "lts"), 9, id="a key in quotes"),
        pytest.param((1,), 12, id="a number as key"),
        pytest.param(("tracks", "dev", "title"), 4, id="a missing key is looked for in what is there"),
        pytest.param(("tracks", "dev", "pins", 7, "path"), 5, id="a missing item"),
        pytest.param(("name", "further", "in"), 2, id="nothing is inside a text"),
        pytest.param(("nowhere",), 1, id="nothing of that name"),
    ],
)
def test_a_place_has_the_line_of_what_is_nearest_to_it(place, line):
    assert read_document(TEXT).line(place) == line


def test_values_are_plain():
    value = read_document("a: text\nb: [1, 2.5, true, null]\nc: {d: 26.10}\n").value

    assert value == {"a": "text", "b": [1, 2.5, True, None], "c": {"d": 26.1}}


def test_an_empty_text_is_a_document_without_a_value():
    document = read_document("# only a comment\n")

    assert document.value is None
    assert document.line(("name",)) == 1


def test_an_anchor_may_be_given_twice():
    assert read_document("a: &x 1\nb: &x 2\nc: *x\n").value == {"a": 1, "b": 2, "c": 2}


def test_a_byte_order_mark_changes_nothing():
    assert read_document("\ufeffa: 1\n").value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", 3, 'duplicate key "a"', id="a key twice"),
        pytest.param("a: 1\n---\nb: 2\n", 2, "expected a single document", id="two documents"),
        pytest.param("a:\n\tb: 1\n", 2, r"character '\t'", id="a tab as indent"),
        pytest.param("a: [1, 2\n", 2, "expected ',' or ']'", id="a bracket that stays open"),
        pytest.param("a: 1\nb: 2: 3\n", 2, "mapping values are not allowed here", id="two colons"),
        pytest.param("a: 1\nb: *gone\n", 2, "undefined alias 'gone'", id="an alias of nothing"),
        pytest.param("a: !other 1\n", 1, "tag '!other'", id="a tag of one's own"),
        pytest.param("? {a: b}\n: c\n", 1, "unhashable key", id="a mapping as key"),
        pytest.param("a: 1\nb: \x00\n", 2, "a control character", id="a control character"),
        pytest.param("a: 1\nb: 2026-13-45\n", 2, "`2026-13-45` cannot be read", id="a date that is none"),
        pytest.param("a: !!int 'many'\n", 1, "`many` cannot be read", id="a number that is none"),
        pytest.param("a: !!int ''\n", 1, "`` cannot be read", id="a number without digits"),
        pytest.param("a: !!bool maybe\n", 1, "`maybe` cannot be read", id="neither true nor false"),
        pytest.param("a: 1\nb: !!omap [c: 1, c: 2]\n", 2, "the mapping or list cannot", id="an odd list"),
        pytest.param('a: "\\UFFFFFFFF"\n', 1, "not valid YAML", id="an escape beyond Unicode"),
        pytest.param("%YAML 1.9\n---\na: 1\n", 1, "not valid YAML", id="another version"),
        pytest.param("[" * 5000, 1, "nested too deeply", id="too deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, line, says):
    with pytest.raises(YamlProblem) as caught:
        read_document(text)

    assert caught.value.line == line
    assert says in caught.value.message
    assert str(caught.value) == caught.value.message


PIECES = [
    *"ab1:,[]{}&*!|>'\"%@`#-?~=\n\t\\ ",
    *(": ", "- ", "? ", "<<: ", "\n  ", "---\n", "...\n", "&a ", "*a ", "\\x", "\\U", "0x", ".inf"),
    *("!!int ", "!!float ", "!!bool ", "!!null ", "!!timestamp ", "!!binary ", "!!set ", "!!omap "),
    *("!!pairs ", "2026-13-45", "%YAML 1.1\n---\n", "%YAML 1.", "%TAG ! x\n", "\u2028", "\x85", "\x07", "é"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=16).map("".join))
def test_whatever_the_text_it_is_read_or_explained(text):
    problem = None
    try:
        line = read_document(text).line(("a", 0, "b"))
    except YamlProblem as error:
        problem, line = error.message, error.line

    assert line >= 1
    assert problem is None or (problem.strip() and "\n" not in problem)
