from datetime import UTC, datetime, timedelta

import pytest

from bot.core.standing import Heartbeat
from bot.core.work import conversation_number, resync

START = datetime(2026, 7, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("success", "now", "missed"),
    [
        (None, START + 15 * MINUTE, False),
        (None, START + 16 * MINUTE, True),
        (START + 60 * MINUTE, START + 75 * MINUTE, False),
        (START + 60 * MINUTE, START + 76 * MINUTE, True),
        # A clock that was set back.
        (START + 60 * MINUTE, START - 60 * MINUTE, False),
    ],
)
def test_a_heartbeat_is_missed_after_three_intervals_without_success(success, now, missed):
    heart = Heartbeat("acme/widgets", START, 5 * MINUTE, last_tick=now, last_success=success)

    assert heart.is_missed(now) is missed


def test_a_resync_is_no_conversation():
    assert conversation_number(resync("Acme/Widgets")) is None
    assert str(resync("Acme/Widgets")) == "acme/widgets resync"
