"""The board of one process: what it was told is what the page gets."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from bot.core.board import Bump, Event, GoldenChange, Heartbeat, Standing, Track
from bot.core.testrecipes.ledger_block import Entry
from bot.core.testrecipes.tracking import Listed
from bot.engine.board import EVENTS, MemoryBoard

NOW = datetime(2026, 6, 29, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
BUMP = Bump("owner/name", "main", "dev", "26.06-py3", NOW, Standing.WAITING)
TRACK = Track("main", "dev", "26.04-py3", in_sync=True, pins=())
GOLDENS = (GoldenChange("a.json"),)


def board():
    return MemoryBoard("running", 5 * MINUTE)


def test_a_new_board_is_empty_and_has_no_heartbeat():
    shown = board().snapshot()

    assert (shown.mode, shown.repositories, shown.events) == ("running", (), ())
    assert shown.heartbeat == Heartbeat(5 * MINUTE)


def test_a_tick_that_failed_is_no_success():
    memory = board()
    memory.ticked(NOW)
    memory.ticked(NOW + MINUTE, failed=True)
    memory.saw_release(NOW)

    assert memory.snapshot().heartbeat == Heartbeat(5 * MINUTE, NOW + MINUTE, NOW, NOW)


def test_a_bump_belongs_to_its_track_in_whatever_order_they_were_seen():
    memory = board()
    memory.saw_bump(BUMP)
    memory.saw_track("Owner/Name", TRACK)

    (repository,) = memory.snapshot().repositories

    assert repository.name == "Owner/Name"
    assert [(track.tag, len(track.bumps)) for track in repository.tracks] == [("26.04-py3", 1)]


def test_the_timeline_of_a_bump_goes_on_and_its_goldens_stay():
    memory = board()
    memory.saw_repository("owner/name")
    memory.saw_bump(replace(BUMP, written=("commit",)))
    memory.saw_goldens(BUMP, GOLDENS)
    memory.saw_bump(replace(BUMP, at=NOW + MINUTE, written=("approval",)))

    (bump,) = memory.snapshot().repositories[0].bumps

    assert [it.text for it in bump.timeline] == ["wrote: commit", "wrote: approval"]
    assert bump.goldens == GOLDENS


def test_goldens_of_a_bump_that_is_not_known_are_not_kept():
    memory = board()
    memory.saw_goldens(BUMP, GOLDENS)

    assert memory.snapshot().repositories == ()


def test_of_a_track_the_newest_bumps_are_kept_the_newest_first():
    memory = board()
    memory.saw_repository("owner/name")
    for month in range(1, 10):
        memory.saw_bump(replace(BUMP, tag=f"26.0{month}-py3", at=NOW + month * MINUTE))

    bumps = memory.snapshot().repositories[0].bumps

    assert [it.tag for it in bumps] == [f"26.0{month}-py3" for month in (9, 8, 7, 6, 5, 4)]


def test_a_pause_and_the_quarantines_are_the_repositorys():
    memory = board()
    entry = Entry("gpt_x", "gpt", "dgx_h100", "hang", "broken", None, date(2026, 6, 1), date(2026, 7, 31))
    listed = Listed(entry, 9, "https://github.com/owner/name/issues/9", "open", 28, 32)
    memory.saw_quarantines("owner/name", (listed,))
    memory.saw_repository("owner/name", paused="by ada")

    (repository,) = memory.snapshot().repositories

    assert (repository.paused, repository.quarantines) == ("by ada", (listed,))


def test_events_begin_with_the_newest_and_only_so_many_are_kept():
    memory = board()
    for number in range(EVENTS + 1):
        memory.happened(Event(NOW, "", f"event {number}"))

    events = memory.snapshot().events

    assert (len(events), events[0].text, events[-1].text) == (EVENTS, f"event {EVENTS}", "event 1")
