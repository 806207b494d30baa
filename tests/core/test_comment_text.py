import pytest

from bot.core.comment_text import Piece, command_lines


def shown(body):
    return ["".join(piece.text for piece in line).lstrip() for line in command_lines(body)]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        pytest.param("/bot status", ["/bot status"], id="alone"),
        pytest.param("/bot", ["/bot"], id="without a verb"),
        pytest.param("/bot bump 26.06-py3\r\nthanks\r\n", ["/bot bump 26.06-py3"], id="line breaks of DOS"),
        pytest.param("/bot one\n/bot two", ["/bot one", "/bot two"], id="two lines of a paragraph"),
        pytest.param("/bot one\n\\/bot two", ["/bot one"], id="above a slash that is escaped"),
        pytest.param("/bot one\n&#47;bot two", ["/bot one"], id="above a slash that is an entity"),
        pytest.param("/bot one\n`/bot two`", ["/bot one"], id="above code"),
        pytest.param("/bot one\n<!-- --> /bot two", ["/bot one"], id="above an HTML comment"),
        pytest.param("/bot one\n<b></b> /bot two", ["/bot one"], id="above what is behind an element"),
        pytest.param("/bot one\n\ntext\n\n/bot two\n", ["/bot one", "/bot two"], id="two paragraphs"),
        pytest.param("hello\n/bot one", ["/bot one"], id="below text"),
        pytest.param("hello  \n/bot one\\\n/bot two", ["/bot one", "/bot two"], id="hard line breaks"),
        pytest.param("   /bot one", ["/bot one"], id="three blanks"),
        pytest.param("text\n        /bot one", ["/bot one"], id="an indented line of a paragraph"),
        pytest.param("\u00a0/bot one", ["/bot one"], id="a no-break space before it"),
        pytest.param("/bot\u00a0one", ["/bot\u00a0one"], id="a no-break space behind it"),
        pytest.param("/bot\tone", ["/bot\tone"], id="a tabulator"),
        pytest.param("/bot one\n> quoted\n\n/bot two", ["/bot one", "/bot two"], id="around a quote"),
        pytest.param("# Title\n/bot one", ["/bot one"], id="below a heading"),
        pytest.param("/bot one\n***\n/bot two", ["/bot one", "/bot two"], id="around a rule"),
        pytest.param("- item\n\n/bot one", ["/bot one"], id="after a list"),
        pytest.param("```\ncode\n```\n/bot one", ["/bot one"], id="after code"),
        pytest.param("<!-- note -->\n/bot one", ["/bot one"], id="below an HTML comment"),
        pytest.param("<!-- note -->\n\n/bot one", ["/bot one"], id="after an HTML comment"),
        pytest.param("<details>\n\n/bot one\n\n</details>\n\n/bot two", ["/bot two"], id="after an element"),
        pytest.param("<br>\n\n/bot one", ["/bot one"], id="after an element that holds nothing"),
        pytest.param("</div>\n\n/bot one", ["/bot one"], id="after an element that was never opened"),
        pytest.param("<DIV>\n\n</div>\n\n/bot one", ["/bot one"], id="after an element in capitals"),
        pytest.param("> <div>\n\n/bot one", ["/bot one"], id="after a quote with an element"),
        pytest.param("/bot quarantine a_b_c", ["/bot quarantine a_b_c"], id="underscores"),
        pytest.param('/bot undo -m "*so* **it** is"', ['/bot undo -m "*so* **it** is"'], id="emphasis"),
        pytest.param("/bot undo -m &quot;x&quot;", ['/bot undo -m "x"'], id="entities"),
        pytest.param("/bot bump <!-- no --> 26.06", ["/bot bump  26.06"], id="an HTML comment in the line"),
        pytest.param("/bot bump <tag>", ["/bot bump "], id="a placeholder, which nobody sees"),
        pytest.param("/bot retry [a](https://b.c)", ["/bot retry a"], id="a link is its text"),
        pytest.param("/bot retry ![a](https://b.c/d.png)", ["/bot retry "], id="a picture is nothing"),
    ],
)
def test_top_level_text_that_begins_with_the_name_is_a_command(body, lines):
    assert shown(body) == lines


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="nothing"),
        pytest.param("/bots one", id="another word"),
        pytest.param("/bot-one", id="a hyphen"),
        pytest.param("/bot_one_", id="an underscore"),
        pytest.param("/bot/one", id="a path"),
        pytest.param("/bot`one`", id="code right behind it"),
        pytest.param("/Bot one", id="a capital"),
        pytest.param("please /bot one", id="in a sentence"),
        pytest.param("@bot /bot one", id="after a mention"),
        pytest.param("\\/bot one", id="a slash that is escaped"),
        pytest.param("&#47;bot one", id="a slash that is an entity"),
        pytest.param("\u2215bot one", id="another slash"),
        pytest.param("> /bot one", id="quoted"),
        pytest.param("> > /bot one", id="quoted twice"),
        pytest.param(">/bot one\n/bot two", id="the line below a quote, which belongs to it"),
        pytest.param("> text\n/bot one", id="below a quote without a blank line"),
        pytest.param("use `/bot one` please", id="in a code span"),
        pytest.param("`/bot one`", id="as a code span"),
        pytest.param("`a\n/bot one\nb`", id="in a code span of several lines"),
        pytest.param("```\n/bot one\n```", id="in a code block"),
        pytest.param("```\n/bot one", id="in a code block that does not end"),
        pytest.param("~~~\n/bot one\n```\n/bot two\n~~~", id="in a code block of tildes"),
        pytest.param("    /bot one", id="indented code"),
        pytest.param("\t/bot one", id="code by a tabulator"),
        pytest.param("<!-- /bot one -->", id="in an HTML comment"),
        pytest.param("<!--\n\n/bot one\n\n-->", id="in an HTML comment of several paragraphs"),
        pytest.param("<!--\n/bot one", id="in an HTML comment that does not end"),
        pytest.param("text <!--\n/bot one\n-->", id="in an HTML comment that begins in a line"),
        pytest.param("<!-- x --> /bot one", id="behind an HTML comment"),
        pytest.param("a\n<!-- x --> /bot one", id="behind an HTML comment in a paragraph"),
        pytest.param("<div>/bot one</div>", id="in an element"),
        pytest.param("<details>\n\n/bot one\n\n</details>", id="folded away"),
        pytest.param("<blockquote>\n\n/bot one\n\n</blockquote>", id="quoted as an element"),
        pytest.param("<div><div>\n\n</div>\n\n/bot one", id="in the outer one of two elements"),
        pytest.param("a <sub>\n/bot one\n</sub>", id="in an element of a paragraph"),
        pytest.param("- /bot one", id="in a list"),
        pytest.param("1. /bot one", id="in a numbered list"),
        pytest.param("- [ ] /bot one", id="as a task"),
        pytest.param("- a\n/bot one", id="the line below an item, which belongs to it"),
        pytest.param("- a\n\n  /bot one", id="a paragraph of an item"),
        pytest.param("# /bot one", id="a heading"),
        pytest.param("/bot one\n---", id="a heading with a line below"),
        pytest.param("/bot one\n====", id="a heading with a double line below"),
        pytest.param("| a |\n|---|\n| /bot one |", id="in a table"),
        pytest.param("a | b\n-|-\n/bot one | x", id="in a table without borders"),
        pytest.param("*text\n/bot one*", id="in emphasis"),
        pytest.param("~~text\n/bot one~~", id="struck out over two lines"),
        pytest.param("[text\n/bot one](https://a.b)", id="in a link"),
        pytest.param("[text\n/bot one][a]\n\n[a]: https://a.b", id="in a link by reference"),
        pytest.param("**/bot one**", id="bold"),
        pytest.param("~~/bot one~~", id="struck out"),
        pytest.param("[a]: /bot one", id="a definition"),
        pytest.param("<https://a.b/bot> /bot one", id="after an address"),
        pytest.param("x" * 1_000_000 + "\n/bot one", id="in what is longer than any comment"),
    ],
)
def test_anything_else_is_none(body):
    assert shown(body) == []


def test_what_stood_in_code_or_behind_a_backslash_is_literal():
    assert list(command_lines('/bot refresh `a b` \\"')) == [
        (Piece("/bot refresh "), Piece("a b", literal=True), Piece(" "), Piece('"', literal=True))
    ]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        pytest.param("/bot status\n" * 80_000, 80_000, id="commands"),
        pytest.param("x\n" * 100_000 + "\n/bot status", 1, id="a long paragraph"),
        pytest.param("\n" * 100_000 + "/bot status", 1, id="blank lines"),
        pytest.param("> a\n" * 100_000 + "\n/bot status", 1, id="a long quote"),
        pytest.param(">" * 100_000 + "\n\n/bot status", 1, id="a deep quote"),
        pytest.param("".join("  " * i + "- a\n" for i in range(40)) + "\n/bot status", 1, id="a deep list"),
        pytest.param("[" * 60_000 + "\n/bot status", 1, id="brackets"),
        pytest.param("<div>\n\n" * 40_000 + "/bot status", 0, id="elements that are not closed"),
        pytest.param("\u00a0\n" * 100_000 + "/bot status", 1, id="lines of no-break spaces"),
        pytest.param("*a_ " * 16_000 + "\n/bot status", 1, id="emphasis"),
    ],
)
def test_a_long_comment_is_read_to_its_end(body, count):
    assert len(shown(body)) == count
