"""A bump in words for the terminal; what a person should not miss comes last."""

import json
from collections.abc import Sequence

from bot.core.host import Call
from bot.core.markdown import one_line
from bot.core.plan import Plan
from bot.flows.bump import BumpOutcome

_APPROVALS = {
    "none": "no approval is needed here",
    "asked": "approval asked; copy-pr-bot has not taken it yet, run the command again to look",
    "taken": "approved, and copy-pr-bot has taken it",
    "late": "approved more than 15 minutes ago and not taken: is the commenting account a vetter here?",
}


def plan(plan: Plan, did: str, left: Sequence[str]) -> str:
    """Return the diff, the places that stay (`left`: those in no recipe), and one line that sums up."""
    if not plan.edits:
        return f"nothing to do: every pin of {plan.track} is at {plan.after.plain()}"
    lines = _count(sum(len(edit.lines) for edit in plan.edits), "line")
    files = _count(len(plan.edits), "file")
    parts = [
        plan.diff.rstrip("\n"),
        _section("stays as it is", [*_folded(plan.listed), *left]),
        _section("look at these", plan.concerns),
        f"{did} {lines} in {files}: {plan.before} -> {plan.after.plain()}",
    ]
    return "\n\n".join(part for part in parts if part)


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"  {line}" for line in lines)]) if lines else ""


_ABSENT = " is not on this branch"


def _folded(lines: Sequence[str]) -> list[str]:
    """Return the lines with all that are absent from the branch in one."""
    absent = [line.removesuffix(_ABSENT) for line in lines if line.endswith(_ABSENT)]
    there = [line for line in lines if not line.endswith(_ABSENT)]
    return [*there, *([f"not on this branch: {', '.join(absent)}"] if absent else [])]


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def call(call: Call) -> str:
    """Return a request that was not sent; its files are left to the diff."""
    body = dict(call.body or {})
    if "tree" in body and isinstance(body["tree"], list):
        body["tree"] = [
            {**entry, "content": "(as in the diff)"} if "content" in entry else entry
            for entry in body["tree"]
        ]
    shown = f"\n{json.dumps(body, indent=2, ensure_ascii=False)}" if body else ""
    return f"{call.method} {call.path}{shown}"


def outcome(outcome: BumpOutcome) -> str:
    """Return where the pull request stands, and what this run wrote."""
    if outcome.pull_request is None:
        return "no pull request is needed"
    adopted = outcome.adopted_from
    by = f"\nopened by {one_line(adopted.login)}, not by the bot: its text is left alone" if adopted else ""
    wrote = ", ".join(outcome.written) or "nothing: all of it was there"
    if outcome.conflict_unknown:
        wrote += "\nGitHub has not found out yet whether this conflicts with the base: run the command again"
    head = f"{outcome.pull_request.url} at {outcome.sha}{by}"
    return f"{head}\nwritten now: {wrote}\n{_APPROVALS[outcome.approval]}"
