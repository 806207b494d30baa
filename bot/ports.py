"""The outside of the bot, as Protocols: adapters implement them, flows take them as arguments."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from bot.core.ci import Artifact, Contents, Job, Run, Unreadable
from bot.core.goldens.trajectory import Panel
from bot.core.host import (
    Actor,
    Comment,
    CommitRange,
    Differences,
    Gate,
    Head,
    Issue,
    Node,
    PermissionRole,
    Proposal,
    PullRequest,
    Reaction,
    Role,
    Standing,
)
from bot.core.manifest import ImageConfig, Manifest


@dataclass(frozen=True, slots=True)
class Match:
    """A line of a file that matched a search; `line` counts from 1."""

    path: str
    line: int
    text: str


class ImageRegistry(Protocol):
    """A container registry; every method raises ServiceError when no sound answer can be had."""

    def tags(self, name: str) -> tuple[str, ...]:
        """Return every tag of `host/repository`, in the registry's order; never a part of them."""
        ...

    def manifest(self, name: str, tag: str) -> Manifest | None:
        """Return the tag's manifest, or None if the registry says that there is no such tag."""
        ...

    def manifests(self, name: str, tags: Sequence[str]) -> tuple[Manifest | None, ...]:
        """Return `manifest` for each tag, read side by side."""
        ...

    def configs(self, name: str, manifest: Manifest) -> tuple[ImageConfig, ...]:
        """Return the config of each platform of `manifest`, in the order of its platforms."""
        ...


class CodeHost(Protocol):
    """One repository on a code host. Each write is one request, never repeated blindly.

    Every method raises ServiceError when the host fails, Refused when it says no for a reason that
    a person must settle (a missing permission, a protected branch), and UsageError when it does not
    accept the credentials.
    """

    repository: str
    push_repository: str
    """`owner/name` where the bot's branches live: the repository itself, or the bot's fork."""

    def actor(self, role: Role) -> Actor:
        """Return the identity that writes in `role`."""
        ...

    def base_head(self, branch: str) -> Head | None:
        """Return the head of a branch of the repository, or None if there is no such branch."""
        ...

    def bot_head(self, branch: str) -> str | None:
        """Return the sha of the head of a branch where the bot pushes, or None."""
        ...

    def read(self, sha: str, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return each file's exact bytes at a commit, None where there is no such file, in one request."""
        ...

    def commits(self, base: str, head: str) -> CommitRange:
        """Return what `head` (a sha) adds to `base` (a branch or sha)."""
        ...

    def differences(self, old: Head, new: Head) -> Differences:
        """Return the files that differ between two commits, of which `new` descends from `old`."""
        ...

    def nodes(self, tree: str, paths: Sequence[str]) -> Mapping[str, Node | None]:
        """Return what a tree holds at each path, a folder included, None where there is nothing."""
        ...

    def tree_id(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        """Return the sha of the tree that `write_tree` would create; nothing is written."""
        ...

    def write_tree(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        """Create the tree that is `base_tree` with `files` in it, and return its sha.

        `nodes` are objects that the host has already; at a path with None there is nothing any more.
        """
        ...

    def write_commit(self, tree: str, parent: str, message: str, merged: str | None = None) -> str:
        """Create a commit, with `merged` as second parent, and return its sha; no branch points to it yet."""
        ...

    def create_branch(self, branch: str, sha: str) -> None:
        """Point a new branch to `sha`. Raises Refused when the branch is there already."""
        ...

    def advance_branch(self, branch: str, sha: str) -> None:
        """Move a branch forward to `sha`, never by force. Raises Refused when that is no fast-forward."""
        ...

    def pull_requests(self, branch: str) -> tuple[PullRequest, ...]:
        """Return the pull requests, open or closed, whose head is the bot's `branch`."""
        ...

    def pull_request_head(self, number: int) -> str | None:
        """Return the sha of the head of anybody's pull request, or None if there is no such number."""
        ...

    def standing(self, number: int) -> Standing | None:
        """Return anybody's pull request and how it stands, or None if there is no such number."""
        ...

    def proposals(self, base: str, paths: Sequence[str]) -> tuple[Proposal, ...]:
        """Return the open pull requests onto `base`, newest first, with the ids of `paths` at their heads."""
        ...

    def contents(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the exact bytes of each id that is known and a file's."""
        ...

    def touching(self, numbers: Sequence[int], paths: Sequence[str]) -> frozenset[int]:
        """Return which of the pull requests change one of `paths`, or more files than can be listed."""
        ...

    def open_pull_request(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        """Open a draft. Raises Refused when there is one already or nothing differs."""
        ...

    def edit_pull_request(self, number: int, body: str) -> None:
        """Replace the text of a pull request."""
        ...

    def close_pull_request(self, number: int) -> None:
        """Close a pull request; its branch stays."""

    def mark_ready(self, number: int) -> None:
        """Say that a draft is ready for review; it is no draft any more."""
        ...

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        """Add labels; the labels that are there stay."""
        ...

    def list_files(self, sha: str, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder at a commit, sorted; none where there is no folder."""
        ...

    def issue(self, number: int) -> Issue | None:
        """Return anybody's issue, or None where there is none or it is a pull request."""
        ...

    def bot_issues(self) -> tuple[Issue, ...]:
        """Return every issue, open or closed, that the identity for comments opened, the newest first."""
        ...

    def labels_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of the labels that the repository has."""
        ...

    def open_issue(self, title: str, body: str, labels: Sequence[str]) -> Issue:
        """Open an issue as the identity for comments; labels that the repository lacks would be made."""
        ...

    def edit_issue(self, number: int, body: str) -> None:
        """Replace the text of an issue."""
        ...

    def set_issue_state(self, number: int, state: Literal["open", "closed"]) -> None:
        """Close an issue, or open it again."""
        ...

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Return every comment, oldest first."""
        ...

    def thumbs_up(self, comment: int) -> tuple[Actor, ...]:
        """Return who has given a comment a thumbs-up."""
        ...

    def write_comment(self, number: int, body: str) -> Comment:
        """Write a new comment."""
        ...

    def edit_comment(self, comment: int, body: str) -> None:
        """Replace the text of the bot's own comment."""
        ...

    def react(self, comment: int, reaction: Reaction) -> None:
        """Put a reaction below a comment; one that is there already stays."""
        ...

    def permission(self, login: str) -> PermissionRole:
        """Return the `role_name` of a user on the repository."""
        ...

    def gate(self, sha: str, name: str) -> Gate | None:
        """Return the newest gate of this name that the bot set on a commit."""
        ...

    def set_gate(self, sha: str, gate: Gate) -> None:
        """Set a gate: a check run with an App, a commit status of the same name with a user token."""
        ...

    def mirror_head(self, number: int) -> str | None:
        """Return the sha of `pull-request/<number>`, the branch that copy-pr-bot moves, or None."""
        ...


class CiRuns(Protocol):
    """The CI of one repository: GitHub Actions, or the pipelines of a GitLab project.

    Every method pages to the end, and raises ServiceError when the host fails.
    """

    def run(self, number: int) -> Run | None:
        """Return a run by its id, or None if there is no such run."""
        ...

    def runs(self, branch: str) -> tuple[Run, ...]:
        """Return the runs of a branch, the newest first."""
        ...

    def jobs(self, run: int) -> tuple[Job, ...]:
        """Return the jobs of every attempt of a run, child pipelines included."""
        ...

    def log(self, job: int) -> Iterator[bytes]:
        """Yield the log of a job in pieces of any size; nothing where it is gone. Never held as a whole."""
        ...

    def artifacts(self, run: int) -> tuple[Artifact, ...]:
        """Return what the jobs of a run left, of every attempt, expired ones included."""
        ...

    def retry_failed(self, run: int) -> None:
        """Run the failed jobs of a run again, as a new attempt of the same run."""
        ...


class Reruns(Protocol):
    """Runs what failed in the CI of a pull request again; raises Refused while it still runs."""

    def retry_failed(self, run: int) -> None:
        """Run the failed jobs of a run again, as a new attempt of the same run."""
        ...

    def retry_job(self, job: int) -> None:
        """Run one job again, and what waits for it, as a new attempt of its run."""
        ...


class BaseRuns(Protocol):
    """How a base branch does without any pull request; raises ServiceError when the host fails."""

    def base_runs(self, branch: str) -> tuple[Run, ...]:
        """Return runs of the branch's merge queue, and those begun by hand on it, the newest first.

        Older ones than the newest hundred of each are left out.
        """
        ...


class ArtifactReader(Protocol):
    """Reads a few files out of large artifacts, many artifacts side by side."""

    def read(
        self, artifacts: Sequence[Artifact], wanted: Callable[[Artifact, str], bool]
    ) -> Mapping[int, Contents | Unreadable]:
        """Return, by artifact id, all entry names and the bytes of the entries that are `wanted`.

        What is wrong with one artifact is said in its place and stops no other.
        """
        ...


class Ledger(Protocol):
    """What cannot be read back from a host: small on purpose, append-only."""

    def saw_tag(self, name: str, tag: str, digest: str) -> datetime:
        """Record that a tag was seen with a digest, and return when the tag was first seen (UTC)."""
        ...

    def digests(self, name: str, tag: str) -> tuple[str, ...]:
        """Return every digest under which a tag was seen, the first one first."""
        ...

    def created_commit(self, repository: str, sha: str, branch: str) -> None:
        """Record a commit of the bot; called before any branch points to it."""
        ...

    def commits(self, repository: str, branch: str) -> frozenset[str]:
        """Return the shas of the commits that the bot created for a branch; elsewhere they prove nothing."""
        ...


class Sources(Protocol):
    """Where the files of a repository are read from: a checkout, a commit on a code host, a GitLab branch."""

    @property
    def label(self) -> str:
        """What a person calls the source: `checkout`, `github:main`, `gitlab:main`."""
        ...

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return each file's exact bytes, None where there is no such file."""
        ...


class Clone(Sources, Protocol):
    """A clone on this machine: its files, and which of them a person has changed."""

    def remotes(self) -> tuple[str, ...]:
        """Return `owner/name` of each remote whose address tells it."""
        ...

    def read_head(self, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return each file's exact bytes at the last commit, None where there is no such file."""
        ...

    def read_at(self, revision: str, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return the same at any commit. Raises UsageError when `revision` names none."""
        ...

    def changed(self, revision: str) -> tuple[str, ...]:
        """Return each file that differs from a commit or is not in it, ignored ones aside, in order.

        Deleted files count. Raises UsageError when `revision` names no commit.
        """
        ...

    def dirty(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return which of the files differ from the last commit, staged or not, or are not in it."""
        ...

    def list_files(self, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder, not of ignored ones, in their order."""
        ...

    def earlier(self, path: str) -> Iterator[bytes]:
        """Yield the versions of a file that commits brought, the newest first."""
        ...

    def search(self, pattern: str) -> tuple[Match, ...]:
        """Return each line of a text file, not of ignored ones, that an extended regular expression fits."""
        ...

    def write(self, files: Mapping[str, bytes]) -> None:
        """Replace files, all of them or none. Raises Refused with the path that cannot be written."""
        ...


class Folder(Sources, Protocol):
    """A plain folder on this machine."""

    def files(self, suffix: str) -> tuple[str, ...]:
        """Return the path of each file, in order, whose name ends in `suffix`."""
        ...


class Charts(Protocol):
    """Draws charts of golden values."""

    def write(self, file: str, panels: Sequence[Panel]) -> str:
        """Draw at least one panel for a golden file, and return the path of the chart.

        Raises UsageError when it cannot be written.
        """
        ...


class Texts(Protocol):
    """Messages for people, rendered from a template by name."""

    def render(self, template: str, **values: object) -> str:
        """Return the text."""
        ...
