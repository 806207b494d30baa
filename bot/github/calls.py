"""Every write of the bot as a value: what goes in is the wish, what comes out is the API call.

Sources: https://docs.github.com/rest/git, https://docs.github.com/rest/pulls/pulls,
https://docs.github.com/rest/issues, https://docs.github.com/rest/checks/runs,
https://docs.github.com/rest/commits/statuses
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from bot.core.host import Call, Gate, Reaction

LONGEST_STATUS = 140
"""Characters of a commit status's description."""


def sync_fork(fork: str, branch: str) -> Call:
    """Bring a branch of a fork up to its parent, so that the fork knows the commits to build on."""
    return Call("POST", f"/repos/{fork}/merge-upstream", {"branch": branch})


def create_blob(repository: str, data: bytes) -> Call:
    """Store bytes that no JSON string can carry."""
    body = {"content": b64encode(data).decode("ascii"), "encoding": "base64"}
    return Call("POST", f"/repos/{repository}/git/blobs", body)


def create_tree(repository: str, base_tree: str, entries: Sequence[Mapping[str, str | None]]) -> Call:
    """Make a tree that is `base_tree` with other files at the paths of `entries`."""
    return Call("POST", f"/repos/{repository}/git/trees", {"base_tree": base_tree, "tree": list(entries)})


def create_commit(repository: str, tree: str, parents: Sequence[str], message: str) -> Call:
    """Make a commit without naming author and committer: GitHub fills them in, and signs for an App."""
    body = {"message": message, "tree": tree, "parents": list(parents)}
    return Call("POST", f"/repos/{repository}/git/commits", body)


def create_branch(repository: str, branch: str, sha: str) -> Call:
    """Point a new branch to a commit."""
    return Call("POST", f"/repos/{repository}/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})


def advance_branch(repository: str, branch: str, sha: str) -> Call:
    """Move a branch forward; GitHub refuses what is no fast-forward."""
    path = f"/repos/{repository}/git/refs/heads/{quote(branch)}"
    return Call("PATCH", path, {"sha": sha, "force": False})


def open_pull_request(repository: str, head: str, base: str, title: str, body: str) -> Call:
    """Open a draft; `head` is a branch of the repository, or `owner:branch` of a fork."""
    wish = {"title": title, "head": head, "base": base, "body": body, "draft": True}
    return Call("POST", f"/repos/{repository}/pulls", wish)


def edit_pull_request(repository: str, number: int, body: str) -> Call:
    """Replace the text of a pull request."""
    return Call("PATCH", f"/repos/{repository}/pulls/{number}", {"body": body})


def close_pull_request(repository: str, number: int) -> Call:
    """Close a pull request without merging it."""
    return Call("PATCH", f"/repos/{repository}/pulls/{number}", {"state": "closed"})


_READY = """mutation($pull: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $pull }) { pullRequest { isDraft } }
}
"""


def mark_ready(node: str) -> Call:
    """Make a draft ready for review, by its id in GraphQL: the REST API cannot.

    https://docs.github.com/graphql/reference/mutations#markpullrequestreadyforreview
    """
    return Call("POST", "/graphql", {"query": _READY, "variables": {"pull": node}})


def add_labels(repository: str, number: int, labels: Sequence[str]) -> Call:
    """Add labels to those that are there."""
    return Call("POST", f"/repos/{repository}/issues/{number}/labels", {"labels": list(labels)})


def open_issue(repository: str, title: str, body: str, labels: Sequence[str]) -> Call:
    """Open an issue."""
    wish = {"title": title, "body": body, "labels": list(labels)}
    return Call("POST", f"/repos/{repository}/issues", wish)


def edit_issue(repository: str, number: int, body: str) -> Call:
    """Replace the text of an issue."""
    return Call("PATCH", f"/repos/{repository}/issues/{number}", {"body": body})


def set_issue_state(repository: str, number: int, state: str) -> Call:
    """Close an issue, or open it again."""
    return Call("PATCH", f"/repos/{repository}/issues/{number}", {"state": state})


def write_comment(repository: str, number: int, body: str) -> Call:
    """Comment on an issue or pull request."""
    return Call("POST", f"/repos/{repository}/issues/{number}/comments", {"body": body})


def edit_comment(repository: str, comment: int, body: str) -> Call:
    """Replace the text of a comment."""
    return Call("PATCH", f"/repos/{repository}/issues/comments/{comment}", {"body": body})


def react(repository: str, comment: int, reaction: Reaction) -> Call:
    """Put a reaction below a comment."""
    path = f"/repos/{repository}/issues/comments/{comment}/reactions"
    return Call("POST", path, {"content": reaction})


def create_check_run(repository: str, sha: str, gate: Gate) -> Call:
    """Set a gate as a check run, which only an App may."""
    return Call("POST", f"/repos/{repository}/check-runs", {"head_sha": sha, **_check_run(gate)})


def update_check_run(repository: str, check_run: int, gate: Gate) -> Call:
    """Change a check run of the App."""
    return Call("PATCH", f"/repos/{repository}/check-runs/{check_run}", _check_run(gate))


def rerun_failed_jobs(repository: str, run: int) -> Call:
    """Begin a new attempt of a run: the jobs that failed, and those that waited for them.

    https://docs.github.com/rest/actions/workflow-runs
    """
    return Call("POST", f"/repos/{repository}/actions/runs/{run}/rerun-failed-jobs")


def rerun_job(repository: str, job: int) -> Call:
    """Begin a new attempt of a job's run: this job, and those that wait for it."""
    return Call("POST", f"/repos/{repository}/actions/jobs/{job}/rerun")


def _check_run(gate: Gate) -> dict[str, Any]:
    return {
        "name": gate.name,
        "status": "completed",
        "conclusion": "success" if gate.passed else "failure",
        "output": {"title": status_line(gate.summary) or gate.name, "summary": gate.summary},
    }


def create_status(repository: str, sha: str, gate: Gate) -> Call:
    """Set a gate as a commit status."""
    body = {
        "state": "success" if gate.passed else "failure",
        "context": gate.name,
        "description": status_line(gate.summary),
    }
    return Call("POST", f"/repos/{repository}/statuses/{sha}", body)


def status_line(text: str) -> str:
    """Return the first line of a text as far as a commit status can show it."""
    line = text.strip().partition("\n")[0].rstrip()
    return line if len(line) <= LONGEST_STATUS else line[: LONGEST_STATUS - 1] + "…"
