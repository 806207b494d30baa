"""A quarantine of the ledger is done again where the base has changed its file."""

from datetime import date

from bot.core.testrecipes.again import quarantined_anew
from bot.core.testrecipes.ledger_block import Done, Entry
from tests.core.testrecipes.recipes import PATH, RECIPE, bump_recipe
from tests.core.testrecipes.test_plan import plan

BEFORE = "# a line that the base brought\n"


def entry(test="pair_tp2", **more):
    change = plan().changes[0]
    done = tuple(Done(change.path, hunk) for hunk in change.hunks)
    values = {
        "test": test,
        "model": "gpt",
        "platform": "dgx_h100",
        "reason": "hang",
        "remedy": "broken",
        "owner": None,
        "since": date(2026, 7, 1),
        "expires": date(2026, 9, 1),
        "done": done,
    }
    return Entry(**{**values, **more})


def anew(text, *entries, path=PATH):
    return quarantined_anew(bump_recipe(), lambda: entries)(path, text)


def test_the_same_rows_leave_the_gate_with_the_same_words_wherever_their_lines_are_now():
    (edit,) = plan().edits

    assert anew(RECIPE, entry()) == edit.after
    assert anew(BEFORE + RECIPE, entry()) == BEFORE + edit.after


def test_what_is_out_already_stays_as_it_is():
    (edit,) = plan().edits

    assert anew(edit.after, entry()) == edit.after


def test_a_file_without_a_quarantine_is_nobodys_to_change():
    assert anew(RECIPE, entry(), path="tests/test_utils/recipes/other.yaml") is None
    assert anew(RECIPE) is None
    assert anew(RECIPE, entry(remedy="allow-failure")) is None


def test_a_row_that_is_gone_asks_a_person():
    assert anew("type: basic\n", entry()) is None
    assert anew(RECIPE, entry(test="no_such_test", reason="over budget")) is None


def test_the_ledger_is_asked_once():
    asked = []

    def entries():
        asked.append(1)
        return [entry()]

    rederive = quarantined_anew(bump_recipe(), entries)
    rederive(PATH, RECIPE)
    rederive(PATH, RECIPE)

    assert asked == [1]
