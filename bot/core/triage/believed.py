"""Which runs are believed: those whose results may change a golden or end a bump.

A run of another workflow, of a fork, by hand or of a commit that nobody vouched for shows something else than
what the pull request would do.
"""

import re
from collections.abc import Collection

from bot.core.ci import Run
from bot.core.recipe_results import Results


def disbelief(run: Run, results: Results, *, pull_request: int, vouched: Collection[str]) -> str | None:
    """Return why a run is not believed, as a sentence, or None.

    `vouched` are the shas of the pull request's commits that the bot or a vetter vouches for.
    """
    branch = f"pull-request/{pull_request}"
    reasons = (
        (run.is_foreign, "it ran a commit of another repository"),
        (run.workflow != results.workflow, f"it is a run of `{run.workflow}`, not of `{results.workflow}`"),
        (run.event != "push", f"it was begun by `{run.event}`, not by a push"),
        (run.branch != branch, f"it ran on `{run.branch}`, not on `{branch}`"),
        (run.sha not in vouched, f"nobody vouched for its commit {run.sha}"),
    )
    return next((reason for fails, reason in reasons if fails), None)


def disbelief_by_hand(run: Run, results: Results) -> str | None:
    """Return why a run that a person has named is not believed, as a sentence, or None.

    The person vouches for its commit; that it is a pull request's own run is still required.
    """
    number = re.fullmatch(r"pull-request/(\d{1,9})", run.branch)
    return disbelief(run, results, pull_request=int(number[1]) if number else 0, vouched=(run.sha,))
