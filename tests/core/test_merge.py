"""The merge of a base that moved: what comes from whom, file by file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.blob import blob_id
from bot.core.host import Node
from bot.core.image import ImageRef
from bot.core.merge import (
    MergePlan,
    NeedsPerson,
    Versions,
    contested,
    first_of,
    judged_by_ci,
    no_edit,
    plan_merge,
    repinned,
)
from bot.core.recipe import Track

BOTH = "the base and the branch both changed it"
GOLDEN = "tests/{model}/{test}/golden_values_{environment}_{platform}.json"


def node(text, mode="100644"):
    return None if text is None else Node(mode, blob_id(text.encode()))


def bumped(_path, text):
    """The bot's edit in these tests: a tag."""
    return text.replace("26.04", "26.06") if "26.04" in text else None


def merge(files, above=None, edits=None, rederive=bumped):
    """Merge `files`: the texts where both parted, on the branch, on the base."""
    versions = {path: Versions(*map(node, texts)) for path, texts in files.items()}
    texts = [{path: it[i] and it[i].encode() for path, it in files.items()} for i in (0, 2)]
    return plan_merge(
        versions,
        above or {},
        edits=edits or {},
        parted=texts[0],
        base=texts[1],
        rederive=rederive,
        yields=judged_by_ci(GOLDEN),
    )


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        pytest.param(("a", "b", "a"), node("b"), id="changed on the branch alone"),
        pytest.param((None, "b", None), node("b"), id="new on the branch"),
        pytest.param(("a", None, "a"), None, id="removed on the branch"),
    ],
)
def test_what_the_base_left_alone_is_the_branchs(texts, kept):
    assert merge({"x": texts}) == MergePlan({}, {"x": kept})


@pytest.mark.parametrize(
    "texts",
    [pytest.param(("a", "b", "b"), id="changed alike"), pytest.param(("a", None, None), id="removed alike")],
)
def test_what_both_changed_alike_is_there_already(texts):
    assert merge({"x": texts}) == MergePlan({}, {})


def test_the_bots_own_edit_is_made_anew_on_the_bases_text():
    plan = merge({"x": ("image: 26.04", "image: 26.06", "# Why\nimage: 26.04")})

    assert plan == MergePlan({"x": b"# Why\nimage: 26.06"}, {}, derived=("x",))


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(("26.04", "26.06 and more", "26.05"), id="the branch holds more than the bot's edit"),
        pytest.param(("26.04", "26.06", "gone"), id="the base has no place for the edit any more"),
        pytest.param(("26.04", None, "26.04 b"), id="removed on the branch, changed on the base"),
        pytest.param(("26.04", "26.06", None), id="changed on the branch, removed on the base"),
        pytest.param((None, "ours", "theirs"), id="new on both sides"),
        pytest.param(("a", "ours", "theirs"), id="no edit of the bot at all"),
    ],
)
def test_anything_else_that_both_changed_is_a_persons(texts):
    assert merge({"x": texts}) == NeedsPerson((("x", BOTH),))


def test_what_is_no_text_is_a_persons():
    odd = Versions(Node("100644", "1" * 40), Node("100644", "2" * 40), Node("100644", "3" * 40))
    no_texts = {"x": b"\xff"}
    plan = plan_merge(
        {"x": odd},
        {},
        edits={},
        parted=no_texts,
        base=no_texts,
        rederive=bumped,
        yields=judged_by_ci(None),
    )

    assert plan == NeedsPerson((("x", BOTH),))


@pytest.mark.parametrize(
    "path", ["tests/gpt/base/golden_values_dev_dgx_h100.json", "uv.lock", "tools/uv.lock"]
)
@pytest.mark.parametrize("texts", [("a", "b", "c"), (None, "b", "c"), ("a", "b", None)])
def test_a_golden_or_lock_file_that_both_changed_is_the_bases(path, texts):
    assert merge({path: texts}) == MergePlan({}, {}, from_base=(path,))


def test_a_golden_that_the_base_left_alone_is_the_branchs():
    path = "tests/gpt/base/golden_values_dev_dgx_h100.json"

    assert merge({path: ("a", "b", "a")}) == MergePlan({}, {path: node("b")})


@pytest.mark.parametrize(
    ("path", "is_judged"),
    [
        pytest.param("tests/gpt/base/golden_values_dev_dgx_h100.json", True, id="golden"),
        pytest.param("tests/gpt/base/more/golden_values_dev_dgx_h100.json", False, id="too deep"),
        pytest.param("tests/gpt/base/golden_values_dev_dgx_h100xjson", False, id="the dot is a dot"),
        pytest.param("x/tests/gpt/base/golden_values_dev_dgx_h100.json", False, id="elsewhere"),
        pytest.param("uv.lock.py", False, id="no lock file"),
    ],
)
def test_the_next_run_judges_goldens_and_lock_files(path, is_judged):
    assert judged_by_ci(GOLDEN)(path) is is_judged
    assert not judged_by_ci(None)("tests/gpt/base/golden_values_dev_dgx_h100.json")


def test_pins_that_only_the_base_holds_are_moved_and_the_branchs_own_files_win():
    edits = {"new": b"26.06", "kept": b"26.06"}

    plan = merge({"kept": ("26.04", "26.06 # by ada", "26.04")}, edits=edits)

    assert plan == MergePlan({"new": b"26.06"}, {"kept": node("26.06 # by ada")})


def test_a_folder_of_the_branch_that_is_a_file_on_the_base_is_a_persons():
    above = {"docs": node("a file"), "tests": Node("040000", "1" * 40), "none": None}

    plan = merge({"docs/a": (None, "b", None)}, above)

    assert plan == NeedsPerson((("docs", "it is a folder on the branch and none on the base"),))


def test_every_file_that_needs_a_person_is_named():
    files = dict.fromkeys(("x", "y"), ("a", "b", "c"))

    assert merge(files) == NeedsPerson((("x", BOTH), ("y", BOTH)))


TEXTS = st.sampled_from([None, "a", "b", "26.04", "26.06", "26.04 c", "26.06 c"])
FILES = st.dictionaries(
    st.sampled_from(["x", "y", "uv.lock"]),
    st.tuples(TEXTS, TEXTS, TEXTS).filter(lambda it: it[0] != it[1]),
)


@given(FILES)
def test_no_change_of_the_base_is_lost(files):
    plan = merge(files)

    for path, (parted, _, base) in files.items():
        if isinstance(plan, MergePlan) and base != parted:
            assert path not in plan.nodes
            assert path not in plan.texts or plan.texts[path] == bumped(path, base).encode()


@given(FILES)
def test_no_change_of_the_branch_is_lost_but_what_the_next_run_judges(files):
    plan = merge(files)

    if isinstance(plan, MergePlan):
        for path, (parted, head, base) in files.items():
            there = plan.nodes.get(path, base and node(base))
            kept = there == node(head) or head == bumped(path, parted or "")
            assert kept or path == "uv.lock"


@given(FILES)
def test_texts_are_read_only_of_what_both_changed(files):
    versions = {path: Versions(*map(node, texts)) for path, texts in files.items()}

    found = contested(versions, judged_by_ci(None))

    assert set(found) == {
        path
        for path, (parted, head, base) in files.items()
        if base not in (parted, head) and path != "uv.lock"
    }


TRACK = Track.model_validate(
    {
        "image": "nvcr.io/nvidia/pytorch",
        "tag": "YY.MM-py3",
        "title": "Move to {tag}",
        "pins": [{"path": "pin", "format": "whole-file"}],
    }
)
NEW = ImageRef("nvcr.io", "nvidia/pytorch", tag="26.06-py3")


@pytest.mark.parametrize(
    ("path", "text", "after"),
    [
        pytest.param(
            "pin", "nvcr.io/nvidia/pytorch:26.04-py3\n", "nvcr.io/nvidia/pytorch:26.06-py3\n", id="a pin"
        ),
        pytest.param("other", "nvcr.io/nvidia/pytorch:26.04-py3\n", None, id="a file without pins"),
        pytest.param("pin", "two\nlines\n", None, id="a pin that is not as the recipe says"),
    ],
)
def test_pins_are_moved_one_file_at_a_time(path, text, after):
    assert repinned(TRACK, NEW)(path, text) == after


def test_ways_of_deriving_are_asked_one_after_the_other():
    ways = first_of(lambda path, _text: "one" if path == "1" else None, lambda path, _text: path or None)

    assert [ways(path, "") for path in ("1", "2", "")] == ["one", "2", None]
    assert first_of(no_edit)("1", "text") is None
