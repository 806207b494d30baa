"""`bot retry`: failed jobs of the bot's pull request run again."""

from bot import wiring
from bot.cli.loop import is_dry_run
from bot.cli.on_pull_request import hear
from bot.cli.result import Result
from bot.cli.selection import select
from bot.core.rounds import CommitRound, RetryFailed, Words


def run(
    *,
    job: str | None,
    pr: int | None,
    dry_run: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Run the failed jobs again, or the one that is named."""
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, default=settings.recipe)
    dry_run = is_dry_run(settings, asked=dry_run)
    heard = hear(selection, settings, pr, Words(retry=True, job=job), dry_run=dry_run)
    again = heard.step if isinstance(heard.step, RetryFailed) else None
    document = {"run": again.run.id if again else None, "job": again.job if again else None, **heard.document}
    return Result(document, heard.text(_said(heard.step), dry_run=dry_run))


def _said(step: CommitRound | RetryFailed | None) -> str:
    match step:
        case RetryFailed(run, None):
            return f"failed jobs of run {run.id} run again"
        case RetryFailed(run, job):
            return f"job {job} of run {run.id} runs again"
        case CommitRound(number):
            return f"round {number} began: its commit starts CI anew, failed jobs included"
        case None:
            return "nothing to run again: nothing failed"
