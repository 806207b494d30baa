"""What a test recipe says of one test, read as CI reads it."""

import pytest

from bot.core.pins.errors import PinError
from bot.core.testrecipes.rows import read_recipe
from tests.core.testrecipes.recipes import HEAD, RECIPE, TINY, row


def meanings(text, test):
    return [it.meaning for it in read_recipe(text, test).rows]


def test_a_row_says_where_and_when_a_test_runs():
    assert meanings(RECIPE, "tiny_tp1") == [(("tiny_tp1",), ("dev",), ("dgx_h100",), ("mr", "mr-github"))]
    assert read_recipe(RECIPE, "tiny_tp1").model == "gpt"


def test_a_row_without_platforms_has_those_of_the_spec():
    assert meanings(RECIPE, "default_platform")[0][2] == ("dgx_a100",)
    listed = RECIPE.replace("platforms: dgx_a100", "platforms: [dgx_a100, dgx_h100]")
    assert meanings(listed, "default_platform")[0][2] == ("dgx_a100", "dgx_h100")
    assert meanings(RECIPE.replace("  platforms: dgx_a100\n", ""), "default_platform")[0][2] == ()


def test_every_row_of_a_test_is_found_in_its_order():
    assert [it[1] for it in meanings(RECIPE, "pair_tp2")] == [("lts",), ("dev",)]


def test_a_row_without_an_environment_has_none():
    assert meanings(row().replace("environment: [dev]\n        ", ""), "t")[0][1] == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("- a\n- b\n", id="a list"),
        pytest.param("spec: x\nproducts: y\n", id="scalars"),
        pytest.param(HEAD, id="no products"),
        pytest.param(f"{HEAD}  - text\n  - other: [t]\n  - test_case: {{a: t}}\n", id="odd products"),
        pytest.param(f"{HEAD}  - test_case: [another]\n", id="another test"),
        pytest.param("products:\n- {test_case: [[t]], products: []}\n", id="a list in the list"),
    ],
)
def test_a_file_without_the_test_has_no_rows(text):
    assert read_recipe(text, "t").rows == ()


def test_a_recipe_without_a_spec_has_no_model():
    assert read_recipe("products:\n- {test_case: [t], products: [{scope: [mr]}]}\n", "t").model == ""


def test_a_test_of_a_list_of_tests_is_found_with_all_names():
    text = RECIPE.replace("[tiny_tp1]", "[other, tiny_tp1]")

    assert meanings(text, "tiny_tp1")[0][0] == ("other", "tiny_tp1")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param(row("mr"), 15, "`scope` is no list", id="scope is a word"),
        pytest.param(row(environment="dev"), 14, "`environment` is no list", id="environment is a word"),
        pytest.param(row(platforms="dgx_h100"), 16, "`platforms` is no list", id="platforms is a word"),
        pytest.param(row("[[mr]]"), 15, "something else than words", id="a list in the scope"),
        pytest.param(row('["m\\x72"]'), 15, "something else than words", id="an escape"),
        pytest.param(row("[mr: 1]"), 15, "something else than words", id="a mapping in the scope"),
        pytest.param(row("&s [mr]"), 15, "anchor", id="an anchor"),
        pytest.param(row("[&s mr, *s]"), 15, "anchor", id="an alias in the list"),
        pytest.param(
            row("*s").replace("  model: gpt", "  model: gpt\n  all: &s [mr]"), 13, "alias", id="an alias"
        ),
        pytest.param(
            row().replace("        scope: [mr]\n", "        <<: *r\n").replace("spec:", "spec: &r"),
            14,
            "merge key",
            id="a merge key",
        ),
        pytest.param(row().replace("[t]", "t"), 12, "`test_case` is no list", id="the test is a word"),
        pytest.param(f"{HEAD}  - test_case: [t]\n", 12, "no list of rows", id="no rows"),
        pytest.param(f"{HEAD}  - test_case: [t]\n    products: x\n", 12, "no list of rows", id="rows a word"),
        pytest.param(
            f"{HEAD}  - test_case: [t]\n    products: [x]\n", 13, "no mapping", id="a row is a word"
        ),
        pytest.param(f"{row()}---\na: b\n", 14, "several documents", id="two documents"),
        pytest.param(f"{HEAD}\t- test_case: [t]\n", 12, "not valid YAML", id="a tab"),
        pytest.param(row() + "        scope: [mr]\n", 17, "stands twice", id="a key twice"),
    ],
)
def test_rows_that_ci_reads_otherwise_than_they_look_are_refused(text, line, says):
    with pytest.raises(PinError, match=says) as error:
        read_recipe(text, "t")

    assert error.value.line == line


def test_odd_rows_of_another_test_are_no_concern():
    text = RECIPE + "  - &x test_case: [t]\n    products: &y [{scope: mr}]\n  - test_case: *y\n"

    assert meanings(text, "tiny_tp1")


def test_a_row_in_braces_does_not_stand_on_lines_of_its_own():
    (block,) = read_recipe(RECIPE, "tiny_tp1").rows
    (braces,) = read_recipe("products: [{test_case: [t], products: [{scope: [mr]}]}]\n", "t").rows

    assert (block.own_line, block.column, block.line, block.last_line) == (True, 8, 14, 16)
    assert not braces.own_line


def test_a_row_that_ends_beside_something_else_does_not_stand_on_its_own_lines():
    text = "{products: [{test_case: [t], products: [\n{scope: [mr]}, {scope: [nightly]}]}]}\n"

    assert [it.own_line for it in read_recipe(text, "t").rows] == [False, False]


def test_a_line_of_a_row_is_counted_from_one():
    (found,) = read_recipe(HEAD + TINY, "tiny_tp1").rows
    lines = (HEAD + TINY).split("\n")

    assert lines[found.line - 1].strip() == "- environment: [dev]"
    assert lines[found.scope_line - 1].strip() == "scope: [mr, mr-github]"
    assert lines[found.last_line - 1].strip() == "platforms: [dgx_h100]"
