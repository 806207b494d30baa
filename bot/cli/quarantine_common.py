"""What `bot quarantine` and `bot unquarantine` share: where they work, what they print."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.cli.on_pull_request import Heard
from bot.cli.result import Result
from bot.core.host import Call
from bot.core.testrecipes.plan import QuarantinePlan


def heard_result(heard: Heard, nothing: str, *, dry_run: bool) -> Result:
    """Return the result of a command on the bot's pull request; `nothing` is said where nothing changes."""
    rounds = heard.passed.rounds
    is_done = rounds is not None and (rounds.due.asked or rounds.due.back)
    # A pass may take out other tests as well: what a person asked for comes last.
    plan, issue = rounds.planned[-1] if rounds and is_done else (QuarantinePlan("", "", None, ()), None)
    return Result(
        {**document(plan, issue=issue), **heard.document},
        heard.text(text(plan, nothing, dry_run=dry_run), dry_run=dry_run),
    )


def document(plan: QuarantinePlan, *, issue: int | None, calls: Sequence[Call] = ()) -> Mapping[str, Any]:
    """Return the JSON document of a plan."""
    return {
        "test": plan.test,
        "model": plan.model or None,
        "platform": plan.platform,
        "before": list(plan.before),
        "after": list(plan.after),
        "issue": issue,
        "changed": [{"path": it.path, "lines": list(it.lines)} for it in plan.edits],
        "diff": plan.diff,
        "notices": list(plan.notices),
        "calls": [{"method": it.method, "path": it.path, "body": it.body} for it in calls],
    }


def text(plan: QuarantinePlan, nothing: str, *, dry_run: bool) -> str:
    """Return the diff and a line that sums up, for a person; `nothing` is said where nothing changes."""
    if not plan.changes:
        return nothing
    on = f" on {plan.platform}" if plan.platform else ""
    words = " ".join(plan.before) or "nothing", " ".join(plan.after) or "nothing"
    did = "would change" if dry_run else "changed"
    # The diff of a clone is outside text: no control sequence of it reaches the terminal.
    lines = ["".join(filter(str.isprintable, line)) for line in plan.diff.split("\n")]
    summary = f"{did} {plan.test}{on}: {words[0]} -> {words[1]}"
    return "\n".join([*lines, *(f"note: {it}" for it in plan.notices), summary])
