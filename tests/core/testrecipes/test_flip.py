"""A row leaves the gate: its scope words are replaced, a comment comes above, every other byte stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.pins.errors import PinError
from bot.core.testrecipes.flip import flip, is_flipped
from bot.core.testrecipes.hunk import apply
from bot.core.testrecipes.rows import read_recipe
from tests.core.testrecipes.recipes import DEFAULT, HEAD, PAIR, RECIPE, SCOPES, TINY, row

COMMENT = ["# Broken: hangs — see issue #4657."]


def flipped(text, test, environment="dev", comment=COMMENT):
    recipe = read_recipe(text, test)
    rows = [it for it in recipe.rows if it.environments == (environment,)]
    return apply(text, flip(text, recipe, rows, SCOPES, comment))


TINY_FLIPPED = TINY.replace(
    "        scope: [mr, mr-github]\n",
    "        # Broken: hangs — see issue #4657.\n        scope: [mr-broken, mr-github-broken]\n",
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(RECIPE, RECIPE.replace(TINY, TINY_FLIPPED), id="every word of the list"),
        pytest.param(
            HEAD + TINY.rstrip("\n"), HEAD + TINY_FLIPPED.rstrip("\n"), id="no line feed at the end"
        ),
        pytest.param(
            RECIPE.replace("\n", "\r\n"), RECIPE.replace(TINY, TINY_FLIPPED).replace("\n", "\r\n"), id="CRLF"
        ),
        pytest.param("\ufeff" + RECIPE, "\ufeff" + RECIPE.replace(TINY, TINY_FLIPPED), id="byte order mark"),
        pytest.param(
            HEAD + TINY.replace("[mr, mr-github]", "[ \"mr\" ,'mr-github']  # keep"),
            HEAD
            + TINY_FLIPPED.replace(
                "[mr-broken, mr-github-broken]", "[ \"mr-broken\" ,'mr-github-broken']  # keep"
            ),
            id="quotes, odd blanks and a trailing comment",
        ),
        pytest.param(
            HEAD + TINY.replace("[mr, mr-github]", "[mr,\n                mr-github]"),
            HEAD + TINY_FLIPPED.replace("[mr-broken, mr", "[mr-broken,\n                mr"),
            id="a list over two lines",
        ),
        pytest.param(
            HEAD + TINY.replace(" [mr, mr-github]", "\n          - mr\n          - mr-github"),
            HEAD
            + TINY_FLIPPED.replace(
                " [mr-broken, mr-github-broken]", "\n          - mr-broken\n          - mr-github-broken"
            ),
            id="a list as a block",
        ),
        pytest.param(
            f"{HEAD}  - test_case: [tiny_tp1]\n    products:\n"
            "      - scope: [mr]\n        environment: [dev]\n",
            f"{HEAD}  - test_case: [tiny_tp1]\n    products:\n"
            "      # Broken: hangs — see issue #4657.\n"
            "      - scope: [mr-broken]\n        environment: [dev]\n",
            id="scope as the first key",
        ),
        pytest.param(
            f"{HEAD}  - test_case: [tiny_tp1]\n    products: [{{environment: [dev], scope: [mr]}}]\n",
            f"{HEAD}  - test_case: [tiny_tp1]\n    # Broken: hangs — see issue #4657.\n"
            "    products: [{environment: [dev], scope: [mr-broken]}]\n",
            id="a row in braces",
        ),
    ],
)
def test_a_row_of_any_shape_is_flipped(before, after):
    assert flipped(before, "tiny_tp1") == after


def test_a_list_inside_a_trailing_comment_is_no_scope():
    after = flipped(RECIPE, "pair_tp2")

    assert "        scope: [mr-broken] #[mr, mr-github] - broken on GitHub\n" in after


def test_the_row_of_another_environment_is_left_alone():
    after = flipped(RECIPE, "pair_tp2")

    assert after.count("scope: [nightly]") == RECIPE.count("scope: [nightly]")


def test_exactly_the_lines_of_the_scope_change():
    before, after = RECIPE.split("\n"), flipped(RECIPE, "default_platform").split("\n")

    assert set(after) - set(before) == {f"        {COMMENT[0]}", "        scope: [nightly-broken]"}
    assert len(after) == len(before) + 1


def test_a_comment_may_have_several_lines():
    after = flipped(HEAD + DEFAULT, "default_platform", comment=["# one", "# two"])

    assert "        # one\n        # two\n        scope: [nightly-broken]\n" in after


def test_several_rows_are_flipped_in_one_go():
    text = (
        HEAD + TINY + "      - environment: [dev]\n        scope: [nightly]\n        platforms: [dgx_h100]\n"
    )

    after = flipped(text, "tiny_tp1")

    assert "scope: [mr-broken, mr-github-broken]" in after
    assert "scope: [nightly-broken]" in after
    assert after.count(COMMENT[0]) == 2


@pytest.mark.parametrize(
    ("scope", "says"),
    [
        pytest.param("[flaky]", "`flaky` is no scope", id="another word"),
        pytest.param("[nightly, L0-smoke]", "`L0-smoke` is no scope", id="one that runs and one unknown"),
        pytest.param("[L1]", "`L1` is no scope", id="a tier"),
        pytest.param("[mr-github-temp-disabled]", "is no scope", id="switched off otherwise"),
        pytest.param("[mr-broken]", "`mr-broken` is out of the gate already", id="out already"),
        pytest.param("[mr, mr-github-broken]", "`mr-github-broken` is out", id="half of it out"),
        pytest.param("[mr, mr]", "stands twice", id="a word twice"),
        pytest.param("[]", "has no scope", id="an empty list"),
    ],
)
def test_words_that_the_bot_does_not_take_out_are_refused_with_their_line(scope, says):
    text = row(scope)

    with pytest.raises(PinError, match=says) as error:
        flipped(text, "t")

    assert text.split("\n")[error.value.line - 1].strip().startswith("scope")


def test_a_row_without_a_scope_is_refused():
    with pytest.raises(PinError, match="has no scope"):
        flipped(row().replace("        scope: [mr]\n", ""), "t")


def test_what_does_not_read_back_is_refused():
    recipe = read_recipe(row(), "t")

    with pytest.raises(PinError, match="does not read back"):
        flip(row(), recipe, recipe.rows, {"mr": "a, b"}, COMMENT)


def test_a_flipped_row_is_known_by_its_words_and_its_comment():
    after = flipped(RECIPE, "tiny_tp1")
    (there,), (before,) = read_recipe(after, "tiny_tp1").rows, read_recipe(RECIPE, "tiny_tp1").rows

    assert is_flipped(after, there, SCOPES, COMMENT)
    assert not is_flipped(after, there, SCOPES, ["# another"])
    assert not is_flipped(RECIPE, before, SCOPES, COMMENT)
    assert not is_flipped(row("[]"), read_recipe(row("[]"), "t").rows[0], SCOPES, COMMENT)


@given(
    words=st.lists(st.sampled_from(sorted(SCOPES)), min_size=1, unique=True),
    end=st.sampled_from(["\n", "\r\n"]),
    gap=st.sampled_from([", ", ",", " ,  "]),
    comment=st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=40),
)
def test_whatever_the_list_the_other_lines_stay(words, end, gap, comment):
    text = (row(f"[{gap.join(words)}]  # {comment}") + TINY + PAIR).replace("\n", end)

    after = flipped(text, "t")

    kept = [line for line in after.split("\n") if "hangs" not in line]
    changed = [(old, new) for old, new in zip(text.split("\n"), kept, strict=True) if old != new]
    assert len(changed) == 1
    assert read_recipe(after, "t").rows[0].words == tuple(SCOPES[word] for word in words)
