"""`CiRuns` on GitHub Actions: lists are read to their ends, logs and artifacts come from GitHub's store."""

import threading
from collections.abc import Iterator

from github.Artifact import Artifact as GitHubArtifact
from github.PaginatedList import PaginatedList
from github.WorkflowJob import WorkflowJob
from github.WorkflowRun import WorkflowRun

from bot.core.ci import Artifact, Job, Run
from bot.github import calls
from bot.github.downloads import DownloadPatience, stream
from bot.github.egress import checked_target
from bot.github.errors import Gone, NotFound
from bot.github.session import Session

QUEUE = "gh-readonly-queue"
"""The folder of a merge queue's branches:
https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/configuring-pull-request-merges/managing-a-merge-queue."""


class GitHubActions:
    """The runs of one repository, as one identity sees them.

    Several threads at once may read logs and ask for locations; the rest is for one at a time.
    """

    def __init__(self, session: Session, repository: str, patience: DownloadPatience | None = None) -> None:
        self.repository = repository
        self._session = session
        self._patience = patience or DownloadPatience()
        self._threads = threading.local()
        self._actions = f"/repos/{repository}/actions"

    def run(self, number: int) -> Run | None:
        """Return a run by its id, or None if there is no such run; one request."""
        try:
            found = WorkflowRun(self._session, url=f"{self._actions}/runs/{number}").complete()
        except NotFound:
            return None
        return _run(found)

    def runs(self, branch: str) -> tuple[Run, ...]:
        """Return the runs of a branch, the newest first; a request for each hundred, a thousand at most.

        https://docs.github.com/rest/actions/workflow-runs
        """
        url, wanted = f"{self._actions}/runs", {"branch": branch}
        listed = PaginatedList(WorkflowRun, self._session, url, wanted, list_item="workflow_runs")
        return tuple(map(_run, listed))

    def base_runs(self, branch: str) -> tuple[Run, ...]:
        """Return the newest runs of a branch's merge queue, and those begun by hand on it; two requests.

        The queue has a branch of its own for each pull request (https://docs.github.com/rest/actions/workflow-runs
        filters by a whole name alone), in a folder of the base's name.
        """
        queued = self._newest_hundred({"event": "merge_group"})
        by_hand = self._newest_hundred({"event": "workflow_dispatch", "branch": branch})
        found = [it for it in queued if it.branch.rpartition("/")[0] == f"{QUEUE}/{branch}"] + by_hand
        return tuple(sorted(found, key=lambda it: (it.created_at, it.id), reverse=True))

    def _newest_hundred(self, wanted: dict[str, str]) -> list[Run]:
        url = f"{self._actions}/runs"
        listed = PaginatedList(WorkflowRun, self._session, url, wanted, list_item="workflow_runs")
        return [_run(found) for found in listed.get_page(0)]

    def jobs(self, run: int) -> tuple[Job, ...]:
        """Return the jobs of every attempt of a run; a request for each hundred."""
        url = f"{self._actions}/runs/{run}/jobs"
        listed = PaginatedList(WorkflowJob, self._session, url, {"filter": "all"}, list_item="jobs")
        return tuple(map(_job, listed))

    def log(self, job: int) -> Iterator[bytes]:
        """Yield the log of a job in pieces as they come; nothing where it is gone. Never held as a whole."""

        def locate() -> str | None:
            try:
                return self._own_session.target(f"{self._actions}/jobs/{job}/logs")
            except (NotFound, Gone):
                return None

        return stream(locate, self._session.base_url, f"the log of job {job}", self._patience)

    def artifacts(self, run: int) -> tuple[Artifact, ...]:
        """Return what the jobs of a run left, expired ones included; a request for each hundred."""
        url = f"{self._actions}/runs/{run}/artifacts"
        listed = PaginatedList(GitHubArtifact, self._session, url, None, list_item="artifacts")
        return tuple(_artifact(found, run) for found in listed)

    def location(self, artifact: int) -> str:
        """Return where an artifact's zip is to be had without credentials, for about a minute.

        Raises Gone when it has expired, NotFound when there is none, ServiceError when the address is
        none that anything may be fetched from.
        """
        url = self._own_session.target(f"{self._actions}/artifacts/{artifact}/zip")
        return checked_target(url, self._session.base_url)

    @property
    def _own_session(self) -> Session:
        if not hasattr(self._threads, "session"):
            self._threads.session = self._session.twin()
        session: Session = self._threads.session
        return session

    def retry_failed(self, run: int) -> None:
        """Run the failed jobs of a run again. Raises Refused while it runs, or if there is nothing to run."""
        self._session.send(calls.rerun_failed_jobs(self.repository, run))

    def retry_job(self, job: int) -> None:
        """Run one job again. Raises Refused while its run goes on."""
        self._session.send(calls.rerun_job(self.repository, job))


def _run(found: WorkflowRun) -> Run:
    return Run(
        id=found.id,
        sha=found.head_sha,
        branch=found.head_branch or "",
        event=found.event,
        # A workflow that is required by another repository is named `path@ref`.
        workflow=found.path.partition("@")[0],
        is_foreign=found.head_repository.id != found.repository.id,
        attempt=found.run_attempt,
        status=found.status,
        conclusion=found.conclusion,
        created_at=found.created_at,
        url=found.html_url,
    )


def _job(found: WorkflowJob) -> Job:
    failed = (step.name for step in found.steps or () if step.conclusion == "failure")
    return Job(
        id=found.id,
        run=found.run_id,
        name=found.name,
        attempt=found.run_attempt,
        status=found.status,
        conclusion=found.conclusion,
        labels=tuple(found.labels),
        started_at=found.started_at,
        completed_at=found.completed_at,
        url=found.html_url,
        failed_step=next(failed, None),
    )


def _artifact(found: GitHubArtifact, run: int) -> Artifact:
    return Artifact(
        id=found.id,
        run=run,
        name=found.name,
        size=found.size_in_bytes,
        expired=found.expired,
        created_at=found.created_at,
    )
