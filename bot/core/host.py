"""Values of a code host: what the bot reads there and what it writes, without a client in sight."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Role = Literal["commit", "pull_request", "comment"]
"""For which kind of write an identity acts; App and user may share the work."""

PermissionRole = Literal["none", "read", "triage", "write", "maintain", "admin", "unknown"]
"""A collaborator's `role_name`; `unknown` (a custom role, a failed look-up) is always refused."""


Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
"""What may stand below a comment."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Whom the host names as author. Only `id` proves anything: logins can be renamed."""

    id: int
    login: str
    is_app: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """A branch head: the commit's sha and the sha of its tree."""

    sha: str
    tree: str


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit between the base branch and a head. `author` is what the host shows, and proves nothing."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: str
    subject: str


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The commits that `head` has and the base branch has not, oldest first, and where the two parted.

    `complete` is false when the host did not list all of them.
    """

    merge_base: Head
    commits: tuple[Commit, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Node:
    """What a tree holds under a name: its mode, six octal digits, and the id of the object."""

    mode: str
    sha: str


@dataclass(frozen=True, slots=True)
class Change:
    """What a path held before and holds after; None where there is nothing."""

    before: Node | None
    after: Node | None


@dataclass(frozen=True, slots=True)
class Differences:
    """The files that differ between a commit and an older one, by path.

    `complete` is true only when the changes, made to the older tree, were proved to give the newer one.
    """

    files: Mapping[str, Change]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request. `head_repository` is `owner/name`, or None when that repository is gone."""

    number: int
    url: str
    title: str
    body: str
    state: Literal["open", "closed"]
    merged: bool
    draft: bool
    author: Actor
    base: str
    head_branch: str
    head_sha: str
    head_repository: str | None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue that is no pull request."""

    number: int
    url: str
    title: str
    body: str
    state: Literal["open", "closed"]
    author: Actor
    created_at: datetime
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """An open pull request as the list of its base branch shows it; `author` is a login.

    `files` holds, for each file that was asked for, the git id of its bytes at the head, None for no file.
    """

    number: int
    url: str
    title: str
    author: str
    head_branch: str
    head_sha: str
    head_repository: str | None
    files: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """A pull request beside its base.

    `base_sha` is a commit of the base branch from before the merge, if there was one. `conflicts` is None
    while the host has not found out; that says nothing about the answer.
    """

    pull_request: PullRequest
    base_sha: str
    conflicts: bool | None


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an issue or pull request, with its author and when it was written (UTC).

    `edited` says that its text is not the one that was written first.
    """

    id: int
    author: Actor
    body: str
    created_at: datetime
    edited: bool = False


@dataclass(frozen=True, slots=True)
class Gate:
    """What stands beside a commit as a check run or a commit status of one name.

    A commit status keeps only the first line of `summary`, up to 140 characters.
    """

    name: str
    passed: bool
    summary: str = field(default="")


@dataclass(frozen=True, slots=True)
class Call:
    """A request that writes, as a dry run shows it: method, path and JSON body."""

    method: str
    path: str
    body: Mapping[str, Any] | None = None
