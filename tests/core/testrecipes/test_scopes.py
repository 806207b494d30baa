"""Under which scope words each test runs."""

import pytest

from bot.core.testrecipes.scopes import TestRow, scopes_of_tests
from tests.core.testrecipes.recipes import DEFAULT, HEAD, PAIR, RECIPE, TINY


def scopes(*texts: str | bytes | None):
    raw = {str(at): it.encode() if isinstance(it, str) else it for at, it in enumerate(texts)}
    found = scopes_of_tests(raw)
    return {(it.test, it.environment, it.platform): words for it, words in found.items()}


def test_every_row_of_a_recipe_is_read():
    assert scopes(RECIPE) == {
        ("tiny_tp1", "dev", "dgx_h100"): ("mr", "mr-github"),
        ("pair_tp2", "lts", "dgx_a100"): ("nightly",),
        ("pair_tp2", "dev", "dgx_h100"): ("mr",),
        ("default_platform", "dev", "dgx_a100"): ("nightly",),
    }


def test_the_model_is_that_of_the_recipe():
    assert {it.model for it in scopes_of_tests({"a.yaml": RECIPE.encode()})} == {"gpt"}
    assert {it.model for it in scopes_of_tests({"a": RECIPE.replace("model: gpt", "x: y").encode()})} == {""}


def test_a_row_counts_for_each_of_its_platforms_and_environments():
    row = TINY.replace("[dev]", "[dev, lts]").replace("[dgx_h100]", "[dgx_h100, dgx_a100]")

    assert set(scopes(HEAD + row)) == {
        ("tiny_tp1", environment, platform)
        for environment in ("dev", "lts")
        for platform in ("dgx_h100", "dgx_a100")
    }


def test_rows_of_several_files_come_together():
    again = TINY.replace("[mr, mr-github]", "[nightly, mr]")

    assert scopes(HEAD + TINY, HEAD + again) == {
        ("tiny_tp1", "dev", "dgx_h100"): ("mr", "mr-github", "nightly")
    }


def test_of_several_names_only_the_first_one_runs():
    both = TINY.replace("[tiny_tp1]", "[tiny_tp1, tiny_tp2]")

    assert list(scopes(HEAD + both)) == [("tiny_tp1", "dev", "dgx_h100")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("[tiny_tp1]", "[]", id="no name"),
        pytest.param("    products:\n", "    other:\n", id="no rows"),
        pytest.param("        platforms: [dgx_h100]", "        platforms: []", id="no platform"),
        pytest.param("[dev]", "{}", id="no environment"),
        pytest.param("  - test_case: [tiny_tp1]\n    products:", "  - x\n  - products:", id="no mapping"),
    ],
)
def test_a_test_case_that_never_runs_has_no_words(old, new):
    assert old in TINY
    assert scopes(HEAD + TINY.replace(old, new) + DEFAULT) == scopes(HEAD + DEFAULT)


def test_a_row_without_scope_is_there_without_words():
    assert scopes(HEAD + TINY.replace("scope: [mr, mr-github]", "scope:")) == {
        ("tiny_tp1", "dev", "dgx_h100"): ()
    }


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(None, id="gone"),
        pytest.param("", id="empty"),
        pytest.param("products: [", id="no YAML"),
        pytest.param(b"\xff\xfe", id="no UTF-8"),
        pytest.param(f"{HEAD}{TINY}---\n{HEAD}{TINY}", id="several documents"),
        pytest.param("- products", id="no mapping"),
        pytest.param("products: {a: b}", id="no list of products"),
    ],
)
def test_what_cannot_be_read_says_nothing(text):
    assert scopes(text, HEAD + PAIR) == scopes(HEAD + PAIR)


def test_a_row_is_sorted_as_its_names_are():
    rows = [TestRow("b", "a", "dev", "x"), TestRow("a", "b", "dev", "x")]

    assert sorted(rows) == rows[::-1]
