"""What every ledger does: the one in memory, and the one on disk."""

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from bot.ports import Ledger
from bot.store.ledger import open_ledger
from tests.fakes.ledger import FakeLedger

NAME = "nvcr.io/nvidia/pytorch"
TAG = "26.04-py3"
START = datetime(2026, 7, 1, 12, 30, 15, 250, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that a test sets."""

    now: datetime


@pytest.fixture(params=["memory", "sqlite"])
def ledger_and_clock(request, tmp_path):
    if request.param == "memory":
        ledger = FakeLedger(START)
        yield ledger, ledger
        return
    clock = Clock(START)
    with closing(open_ledger(f"sqlite:///{tmp_path}/ledger.sqlite3", lambda: clock.now)) as ledger:
        yield ledger, clock


@pytest.fixture
def ledger(ledger_and_clock) -> Ledger:
    return ledger_and_clock[0]


@pytest.fixture
def clock(ledger_and_clock) -> Clock:
    return ledger_and_clock[1]


def test_a_tag_was_first_seen_when_it_was_first_recorded(ledger, clock):
    assert ledger.saw_tag(NAME, TAG, "sha256:a") == START

    clock.now = START + timedelta(days=3)

    assert ledger.saw_tag(NAME, TAG, "sha256:a") == START


def test_a_tag_that_moves_to_another_digest_keeps_its_first_moment(ledger, clock):
    ledger.saw_tag(NAME, TAG, "sha256:z")
    clock.now = START + timedelta(days=3)

    assert ledger.saw_tag(NAME, TAG, "sha256:a") == START
    assert ledger.digests(NAME, TAG) == ("sha256:z", "sha256:a")


def test_a_digest_that_comes_back_is_no_new_one(ledger):
    for digest in ("sha256:a", "sha256:b", "sha256:a"):
        ledger.saw_tag(NAME, TAG, digest)

    assert ledger.digests(NAME, TAG) == ("sha256:a", "sha256:b")


def test_a_clock_that_is_set_back_changes_no_first_moment(ledger, clock):
    ledger.saw_tag(NAME, TAG, "sha256:a")
    clock.now = START - timedelta(days=3)

    assert ledger.saw_tag(NAME, TAG, "sha256:b") == START
    assert ledger.digests(NAME, TAG) == ("sha256:a", "sha256:b")


def test_tags_and_images_are_told_apart(ledger, clock):
    ledger.saw_tag(NAME, TAG, "sha256:a")
    clock.now = START + timedelta(days=1)

    assert ledger.saw_tag(NAME, "26.05-py3", "sha256:a") == START + timedelta(days=1)
    assert ledger.saw_tag(f"{NAME}-extra", TAG, "sha256:b") == START + timedelta(days=1)
    assert ledger.digests(NAME, TAG) == ("sha256:a",)


def test_a_tag_that_was_never_seen_has_no_digest(ledger):
    assert ledger.digests(NAME, TAG) == ()


def test_a_moment_is_told_in_utc(ledger):
    first_seen = ledger.saw_tag(NAME, TAG, "sha256:a")

    assert first_seen.tzinfo is not None
    assert first_seen.utcoffset() == timedelta(0)


def test_commits_are_remembered_for_their_repository_and_branch_alone(ledger):
    ledger.created_commit("NVIDIA/Megatron-LM", "a" * 40, "bot/one")
    ledger.created_commit("NVIDIA/Megatron-LM", "b" * 40, "bot/two")
    ledger.created_commit("NVIDIA/NeMo", "c" * 40, "bot/one")

    assert ledger.commits("NVIDIA/Megatron-LM", "bot/one") == {"a" * 40}
    assert ledger.commits("NVIDIA/Megatron-LM", "bot/two") == {"b" * 40}
    assert ledger.commits("NVIDIA/Megatron", "bot/one") == frozenset()


def test_a_commit_recorded_twice_is_one_commit(ledger):
    ledger.created_commit("NVIDIA/NeMo", "a" * 40, "bot/one")
    ledger.created_commit("NVIDIA/NeMo", "a" * 40, "bot/one")

    assert ledger.commits("NVIDIA/NeMo", "bot/one") == {"a" * 40}


def test_a_repository_is_the_same_however_its_name_is_capitalised(ledger):
    ledger.created_commit("NVIDIA/NeMo", "a" * 40, "bot/one")

    assert ledger.commits("nvidia/nemo", "bot/one") == {"a" * 40}
