"""A builder in memory: its builds fail or hang as the test says."""

from dataclasses import dataclass, field
from threading import Event

from bot.build_ports import OnLine
from bot.core.build import BuildOutcome, BuildReport, BuildRequest, PlatformBuild, Problem
from bot.core.buildlog.reader import read_build_log

STARTS = "#4 [main 1/2] RUN step"
FAILS = f"{STARTS}\n#4 0.1 sh: nonsense: not found\n#4 ERROR: process did not complete: exit code: 127"
SUCCEEDS = f"{STARTS}\n#4 DONE 0.2s\n#5 exporting to image\n#5 DONE 0.1s"


@dataclass
class FakeBuilder:
    """Implements `bot.build_ports.Builder`. A build that `hangs` ends when it is cancelled."""

    fails: bool = False
    hangs: bool = False
    problems: tuple[Problem, ...] = ()
    name: str = "fake"
    built: list[BuildRequest] = field(default_factory=list)
    _stopped: Event = field(default_factory=Event)

    def platform(self) -> str:
        return "linux/amd64"

    def preflight(self, request: BuildRequest) -> tuple[Problem, ...]:
        missing = [it for it in request.platforms if it != self.platform()]
        found = [Problem("emulation", f"no programs of {it} run here", "build elsewhere") for it in missing]
        return (*self.problems, *found)

    def build(self, request: BuildRequest, on_line: OnLine) -> BuildReport:
        self.built.append(request)
        return BuildReport(tuple(self._build(request, it, on_line) for it in request.platforms))

    def _build(self, request: BuildRequest, platform: str, on_line: OnLine) -> PlatformBuild:
        log = STARTS if self.hangs else FAILS if self.fails else SUCCEEDS
        for line in log.split("\n"):
            on_line(platform, line)
        if self.hangs:
            assert self._stopped.wait(20), "nobody cancelled the build"
        outcome = (
            BuildOutcome.CANCELLED
            if self.hangs
            else BuildOutcome.FAILED
            if self.fails
            else BuildOutcome.SUCCEEDED
        )
        good = outcome is BuildOutcome.SUCCEEDED
        diagnosis = read_build_log([log.encode()])
        image = f"sha256:{'0' * 64}" if good else None
        return PlatformBuild(platform, outcome, 0.3, diagnosis, request.tag_for(platform), image)

    def cancel(self) -> None:
        self._stopped.set()
