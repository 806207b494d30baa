"""Taking a bump back: which files, and which of them are not the bot's to touch any more."""

import pytest

from bot.core.errors import Refused
from bot.core.host import Change, Node
from bot.core.undo import (
    NAMED,
    BumpBranch,
    ChangedSince,
    bump_of,
    changed_by,
    plan_undo,
    undo_branch,
    undo_subject,
)

A, B, C = (Node("100644", letter * 40) for letter in "abc")
ON_BRANCH = "a commit of somebody else on the branch changed it too"
ON_BASE = "the base has changed it since"


@pytest.mark.parametrize(
    ("branch", "base", "bump"),
    [
        pytest.param(
            "bot/base-image/main/dev-26.06-py3", "main", BumpBranch("dev", "26.06-py3"), id="a bump"
        ),
        pytest.param(
            "bot/base-image/core/r0.17/lts-26.06-py3",
            "core/r0.17",
            BumpBranch("lts", "26.06-py3"),
            id="a base with a slash",
        ),
        pytest.param(
            "bot/base-image/main/dev-next-26.06-py3",
            "main",
            BumpBranch("dev-next", "26.06-py3"),
            id="the longer of two tracks",
        ),
        pytest.param("bot/base-image/main/dev-26.06-py3", "r1", None, id="another base"),
        pytest.param("bot/base-image/main/next-26.06-py3", "main", None, id="no track"),
        pytest.param("bot/base-image/main/dev-", "main", None, id="no tag"),
        pytest.param("bot/base-image/main/undo-dev-26.06-py3", "main", None, id="an undoing"),
        pytest.param("topic", "main", None, id="a person's branch"),
    ],
)
def test_a_branch_of_the_bot_says_what_it_moves(branch, base, bump):
    assert bump_of(branch, base, ("dev", "dev-next", "lts")) == bump


def test_an_undoing_has_a_branch_and_a_subject_of_its_own():
    assert undo_branch("main", BumpBranch("dev", "26.06-py3")) == "bot/base-image/main/undo-dev-26.06-py3"
    assert undo_subject("Move to 26.06") == 'Revert "Move to 26.06"'


@pytest.mark.parametrize(
    ("change", "back"),
    [
        pytest.param(Change(A, B), {"x": A}, id="changed"),
        pytest.param(Change(None, B), {"x": None}, id="made"),
        pytest.param(Change(A, None), {"x": A}, id="removed"),
    ],
)
def test_what_the_bot_did_on_its_branch_goes_back(change, back):
    assert plan_undo({"x": change}, ours={"x"}, others=()) == back


def test_what_only_others_did_stays():
    assert plan_undo({"x": Change(A, B)}, ours=(), others={"x"}) == {}


def refused(**how):
    with pytest.raises(ChangedSince) as caught:
        plan_undo({"x": Change(A, B), "y": Change(A, B)}, **how)
    return caught.value


def test_what_others_changed_too_refuses_all_of_it():
    error = refused(ours={"x", "y"}, others={"x"})

    assert error.files == (("x", ON_BRANCH),)
    assert f"x: {ON_BRANCH}" in str(error)
    assert isinstance(error, Refused)


@pytest.mark.parametrize(
    ("there", "back"),
    [
        pytest.param(B, {"x": A}, id="as the bump left it"),
        pytest.param(A, {}, id="back already"),
    ],
)
def test_a_base_gets_back_what_it_still_holds_of_the_bump(there, back):
    assert plan_undo({"x": Change(A, B)}, ours={"x"}, others=(), now={"x": there}) == back


@pytest.mark.parametrize("there", [C, None])
def test_what_the_base_changed_since_refuses_all_of_it(there):
    assert refused(ours={"x", "y"}, others=(), now={"x": there, "y": B}).files == (("x", ON_BASE),)


def test_a_file_that_is_back_already_refuses_nothing_whoever_changed_it():
    assert plan_undo({"x": Change(A, B)}, ours={"x"}, others={"x"}, now={"x": A}) == {}


def test_a_refusal_of_many_files_names_the_first_and_keeps_all():
    files = tuple((f"file {n}", ON_BASE) for n in range(NAMED + 3))

    error = ChangedSince(files)

    assert error.files == files
    assert str(error).endswith("… and 3 more")
    assert str(error).count(ON_BASE) == NAMED


def test_a_name_from_outside_is_one_line():
    assert len(str(ChangedSince((("a\nb", ON_BASE),))).splitlines()) == 2


@pytest.mark.parametrize(
    ("diffs", "paths"),
    [
        pytest.param({}, set(), id="no commit"),
        pytest.param({"1": ({"x"},), "2": ({"y"},)}, {"x", "y"}, id="each with one parent"),
        pytest.param({"1": ({"x", "y"}, {"y", "z"})}, {"y"}, id="a merge, and what it settled"),
        pytest.param({"1": ({"x"}, set())}, set(), id="a merge that settled nothing"),
        pytest.param({"1": ()}, set(), id="a first commit of all"),
    ],
)
def test_a_commit_has_changed_what_differs_from_all_its_parents(diffs, paths):
    assert changed_by(diffs) == paths
