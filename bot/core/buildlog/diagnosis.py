"""What the lines of a log prove → the root cause of a broken build, and what contributed to it.

The root is the earliest decisive cause that does not follow from another one; only where there is none it
is a suspect, and only then what merely says that a part failed. Steps that ended well prove nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Literal

from bot.core.buildlog.signs import Cause, Rank
from bot.core.buildlog.steps import StageTime, Status, Step

_LINES = 6
_MOST = 20
"""Causes that a person is told of; a compiler that runs on after an error makes hundreds."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the log, counted from 1, without time, colours and frame."""

    n: int
    text: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A cause, and the lines of a step that prove it."""

    cause: Cause
    step: Step
    package: str | None
    subject: str | None
    lines: tuple[Line, ...]


class Outcome(StrEnum):
    """How a build ended, as far as its log says."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class BuildCause:
    """Why a build broke. `step` is a step's place and instruction, `hint` what to do next.

    `subject` is what the cause is about besides a package: an image, a secret, a header, a group.
    """

    cause: str
    role: Literal["root", "contributing"]
    stage: str | None
    step: str | None
    platform: str | None
    package: str | None
    subject: str | None
    hint: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How a build ended and why; the root comes first. `failed_step` is said even without a cause."""

    outcome: Outcome
    causes: tuple[BuildCause, ...]
    failed_step: str | None
    failed_stage: str | None
    stages: tuple[StageTime, ...] = field(default_factory=tuple)
    line_count: int = 0


def causes_of(proofs: Iterable[Proof], failed_at: int | None) -> tuple[BuildCause, ...]:
    """Return the root cause and the contributing ones, as the proofs have them in the order of the log.

    `failed_at` is the line with which a step of a builder failed; None where none is known to have.
    """
    relevant = _with_packages(_merged(_relevant(proofs, failed_at)))
    pool = _pool(relevant)
    if not pool:
        return ()
    followed = frozenset[str]().union(*(it.cause.leads_to for it in pool))
    root = next((it for it in pool if it.cause.name not in followed), pool[0])
    others = [it for it in relevant if it is not root and _contributes(it, root, followed)]
    return (
        _cause(root, "root", relevant),
        *(_cause(it, "contributing", relevant) for it in others[: _MOST - 1]),
    )


def _relevant(proofs: Iterable[Proof], failed_at: int | None) -> list[Proof]:
    """Return the proofs of what failed: not of a step that ended well, or was stopped for another's sake.

    Where a step of a builder failed, what was said outside of it counts only if it was said afterwards.
    """
    unfinished = [it for it in proofs if it.step.status in (Status.RUNNING, Status.FAILED)]
    if failed_at is None:
        return unfinished
    return [
        it
        for it in unfinished
        if (it.step.status is Status.FAILED if it.step.builds else it.lines[0].n >= failed_at)
    ]


def _merged(proofs: Sequence[Proof]) -> list[Proof]:
    """Return each cause once for each package; what is said again without one is not said anew."""
    kept: list[Proof] = []
    for proof in proofs:
        at = next((i for i, it in enumerate(kept) if _is_same(it, proof)), None)
        if at is None:
            kept.append(proof)
        else:
            kept[at] = _joined(kept[at], proof)
    return kept


def _is_same(one: Proof, other: Proof) -> bool:
    if one.cause.name != other.cause.name:
        return False
    packages_agree = one.package == other.package or None in (one.package, other.package)
    subjects_agree = one.subject == other.subject or None in (one.subject, other.subject)
    return packages_agree and subjects_agree


def _joined(one: Proof, other: Proof) -> Proof:
    texts = {line.text for line in one.lines}
    lines = [*one.lines, *(line for line in other.lines if line.text not in texts)]
    return replace(
        one,
        package=one.package or other.package,
        subject=one.subject or other.subject,
        lines=tuple(lines[:_LINES]),
    )


def _with_packages(proofs: Sequence[Proof]) -> list[Proof]:
    """Return the proofs with the package of their step where only one is said to have failed in it."""
    return [it if it.package else replace(it, package=_only_package(it, proofs)) for it in proofs]


def _only_package(proof: Proof, proofs: Sequence[Proof]) -> str | None:
    if not proof.cause.of_build:
        return None
    packages = {
        it.package
        for it in proofs
        if it.cause.rank is Rank.CONSEQUENCE and it.step is proof.step and it.package
    }
    return packages.pop() if len(packages) == 1 else None


def _pool(proofs: Sequence[Proof]) -> list[Proof]:
    """Return the proofs of the rank that explains most, in the order of the log."""
    ranks = {it.cause.rank for it in proofs} - {Rank.WARNING}
    best = min(ranks, default=None)
    return sorted((it for it in proofs if it.cause.rank is best), key=lambda it: it.lines[0].n)


def _contributes(proof: Proof, root: Proof, followed: frozenset[str]) -> bool:
    if proof.cause.name in followed:
        return False
    if proof.cause.rank is Rank.WARNING:
        return proof.step is root.step and proof.package in (None, root.package)
    return proof.cause.rank is Rank.DECISIVE and root.cause.rank is Rank.DECISIVE


def _cause(proof: Proof, role: Literal["root", "contributing"], proofs: Sequence[Proof]) -> BuildCause:
    cause, step = proof.cause, proof.step
    lines = sorted({line.n: line for line in _lines(proof, proofs)}.values(), key=lambda it: it.n)
    return BuildCause(
        cause.name,
        role,
        step.stage,
        step.name or cause.phase or _phase(proof, proofs),
        step.platform,
        proof.package,
        proof.subject,
        _hint(proof),
        tuple(lines),
    )


def _phase(proof: Proof, proofs: Sequence[Proof]) -> str | None:
    """Return the phase of what failed where the cause stood."""
    return next((it.cause.phase for it in proofs if it.step is proof.step and it.cause.phase), None)


def _hint(proof: Proof) -> str:
    hint = proof.cause.hint
    if proof.package is None:
        hint = hint.replace("`{package}`", "the package")
    if proof.subject is None:
        hint = hint.replace("`{subject}`", "what the lines name")
    return hint.format(package=proof.package, subject=proof.subject)


def _lines(proof: Proof, proofs: Sequence[Proof]) -> Iterator[Line]:
    """Yield the lines that prove a cause, and the one that proves whose it is."""
    yield from proof.lines
    if proof.cause.rank < Rank.CONSEQUENCE and proof.package:
        for it in proofs:
            if it.cause.rank is Rank.CONSEQUENCE and it.package == proof.package:
                yield it.lines[0]
