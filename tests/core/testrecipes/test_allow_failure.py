"""A row may fail on GitLab: one line more at its end, and the way back."""

import pytest

from bot.core.errors import UsageError
from bot.core.pins.errors import PinError
from bot.core.testrecipes.allow_failure import allow_failure, disallow, is_allowed
from bot.core.testrecipes.hunk import apply
from bot.core.testrecipes.rows import read_recipe
from tests.core.testrecipes.recipes import HEAD, TINY, row

URL = "https://github.com/NVIDIA/Megatron-LM/issues/5692"
COMMENT = [f"# TODO: remove after {URL}"]
LINE = f"        allow_failure: [true] # TODO: remove after {URL}\n"


def allowed(text, comment=COMMENT, test="t"):
    recipe = read_recipe(text, test)
    return apply(text, allow_failure(text, recipe, recipe.rows, ["mr-github"], comment))


def disallowed(text, *earlier, test="t"):
    recipe = read_recipe(text, test)
    return apply(text, [disallow(text, recipe, recipe.rows[0], earlier)])


SHAPES = [
    pytest.param(row(), row() + LINE, id="at the end of the file"),
    pytest.param(row().rstrip("\n"), (row() + LINE).rstrip("\n"), id="no line feed at the end"),
    pytest.param(row().replace("\n", "\r\n"), (row() + LINE).replace("\n", "\r\n"), id="CRLF"),
    pytest.param(
        row().rstrip("\n").replace("\n", "\r\n"),
        (row() + LINE).rstrip("\n").replace("\n", "\r\n"),
        id="CRLF without a line end at the end",
    ),
    pytest.param(row() + TINY, row() + LINE + TINY, id="between other rows"),
    pytest.param(
        row(platforms="[dgx_h100] # last") + "# below\n",
        row(platforms="[dgx_h100] # last") + LINE + "# below\n",
        id="a trailing comment stays",
    ),
    pytest.param("\ufeff" + row(), "\ufeff" + row() + LINE, id="byte order mark"),
]


@pytest.mark.parametrize(("before", "after"), SHAPES)
def test_the_key_comes_last_with_its_comment(before, after):
    assert allowed(before) == after


@pytest.mark.parametrize(("before", "after"), SHAPES)
def test_the_way_back_is_exact(before, after):
    assert disallowed(after) == before


def test_an_allowed_row_is_known_by_its_comment():
    text = allowed(row())
    (there,), (before,) = read_recipe(text, "t").rows, read_recipe(row(), "t").rows

    assert is_allowed(text, there, COMMENT)
    assert not is_allowed(text, there, ["# another"])
    assert not is_allowed(row(), before, COMMENT)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(row() + LINE, "has `allow_failure` already", id="has it"),
        pytest.param(row("[mr, mr-github]"), "GitHub's CI runs `mr-github`", id="runs on GitHub"),
        pytest.param(
            f"{HEAD}  - test_case: [t]\n    products: [{{environment: [dev], scope: [mr]}}]\n",
            "lines of its own",
            id="in braces",
        ),
    ],
)
def test_rows_where_it_would_do_nothing_or_harm_are_refused(text, says):
    with pytest.raises(PinError, match=says) as error:
        allowed(text)

    assert error.value.line


def test_a_comment_of_several_lines_finds_no_place():
    with pytest.raises(UsageError, match="several lines"):
        allowed(row(), ["# one", "# two"])


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("        allow_failure: [true]\n", id="without a comment"),
        pytest.param("        allow_failure: [true] # always was\n", id="with a comment of a person"),
    ],
)
def test_a_key_that_may_always_have_been_there_is_taken_away_only_if_history_tells(line):
    with pytest.raises(PinError, match="does not tell"):
        disallowed(row() + line)
    with pytest.raises(PinError, match="does not tell"):
        disallowed(row() + line, row("[nightly]"), "\tbad", row() + line)
    assert disallowed(row() + line, row() + line, row()) == row()


def test_a_key_in_another_form_is_left_to_a_person():
    with pytest.raises(PinError, match="does not tell"):
        disallowed(row() + LINE.replace("[true]", "[ true ]"), row())
