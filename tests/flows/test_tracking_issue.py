"""Tracking issues: one for a test, an umbrella for many, the ledger kept, an expiry said once."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bot.core.errors import Refused
from bot.core.testrecipes.ledger_block import read_block, write_block
from bot.core.testrecipes.plan import plan_quarantine
from bot.core.testrecipes.request import AllowFailure, Evidence, QuarantineRequest
from bot.core.testrecipes.target import parse_target
from bot.core.testrecipes.tracking import MARKER, UMBRELLA_MARKER, list_quarantines
from bot.flows.tracking_issue import Case, TrackingIssues
from bot.texts import Texts
from tests.core.testrecipes.recipes import PATH, RECIPE, bump_recipe
from tests.fakes.code_host import FakeCodeHost
from tests.texts.judge import COMMAND, notifying, obeyed

TODAY = date(2026, 7, 1)
UNIT = "tests/unit_tests/test_x.py"
FILES = {PATH: RECIPE.encode(), UNIT: b"import pytest\ndef test_y(): pass\n"}
CASE = Case("https://github.com/NVIDIA/Megatron-LM/actions/runs/1", [Evidence("job 7", "silence")])


@pytest.fixture
def host():
    return FakeCodeHost({}, labels={"quarantine"})


def issues_on(host, today=TODAY, **section):
    return TrackingIssues(bump_recipe(labels=("quarantine", "absent"), **section), host, Texts(), today)


def request(test="tiny_tp1", **more):
    return QuarantineRequest(parse_target(test), "hang", "https://x/issues/1", **more)


def filed(host, test="tiny_tp1", model="gpt", platform="dgx_h100", today=TODAY, **more):
    issues = issues_on(host, today)
    asked = request(test, **more)
    entry = issues.entry(asked, model, platform)
    return issues.ensure(asked, entry, CASE), entry


def test_the_first_quarantine_opens_an_issue_with_everything_in_it(host):
    issue, entry = filed(host, why="no output")

    assert issue.title == "Quarantined: tiny_tp1 on dgx_h100 (hang)"
    assert issue.body.startswith(MARKER)
    assert all(
        word in issue.body for word in (CASE.run_url, "silence", "no output", "@octocat", "2026-08-30")
    )
    assert issue.labels == ("quarantine",)
    assert read_block(issue.body) == (entry,)
    assert (entry.since, entry.expires, entry.owner) == (TODAY, TODAY + timedelta(days=60), "octocat")


def test_the_second_time_the_same_issue_is_found(host):
    first, _ = filed(host)

    again, _ = filed(host)

    assert again.number == first.number
    assert host.writes == ["issue"]


def test_a_closed_issue_is_done_with(host):
    first, _ = filed(host)
    host.set_issue_state(first.number, "closed")

    assert filed(host)[0].number != first.number


def test_a_marker_in_an_issue_of_somebody_else_means_nothing(host):
    entry = issues_on(host).entry(request(), "gpt", "dgx_h100")
    number = host.issue_as("mallory", "Mine", f"{MARKER}\n{write_block([entry])}")

    assert filed(host)[0].number != number


def test_further_tests_of_a_suite_share_an_umbrella(host):
    own = [filed(host, f"t{at}")[0].number for at in (1, 2)]
    shared = [filed(host, f"t{at}")[0].number for at in (3, 4, 4)]

    assert len({*own, *shared}) == 3
    umbrella = host.issue(shared[0])
    assert umbrella.body.startswith(UMBRELLA_MARKER)
    assert umbrella.title == "Quarantined: more tests of gpt"
    assert [it.test for it in read_block(umbrella.body)] == ["t3", "t4"]
    assert filed(host, "t5", model="moe")[0].number != shared[0]


def test_unit_tests_are_a_suite_of_their_own(host):
    titles = [filed(host, f"{UNIT}::test_{at}", "", None)[0].title for at in (1, 2, 3)]

    assert titles[0] == f"Quarantined: {UNIT}::test_1 (hang)"
    assert titles[2] == "Quarantined: more tests of the unit tests"
    assert read_block(host.bot_issues()[0].body)[0].remedy == "mark"


def test_what_was_done_goes_into_the_ledger_and_leads_back(host):
    issue, entry = filed(host)
    plan = plan_quarantine(bump_recipe(), FILES, request())
    body = host.issue(issue.number).body
    host.edit_issue(issue.number, f"{body}\nA person wrote this.\n")

    issues_on(host).record(issue, plan, entry, "60db1d25" * 5)

    text = host.issue(issue.number).body
    (recorded,) = read_block(text)
    assert "A person wrote this." in text
    assert [(it.file, it.commit) for it in recorded.done] == [(PATH, "60db1d25" * 5)]
    assert issues_on(host).hunks(parse_target("tiny_tp1")) == {PATH: [plan.changes[0].hunks[0]]}
    assert issues_on(host).hunks(parse_target("gpt/tiny_tp1")) == issues_on(host).hunks(
        parse_target("tiny_tp1")
    )
    assert issues_on(host).hunks(parse_target("pair_tp2")) == {}


def test_a_plan_that_changed_nothing_leaves_the_ledger_as_it_is(host):
    issue, entry = filed(host)
    plan = plan_quarantine(bump_recipe(), FILES, request())
    issues_on(host).record(issue, plan, entry)
    before = host.issue(issue.number)

    issues_on(host).record(issue, replace(plan, changes=()), entry)

    assert host.issue(issue.number) == before


def test_an_umbrella_is_written_anew_when_something_was_done(host):
    for at in (1, 2):
        filed(host, f"t{at}")
    issue, entry = filed(host)
    plan = plan_quarantine(bump_recipe(), FILES, request())

    issues_on(host).record(issue, plan, entry)

    assert read_block(host.issue(issue.number).body)[0].done
    assert issues_on(host).find(entry).number == issue.number


def test_an_issue_that_went_away_is_said(host):
    issue, entry = filed(host)
    plan = plan_quarantine(bump_recipe(), FILES, request())

    with pytest.raises(Refused, match="does not show"):
        issues_on(host).record(replace(issue, number=99), plan, entry)


def test_an_umbrella_that_is_full_is_said(host):
    for at in range(1, 4):
        filed(host, f"t{at}")
    umbrella = host.bot_issues()[0]
    (entry,) = read_block(umbrella.body)
    many = [replace(entry, test=f"t{at}") for at in range(3, 300)]
    host.edit_issue(umbrella.number, f"{UMBRELLA_MARKER}\n{write_block(many)}")

    with pytest.raises(Refused, match="no room"):
        filed(host, "one_more")


def test_a_test_is_looked_for_before_an_issue_is_opened(host):
    issues = issues_on(host)
    entry = issues.entry(request(), "gpt", "dgx_h100")
    assert issues.find(entry) is None
    for at in range(1, 4):
        filed(host, f"t{at}")

    assert issues.find(entry) is None


def test_an_expiry_is_announced_once(host):
    issue, _ = filed(host)
    filed(host, "later", today=TODAY + timedelta(days=30))
    on_the_day = TODAY + timedelta(days=60)

    assert issues_on(host, on_the_day - timedelta(days=1)).announce_expired() == ()
    assert issues_on(host, on_the_day).announce_expired() == (issue.number,)
    assert issues_on(host, on_the_day + timedelta(days=1)).announce_expired() == ()
    (comment,) = host.comments(issue.number)
    assert "bot unquarantine gpt/tiny_tp1 --platform dgx_h100" in comment.body


def test_a_marker_in_somebody_elses_comment_does_not_silence_the_bot(host):
    issue, _ = filed(host)
    on_the_day = TODAY + timedelta(days=60)
    issues_on(host, on_the_day).announce_expired()
    (comment,) = host.comments(issue.number)
    other, _ = filed(host, "other")
    host.comment_as("mallory", other.number, comment.body.replace("tiny_tp1", "other"))

    assert issues_on(host, on_the_day).announce_expired() == (other.number,)


def test_nothing_is_said_on_a_closed_issue(host):
    issue, _ = filed(host)
    host.set_issue_state(issue.number, "closed")
    after = issues_on(host, TODAY + timedelta(days=90))

    assert after.announce_expired() == ()
    (listed,) = list_quarantines(after.known(), TODAY + timedelta(days=90))
    assert (listed.state, listed.age, listed.left) == ("closed", 90, -30)


def test_a_remedy_that_lets_the_test_run_is_said_in_words(host):
    assert "may fail on GitLab" in filed(host, remedy=AllowFailure())[0].body


def test_a_command_in_somebodys_reason_is_obeyed_by_nobody(host):
    issue, _ = filed(host, why=f"see\n{COMMAND} @team")

    assert obeyed(issue.body) == []
    assert notifying(issue.body.replace("@octocat", "")) == []
