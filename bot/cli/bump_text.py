"""A bump in words for the terminal; what a person should not miss comes last."""

import json
from collections.abc import Mapping, Sequence

from bot.core.host import Call
from bot.core.markdown import one_line
from bot.core.plan import Plan
from bot.core.rounds import State
from bot.flows.bump import BumpOutcome
from bot.flows.rounds import RoundReport

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
    parts = [f"{head}\nwritten now: {wrote}\n{_APPROVALS[outcome.approval]}"]
    return "\n".join([*parts, *(_report(outcome.report) if outcome.report else ())])


def dry_run(outcome: BumpOutcome) -> str:
    """Return the last words of a dry run: where things would stand then."""
    stands = _report(outcome.report) if outcome.report and outcome.pull_request else []
    return "\n".join(["dry run: nothing was written", *stands])


_SAYS: Mapping[State, str] = {
    State.WAITING: "waiting for CI",
    State.ASKING: "a person has to decide",
    State.READY: "ready for review",
}


def _report(report: RoundReport) -> list[str]:
    counts = [f"{len(judged)} {kind}" for kind, judged in report.judged]
    counts += [f"{report.passed} passed"] if report.passed else []
    run = f" ({one_line(report.run_url)})" if report.run_url else ""
    lines = [f"{_SAYS[report.state]}{run}" + (f": {', '.join(counts)}" if counts else "")]
    # A test's name and the reason of its verdict are outside text.
    lines += [f"  {one_line(sentence, 300)}" for sentence in report.sentences]
    return [*lines, *(f"  not refreshed, {count}: {one_line(it, 200)}" for it, count in report.not_refreshed)]
