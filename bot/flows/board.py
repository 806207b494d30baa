"""What a look at a bump came to, as the page shows it."""

from dataclasses import replace
from datetime import datetime

from bot.core.board import Bump, PullLink, Standing, verdict_groups
from bot.core.errors import BotError
from bot.core.host import PullRequest
from bot.core.reconcile import Goal
from bot.core.rounds import State
from bot.flows.bump import BumpOutcome

_STANDINGS = {
    State.WAITING: Standing.WAITING,
    State.ASKING: Standing.ASKING,
    State.READY: Standing.READY,
}


def bump_seen(goal: Goal, outcome: BumpOutcome, at: datetime) -> Bump:
    """Return a bump after a look that went well."""
    report, pull = outcome.report, outcome.pull_request
    bump = Bump(
        repository=goal.repository,
        base=goal.base,
        track=goal.track,
        tag=goal.tag,
        at=at,
        standing=Standing.WAITING if report is None else _STANDINGS[report.state],
        before=outcome.plan.before.tag,
        head=outcome.sha,
        labels=pull.labels if pull else (),
        pull_request=_link(pull) if pull else None,
        approval=outcome.approval,
        written=outcome.written,
        sentences=report.sentences if report else (),
        run_url=report.run_url if report else None,
        passed=report.passed if report else 0,
        verdicts=verdict_groups(report.judged) if report else (),
        not_refreshed=report.not_refreshed if report else (),
    )
    return _closed(bump, pull)


def bump_stopped(goal: Goal, error: BotError, at: datetime) -> Bump:
    """Return a bump that the bot does not go on with before somebody does what the error's hint says."""
    sentences = (error.message, error.hint) if error.hint else (error.message,)
    return Bump(goal.repository, goal.base, goal.track, goal.tag, at, Standing.STOPPED, sentences=sentences)


def _link(pull: PullRequest) -> PullLink:
    return PullLink(pull.number, pull.url, pull.title, pull.draft)


def _closed(bump: Bump, pull: PullRequest | None) -> Bump:
    if pull is None or pull.state == "open":
        return bump
    standing = Standing.MERGED if pull.merged else Standing.CLOSED
    return replace(bump, standing=standing)
