"""The one issue about an image with which so many tests hang."""

from datetime import UTC, datetime

import pytest

from bot.core.bad_image import bad_image_marker, find_bad_image
from bot.core.host import Actor, Issue

BRANCH = "bot/base-image/main/dev-26.06-py3"
MARKER = "<!-- ngc-bump-bot:bad-image bot/base-image/main/dev-26.06-py3 -->"
BOT = 1


def issue(body: str, author: int = BOT, state: str = "open") -> Issue:
    now = datetime(2026, 7, 1, tzinfo=UTC)
    return Issue(7, "https://example.org/7", "Bad image", body, state, Actor(author, "x"), now)


def test_the_marker_names_base_track_and_tag():
    assert bad_image_marker(BRANCH) == MARKER


@pytest.mark.parametrize("end", ["", "\n", "\nso many tests hang", "\r\nso many"])
@pytest.mark.parametrize("state", ["open", "closed"])
def test_it_is_found_by_its_first_line_also_when_it_is_closed(end, state):
    found = issue(MARKER + end, state=state)

    assert find_bad_image([issue("another"), found], BOT, BRANCH) == found


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(issue(MARKER, author=2), id="of another author"),
        pytest.param(issue(f"see {MARKER}"), id="a quotation"),
        pytest.param(issue(f"one\n{MARKER}"), id="further down"),
        pytest.param(issue(MARKER.replace("26.06", "26.08")), id="of another tag"),
        pytest.param(issue(""), id="empty"),
    ],
)
def test_any_other_issue_is_not_it(other):
    assert find_bad_image([other], BOT, BRANCH) is None
