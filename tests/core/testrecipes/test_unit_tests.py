"""A unit test leaves the gate with a mark, and comes back."""

import inspect
import sys

import pytest

from bot.core.pins.errors import PinError
from bot.core.testrecipes.hunk import Hunk, apply
from bot.core.testrecipes.target import UnitTest
from bot.core.testrecipes.unit_tests import (
    is_marked,
    mark,
    unmark_from_file,
    unmark_from_history,
    unmark_from_ledger,
)

MARK = "flaky_in_dev"
COMMENT = ["# Quarantined (hang); see https://github.com/a/b/issues/7"]
PATH = "tests/unit_tests/test_x.py"

PLAIN = """\
import os

import pytest


def helper():
    def test_inner():
        pass


# says what it is for
def test_one():
    assert os


class TestX:
    @pytest.mark.skipif(not os, reason="no")
    @pytest.mark.parametrize("a", [1, 2])
    def test_two(self, a):
        assert a

    async def test_three(self):
        pass

    class TestInner:
        def test_two(self): pass
"""


def target(names):
    return UnitTest(PATH, tuple(names.split("::")))


def marked(text, names="test_one", name=MARK, comment=COMMENT):
    return apply(text, [mark(text, target(names), name, comment)])


@pytest.mark.parametrize(
    ("names", "before", "after"),
    [
        pytest.param(
            "test_one",
            "def test_one",
            f"{COMMENT[0]}\n@pytest.mark.flaky_in_dev\ndef test_one",
            id="a function",
        ),
        pytest.param(
            "TestX::test_two",
            "    @pytest.mark.skipif",
            f"    {COMMENT[0]}\n    @pytest.mark.flaky_in_dev\n    @pytest.mark.skipif",
            id="a method with decorators",
        ),
        pytest.param(
            "TestX::test_three",
            "    async def",
            f"    {COMMENT[0]}\n    @pytest.mark.flaky_in_dev\n    async def",
            id="an async method",
        ),
        pytest.param(
            "TestX::TestInner::test_two",
            "        def test_two",
            f"        {COMMENT[0]}\n        @pytest.mark.flaky_in_dev\n        def test_two",
            id="a method of an inner class",
        ),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("lead", ["", "\ufeff"])
def test_the_mark_comes_on_top_with_its_comment(names, before, after, end, lead):
    text = lead + PLAIN.replace("\n", end)
    at = text.rindex(before) if names.count("::") == 2 else text.index(before)
    wanted = f"{text[:at]}{after.replace(chr(10), end)}{text[at + len(before) :]}"

    hunk = mark(text, target(names), MARK, COMMENT)
    assert apply(text, [hunk]) == wanted
    for back in (
        unmark_from_ledger(wanted, target(names), MARK, hunk),
        unmark_from_history(wanted, target(names), MARK, ["def (", wanted, text]),
        unmark_from_file(wanted, target(names), MARK),
    ):
        assert apply(wanted, [back]) == text


@pytest.mark.parametrize(
    ("imported", "name"),
    [
        ("import pytest", "@pytest.mark.x"),
        ("import os, pytest as pt", "@pt.mark.x"),
        ("import torch\nimport pytest", "@pytest.mark.x"),
    ],
)
def test_pytest_is_called_as_the_file_calls_it(imported, name):
    assert marked(f"{imported}\ndef test_one(): pass\n", name="x", comment=[]).split("\n")[-3] == name


@pytest.mark.parametrize(
    "imported", ["", "from pytest import mark", "import pytest.x", "if a:\n    import pytest"]
)
def test_a_file_that_does_not_import_pytest_plainly_is_refused(imported):
    with pytest.raises(PinError, match="does not import pytest") as error:
        marked(f"{imported}\ndef test_one(): pass\n")

    assert error.value.hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("import pytest\n@pytest.mark.flaky_in_dev\ndef test_one(): pass\n", 2, id="itself"),
        pytest.param(
            "import pytest\n@pytest.mark.flaky_in_dev(reason='x')\ndef test_one(): pass\n",
            2,
            id="with a reason",
        ),
        pytest.param(
            "import pytest\nfrom pytest import mark\n@mark.flaky_in_dev\ndef test_one(): pass\n",
            3,
            id="by another name",
        ),
        pytest.param(
            "import pytest\npytestmark = pytest.mark.flaky_in_dev\ndef test_one(): pass\n", 2, id="the file"
        ),
        pytest.param(
            "import pytest\nX=1\npytestmark = [pytest.mark.a, pytest.mark.flaky_in_dev]\ndef test_one(): 1\n",
            3,
            id="the file in a list",
        ),
    ],
)
def test_a_test_that_is_marked_already_is_refused(text, line):
    with pytest.raises(PinError, match="marked with `flaky_in_dev` already") as error:
        marked(text)

    assert error.value.line == line


@pytest.mark.parametrize(
    "lines",
    [
        "@pytest.mark.flaky_in_dev\nclass T:\n    x = 1\n",
        "class T:\n    pytestmark = [pytest.mark.flaky_in_dev]\n",
    ],
)
def test_a_test_whose_class_is_marked_is_refused(lines):
    with pytest.raises(PinError, match="already"):
        marked(f"import pytest\n{lines}    def test_one(self): pass\n", "T::test_one")


def test_another_mark_is_no_reason():
    text = "import pytest\n@pytest.mark.flaky\n@odd[1]\ndef test_one(): pass\n"

    assert "@pytest.mark.flaky_in_dev\n@pytest.mark.flaky\n" in marked(text)


@pytest.mark.parametrize(
    ("text", "names", "says"),
    [
        pytest.param(
            "def test_one(): pass\ndef test_one(): pass\n", "test_one", "stands in lines 1 and 2", id="twice"
        ),
        pytest.param(
            "try:\n    def test_one(): pass\nexcept E:\n    def test_one(): pass\n",
            "test_one",
            "lines 2 and 4",
            id="in both branches",
        ),
        pytest.param(
            "if a:\n    def test_one(): pass\nelse:\n    def test_one(): pass\nfinally_ = 1\n",
            "test_one",
            "lines 2 and 4",
            id="if and else",
        ),
        pytest.param(PLAIN, "test_two", "has no test `test_two`", id="in a class only"),
        pytest.param(PLAIN, "test_inner", "has no test `test_inner`", id="in a function only"),
        pytest.param(PLAIN, "TestX", "has no test `TestX`", id="a class"),
        pytest.param("def (\n", "test_one", "not valid Python", id="no Python"),
        pytest.param("x = 1\x00\n", "test_one", "Python", id="a null byte"),
        pytest.param("def f():\n\tx = 1\n        y = 2\n", "test_one", "not valid Python", id="mixed tabs"),
    ],
)
def test_anything_but_one_such_test_is_refused(text, names, says):
    with pytest.raises(PinError, match=says):
        marked(text, names)


def test_a_test_of_another_class_is_offered():
    with pytest.raises(PinError) as error:
        marked(PLAIN, "test_two")

    assert error.value.hint == "there is `TestX::test_two`, `TestX::TestInner::test_two`"


def test_a_test_under_a_condition_is_found():
    text = "import pytest\nwith a:\n    if b:\n        def test_one(): pass\n"

    assert "        @pytest.mark.flaky_in_dev\n        def test_one" in marked(text)


def test_a_marked_test_is_known_by_its_comment():
    after = marked(PLAIN)

    assert is_marked(after, target("test_one"), MARK, COMMENT)
    assert not is_marked(after, target("test_one"), MARK, ["# other"])
    assert not is_marked(after, target("test_one"), MARK, [])
    assert not is_marked(PLAIN, target("test_one"), MARK, COMMENT)


def test_a_mark_of_several_lines_is_left_to_a_person():
    text = "import pytest\n@pytest.mark.flaky_in_dev(\n    reason='x'\n)\ndef test_one(): pass\n"

    with pytest.raises(PinError, match="several lines"):
        unmark_from_file(text, target("test_one"), MARK)


def test_a_test_without_the_mark_is_said():
    with pytest.raises(PinError, match="no mark"):
        unmark_from_file(PLAIN, target("test_one"), MARK)


def test_a_comment_that_may_have_been_there_stays():
    after = marked(PLAIN, comment=["# Broken since the new image"])

    with pytest.raises(PinError, match="does not tell"):
        unmark_from_file(after, target("test_one"), MARK)
    assert unmark_from_file(marked(PLAIN, comment=COMMENT), target("test_one"), MARK).before[:-1] == tuple(
        COMMENT
    )
    history = unmark_from_history(after, target("test_one"), MARK, [PLAIN])
    assert apply(after, [history]) == PLAIN


@pytest.mark.parametrize(
    "done",
    [
        pytest.param(Hunk(12, (), ("@gone",)), id="lines that are not there"),
        pytest.param(Hunk(12, ("@pytest.mark.slow",), ("@pytest.mark.flaky_in_dev",)), id="another mark"),
        pytest.param(Hunk(12, (), ("import os",)), id="another line"),
    ],
)
def test_a_ledger_that_the_file_does_not_bear_out_says_nothing(done):
    assert unmark_from_ledger(marked(PLAIN), target("test_one"), MARK, done) is None


def test_a_mark_below_others_is_not_what_the_bot_wrote():
    text = "import pytest\n@pytest.mark.slow\n@pytest.mark.flaky_in_dev\ndef test_one(): pass\n"
    then = "import pytest\n@pytest.mark.slow\ndef test_one(): pass\n"

    assert unmark_from_history(text, target("test_one"), MARK, [then]) is None
    assert unmark_from_history(text, target("test_one"), MARK, []) is None


def test_code_above_a_mark_is_no_comment_of_it():
    done = Hunk(2, (), ("import pytest", "@pytest.mark.flaky_in_dev"))
    text = "import pytest\n@pytest.mark.flaky_in_dev\ndef test_one(): pass\n"

    assert unmark_from_ledger(text, target("test_one"), MARK, done) is None


def test_a_double_mark_is_left_to_a_person():
    text = "import pytest\n@pytest.mark.flaky_in_dev\n@pytest.mark.flaky_in_dev\ndef test_one(): pass\n"

    with pytest.raises(PinError, match="no mark of one line"):
        unmark_from_file(text, target("test_one"), MARK)


# Each of these, parsed as it is, ends the process with a stack overflow instead of an exception.
@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("(" * 3000 + ")" * 3000, id="brackets"),
        pytest.param("-" * 3000 + "1", id="signs"),
        pytest.param("not " * 1000 + "1", id="negations"),
        pytest.param("+".join(["1"] * 3000), id="a long sum"),
        pytest.param("lambda: " * 1000 + "1", id="functions"),
    ],
)
def test_a_text_nested_too_deeply_is_refused(expression):
    with pytest.raises(PinError, match=r"not (valid|readable as) Python"):
        marked(f"import pytest\nx = {expression}\ndef test_one(): pass\n")


def test_a_text_that_only_libcst_finds_too_deep_is_refused():
    text = f"import pytest\nx = {'lambda: ' * 150}1\ndef test_one(): pass\n"

    def deep(levels):
        return deep(levels - 1) if levels else marked(text)

    with pytest.raises(PinError, match="nested too deeply"):
        deep(sys.getrecursionlimit() - len(inspect.stack()) - 150)


def test_a_literal_that_deserves_a_warning_is_none_of_the_bots_business():
    assert marked('import pytest\nX = "\\d"\ndef test_one(): pass\n')


def test_what_does_not_read_back_is_refused():
    with pytest.raises(PinError, match="does not read back"):
        marked(PLAIN, comment=["@odd"])


def test_a_mark_that_the_bot_would_write_otherwise_is_taken_away_by_its_text_alone():
    text = "from pytest import mark\n@mark.flaky_in_dev\ndef test_one(): pass\n"
    then = text.replace("@mark.flaky_in_dev\n", "")

    assert unmark_from_history(text, target("test_one"), MARK, [then]) is None
    assert apply(text, [unmark_from_file(text, target("test_one"), MARK)]) == then
