"""Text from outside in Markdown: what a reader sees, and that nothing of it does anything."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.markdown import cell, code, code_cell, defused, fenced, one_line, plain, rows
from tests.texts.judge import COMMAND, HOSTILE, SHA, notifying, obeyed, rendered

IN_A_TABLE = "| a | b |\n| --- | --- |\n| {} | last |\n"
PLACES = {
    "a sentence": lambda text: defused(text, 400),
    "a list": lambda text: f"- {defused(text, 400)}\n- last",
    "a cell": lambda text: IN_A_TABLE.format(cell(text, 400)),
    "a code span": lambda text: code(text, 400),
    "a code span in a list": lambda text: f"- {code(text, 400)} is a label\n",
    "a code span in a cell": lambda text: IN_A_TABLE.format(code_cell(text, 400)),
    "a code block": fenced,
    "a code block in a message": lambda text: f"The log:\n\n{fenced(text, 'text')}\n\nThe end.\n",
}
OUR_OWN = {"p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "pre"}

PIECES = [
    *(
        "/ok",
        " to ",
        "test ",
        SHA,
        COMMAND,
        "/",
        "ok",
        "@",
        "team",
        "#",
        "1",
        "GH-",
        "x",
        "é",
        "_",
        "*",
        "~",
        ">",
    ),
    *(
        "`",
        "``",
        "```",
        "|",
        "\\",
        "<",
        "<!--",
        "-->",
        "<b>",
        "&#64;",
        "&lt;",
        "[",
        "]",
        "(u)",
        "!",
        "-",
        "1. ",
    ),
    *(
        " ",
        "\n",
        "\r",
        "\t",
        "\u2028",
        "\x85",
        "\x0b",
        "\x1c",
        "\x00",
        "\u200b",
        "\u2060",
        "\ufeff",
        "\u00a0",
    ),
    *("\u034f", "\u3164", "\u202e", "\ufe0f", "\U000e0041", "\ud83d"),
]
TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
)


@pytest.mark.parametrize("place", PLACES)
@given(text=TEXTS)
def test_no_text_is_obeyed_or_notifies_or_is_markup(place, text):
    body = PLACES[place](text)
    page = rendered(body)

    assert obeyed(body) == []
    assert notifying(body) == []
    assert set(page.tags) <= OUR_OWN
    assert page.comments == []
    assert "<!--" not in body


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_hostile_texts_do_nothing_anywhere(text):
    for place in PLACES.values():
        assert obeyed(place(text)) == []
        assert notifying(place(text)) == []
        assert set(rendered(place(text)).tags) <= OUR_OWN


def seen(text):
    """Return a text as a reader sees it: what looks like a slash is one."""
    return text.replace("\u2060", "").replace("\u2215", "/")


@given(TEXTS)
def test_a_reader_sees_the_whole_value_in_a_code_span(text):
    assert seen("".join(rendered(code(text, 400)).texts)).strip() == seen(one_line(text, 400)).strip()


@example("__init__.py, a_b and _c_ in [x](y) at *z* ~~old~~ & <b> 1 < 2")
@given(st.text(alphabet="ab_*~[]()<>&#;!|\\-+=.: @1", max_size=40))
def test_a_reader_sees_every_sign_of_a_sentence(text):
    assert seen("".join(rendered(f"x {defused(text)}").texts)).strip() == seen(f"x {one_line(text)}").strip()


@given(TEXTS)
def test_a_table_keeps_its_columns(text):
    for body in (IN_A_TABLE.format(cell(text)), IN_A_TABLE.format(code_cell(text))):
        page = rendered(body)

        assert page.tags.count("tr") == 2
        assert page.tags.count("td") == 2
        assert page.texts[-2].strip() == "last" or "last" in page.texts


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("plain text", "plain text", id="as it is"),
        pytest.param("  two\r\nlines\t", "two  lines", id="line ends and tabs are blanks"),
        pytest.param("a\x00b\x1b[0m\u200bc", "ab[0mc", id="what nobody sees is left out"),
        pytest.param("x" * 11, "xxxxxxxxx…", id="too long"),
        pytest.param("x" * 10, "xxxxxxxxxx", id="just as long as it may be"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_line_is_one_line(text, line):
    assert one_line(text, 10 if "x" in text else 120) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("bump to 26.04", "bump to 26.04", id="as it is"),
        pytest.param("@team #12 GH-3", "@\u2060team #\u206012 GH-\u20603", id="names and numbers"),
        pytest.param(
            "a@b.org pytorch:26.04-py3@sha256:1a", "a@b.org pytorch:26.04-py3@sha256:1a", id="no name"
        ),
        pytest.param("nvcr.io#nvidia/pytorch", "nvcr.io#nvidia/pytorch", id="enroot's sign is no number"),
        pytest.param("/merge", "\u2215merge", id="a command of another bot"),
        pytest.param("> /merge now", "> \u2215merge now", id="a quoted command"),
        pytest.param("/usr/lib/x.so: not found", "/usr/lib/x.so: not found", id="a path stays a path"),
        pytest.param("docs say /ok to test x", "docs say \u2215ok to test x", id="the command inside a line"),
        pytest.param("a/ok/b", "a/ok/b", id="a folder of that name"),
        pytest.param("// a comment", "// a comment", id="two slashes"),
    ],
)
def test_only_what_does_something_is_changed(text, line):
    assert plain(text) == line


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        pytest.param("`NCCL` pins <x>", "`NCCL` pins \\<x>", id="code spans stay"),
        pytest.param("`a <b> \\ [c]`", "`a <b> \\ [c]`", id="and what is in them"),
        pytest.param("``a ` b`` `", "``a ` b`` \\`", id="only whole spans are spans"),
        pytest.param("a_b __init__", "a_b \\_\\_init\\_\\_", id="underscores that would be emphasis"),
        pytest.param("# a", "\\# a", id="no heading"),
        pytest.param("- a", "\\- a", id="no list"),
        pytest.param("1. a", "1\\. a", id="no numbered list"),
        pytest.param("26.04 a", "26.04 a", id="a release is no number of a list"),
        pytest.param("```sh", "\\`\\`\\`sh", id="no code block"),
    ],
)
def test_a_sentence_holds_no_markup_but_code(text, markdown):
    assert defused(text) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        pytest.param("26.04-py3", "`26.04-py3`", id="as it is"),
        pytest.param("a`b", "``a`b``", id="a backtick inside"),
        pytest.param("`a``b`", "``` `a``b` ```", id="backticks at the ends"),
        pytest.param("", "`  `", id="nothing"),
    ],
)
def test_a_code_span_is_longer_than_what_is_in_it(text, markdown):
    assert code(text) == markdown


def test_a_pipe_stays_in_its_cell():
    assert cell("a|b\\|c") == "a\\|b\\\\\\|c"
    assert code_cell("a|b") == "`a\\|b`"


def test_a_code_block_keeps_lines_and_indents():
    assert fenced("def f():\n    pass\r\n", "python") == "```python\ndef f():\n    pass\n```"


def test_a_code_block_is_closed_by_nothing_in_it():
    assert fenced("a\n````\nb") == "`````\na\n````\nb\n`````"


def test_a_code_block_is_cut_between_lines():
    block = fenced("\n".join(f"line {number}" for number in range(10)), limit=21)

    assert block == "```\nline 0\nline 1\nline 2\n… and 7 more\n```"


def test_a_long_line_of_a_code_block_is_cut():
    assert fenced("x" * 1000) == f"```\n{'x' * 399}…\n```"


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        pytest.param("- a\n- b\n", 8, "- a\n- b\n", id="there is room for all"),
        pytest.param("- a\n- b\n- c\n", 8, "- a\n- b\n- … and 1 more: see there\n", id="a list"),
        pytest.param("| a |\n| b |\n| c |\n", 6, "| a |\n| … and 2 more: see there\n", id="a table"),
        pytest.param("a\nb\n", 2, "a\n… and 1 more: see there\n", id="plain lines"),
        pytest.param("- a\n- b\n", 1, "- … and 2 more: see there\n", id="room for none"),
        pytest.param("", 0, "", id="no rows"),
    ],
)
def test_a_table_or_list_is_cut_between_its_rows(text, limit, kept):
    assert rows(text, limit, "see there") == kept


def test_where_the_rest_is_need_not_be_said():
    assert rows("- a\n- b\n", 4) == "- a\n- … and 1 more\n"
