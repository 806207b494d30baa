"""Pauses on disk: the first one stays, and outlives the process."""

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from bot.core.standing import Pause
from bot.store.pauses import open_pauses

NOW = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)


@pytest.fixture
def start(tmp_path):
    return lambda now=NOW: closing(open_pauses(f"sqlite:///{tmp_path}/ledger.sqlite3", lambda: now))


def test_a_pause_outlives_the_process_and_is_told_apart_without_case(start):
    with start() as pauses:
        assert pauses.paused("Acme/Widgets") is None
        pauses.pause("Acme/Widgets", "ada", 7)

    with start() as pauses:
        assert pauses.paused("acme/widgets") == Pause("ada", 7, NOW)
        assert pauses.paused("acme/gadgets") is None


def test_the_first_pause_stays(start):
    with start() as pauses:
        pauses.pause("acme/widgets", "ada", 7)
    with start(NOW + timedelta(hours=1)) as pauses:
        pauses.pause("acme/widgets", "bob", 8)

        assert pauses.paused("acme/widgets") == Pause("ada", 7, NOW)


def test_resuming_ends_a_pause_and_changes_nothing_elsewhere(start):
    with start() as pauses:
        pauses.pause("acme/widgets", "ada", 7)
        pauses.pause("acme/gadgets", "ada", 7)

        pauses.resume("ACME/widgets")
        pauses.resume("acme/widgets")

        assert pauses.paused("acme/widgets") is None
        assert pauses.paused("acme/gadgets") is not None
