"""The exact text that a row had before, by its ledger, by the history of the file, or by the row alone."""

import pytest

from bot.core.pins.errors import PinError
from bot.core.testrecipes.flip import flip
from bot.core.testrecipes.hunk import Hunk, apply, ending, way_back
from bot.core.testrecipes.rows import read_recipe
from bot.core.testrecipes.way_back import from_history, from_ledger, from_row
from tests.core.testrecipes.recipes import HEAD, PAIR, RECIPE, SCOPES, TINY, row

OURS = ["# Quarantined (hang); see https://github.com/a/b/issues/7"]
THEIRS = ["# Broken: hangs in CI"]


def done(text, test="t", comment=OURS):
    recipe = read_recipe(text, test)
    rows = [it for it in recipe.rows if "dev" in it.environments]
    (hunk,) = flip(text, recipe, rows, SCOPES, comment)
    return hunk


def by_ledger(text, hunk, test="t"):
    recipe = read_recipe(text, test)
    back = from_ledger(text, recipe, recipe.rows[-1], hunk, SCOPES)
    return apply(text, [back]) if back else None


def by_history(text, *earlier, test="t"):
    recipe = read_recipe(text, test)
    back = from_history(text, recipe, recipe.rows[-1], earlier, SCOPES)
    return apply(text, [back]) if back else None


def by_row(text, test="t"):
    recipe = read_recipe(text, test)
    return apply(text, [from_row(text, recipe, recipe.rows[-1], SCOPES)])


SHAPES = [
    pytest.param(RECIPE, "tiny_tp1", id="a row"),
    pytest.param(RECIPE, "pair_tp2", id="a trailing comment, another row above"),
    pytest.param(RECIPE.replace("\n", "\r\n"), "tiny_tp1", id="CRLF"),
    pytest.param((HEAD + TINY).rstrip("\n"), "tiny_tp1", id="no line feed at the end"),
    pytest.param("\ufeff" + RECIPE, "tiny_tp1", id="byte order mark"),
    pytest.param(
        RECIPE.replace("- environment: [dev]\n        scope: [mr, ", "- scope: [mr, "),
        "tiny_tp1",
        id="first key",
    ),
    pytest.param(
        RECIPE.replace("[mr, mr-github]\n", "[mr,\n          mr-github]\n"), "tiny_tp1", id="two lines"
    ),
]


@pytest.mark.parametrize(("text", "test"), SHAPES)
def test_each_witness_leads_back_to_the_same_bytes(text, test):
    if test == "tiny_tp1" and "environment: [dev]" not in text.partition("tiny_tp1")[2].partition("pair")[0]:
        text = text.replace("mr-github]\n", "mr-github]\n        environment: [dev]\n", 1)
    hunk = done(text, test)
    after = apply(text, [hunk])

    assert by_ledger(after, hunk, test) == text
    assert by_history(after, after, text, test=test) == text
    assert by_row(after, test) == text


def test_comments_that_were_there_before_stay():
    text = row().replace("        scope", "        # slow on purpose\n        scope")
    hunk = done(text)
    after = apply(text, [hunk])

    assert [by_ledger(after, hunk), by_history(after, text), by_row(after)] == [text] * 3


def test_a_comment_in_a_persons_words_goes_where_a_witness_tells():
    hunk = done(row(), comment=[*THEIRS, "# in two lines"])
    after = apply(row(), [hunk])

    assert [by_ledger(after, hunk), by_history(after, row())] == [row()] * 2
    with pytest.raises(PinError, match="comment above does not tell"):
        by_row(after)


def test_a_lone_comment_that_names_an_issue_came_with_the_quarantine():
    after = apply(row(), [done(row(), comment=["# Broken: hangs — see issue #4657."])])

    assert by_row(after) == row()


def test_a_row_that_moved_in_its_file_is_found_again():
    hunk = done(row())
    moved = apply(row(), [hunk]).replace(HEAD, HEAD + TINY)

    assert by_ledger(moved, hunk) == row().replace(HEAD, HEAD + TINY)


def test_history_goes_back_to_when_the_whole_row_ran():
    partly = row("[mr-broken, mr-github]")

    assert by_history(row("[mr-broken, mr-github-broken]"), partly, row("[mr, mr-github]")) == row(
        "[mr, mr-github]"
    )


def test_history_tells_of_a_row_half_of_which_a_person_took_out():
    assert by_history(row("[mr, mr-github-broken]"), row("[mr, mr-github]")) == row("[mr, mr-github]")


@pytest.mark.parametrize(
    "earlier",
    [
        pytest.param([], id="no history"),
        pytest.param(["\tbad", ""], id="versions that say nothing"),
        pytest.param([row("[nightly]")], id="another word"),
        pytest.param([row("[mr]  # since then changed")], id="another trailing comment"),
        pytest.param([row("[mr, mr-github]")], id="another number of words"),
        pytest.param([row(platforms="[dgx_gb200]")], id="another platform"),
        pytest.param(
            [row().replace("        sc", "        # gone since\n        sc")], id="a comment that went"
        ),
        pytest.param([row().replace("        scope: [mr]\n", "")], id="no scope"),
        pytest.param([apply(row(), [done(row())])], id="never another"),
    ],
)
def test_history_that_does_not_lead_here_says_nothing(earlier):
    after = apply(row(), [done(row())])

    assert by_history(after, *earlier) is None


@pytest.mark.parametrize(
    "hunk",
    [
        pytest.param(Hunk(15, ("        scope: [mr]",), ("gone",)), id="lines that are not there"),
        pytest.param(Hunk(15, ("        scope: [mr]",), ()), id="no lines"),
        pytest.param(
            Hunk(15, ("        scope: [mr]", "        script: rm"), ("        scope: [mr-broken]",)),
            id="another key",
        ),
        pytest.param(
            Hunk(15, ("        scope: [nightly]",), ("        scope: [mr-broken]",)), id="another word"
        ),
        pytest.param(Hunk(15, ("        scope: [mr",), ("        scope: [mr-broken]",)), id="no YAML"),
        pytest.param(
            Hunk(15, ("        # scope: [mr]",), ("        scope: [mr-broken]",)), id="a comment only"
        ),
        pytest.param(
            Hunk(15, ("        # more", "        scope: [mr]"), ("        scope: [mr-broken]",)),
            id="a comment that never was",
        ),
        pytest.param(
            Hunk(16, ("        platforms: [dgx_gb200]",), ("        platforms: [dgx_h100]",)),
            id="another line",
        ),
    ],
)
def test_a_ledger_that_the_file_does_not_bear_out_says_nothing(hunk):
    assert by_ledger(row("[mr-broken]"), hunk) is None


@pytest.mark.parametrize(
    ("scope", "says"),
    [
        pytest.param("[mr, mr-github-broken]", "`mr` does not tell", id="half of it runs"),
        pytest.param("[flaky]", "`flaky` does not tell", id="another word"),
        pytest.param("[]", "has no scope", id="none"),
    ],
)
def test_a_row_that_may_have_been_another_is_refused(scope, says):
    with pytest.raises(PinError, match=says) as error:
        by_row(row(scope))

    assert error.value.line


def test_a_word_with_two_counterparts_does_not_tell():
    text = row("[off]")
    recipe = read_recipe(text, "t")

    with pytest.raises(PinError, match="`off` does not tell"):
        from_row(text, recipe, recipe.rows[0], {"mr": "off", "nightly": "off"})


def test_lines_that_stand_twice_are_not_undone():
    assert way_back("a\na\n", Hunk(1, (), ("a",)), range(3)) is None
    assert way_back("a\nb\n", Hunk(1, ("c",), ("a",)), range(3)) == Hunk(1, ("a",), ("c",))


def test_a_hunk_is_done_only_where_it_was_planned():
    with pytest.raises(PinError, match="not as they were planned"):
        apply("a\nb\n", [Hunk(2, ("a",), ())])


def test_a_hunk_knows_its_lines():
    assert Hunk(3, ("a",), ("b", "c")).lines == (3, 4)
    assert Hunk(3, ("a", "b"), ()).lines == (3, 4)


@pytest.mark.parametrize(
    ("text", "at", "end"),
    [("a\r\nb\r\n", 0, "\r"), ("a\r\nb", 1, "\r"), ("a\nb", 1, ""), ("a", 0, ""), ("a\r\nb\n", 1, "")],
)
def test_a_new_line_ends_as_its_neighbour(text, at, end):
    assert ending(text.split("\n"), at) == end


def test_a_pair_keeps_its_other_row():
    after = apply(HEAD + PAIR, [done(HEAD + PAIR, "pair_tp2")])

    assert by_row(after, "pair_tp2") == HEAD + PAIR
