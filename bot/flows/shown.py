"""What a look at a bump or a track found → what the page shows of it."""

from datetime import datetime

from bot.core.board import Bump, PullLink, Standing, verdict_groups
from bot.core.reconcile import Goal
from bot.core.rounds import State
from bot.flows.bump import BumpOutcome

_STANDINGS = {
    State.WAITING: Standing.WAITING,
    State.ASKING: Standing.ASKING,
    State.READY: Standing.READY,
}


def bump_shown(goal: Goal, outcome: BumpOutcome, now: datetime) -> Bump | None:
    """Return how a bump stands after a look, None for one that has no pull request."""
    pull, report = outcome.pull_request, outcome.report
    if pull is None:
        return None
    before = outcome.plan.before.tag
    return Bump(
        goal.repository,
        goal.base,
        goal.track,
        goal.tag,
        now,
        _STANDINGS[report.state] if report else Standing.WAITING,
        before=before,
        sentences=report.sentences if report else (),
        pull_request=PullLink(pull.number, pull.url, pull.title, pull.draft),
        head=outcome.sha,
        labels=pull.labels,
        approval=outcome.approval,
        run_url=report.run_url if report else None,
        passed=report.passed if report else 0,
        verdicts=verdict_groups(report.judged) if report else (),
        not_refreshed=report.not_refreshed if report else (),
        written=tuple(it for it in outcome.written if it not in {"status", "description"}),
    )


def bump_stopped(goal: Goal, reason: str, now: datetime) -> Bump:
    """Return a bump that waits for a person, with the reason."""
    return Bump(goal.repository, goal.base, goal.track, goal.tag, now, Standing.STOPPED, sentences=(reason,))
