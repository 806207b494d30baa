"""Verdicts that a person has to decide on → the exact commands by which to answer."""

from collections.abc import Mapping, Sequence

from bot.core.errors import UsageError
from bot.core.testrecipes.target import parse_target
from bot.core.triage.summary import Judged, Triage
from bot.core.triage.verdict import VerdictKind

SHOWN = 5
"""Tests of one kind for which a command is given."""

_ACCEPTED = frozenset({VerdictKind.LARGE_DRIFT, VerdictKind.INFERENCE_DRIFT})
_AGAIN = frozenset({VerdictKind.NCCL, VerdictKind.INFRA})
_CLASSES: Mapping[VerdictKind, str] = {
    VerdictKind.HANG: "hang",
    VerdictKind.OOM: "oom",
    VerdictKind.CRASH: "crash",
    VerdictKind.RESUME_MISMATCH: "regression",
    VerdictKind.UNKNOWN: "regression",
}


def ways_out(triage: Triage, recipe: str, pull_request: int) -> tuple[str, ...]:
    """Return commands for the command line, each complete, the least drastic first.

    A name that the commands would not take has none.
    """
    tests = [it for it in triage.judged if it.subject.role == "functional" and _is_a_name(it.subject.name)]
    where = f"--recipe {recipe} --pr {pull_request}"
    found: list[str] = []
    if any(it.verdict.kind in _AGAIN for it in triage.judged):
        found.append(f"bot retry {where}")
    if moved := _of(tests, _ACCEPTED):
        accepts = " ".join(dict.fromkeys(f"--accept {it.subject.name}" for it in moved))
        found.append(f"bot goldens refresh --run-id {triage.run.id} --only-failing {accepts} {where}")
    slow = _of(tests, {VerdictKind.OVER_BUDGET})
    found += [f"bot quarantine {it.subject.name} --as n-repeat=1 {where}" for it in slow]
    for kind, name in _CLASSES.items():
        for it in _of(tests, {kind}):
            platform = f" --platform {it.subject.platform}" if it.subject.platform else ""
            found.append(f"bot quarantine {it.subject.name}{platform} --class {name} --file-issue {where}")
    return tuple(found)


def _of(tests: Sequence[Judged], kinds: frozenset[VerdictKind] | set[VerdictKind]) -> list[Judged]:
    return [it for it in tests if it.verdict.kind in kinds][:SHOWN]


def _is_a_name(name: str) -> bool:
    try:
        parse_target(name)
    except UsageError:
        return False
    return True
