"""A ledger in memory."""

from datetime import UTC, datetime


class FakeLedger:
    """A `Ledger` whose clock is `now`: move it on to make time pass."""

    def __init__(self, now: datetime = datetime(2026, 7, 1, tzinfo=UTC)) -> None:
        self.now = now
        self._seen: dict[tuple[str, str], datetime] = {}
        self._digests: dict[tuple[str, str], list[str]] = {}
        self._commits: dict[tuple[str, str], set[str]] = {}

    def saw_tag(self, name: str, tag: str, digest: str) -> datetime:
        digests = self._digests.setdefault((name, tag), [])
        if digest not in digests:
            digests.append(digest)
        return self._seen.setdefault((name, tag), self.now)

    def digests(self, name: str, tag: str) -> tuple[str, ...]:
        return tuple(self._digests.get((name, tag), ()))

    def created_commit(self, repository: str, sha: str, branch: str) -> None:
        self._commits.setdefault((repository.lower(), branch), set()).add(sha)

    def commits(self, repository: str, branch: str) -> frozenset[str]:
        return frozenset(self._commits.get((repository.lower(), branch), ()))
