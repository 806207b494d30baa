"""A request and the files → the edits for one test, or the reason why a person has to settle something."""

import pytest

from bot.core.errors import BotError, Refused, UsageError
from bot.core.pins.errors import PinError
from bot.core.testrecipes.plan import place_of, plan_quarantine
from bot.core.testrecipes.request import AllowFailure, Broken, QuarantineRequest, Repeats
from bot.core.testrecipes.target import parse_target
from tests.core.testrecipes.recipes import HEAD, PATH, RECIPE, TINY, bump_recipe, row

ISSUE = "https://github.com/NVIDIA/Megatron-LM/issues/7"
OTHER = "tests/test_utils/recipes/gb200/gpt.yaml"
CONFIG = "cases/gpt/tiny_tp1/model_config.yaml"
UNIT = "tests/unit_tests/a/test_x.py"
FILES = {
    PATH: RECIPE.encode(),
    OTHER: (HEAD + TINY).replace("dgx_h100", "dgx_gb200").encode(),
    "tests/test_utils/recipes/moe.yaml": b"\t- not YAML, and of no test here\n",
    "tests/test_utils/recipes/gone.yaml": None,
    CONFIG: b"ENV_VARS:\n  A: 1\n",
    UNIT: b"import pytest\n\n\ndef test_y():\n    pass\n",
}


def request(test="pair_tp2", **more):
    return QuarantineRequest(**{"target": parse_target(test), "reason": "hang", "issue": ISSUE, **more})


def plan(test="pair_tp2", files=FILES, recipe=None, **more):
    return plan_quarantine(recipe or bump_recipe(), files, request(test, **more))


def test_a_test_is_taken_out_with_the_bots_own_words():
    found = plan(why="no line of log for 20 minutes")

    (edit,) = found.edits
    comment = f"# Quarantined (hang): no line of log for 20 minutes; see {ISSUE}"
    assert f"        {comment}\n        scope: [mr-broken] #[mr, mr-github]" in edit.after
    lines = edit.after.split("\n")
    assert [lines[line - 1].strip() for line in edit.lines] == [
        comment,
        "scope: [mr-broken] #[mr, mr-github] - broken on GitHub",
    ]
    assert (found.test, found.model, found.platform) == ("pair_tp2", "gpt", "dgx_h100")
    assert (found.before, found.after) == (("mr",), ("mr-broken",))
    assert found.diff.startswith(f"--- a/{PATH}\n+++ b/{PATH}\n")
    assert "run nowhere any more" in found.notices[0]


def test_a_persons_comment_replaces_the_bots():
    assert (
        "        # Broken: hangs.\n        # See #4657.\n"
        in plan(comment="Broken: hangs.\nSee #4657.").edits[0].after
    )


def test_a_test_of_two_platforms_is_taken_out_where_it_is_asked_for():
    assert [it.path for it in plan("tiny_tp1", platform="dgx_gb200").edits] == [OTHER]
    assert [it.path for it in plan("gpt/tiny_tp1", platform="dgx_h100").edits] == [PATH]


def test_all_rows_of_a_test_go_in_one_go_wherever_they_stand():
    files = {
        PATH: (HEAD + TINY).encode(),
        OTHER: (HEAD + TINY.replace("[mr, mr-github]", "[nightly]")).encode(),
    }

    found = plan("tiny_tp1", files)

    assert [it.path for it in found.edits] == [PATH, OTHER]
    assert found.before == ("mr", "mr-github", "nightly")
    assert found.after == ("mr-broken", "mr-github-broken", "nightly-broken")


def test_two_rows_of_one_file_go_in_one_go():
    more = "      - environment: [dev]\n        scope: [nightly]\n        platforms: [dgx_h100]\n"
    (edit,) = plan("tiny_tp1", {PATH: (HEAD + TINY + more).encode()}).edits
    lines = edit.after.split("\n")

    assert [lines[line - 1].strip().partition(" ")[0] for line in edit.lines] == ["#", "scope:"] * 2


@pytest.mark.parametrize(
    "more",
    [{}, {"remedy": AllowFailure()}, {"test": f"{UNIT}::test_y"}, {"test": "tiny_tp1", "remedy": Repeats(2)}],
    ids=["flip", "allow-failure", "mark", "n-repeat"],
)
def test_what_is_as_asked_for_already_changes_nothing(more):
    words = {"platform": "dgx_h100" if more.get("test") == "tiny_tp1" else None, **more}
    done = {it.path: it.after.encode() for it in plan(**words).edits}
    assert done

    assert plan(**words, files={**FILES, **done}).changes == ()


def test_what_is_out_under_another_issue_is_refused():
    done = {it.path: it.after.encode() for it in plan().edits}

    with pytest.raises(PinError, match="out of the gate already"):
        plan(files={**FILES, **done}, issue=f"{ISSUE}7")


def test_a_test_may_fail_on_gitlab():
    found = plan(remedy=AllowFailure(), comment=f"TODO: remove after {ISSUE}")

    assert f"        allow_failure: [true] # TODO: remove after {ISSUE}\n" in found.edits[0].after
    assert (found.before, found.after) == ((), ("allow_failure",))
    assert "only GitLab" in found.notices[0]


def test_a_test_that_github_runs_as_well_is_not_allowed_to_fail():
    with pytest.raises(PinError, match="GitHub's CI runs") as error:
        plan("tiny_tp1", platform="dgx_h100", remedy=AllowFailure())

    assert (error.value.path, error.value.line) == (PATH, 15)


def test_repeats_are_set_without_an_issue():
    found = plan("tiny_tp1", remedy=Repeats(1), issue=None, reason=None)

    assert found.edits[0].after == "ENV_VARS:\n  A: 1\n  N_REPEAT: 1\n"
    assert (found.platform, found.after) == (None, ("N_REPEAT=1",))
    assert "every platform" in found.notices[0]


def test_repeats_name_the_issue_if_there_is_one():
    found = plan("tiny_tp1", remedy=Repeats(1), reason=None)

    assert f"  # Quarantined (over budget); see {ISSUE}\n  N_REPEAT: 1\n" in found.edits[0].after


@pytest.mark.parametrize(
    ("track", "mark", "notices"), [("dev", "flaky_in_dev", 0), ("lts", "flaky", 1)], ids=["dev", "lts"]
)
def test_a_unit_test_is_marked(track, mark, notices):
    found = plan(f"{UNIT}::test_y", track=track)

    assert f"\n# Quarantined (hang); see {ISSUE}\n@pytest.mark.{mark}\ndef test_y" in found.edits[0].after
    assert (found.model, found.platform, found.after) == ("", None, (mark,))
    assert len(found.notices) == notices
    assert all("only GitLab" in it for it in found.notices)


RECIPES = "tests/test_utils/recipes"


def mixed(**more):
    return {PATH: row(**more).encode()}


@pytest.mark.parametrize(
    ("words", "kind", "path", "line", "says"),
    [
        pytest.param({"test": "pair_tp3"}, Refused, RECIPES, None, "no test recipe names", id="unknown test"),
        pytest.param(
            {"test": "moe/pair_tp2"}, Refused, RECIPES, None, "no test recipe names", id="another model"
        ),
        pytest.param({"files": {}}, Refused, RECIPES, None, "no test recipe names", id="no recipes"),
        pytest.param(
            {"test": "tiny_tp1"},
            UsageError,
            None,
            None,
            "runs on `dgx_gb200` and `dgx_h100`",
            id="which platform",
        ),
        pytest.param(
            {"platform": "dgx_a100"},
            PinError,
            PATH,
            23,
            "no row on `dgx_a100`, only on `dgx_h100`",
            id="another platform",
        ),
        pytest.param(
            {"test": "t", "files": mixed(environment="[lts]")},
            PinError,
            PATH,
            14,
            "no row in environment",
            id="only lts",
        ),
        pytest.param(
            {"test": "t", "files": mixed(environment="[lts, dev]")},
            PinError,
            PATH,
            14,
            "mixes environments: `lts`, `dev`",
            id="two environments",
        ),
        pytest.param(
            {"test": "t", "platform": "dgx_h100", "files": mixed(platforms="[dgx_a100, dgx_h100]")},
            PinError,
            PATH,
            14,
            "mixes platforms",
            id="two platforms",
        ),
        pytest.param(
            {"test": "t", "files": mixed(platforms="[dg  x_h100]")},
            PinError,
            PATH,
            14,
            "no platform's name",
            id="a typo",
        ),
        pytest.param(
            {"test": "t", "files": mixed(platforms="[]")},
            PinError,
            PATH,
            14,
            "no row on ``, only on none",
            id="no platform",
        ),
        pytest.param(
            {"test": "t", "files": {PATH: row().replace("[t]", "[t, u]").encode()}},
            PinError,
            PATH,
            14,
            "mixes tests: `t`, `u`",
            id="two tests",
        ),
        pytest.param(
            {"test": "u", "files": {PATH: row().replace("[t]", "[t, u]").encode()}},
            PinError,
            PATH,
            14,
            "reads only the first name",
            id="the second test",
        ),
        pytest.param(
            {"test": "tiny_tp1", "files": {PATH: (HEAD + TINY + TINY).encode()}},
            PinError,
            PATH,
            19,
            "has the same test, platform and scope `mr`",
            id="a row twice",
        ),
        pytest.param(
            {"test": "tiny_tp1", "files": {PATH: (HEAD + TINY).encode(), OTHER: (HEAD + TINY).encode()}},
            PinError,
            OTHER,
            14,
            f"{PATH}:14 has the same test",
            id="a row in two files",
        ),
        pytest.param(
            {"files": {PATH: RECIPE.replace("  - test_case: [pair", "\t- test_case: [pair").encode()}},
            PinError,
            PATH,
            17,
            "not valid YAML",
            id="a tab",
        ),
        pytest.param({"files": {PATH: b"pair_tp2 \xff"}}, PinError, PATH, None, "not UTF-8", id="not UTF-8"),
        pytest.param(
            {"test": "t", "files": mixed(scope="[flaky]")},
            PinError,
            PATH,
            15,
            "is no scope",
            id="another word",
        ),
        pytest.param({"reason": None}, UsageError, None, None, "class of the failure", id="no class"),
        pytest.param({"issue": None}, UsageError, None, None, "only with an issue", id="no issue"),
        pytest.param({"track": "lts"}, Refused, None, None, "environment `lts`", id="an lts row"),
        pytest.param(
            {"remedy": Repeats(2)},
            Refused,
            "cases/gpt/pair_tp2/model_config.yaml",
            None,
            "no such file",
            id="no model config",
        ),
        pytest.param(
            {"test": "tiny_tp1", "remedy": Repeats(2), "files": {**FILES, CONFIG: b"A: 1"}},
            PinError,
            CONFIG,
            None,
            "no `ENV_VARS`",
            id="odd model config",
        ),
        pytest.param(
            {"test": "tiny_tp1", "remedy": Repeats(2), "files": {**FILES, CONFIG: b"\xff"}},
            PinError,
            CONFIG,
            None,
            "not UTF-8",
            id="model config not UTF-8",
        ),
        pytest.param(
            {"test": "tests/unit_tests/b.py::test_y"},
            Refused,
            "tests/unit_tests/b.py",
            None,
            "no such file",
            id="no unit test file",
        ),
        pytest.param(
            {"test": f"{UNIT}::test_z"}, PinError, UNIT, None, "no test `test_z`", id="no unit test"
        ),
        pytest.param(
            {"test": "tests/other/b.py::test_y"}, UsageError, None, None, "is not below", id="elsewhere"
        ),
        pytest.param(
            {"test": f"{UNIT}::test_y", "track": "x"},
            UsageError,
            None,
            None,
            "no mark for track",
            id="no mark",
        ),
        pytest.param(
            {"test": f"{UNIT}::test_y", "remedy": AllowFailure()},
            UsageError,
            None,
            None,
            "only be marked",
            id="remedy of a unit test",
        ),
        pytest.param(
            {"test": f"{UNIT}::test_y", "platform": "x"},
            UsageError,
            None,
            None,
            "every platform",
            id="platform of a unit test",
        ),
    ],
)
def test_what_a_person_has_to_settle_is_refused_with_its_place(words, kind, path, line, says):
    with pytest.raises(BotError) as error:
        plan(**words)

    assert says in error.value.message
    assert (type(error.value), error.value.path, error.value.line) == (kind, path, line)


def test_a_name_of_two_models_has_to_be_said_in_full():
    files = {PATH: (HEAD + TINY).encode(), OTHER: (HEAD + TINY).replace("model: gpt", "model: moe").encode()}

    with pytest.raises(UsageError, match="several models") as error:
        plan("tiny_tp1", files)
    assert error.value.hint == "name one of `gpt/tiny_tp1`, `moe/tiny_tp1`"
    assert plan("moe/tiny_tp1", files).edits[0].path == OTHER


@pytest.mark.parametrize(
    ("test", "files", "hint"),
    [
        ("pair_tp", FILES, "similar are: `pair_tp2`"),
        ("zzz", FILES, "name it as the recipe does"),
        ("pair_tp", {}, "is this the folder of the test recipes?"),
    ],
)
def test_an_unknown_name_comes_with_similar_ones(test, files, hint):
    with pytest.raises(Refused) as error:
        plan(test, files)

    assert error.value.hint.startswith(hint)


def test_a_recipe_without_the_section_is_a_wrong_recipe():
    recipe = bump_recipe().model_copy(update={"quarantine": None})

    with pytest.raises(UsageError, match="does not say how"):
        plan(recipe=recipe)


def test_a_recipe_without_unit_tests_marks_none():
    with pytest.raises(UsageError, match="how a unit test is marked"):
        plan(f"{UNIT}::test_y", recipe=bump_recipe(unit_tests=None))


def test_the_place_of_a_test_is_known_before_anything_is_planned():
    recipe = bump_recipe()

    assert place_of(recipe, FILES, request()) == ("gpt", "dgx_h100")
    assert place_of(recipe, FILES, request("tiny_tp1", remedy=Repeats(1))) == ("gpt", None)
    assert place_of(recipe, FILES, request(f"{UNIT}::test_y", remedy=Broken())) == ("", None)
