from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.core.errors import UsageError
from bot.core.image import TagScheme
from bot.core.recipe import parse_recipe
from bot.core.recipe_schedule import Schedule
from bot.core.schedule import Candidate, Policy, decide
from tests.core.recipe_texts import COMPLETE, replaced

NOW = datetime(2026, 7, 8, 12, 0, tzinfo=UTC)  # a Wednesday
DAY = timedelta(days=1)
BOTH = ("linux/amd64", "linux/arm64")


def candidate(tag, *, days=10.0, platforms=BOTH, repushed=()):
    return Candidate(tag, platforms, f"sha256:{tag}", NOW - days * DAY, repushed)


def decided(seen, pinned=("26.04-py3",), now=NOW, **schedule):
    policy = Policy(TagScheme("YY.MM-py3"), BOTH, Schedule(**schedule))
    return decide(seen, pinned, policy, now)


@pytest.mark.parametrize(
    ("pinned", "seen", "tag"),
    [
        # Bumps of NVIDIA/Megatron-LM that were merged, every second month: 26.02 -> 26.04 -> 26.06 -> 26.08.
        ("26.02-py3", ["26.03-py3"], None),
        ("26.02-py3", ["26.04-py3", "26.03-py3"], "26.04-py3"),
        ("26.04-py3", ["26.05-py3", "26.04-py3"], None),
        ("26.04-py3", ["26.06-py3", "26.05-py3"], "26.06-py3"),
        ("26.06-py3", ["26.07-py3", "26.06-py3"], None),
        ("26.06-py3", ["26.08-py3", "26.07-py3"], "26.08-py3"),
        # Across the end of a year, and more than one behind.
        ("25.11-py3", ["25.12-py3"], None),
        ("25.11-py3", ["26.01-py3"], "26.01-py3"),
        ("25.09-py3", ["26.04-py3", "26.02-py3", "25.11-py3"], "26.04-py3"),
        # Numbers are no words: 26.10 is newer than 26.9 would be, and nothing goes back.
        ("26.08-py3", ["26.10-py3", "26.06-py3"], "26.10-py3"),
        ("26.10-py3", ["26.08-py3"], None),
        ("26.10-py3", [], None),
    ],
)
def test_a_track_moves_every_second_month(pinned, seen, tag):
    assert decided([candidate(it) for it in seen], [pinned], every_months=2).tag == tag


@pytest.mark.parametrize(
    ("seen", "schedule", "tag", "reason"),
    [
        ([candidate("26.06-py3", days=1.9)], {"minimum_age": 2}, None, "is too new: it waits until"),
        ([candidate("26.06-py3", days=2)], {"minimum_age": 2}, "26.06-py3", "26.06-py3 is due"),
        ([candidate("26.06-py3")], {"skip": {"26.06-py3": "NCCL hangs"}}, None, "is skipped: NCCL hangs"),
        ([candidate("26.06-py3", platforms=BOTH[:1])], {}, None, "lacks linux/arm64"),
        ([candidate("26.06-py3", platforms=())], {}, None, "lacks linux/amd64 and linux/arm64"),
        ([candidate("26.05-py3")], {"every_months": 2}, None, "is 1 months newer, and 2 are wanted"),
        ([candidate("26.06-py3")], {"lag": 1}, None, "is among the 1 newest, which are left to others"),
        ([candidate("26.06-py3"), candidate("26.05-py3")], {"lag": 1}, "26.05-py3", "26.05-py3 is due"),
        ([candidate("26.04-py3")], {}, None, "nothing is newer than 26.04"),
    ],
)
def test_what_is_passed_over_is_passed_over_for_a_reason(seen, schedule, tag, reason):
    decision = decided(seen, **schedule)

    assert decision.tag == tag
    assert reason in decision.reason


def test_the_next_best_release_is_taken_where_the_newest_is_skipped():
    seen = [candidate("26.07-py3"), candidate("26.06-py3")]

    assert decided(seen, skip={"26.07-py3": "broken"}).tag == "26.06-py3"


def test_a_tag_that_was_pushed_again_alerts_and_never_moves_a_track():
    decision = decided([candidate("26.06-py3", repushed=("sha256:before",))])

    assert decision.tag is None
    assert decision.alerts == ("26.06-py3 was pushed again: it is sha256:26.06-py3, and was sha256:before",)
    assert "a person decides" in decision.reason


def test_the_pinned_tag_alerts_too_when_it_was_pushed_again():
    seen = [candidate("26.06-py3"), candidate("26.04-py3", repushed=("sha256:before",))]

    decision = decided(seen)

    assert decision.tag == "26.06-py3"
    assert len(decision.alerts) == 1


@pytest.mark.parametrize("pinned", [(), ("latest",), ("26.04-py3", "latest"), ("26.04-py3", "")])
def test_pins_that_are_at_no_release_are_left_alone(pinned):
    assert decided([candidate("26.06-py3")], pinned).reason == "a pin is not at a release of the track"


def test_of_pins_that_disagree_the_oldest_counts():
    assert decided([candidate("26.06-py3")], ["26.06-py3", "26.04-py3"]).tag == "26.06-py3"


# 17 minutes past six in the morning in Los Angeles is 13:17 UTC in summer and 14:17 in winter.
AT_SIX = {"cron": "17 6 * * mon-fri", "time_zone": "America/Los_Angeles"}


@pytest.mark.parametrize(
    ("first_seen", "now", "tag"),
    [
        (datetime(2026, 7, 8, 12, 0, tzinfo=UTC), datetime(2026, 7, 8, 13, 16, tzinfo=UTC), None),
        (datetime(2026, 7, 8, 12, 0, tzinfo=UTC), datetime(2026, 7, 8, 13, 17, tzinfo=UTC), "26.06-py3"),
        # Seen on a Friday after the hour: Monday morning.
        (datetime(2026, 7, 10, 14, 0, tzinfo=UTC), datetime(2026, 7, 12, 23, 0, tzinfo=UTC), None),
        (datetime(2026, 7, 10, 14, 0, tzinfo=UTC), datetime(2026, 7, 13, 13, 17, tzinfo=UTC), "26.06-py3"),
        # The hour moves with the clocks: 2026-11-01 ends summer time there.
        (datetime(2026, 11, 2, 12, 0, tzinfo=UTC), datetime(2026, 11, 2, 14, 16, tzinfo=UTC), None),
        (datetime(2026, 11, 2, 12, 0, tzinfo=UTC), datetime(2026, 11, 2, 14, 17, tzinfo=UTC), "26.06-py3"),
    ],
)
def test_a_bump_begins_by_the_time_table_of_its_time_zone(first_seen, now, tag):
    seen = [Candidate("26.06-py3", BOTH, "sha256:a", first_seen)]

    decision = decided(seen, now=now, **AT_SIX)

    assert decision.tag == tag
    assert decision.due_since == (now if tag else None)


def test_a_moment_that_was_missed_is_made_up_for():
    seen = [candidate("26.06-py3", days=30)]

    assert decided(seen, **AT_SIX).tag == "26.06-py3"


@given(
    st.lists(st.integers(1, 12), unique=True),
    st.integers(1, 12),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_no_schedule_ever_goes_back_or_takes_a_release_too_early(months, pinned, every, lag):
    seen = [candidate(f"26.{month:02}-py3") for month in months]

    decision = decided(seen, [f"26.{pinned:02}-py3"], every_months=every, lag=lag)

    if decision.tag is not None:
        month = int(decision.tag[3:5])
        assert month >= pinned + every
        assert sum(it > month for it in months) >= lag


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"cron": "* * * *"}, "five fields"),
        ({"cron": "* * * * * *"}, "five fields"),
        ({"cron": "61 * * * *"}, "no time table of cron: bad minute"),
        ({"cron": "0 0 31 2 *"}, "no time table of cron: bad day-of-month"),
        ({"time_zone": "Mars/Phobos"}, "time zone of IANA"),
        ({"time_zone": "../../etc/passwd"}, "time zone of IANA"),
        ({"time_zone": ""}, "time zone of IANA"),
        ({"skip": {"26.06-py3": " "}}, "why `26.06-py3` is skipped"),
        ({"minimum_age": -1}, "greater than or equal to 0"),
        ({"minimum_age": 1.5}, "valid integer"),
        ({"every_months": 0}, "greater than or equal to 1"),
        ({"often": True}, "Extra inputs"),
    ],
)
def test_a_schedule_that_cannot_be_kept_is_refused(section, said):
    with pytest.raises(ValidationError, match=said):
        Schedule.model_validate(section)


def test_a_schedule_of_a_track_that_is_not_there_is_refused_with_its_line():
    text = replaced(COMPLETE, "  track: dev\n", "  track: lts\n")

    with pytest.raises(UsageError) as caught:
        parse_recipe(text, name="mine", path="recipes/mine.yaml")

    assert caught.value.message == "`schedule` has `track: lts`, and there is no such track"
    assert caught.value.line == COMPLETE.splitlines().index("schedule:") + 1
