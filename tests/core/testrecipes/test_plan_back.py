"""A quarantined test gets exactly the text that it had before."""

import pytest

from bot.core.errors import Refused, UsageError
from bot.core.pins.errors import PinError
from bot.core.testrecipes.plan import plan_quarantine
from bot.core.testrecipes.plan_back import Witnesses, plan_unquarantine
from bot.core.testrecipes.request import AllowFailure, QuarantineRequest, UnquarantineRequest
from bot.core.testrecipes.target import parse_target
from tests.core.testrecipes.recipes import HEAD, PATH, RECIPE, TINY, bump_recipe, row

ISSUE = "https://github.com/NVIDIA/Megatron-LM/issues/7"
UNIT = "tests/unit_tests/test_x.py"
FILES = {PATH: RECIPE.encode(), UNIT: b"import pytest\n\n\n# slow\ndef test_y():\n    pass\n"}


def nothing(_path):
    return []


def taken_out(test="tiny_tp1", files=FILES, **more):
    return plan_quarantine(bump_recipe(), files, QuarantineRequest(parse_target(test), "hang", ISSUE, **more))


def after(plan, files=FILES):
    return {**files, **{it.path: it.after.encode() for it in plan.edits}}


def put_back(files, test="tiny_tp1", *, ledger=(), earlier=nothing, platform=None, track="dev"):
    request = UnquarantineRequest(parse_target(test), platform, track)
    hunks = {it.path: it.hunks for it in ledger}
    return plan_unquarantine(bump_recipe(), files, request, Witnesses(hunks, earlier))


UNIT_TEST = f"{UNIT}::test_y"


@pytest.mark.parametrize("test", ["tiny_tp1", "pair_tp2", UNIT_TEST])
@pytest.mark.parametrize("witness", ["ledger", "history", "the text itself"])
def test_each_witness_restores_every_byte(test, witness):
    out = taken_out(test)
    known = {
        "ledger": {"ledger": out.changes},
        "history": {"earlier": lambda path: [b"\xff", after(out)[path], FILES[path]]},
        "the text itself": {},
    }[witness]

    assert after(put_back(after(out), test, **known), after(out)) == FILES


@pytest.mark.parametrize("test", ["tiny_tp1", UNIT_TEST])
def test_a_ledger_that_is_not_borne_out_gives_way_to_the_history(test):
    out = taken_out(test, comment="in a person's words\nof two lines")
    others = taken_out(test, comment="other words").changes

    with pytest.raises(PinError, match="does not tell"):
        put_back(after(out), test, ledger=others)
    restored = put_back(after(out), test, ledger=others, earlier=lambda path: [FILES[path]])
    assert after(restored, after(out)) == FILES


def test_words_marks_and_lines_are_said():
    plan = put_back(after(taken_out()))

    assert (plan.before, plan.after) == (("mr-broken", "mr-github-broken"), ("mr", "mr-github"))
    assert plan.edits[0].lines == (15,)
    unit = put_back(after(taken_out(UNIT_TEST)), UNIT_TEST)
    assert (unit.before, unit.after, unit.notices) == (("flaky_in_dev",), (), ())


def test_a_mark_of_the_other_track_goes_with_a_word_about_its_reach():
    out = taken_out(UNIT_TEST, track="lts")

    plan = put_back(after(out), UNIT_TEST, track="lts")

    assert after(plan, after(out)) == FILES
    assert "only GitLab" in plan.notices[0]


def test_a_row_that_may_fail_is_held_to_its_result_again():
    out = taken_out("pair_tp2", remedy=AllowFailure())

    plan = put_back(after(out), "pair_tp2")

    assert after(plan, after(out)) == FILES
    assert plan.before == ("allow_failure",)


def test_a_row_both_out_and_allowed_to_fail_gets_back_both():
    files = after(taken_out("pair_tp2", remedy=AllowFailure()))
    both = after(taken_out("pair_tp2", files), files)

    plan = put_back(both, "pair_tp2")

    assert after(plan, both) == FILES
    assert plan.before == ("mr-broken", "allow_failure")


def test_a_test_that_runs_needs_nothing():
    assert put_back(FILES).changes == ()


def test_several_rows_come_back_in_one_go():
    more = "      - environment: [dev]\n        scope: [nightly]\n        platforms: [dgx_h100]\n"
    files = {PATH: (HEAD + TINY + more).encode()}
    out = after(taken_out(files=files), files)

    assert after(put_back(out), out) == files


@pytest.mark.parametrize(
    ("files", "test", "says"),
    [
        pytest.param(
            {PATH: row("[mr, mr-github-broken]").encode()}, "t", "`mr` does not tell", id="ambiguous"
        ),
        pytest.param(
            {PATH: row("[deprecated]").encode()}, "t", "`deprecated` is no scope", id="another word"
        ),
        pytest.param(FILES, "absent", "no test recipe", id="unknown"),
        pytest.param(FILES, "tests/unit_tests/b.py::test_y", "no such file", id="no file"),
        pytest.param({UNIT: b"\xff"}, UNIT_TEST, "not UTF-8", id="not UTF-8"),
        pytest.param(FILES, UNIT_TEST, "no mark", id="not marked"),
    ],
)
def test_what_cannot_be_told_is_refused(files, test, says):
    with pytest.raises(Refused, match=says) as error:
        put_back(files, test)

    assert error.value.path


def test_a_unit_test_has_no_platform():
    with pytest.raises(UsageError, match="every platform"):
        put_back(FILES, UNIT_TEST, platform="dgx_h100")
