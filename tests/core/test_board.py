"""What the page shows: timelines that grow by what changed, and nothing that is not for everybody."""

import json
import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.board import (
    TIMELINE,
    Board,
    Bump,
    GoldenChange,
    Heartbeat,
    PullLink,
    Release,
    Repository,
    Standing,
    Track,
    VerdictGroup,
    followed,
    golden_change,
    public_link,
    track_view,
    verdict_groups,
)
from bot.core.image import ImageRef
from bot.core.plan import SiteState, TrackState
from bot.core.triage.jobs import Subject
from bot.core.triage.summary import Judged
from bot.core.triage.verdict import Evidence, Verdict, VerdictKind
from tests.core.triage.world import job

NOW = datetime(2026, 6, 29, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
PULL = PullLink(7, "https://github.com/owner/name/pull/7", "Move", draft=True)
RUN = "https://github.com/owner/name/actions/runs/1"
BUMP = Bump("owner/name", "main", "dev", "26.06-py3", NOW, Standing.WAITING, pull_request=PULL)


def judged(kind=VerdictKind.HANG, name="gpt/gpt_x", role="functional"):
    model, _, test = name.partition("/")
    proof = (Evidence("job log", 12, "no line for 31 min"),)
    return Judged(Subject(role, model, test, "dgx_h100"), job(), Verdict(kind, "silent", proof))


def golden(*values):
    block = {"start_step": 1, "end_step": len(values), "step_interval": 1}
    return json.dumps({"lm loss": block | {"values": {str(i): v for i, v in enumerate(values, 1)}}}).encode()


def told(bump):
    return [(it.actor, it.kind, it.text) for it in bump.timeline]


def test_a_bump_that_the_bot_finds_as_it_is_begins_its_timeline_so():
    assert told(followed(None, BUMP)) == [("bot", "seen", "found the bump to 26.06-py3")]


def test_what_a_look_wrote_is_told_in_its_order_with_the_pull_request():
    bump = followed(None, replace(BUMP, written=("commit", "pull request")))

    assert told(bump) == [("bot", "written", "wrote: commit"), ("bot", "written", "wrote: pull request")]
    assert {it.link for it in bump.timeline} == {PULL.url}


def test_a_look_that_sees_the_same_again_adds_nothing():
    first = followed(None, replace(BUMP, standing=Standing.ASKING, sentences=("it hangs",), run_url=RUN))

    again = followed(first, replace(first, at=NOW + MINUTE, timeline=()))

    assert again.timeline == first.timeline
    assert again.at == NOW + MINUTE


def test_a_run_its_verdicts_and_the_question_to_a_person_follow_each_other_with_their_proof():
    groups = verdict_groups([(VerdictKind.HANG, [judged()]), (VerdictKind.DRIFT, [judged(), judged()])])
    asking = replace(
        BUMP, standing=Standing.ASKING, sentences=("`gpt/gpt_x` hangs",), run_url=RUN, verdicts=groups
    )

    bump = followed(followed(None, BUMP), asking)

    assert told(bump)[1:] == [
        ("CI", "run", "a run of the head"),
        ("bot", "verdict", "judged the run: 1 hang, 2 drift"),
        ("bot", "asked", "a person is asked"),
    ]
    assert bump.timeline[2].evidence[0] == "gpt/gpt_x: no line for 31 min"
    assert bump.timeline[3].evidence == ("`gpt/gpt_x` hangs",)


@pytest.mark.parametrize(
    ("standing", "moment"),
    [
        (Standing.READY, ("bot", "ready", "ready for review")),
        (Standing.STOPPED, ("bot", "stopped", "stopped")),
        (Standing.MERGED, ("person", "closed", "merged")),
        (Standing.CLOSED, ("person", "closed", "closed")),
    ],
)
def test_where_a_bump_comes_to_stand_is_a_moment(standing, moment):
    assert told(followed(followed(None, BUMP), replace(BUMP, standing=standing)))[-1] == moment


def test_going_back_to_wait_is_no_moment():
    asked = followed(None, replace(BUMP, standing=Standing.ASKING))

    assert followed(asked, BUMP).timeline == asked.timeline


def test_a_bump_that_stops_keeps_what_was_known_of_it():
    known = followed(None, replace(BUMP, head="a" * 40, run_url=RUN, passed=12, written=("commit",)))
    stopped = Bump("owner/name", "main", "dev", "26.06-py3", NOW, Standing.STOPPED, sentences=("why",))

    bump = followed(known, stopped)

    assert (bump.standing, bump.sentences) == (Standing.STOPPED, ("why",))
    assert (bump.pull_request, bump.head, bump.run_url, bump.passed) == (PULL, "a" * 40, RUN, 12)
    assert told(bump) == [*told(known), ("bot", "stopped", "stopped")]


def test_a_bump_is_over_once_it_is_merged_or_closed():
    assert [it for it in Standing if it.is_over] == [Standing.MERGED, Standing.CLOSED]


def test_a_timeline_keeps_its_newest_moments():
    full = followed(None, replace(BUMP, written=tuple(f"number {i}" for i in range(TIMELINE + 5))))

    assert len(full.timeline) == TIMELINE
    assert full.timeline[0].text == "wrote: number 5"


def test_goldens_that_were_not_looked_at_again_stay():
    changes = (golden_change("a.json", golden(1.0), golden(1.5)),)

    assert followed(replace(BUMP, goldens=changes), BUMP).goldens == changes


def test_of_an_internal_source_only_the_number_of_verdicts_is_said():
    found = verdict_groups([(VerdictKind.CRASH, [judged(), judged()])], internal=True)

    assert found == (VerdictGroup(VerdictKind.CRASH, 2, ()),)


def test_builds_are_the_verdicts_of_build_jobs():
    build = judged(VerdictKind.INFRA, "/cicd-container-build", "build")
    groups = verdict_groups([(VerdictKind.HANG, [judged()]), (VerdictKind.INFRA, [build])])

    assert replace(BUMP, verdicts=groups).builds == ((VerdictKind.INFRA, build),)


@pytest.mark.parametrize(
    ("url", "is_link"),
    [
        ("https://github.com/owner/name/pull/7", True),
        ("http://127.0.0.1:8099/owner/name/pull/7", True),
        ("http://gitlab.internal/x", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https://user:pass@github.com/x", False),
        ("https://[", False),
        ("https:///path", False),
        ("", False),
        (None, False),
    ],
)
def test_an_address_is_a_link_only_where_everybody_may_follow_it(url, is_link):
    assert public_link(url) == (url if is_link else None)


@given(st.text())
def test_whatever_an_address_is_a_link_begins_with_http(url):
    assert (public_link(url) or "http").startswith("http")


def test_a_changed_golden_has_its_figures_and_a_panel_for_each_metric():
    change = golden_change("a.json", golden(2.0, 4.0), golden(2.0, 5.0))

    assert [(row.metric, row.mean_abs, row.max_step) for row in change.rows] == [("lm loss", 0.125, 2)]
    assert [panel.title for panel in change.panels] == ["lm loss"]
    assert (change.farthest, change.distance) == (change.rows[0], 0.125)


def test_of_several_metrics_the_one_that_moved_farthest_stands_for_the_golden():
    near = golden_change("a.json", golden(2.0), golden(2.5)).rows[0]
    far = replace(near, metric="far", mean_abs=0.5)
    beyond = replace(near, metric="beyond", mean_abs=None)

    assert GoldenChange("a.json", (near, far)).farthest == far
    assert GoldenChange("a.json", (far, beyond, near)).distance == math.inf


@pytest.mark.parametrize(
    ("old", "new", "gap"),
    [
        pytest.param(None, golden(1.0), "there is no old golden", id="new"),
        pytest.param(golden(1.0), None, "there is no new golden", id="gone"),
        pytest.param(b"{", golden(1.0), "the old golden", id="broken old"),
        pytest.param(golden(1.0), b"{", "the new golden", id="broken new"),
    ],
)
def test_a_golden_that_cannot_be_compared_says_why(old, new, gap):
    change = golden_change("a.json", old, new)

    assert change.gaps[0].startswith(gap)
    assert (change.rows, change.farthest, change.distance) == ((), None, -1)


def test_of_an_image_the_page_says_the_tag_alone():
    image = ImageRef("registry.internal:5005", "team/pytorch", tag="26.04-py3")
    sites = (
        SiteState("a.yml", 3, str(image), "edit", image=image),
        SiteState("b.yml", None, None, "edit", "is missing"),
        SiteState("c.md", 1, str(image), "report", image=image),
    )

    track = track_view("main", TrackState("dev", image, sites), ("amd64",))

    assert "internal" not in repr(track)
    assert [(pin.where, pin.tag, pin.problem) for pin in track.pins] == [
        ("a.yml:3", "26.04-py3", None),
        ("b.yml", None, "is missing"),
    ]


def test_a_track_whose_pins_disagree_has_no_tag():
    track = track_view("main", TrackState("dev", None, ()))

    assert (track.tag, track.in_sync) == (None, False)


def test_a_release_lacks_the_platforms_that_the_track_needs_and_it_has_not():
    track = Track("main", "dev", "26.04-py3", in_sync=True, pins=(), platforms=("amd64", "arm64"))
    newest = Release("26.06-py3", ("amd64",), "sha256:0", NOW)

    assert track.missing_platforms == ()
    assert replace(track, newest=newest).missing_platforms == ("arm64",)


@pytest.mark.parametrize(
    ("tick", "success", "missed", "failing"),
    [
        pytest.param(None, None, True, True, id="never"),
        pytest.param(MINUTE, MINUTE, False, False, id="on time"),
        pytest.param(15 * MINUTE, 15 * MINUTE, False, False, id="at the limit"),
        pytest.param(16 * MINUTE, 16 * MINUTE, True, True, id="silent"),
        pytest.param(MINUTE, 16 * MINUTE, False, True, id="failing"),
        pytest.param(-MINUTE, -MINUTE, False, False, id="a clock that was set back"),
    ],
)
def test_a_heartbeat_is_missed_after_three_intervals(tick, success, missed, failing):
    def ago(span):
        return None if span is None else NOW - span

    beat = Heartbeat(5 * MINUTE, ago(tick), ago(success))

    assert (beat.is_missed(NOW), beat.is_failing(NOW)) == (missed, failing)


def test_a_bump_is_found_by_its_track_the_newest_unless_its_tag_is_named():
    older = replace(BUMP, tag="26.04-py3", at=NOW - MINUTE)
    track = Track("main", "dev", "26.04-py3", in_sync=True, pins=(), bumps=(BUMP, older))
    board = Board("running", Heartbeat(MINUTE), (Repository("Owner/Name", (track,)),))

    assert board.bump("owner/NAME", "main", "dev") == BUMP
    assert board.bump("owner/name", "main", "dev", "26.04-py3") == older
    assert board.bump("owner/name", "main", "lts") is None
