"""What the artifacts of a run hold → which one is a test's own, its golden, and the ranks to ask.

Top of the zip: goldens. Logs of ranks: `logs/<repeat>/<rendezvous>/attempt_0/<rank>/stderr.log`
(https://github.com/NVIDIA/Megatron-LM/blob/main/tests/functional_tests/shell_test_utils/run_ci_test.sh).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.core.ci import Artifact, Contents, Entry, Unreadable
from bot.core.triage.jobs import Candidates
from bot.core.triage.verdict import GoldenFound, second_run

_GOLDEN = re.compile(r"golden_values\w*\.json")
_RANK_LOG = re.compile(r"logs/(?P<repeat>\d+)/(?:[^/]+/)*std(?P<stream>err|out)\.log")

LARGEST = 4 * 1024 * 1024
"""Bytes of a rank's log that is still read."""
_RANK_LOGS = 16
"""Logs of ranks that are read of one test: both streams of a node's eight."""


@dataclass(frozen=True, slots=True)
class Left:
    """A test's own artifact and its entries."""

    artifact: Artifact
    entries: tuple[Entry, ...]

    @property
    def names(self) -> frozenset[str]:
        """The paths of all entries."""
        return frozenset(entry.name for entry in self.entries)

    def golden(self, name: str) -> GoldenFound:
        """Return whether the golden of this name lies in it, and one of a second run."""
        names = self.names
        return GoldenFound(self.artifact.name, name, name in names, second_run(name) in names)

    def rank_logs(self) -> tuple[str, ...]:
        """Return the logs of ranks that are worth reading: of the newest repeat, not empty, not huge."""
        found = [(it, _RANK_LOG.fullmatch(it.name)) for it in self.entries if 0 < it.size <= LARGEST]
        logs = [(-int(match["repeat"]), match["stream"], it.name) for it, match in found if match]
        newest = min(logs)[0] if logs else 0
        return tuple(name for repeat, _, name in sorted(logs) if repeat == newest)[:_RANK_LOGS]


def own(found: Candidates, contents: Mapping[int, Contents | Unreadable], golden: str) -> Left | str:
    """Return a test's artifact, or why nobody can look into it, as a part of a sentence.

    It is the newest one that holds the test's golden. A test of two platforms has two artifacts of one
    name, and the one with another platform's golden is not its own.
    """
    read = [(it, contents.get(it.id, Unreadable("it was not read"))) for it in found.artifacts]
    left = [Left(it, content.entries) for it, content in read if isinstance(content, Contents)]
    mine = [it for it in left if golden in it.names]
    nobodys = [it for it in left if not any(_GOLDEN.fullmatch(name) for name in it.names)]
    if mine or nobodys:
        return (mine or nobodys)[0]
    broken = [content.reason for _, content in read if isinstance(content, Unreadable)]
    if broken:
        return f"its artifact cannot be read: {broken[0]}"
    return "its artifact has expired" if found.expired else "it left no artifact"
