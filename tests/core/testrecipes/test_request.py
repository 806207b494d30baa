"""What a person types: the name of a test, a remedy, a comment; hostile words included."""

import pytest

from bot.core.errors import UsageError
from bot.core.recipe import parse_recipe
from bot.core.testrecipes.comment import came_with_quarantine, comment_lines, default_comment
from bot.core.testrecipes.request import (
    AllowFailure,
    Broken,
    QuarantineRequest,
    Repeats,
    issue_address,
    parse_remedy,
)
from bot.core.testrecipes.target import FunctionalTest, UnitTest, parse_platform, parse_target
from tests.core.testrecipes.recipes import BUMP_RECIPE
from tests.texts.judge import HOSTILE

ISSUE = "https://github.com/a/b/issues/7"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("gpt3_mcore_tp1", FunctionalTest("gpt3_mcore_tp1")),
        ("moe/gpt3_16B-x.y", FunctionalTest("gpt3_16B-x.y", "moe")),
        ("tests/unit_tests/a/test_x.py::test_y", UnitTest("tests/unit_tests/a/test_x.py", ("test_y",))),
        ("test_x.py::TestA::test_y", UnitTest("test_x.py", ("TestA", "test_y"))),
    ],
)
def test_a_name_says_which_kind_of_test_it_is(text, target):
    assert parse_target(text) == target
    assert str(target) == text


@pytest.mark.parametrize(
    "text",
    [
        *HOSTILE,
        "a b",
        "a/b/c",
        "../etc",
        "-x",
        "/a",
        "a::b",
        "../x.py::test_y",
        "a/../x.py::test_y",
        "/x.py::test_y",
        "x.py::",
        "x.py::test_y[1-2]",
        "x.py::test-y",
        "a\n",
        "{test}",
        "x" * 1000,
    ],
)
def test_anything_else_is_wrong_usage(text):
    with pytest.raises(UsageError) as error:
        parse_target(text)

    assert error.value.message.isprintable()


def test_one_case_of_a_test_cannot_be_marked():
    with pytest.raises(UsageError, match="one case") as error:
        parse_target("x.py::test_y[1-2]")
    assert "whole test" in error.value.hint


def test_a_platform_is_one_word():
    assert parse_platform("dgx_h100") == "dgx_h100"
    for text in ("dg  x_h100", "", "a/b", "x\n"):
        with pytest.raises(UsageError, match="names no platform"):
            parse_platform(text)


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("broken", Broken()),
        ("allow-failure", AllowFailure()),
        ("n-repeat=2", Repeats(2)),
        ("n-repeat=100", Repeats(100)),
    ],
)
def test_a_remedy_is_read(text, remedy):
    assert parse_remedy(text) == remedy
    assert text.startswith(remedy.name)


@pytest.mark.parametrize(
    "text", ["", "Broken", "n-repeat", "n-repeat=0", "n-repeat=101", "n-repeat=-1", "n-repeat=٣"]
)
def test_another_remedy_is_wrong_usage(text):
    with pytest.raises(UsageError, match="is no remedy"):
        parse_remedy(text)


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("Broken: hangs — see #4657.", ("# Broken: hangs — see #4657.",)),
        ("# has its own", ("# has its own",)),
        ("#4657 hangs", ("# #4657 hangs",)),
        ("one\ntwo", ("# one", "# two")),
        ("one\r\n\r\ntwo\n", ("# one", "#", "# two")),
    ],
)
def test_a_persons_comment_is_taken_word_for_word(words, lines):
    assert comment_lines(words) == lines


@pytest.mark.parametrize(
    "words", ["", " \n ", "a\tb", "a\rb", "a\u2028scope: [x]", "a\x85b", "a\x00", "\ufeff", "x" * 401]
)
def test_a_comment_that_would_not_stay_one_is_wrong_usage(words):
    with pytest.raises(UsageError, match="--comment"):
        comment_lines(words)


def test_the_bots_words_name_class_reason_and_issue():
    assert default_comment("hang", "", ISSUE) == f"Quarantined (hang); see {ISSUE}"
    assert default_comment("oom", "two\nlines", ISSUE) == f"Quarantined (oom): two lines; see {ISSUE}"


@pytest.mark.parametrize(
    ("lines", "taken"),
    [
        ([], 0),
        ([f"# Quarantined (hang); see {ISSUE}"], 1),
        (["# slow", f"        # Quarantined (crash): why; see {ISSUE}\r"], 1),
        (["# Broken: hangs — see issue #4657."], 1),
        ([f"# TODO: remove after {ISSUE}"], 1),
        (["# Broken"], None),
        (["# one", "# see #4657"], None),
    ],
)
def test_it_is_known_which_comment_lines_came_with_a_quarantine(lines, taken):
    assert came_with_quarantine(lines) == taken


def test_a_request_without_issue_and_comment_says_nothing():
    assert QuarantineRequest(FunctionalTest("t"), None, None, remedy=Repeats(1)).comment_lines == ()
    assert issue_address("a/b", 7) == ISSUE


@pytest.mark.parametrize("owner", ["octocat", "NVIDIA/mcore-reviewers"])
def test_an_owner_is_a_login_or_a_team(owner):
    text = BUMP_RECIPE.replace("{gpt: octocat}", f"{{gpt: {owner}}}")

    assert parse_recipe(text, name="r", path="r.yaml").quarantine.owners["gpt"] == owner


@pytest.mark.parametrize("owner", ["'@octocat'", "a b", "a/b/c", "'x --> y'"])
def test_another_owner_is_a_wrong_recipe(owner):
    with pytest.raises(UsageError, match="login or `ORG/TEAM`"):
        parse_recipe(BUMP_RECIPE.replace("{gpt: octocat}", f"{{gpt: {owner}}}"), name="r", path="r.yaml")
