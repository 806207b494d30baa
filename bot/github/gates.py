"""A gate on a commit: a check run of the App, or a commit status of the user, never anybody else's.

The API lets only Apps write check runs (https://docs.github.com/rest/checks/runs).
"""

from github.CheckRun import CheckRun
from github.CommitStatus import CommitStatus
from github.GithubApp import GithubApp
from github.NamedUser import NamedUser
from github.Organization import Organization
from github.PaginatedList import PaginatedList

from bot.core.host import Call, Gate
from bot.github import calls
from bot.github.session import Session


class CheckRuns:
    """Gates as check runs of the App with the numeric id `app`; reading takes one request."""

    def __init__(self, session: Session, repository: str, app: int) -> None:
        self.session = session
        self._repository = repository
        self._app = app

    def find(self, sha: str, name: str) -> Gate | None:
        """Return the newest gate of this name on a commit."""
        run = self._newest(sha, name)
        if run is None:
            return None
        return Gate(name, run.conclusion == "success", run.output.summary or "")

    def write(self, sha: str, gate: Gate) -> Call:
        """Return the call that sets a gate: one of ours is changed, not doubled."""
        run = self._newest(sha, gate.name)
        if run is None:
            return self.create(sha, gate)
        return calls.update_check_run(self._repository, run.id, gate)

    def create(self, sha: str, gate: Gate) -> Call:
        """Return the call that sets a gate on a commit that has none."""
        return calls.create_check_run(self._repository, sha, gate)

    def _newest(self, sha: str, name: str) -> CheckRun | None:
        path = f"/repos/{self._repository}/commits/{sha}/check-runs"
        wanted = {"check_name": name, "app_id": self._app, "filter": "latest"}
        runs = PaginatedList(CheckRun, self.session, path, wanted, list_item="check_runs")
        ours = (run for run in runs if run.name == name and _is_by(run.app, self._app))
        return max(ours, key=lambda run: run.id, default=None)


class Statuses:
    """Gates as commit statuses of one user, whose id `creator` returns; reading takes one request."""

    def __init__(self, session: Session, repository: str, creator: int) -> None:
        self.session = session
        self._repository = repository
        self._creator = creator

    def find(self, sha: str, name: str) -> Gate | None:
        """Return the newest gate of this name on a commit; its summary as far as a status holds it."""
        path = f"/repos/{self._repository}/commits/{sha}/statuses"
        for status in PaginatedList(CommitStatus, self.session, path, None):
            # The newest comes first; names of statuses do not tell cases apart.
            same = status.context.lower() == name.lower()
            if same and _is_by(status.creator, self._creator):
                return Gate(name, status.state == "success", status.description or "")
        return None

    def write(self, sha: str, gate: Gate) -> Call:
        """Return the call that sets a gate; of several, GitHub shows the newest."""
        return self.create(sha, gate)

    def create(self, sha: str, gate: Gate) -> Call:
        """Return the call that sets a gate on a commit that has none."""
        return calls.create_status(self._repository, sha, gate)


def _is_by(maker: GithubApp | NamedUser | Organization | None, wanted: int) -> bool:
    # GitHub shows no maker where the account or the App is gone.
    return maker is not None and maker.id == wanted
