"""The judge of messages obeys, notifies and renders more than any real reader does."""

import pytest

from tests.texts.judge import COMMAND, notifying, obeyed, obeyed_in_source, rendered


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(COMMAND, id="the command"),
        pytest.param(f"text\n{COMMAND}", id="on a line of its own"),
        pytest.param(f"text\u2028{COMMAND}", id="behind a line separator"),
        pytest.param(f"text\x85{COMMAND}", id="behind a next line"),
        pytest.param(f"\u200b\u3164{COMMAND}", id="behind what nobody sees"),
        pytest.param(f"/o\u2060k to test {'1' * 40}", id="with an invisible character in it"),
        pytest.param(f"> - 1. {COMMAND}", id="in a quoted list"),
        pytest.param(f"`{COMMAND}`", id="as code"),
        pytest.param(f"| {COMMAND} |", id="in a table"),
        pytest.param(f"<!--\n{COMMAND}\n-->", id="in an HTML comment"),
        pytest.param(f"text <br>{COMMAND}", id="behind a line end of the page"),
        pytest.param(f"&#47;ok to test {'1' * 40}", id="as the page shows it"),
    ],
)
def test_a_command_is_found(body):
    assert obeyed(body)


def test_a_command_inside_a_sentence_is_none():
    assert obeyed(f"please comment `{COMMAND}`") == []
    assert obeyed_in_source(f"text <br>{COMMAND}") == []


@pytest.mark.parametrize("body", ["@team", "&#64;team", "a*@team*", "\\@team", "fixes #1", "o/r#1", "gh-1"])
def test_what_notifies_is_found(body):
    assert notifying(body)


@pytest.mark.parametrize("body", ["`@team`", "a@b.org", "@ team", "# 1", "```\n@team #1\n```"])
def test_what_does_not_notify_is_not(body):
    assert notifying(body) == []


def test_markup_is_seen():
    page = rendered("<b>a</b> <!-- c --> [a](u) ![a](u)\n\n# h\n")

    assert page.tags == ["p", "b", "a", "img", "h1"]
    assert page.comments == [" c "]
