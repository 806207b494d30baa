"""The log of a container build, in pieces of any size → why it broke.

The log is read once: memory is bounded by what is kept of a line, of the steps and of the proofs.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from bot.core.buildlog.causes import FAMILIES
from bot.core.buildlog.diagnosis import Diagnosis, Line, Outcome, Proof, causes_of
from bot.core.buildlog.frames import WORDS, Frame, Mark, frame_of
from bot.core.buildlog.lines import LineReader, shortened
from bot.core.buildlog.prefilter import prefilter
from bot.core.buildlog.signs import Match, Matcher, Rank
from bot.core.buildlog.steps import Status, Step, Steps

_MATCHER = Matcher(FAMILIES)
_CAUSES = {cause.name: cause for family in FAMILIES.values() for cause in family}
_TELLTALE = prefilter((*WORDS, *_MATCHER.words()))

# In its excerpt BuildKit writes the time without the number of the step.
_ELAPSED = re.compile(r"^\d+\.\d+ ")

_PROOFS = 200
_LINES = 6

_FAILURES = frozenset({Mark.FAILED, Mark.CLASSIC_FAILED, Mark.SOLVE_FAILED, Mark.RUNNER_FAILED})
_SAY_NOTHING = frozenset(
    {Mark.QUOTED, Mark.BEGAN, Mark.DONE, Mark.CANCELLED, Mark.EXCERPT, Mark.CLASSIC, Mark.RUNNER_STEP}
)


def read_build_log(pieces: Iterable[bytes]) -> Diagnosis:
    """Return why a build broke, from its log; bytes that are no text are read as well as they can be."""
    reader, build = LineReader(_TELLTALE), _Build()
    for piece in pieces:
        for n, text in reader.feed(piece):
            build.take(n, text)
    for n, text in reader.close():
        build.take(n, text)
    return replace(build.diagnosis(), line_count=reader.count)


class _Build:
    """What the lines so far say."""

    def __init__(self) -> None:
        self._steps = Steps()
        self._proofs: list[Proof] = []
        self._failed_at: int | None = None
        self._before: tuple[list[Proof], int | None] = ([], None)
        self._outcome = Outcome.UNKNOWN
        self._installed = False

    def take(self, n: int, text: str) -> None:
        frame = frame_of(text)
        if frame.mark is Mark.NEW_BUILD:
            self._new_build()
        step = self._steps.take(frame)
        self._judge(n, frame, step)
        if frame.mark in _SAY_NOTHING:
            return
        said = _ELAPSED.sub("", frame.text) if self._steps.is_excerpt else frame.text
        for match in _MATCHER.matches(said):
            self._prove(match, step, Line(n, shortened(said)))

    def _new_build(self) -> None:
        """Keep what the build before proved, should this one not say why it failed."""
        if self._proofs:
            self._before = (self._proofs, self._failed_at)
        self._proofs, self._failed_at = [], None

    def _judge(self, n: int, frame: Frame, step: Step) -> None:
        if frame.mark in _FAILURES:
            self._outcome = Outcome.FAILED
            if step.builds and self._failed_at is None:
                self._failed_at = n
        elif frame.mark is Mark.SUCCEEDED or (
            frame.mark is Mark.DONE and step.title.startswith("exporting to ")
        ):
            self._outcome = Outcome.SUCCEEDED
            self._proofs = [it for it in self._proofs if it.step.status is Status.FAILED]
        elif frame.mark is Mark.INSTALLED and not step.builds:
            self._installed = True

    def _prove(self, match: Match, step: Step, line: Line) -> None:
        if match.clears:
            self._proofs = [it for it in self._proofs if it.cause is not match.cause or it.step is not step]
            return
        if match.cause.rank is Rank.CONSEQUENCE:
            step.package = match.package or step.package
            step.build_failed = True
        cause = _CAUSES[match.cause.in_build] if match.cause.in_build and step.build_failed else match.cause
        package = match.package or (step.package if cause.of_build else None)
        subject = (step.image if cause.of_image else None) or match.subject
        self._add(Proof(cause, step, package, subject, (line,)))

    def _add(self, proof: Proof) -> None:
        for at, it in enumerate(self._proofs):
            if (it.cause, it.step, it.package, it.subject) == (
                proof.cause,
                proof.step,
                proof.package,
                proof.subject,
            ):
                is_new = all(line.text != proof.lines[0].text for line in it.lines)
                if is_new and len(it.lines) < _LINES:
                    self._proofs[at] = replace(it, lines=(*it.lines, *proof.lines))
                return
        if len(self._proofs) >= _PROOFS:
            self._proofs = [it for it in self._proofs if it.step.status is not Status.DONE]
        if len(self._proofs) < _PROOFS:
            self._proofs.append(proof)

    def diagnosis(self) -> Diagnosis:
        causes = causes_of(self._proofs, self._failed_at)
        outcome = self._outcome
        if causes:
            outcome = Outcome.FAILED
        elif outcome is Outcome.FAILED:
            causes = causes_of(*self._before)
        elif outcome is Outcome.UNKNOWN and self._installed:
            outcome = Outcome.SUCCEEDED
        failed = self._steps.failed
        if outcome is Outcome.SUCCEEDED or failed is None:
            return Diagnosis(outcome, causes, None, None, self._steps.stages)
        return Diagnosis(outcome, causes, failed.name, failed.stage, self._steps.stages)
