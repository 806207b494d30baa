"""The words and marks of the page."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.board import Bump, PullLink, Standing
from bot.core.board_words import age, ago, days, figure, span, stages

NOW = datetime(2026, 6, 29, 12, tzinfo=UTC)
NONE = Bump("owner/name", "main", "dev", "26.06-py3", NOW, Standing.WAITING)
OPEN = replace(NONE, pull_request=PullLink(7, "https://github.com/owner/name/pull/7", "Move", draft=True))


@pytest.mark.parametrize(
    ("bump", "progress"),
    [
        pytest.param(NONE, "now later later later later", id="nothing there yet"),
        pytest.param(
            replace(NONE, standing=Standing.STOPPED), "stopped later later later later", id="refused"
        ),
        pytest.param(replace(OPEN, approval="asked"), "done done now later later", id="approval asked"),
        pytest.param(replace(OPEN, approval="taken"), "done done done now later", id="approved"),
        pytest.param(
            replace(OPEN, run_url="https://x"), "done done done now later", id="CI without approval"
        ),
        pytest.param(
            replace(OPEN, approval="taken", standing=Standing.ASKING), "done done done asks later", id="red"
        ),
        pytest.param(replace(OPEN, standing=Standing.READY), "done done done done now", id="green"),
        pytest.param(replace(OPEN, standing=Standing.MERGED), "done done done done done", id="merged"),
        pytest.param(
            replace(OPEN, approval="taken", standing=Standing.CLOSED),
            "done done done stopped later",
            id="closed",
        ),
    ],
)
def test_the_way_of_a_bump_shows_where_it_is(bump, progress):
    assert " ".join(stage.progress for stage in stages(bump)) == progress


def test_every_stage_has_words_beside_its_mark():
    assert [it.words for it in stages(replace(OPEN, approval="taken"))] == [
        "done",
        "done",
        "done",
        "under way",
        "still to come",
    ]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "now"),
        (0, "now"),
        (59, "now"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (86_399, "23 h"),
        (86_400, "1 d"),
        (86_400 * 70, "70 d"),
    ],
)
def test_an_age_is_said_in_its_largest_unit(seconds, said):
    assert age(NOW - timedelta(seconds=seconds), NOW) == said


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (40, "40 s"), (90, "1 min"), (300, "5 min"), (86_400, "1 d")]
)
def test_a_span_has_a_unit_of_which_there_is_one(seconds, said):
    assert span(timedelta(seconds=seconds)) == said


@pytest.mark.parametrize(
    ("since", "said"),
    [(None, "never"), (NOW, "just now"), (NOW - timedelta(hours=5), "5 h ago")],
)
def test_a_moment_is_said_as_a_person_would(since, said):
    assert ago(since, NOW) == said


@pytest.mark.parametrize(("count", "said"), [(0, "0 days"), (1, "1 day"), (-2, "-2 days")])
def test_days_are_counted(count, said):
    assert days(count) == said


@pytest.mark.parametrize(
    ("value", "said"), [(None, "none"), (0.0, "0"), (-0.00123, "-0.0012"), (1.5e-9, "1.5e-09"), (12.0, "12")]
)
def test_a_figure_has_two_digits(value, said):
    assert figure(value) == said
