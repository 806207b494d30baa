"""What every log of commands does: the one in memory, and the one on disk."""

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.core.command_log import CommandState
from bot.service_ports import CommandLog
from bot.store.command_log import open_command_log
from tests.fakes.command_log import FakeCommandLog

REPOSITORY = "Acme/Widgets"
START = datetime(2026, 7, 1, 12, 30, 15, 250, tzinfo=UTC)
HOUR = timedelta(hours=1)
ADA, BOB = 1, 4_000_000_000


@dataclass
class Clock:
    """A clock that a test sets."""

    now: datetime


@pytest.fixture(params=["memory", "sqlite"])
def log_and_clock(request, tmp_path):
    if request.param == "memory":
        log = FakeCommandLog(START)
        yield log, log
        return
    clock = Clock(START)
    url = f"sqlite:///{tmp_path}/ledger.sqlite3"
    with closing(open_command_log(url, lambda: clock.now)) as log:
        yield log, clock


@pytest.fixture
def log(log_and_clock) -> CommandLog:
    return log_and_clock[0]


@pytest.fixture
def clock(log_and_clock) -> Clock:
    return log_and_clock[1]


def begin(log, comment=7, position=0, *, repository=REPOSITORY, verb="bump", author=ADA):
    """Begin a command, and return what is known of it afterwards."""
    log.begin_command(repository, comment, position, verb, author)
    return log.command_state(repository, comment, position)


def test_a_command_that_is_new_is_not_known(log):
    assert log.command_state(REPOSITORY, 7, 0) is None


def test_a_command_that_was_begun_and_not_decided_is_known_by_its_first_moment(log, clock):
    assert begin(log) == CommandState(START, None)
    clock.now = START + HOUR

    assert begin(log) == CommandState(START, None)


def test_a_command_that_was_decided_has_its_outcome(log):
    begin(log)

    assert log.decide_command(REPOSITORY, 7, 0, "opened #5") == "opened #5"
    assert begin(log) == CommandState(START, "opened #5")


def test_the_first_outcome_stands(log):
    begin(log)
    log.decide_command(REPOSITORY, 7, 0, "opened #5")

    assert log.decide_command(REPOSITORY, 7, 0, "nothing to do") == "opened #5"
    assert begin(log).outcome == "opened #5"


@pytest.mark.parametrize("outcome", ["", "line\nline", "ümlaut \U0001f41b \0", "x" * 60_000])
def test_an_outcome_is_kept_as_it_is(log, outcome):
    begin(log)

    assert log.decide_command(REPOSITORY, 7, 0, outcome) == outcome
    assert begin(log).outcome == outcome


def test_commands_of_a_comment_and_of_others_are_told_apart(log):
    begin(log, 7, 0)
    log.decide_command(REPOSITORY, 7, 0, "done")

    assert log.command_state(REPOSITORY, 7, 1) is None
    assert log.command_state(REPOSITORY, 8, 0) is None
    assert log.command_state("acme/gadgets", 7, 0) is None
    assert begin(log, 7, 1) == CommandState(START, None)


def test_ids_of_today_fit(log):
    assert begin(log, 5_000_000_000) == CommandState(START, None)


def test_a_repository_is_the_same_however_its_name_is_capitalised(log):
    begin(log)
    log.decide_command("ACME/widgets", 7, 0, "done")
    log.read_comments("ACME/widgets", START)
    log.answered("acme/WIDGETS", 7, 9)

    assert begin(log, repository="acme/widgets").outcome == "done"
    assert log.comments_read(REPOSITORY) == START
    assert log.answer_of(REPOSITORY, 7) == 9
    assert log.given_since("acme/WIDGETS", ADA, "bump", START) == (START,)


def test_how_often_a_person_gave_a_command(log, clock):
    for minutes, comment, verb, author in [
        (0, 1, "help", ADA),
        (10, 2, "help", ADA),
        (20, 3, "help", BOB),
        (30, 4, "status", ADA),
        (40, 5, "help", ADA),
    ]:
        clock.now = START + timedelta(minutes=minutes)
        begin(log, comment, verb=verb, author=author)

    tens = [START + timedelta(minutes=minutes) for minutes in (0, 10, 40)]
    assert log.given_since(REPOSITORY, ADA, "help", START) == tuple(tens)
    assert log.given_since(REPOSITORY, ADA, "help", tens[1]) == tuple(tens[1:])
    assert log.given_since(REPOSITORY, BOB, "help", START) == (START + timedelta(minutes=20),)
    assert log.given_since("acme/gadgets", ADA, "help", START) == ()


def test_a_command_that_is_begun_again_was_given_once(log, clock):
    begin(log)
    clock.now = START + HOUR
    begin(log)

    assert log.given_since(REPOSITORY, ADA, "bump", START) == (START,)


def test_an_answer_is_recorded_once(log):
    assert log.answer_of(REPOSITORY, 7) is None

    log.answered(REPOSITORY, 7, 70)
    log.answered(REPOSITORY, 7, 71)

    assert log.answer_of(REPOSITORY, 7) == 70
    assert log.answer_of(REPOSITORY, 8) is None


def test_comments_are_read_from_the_beginning_at_first(log):
    assert log.comments_read(REPOSITORY) is None


def test_the_cursor_moves_forward_and_never_back(log):
    log.read_comments(REPOSITORY, START)
    log.read_comments(REPOSITORY, START + HOUR)
    log.read_comments(REPOSITORY, START)

    assert log.comments_read(REPOSITORY) == START + HOUR
    assert log.comments_read("acme/gadgets") is None


def test_a_cursor_of_another_zone_is_the_same_moment(log):
    tokyo = timezone(timedelta(hours=9))
    log.read_comments(REPOSITORY, START)
    log.read_comments(REPOSITORY, (START - HOUR).astimezone(tokyo))

    assert log.comments_read(REPOSITORY) == START
    assert log.comments_read(REPOSITORY).utcoffset() == timedelta(0)


def test_the_first_aim_of_a_command_stands(log):
    begin(log)

    assert log.aim_command(REPOSITORY, 7, 0, "run 1, attempt 1") == "run 1, attempt 1"
    assert log.aim_command(REPOSITORY.upper(), 7, 0, "run 2, attempt 1") == "run 1, attempt 1"
    log.decide_command(REPOSITORY, 7, 0, "done")
    assert log.command_state(REPOSITORY, 7, 0) == CommandState(START, "done", "run 1, attempt 1")
