"""The steps of a build as a log shows them: which one a line belongs to, and how each ended."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from bot.core.buildlog.frames import Frame, Mark
from bot.core.buildlog.lines import shortened

_GETS = re.compile(r"(?:load metadata for |FROM (?:--platform=\S+ )?)(?P<image>[^\s@]+)")

_STEPS = 4096
_STAGES = 100


class Status(Enum):
    """How a step stands."""

    RUNNING = auto()
    DONE = auto()
    CANCELLED = auto()
    FAILED = auto()


@dataclass(slots=True, eq=False)
class Step:
    """A step of a builder or a runner; what belongs to none is held by one without a title.

    `number` is its place in the stage, as `5/20`. `package` is what was last said to fail
    in it, `build_failed` whether that was a build from source.
    """

    title: str = ""
    stage: str | None = None
    platform: str | None = None
    number: str | None = None
    status: Status = Status.RUNNING
    builds: bool = False
    package: str | None = None
    build_failed: bool = False

    @property
    def image(self) -> str | None:
        """The image that the step gets, where it gets one."""
        found = _GETS.match(self.title)
        return found["image"] if found else None

    @property
    def name(self) -> str | None:
        """What a person calls the step, None for what belongs to none."""
        return " ".join(filter(None, (self.number, self.title))) or None


@dataclass(slots=True)
class StageTime:
    """How long the finished steps of a stage took, in seconds; cached ones take none."""

    stage: str
    platform: str | None
    steps: int = 0
    seconds: float = 0.0


class Steps:
    """Is told each frame of a log and says which step it belongs to."""

    def __init__(self) -> None:
        self._kit: dict[int, Step] = {}
        self._classic: Step | None = None
        self._outside = Step()
        self._excerpt: Step | None = None
        self._edge = False
        self._stages: dict[tuple[str, str | None], StageTime] = {}
        self.failed: Step | None = None

    @property
    def is_excerpt(self) -> bool:
        """Whether BuildKit is repeating the end of a step."""
        return self._excerpt is not None

    @property
    def stages(self) -> tuple[StageTime, ...]:
        """The stages in the order in which a step of theirs first ended."""
        return tuple(self._stages.values())

    def take(self, frame: Frame) -> Step:
        """Return the step that a frame belongs to, after what it says of the steps."""
        if frame.id is not None:
            return self._of_buildkit(frame, frame.id)
        match frame.mark:
            case Mark.EXCERPT_EDGE:
                self._excerpt = None
            case Mark.EXCERPT:
                self._excerpt = self._excerpted(frame)
            case Mark.NEW_BUILD:
                self._begin_again()
            case Mark.CLASSIC:
                self._classic = self._next_classic(frame)
            case Mark.RUNNER_STEP:
                self._next_of_runner(frame)
            case Mark.CLASSIC_FAILED | Mark.SOLVE_FAILED | Mark.RUNNER_FAILED:
                return self._failure(frame)
            case _:
                pass
        return self._excerpt or self._classic or self._outside

    def _of_buildkit(self, frame: Frame, number: int) -> Step:
        self._excerpt = None
        step = self._kit.get(number)
        if step is None:
            step = self._kit[number] = Step(builds=True)
            if len(self._kit) > _STEPS:
                del self._kit[next(iter(self._kit))]
        if frame.mark is Mark.BEGAN:
            step.title, step.stage, step.platform, step.number = (
                shortened(frame.text),
                frame.stage,
                frame.platform,
                frame.number,
            )
        elif frame.mark is Mark.DONE:
            self._done(step, frame.seconds or 0.0)
        elif frame.mark is Mark.CANCELLED:
            step.status = Status.CANCELLED
        elif frame.mark is Mark.FAILED:
            self._fail(step)
        return step

    def _done(self, step: Step, seconds: float) -> None:
        step.status = Status.DONE
        if step.stage and len(self._stages) < _STAGES:
            key = (step.stage, step.platform)
            time = self._stages.setdefault(key, StageTime(step.stage, step.platform))
            time.steps += 1
            time.seconds += seconds

    def _fail(self, step: Step) -> None:
        step.status = Status.FAILED
        self.failed = step

    def _excerpted(self, frame: Frame) -> Step:
        """Return the step of which the end is repeated; of a log without its beginning it is a new one."""
        for step in reversed(self._kit.values()):
            if step.status is Status.FAILED and step.title == shortened(frame.text):
                return step
        step = Step(shortened(frame.text), frame.stage, frame.platform, frame.number, builds=True)
        self._fail(step)
        return step

    def _begin_again(self) -> None:
        self._kit, self._classic, self._excerpt, self.failed = {}, None, None, None

    def _next_classic(self, frame: Frame) -> Step:
        before = None if (frame.number or "").startswith("1/") else self._classic
        if self._classic:
            self._done(self._classic, 0.0)
        stage = frame.stage or (before.stage if before and not frame.text.startswith("FROM ") else None)
        return Step(shortened(frame.text), stage, None, frame.number, builds=True)

    def _next_of_runner(self, frame: Frame) -> None:
        if self._outside.status is not Status.FAILED:
            self._outside.status = Status.DONE
        self._classic = self._excerpt = None
        self._outside = Step(shortened(frame.text))

    def _failure(self, frame: Frame) -> Step:
        self._excerpt = None
        if frame.mark is Mark.RUNNER_FAILED:
            self._outside.status = Status.FAILED
            return self._outside
        if self.failed is None or not self.failed.builds:
            self._fail(self._classic or Step(builds=True))
        return self.failed or self._outside
