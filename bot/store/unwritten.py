"""The ledger of a dry run: a commit that is only shown is not recorded."""

from datetime import datetime

from bot.ports import Ledger


class UnwrittenLedger:
    """Everything of `ledger` but its memory for commits: a dry run's shas are placeholders."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def saw_tag(self, name: str, tag: str, digest: str) -> datetime:
        """Record a sighting, which is one in a dry run too."""
        return self._ledger.saw_tag(name, tag, digest)

    def digests(self, name: str, tag: str) -> tuple[str, ...]:
        """Return the digests that the ledger knows."""
        return self._ledger.digests(name, tag)

    def created_commit(self, repository: str, sha: str, branch: str) -> None:
        """Record nothing."""

    def commits(self, repository: str, branch: str) -> frozenset[str]:
        """Return the commits that the ledger knows."""
        return self._ledger.commits(repository, branch)
