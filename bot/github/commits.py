"""Commits of a repository on GitHub and of the place where the bot pushes: what is there, what is added."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

from github.Repository import Repository

from bot.core.errors import Refused, UsageError
from bot.core.host import (
    Call,
    CommitRange,
    Differences,
    Head,
    Node,
    Role,
)
from bot.github import answers, calls, trees
from bot.github.auth import Accounts
from bot.github.differences import changed_paths, differ
from bot.github.errors import NotFound, understood
from bot.github.reading import (
    branch_sha,
    list_folder,
    list_tree,
    read_files,
)
from bot.github.session import Session

COMMITS_LISTED = 250


class GitHubCommits:
    """One repository, and the one where the bot pushes: the same, or a fork of another owner."""

    def __init__(self, repository: str, push_repository: str, accounts: Accounts) -> None:
        owners = {name.partition("/")[0].lower() for name in (repository, push_repository)}
        if repository != push_repository and len(owners) == 1:
            raise UsageError(
                f"`{push_repository}` and `{repository}` have one owner; GitHub tells forks by their owners",
                hint="push to the repository itself, or to a fork of another account",
            )
        self.repository = repository
        self.push_repository = push_repository
        self._accounts = accounts
        self._base_seen: tuple[str, Head] | None = None
        self._synced: Head | None = None
        self._ungated: set[str] = set()

    # Commits

    @understood("a branch")
    def base_head(self, branch: str) -> Head | None:
        """Return the head of a branch of the repository, or None if there is no such branch.

        Where the branch is missing, a second request proves that the repository is not.
        """
        try:
            found = self._base.get_branch(branch)
        except NotFound:
            self._opener.requestJsonAndCheck("GET", f"/repos/{self.repository}")
            return None
        self._refuse_renamed(found.commit.url)
        head = answers.head(found.commit)
        self._base_seen = (branch, head)
        return head

    def _refuse_renamed(self, url: str) -> None:
        # GitHub sends requests for an old name on to the new one, and drops their questions on the way.
        name = "/".join(urlsplit(url).path.partition("/repos/")[2].split("/")[:2])
        if name and name.lower() != self.repository.lower():
            raise Refused(f"`{self.repository}` is now `{name}`", hint="use the new name in the bump recipe")

    def bot_head(self, branch: str) -> str | None:
        """Return the sha of the head of a branch where the bot pushes, or None."""
        return branch_sha(self._push, branch)

    def mirror_head(self, number: int) -> str | None:
        """Return the sha of `pull-request/<number>`, the branch that copy-pr-bot moves, or None."""
        return branch_sha(self._base, f"pull-request/{number}")

    @understood("a comparison")
    def commits(self, base: str, head: str) -> CommitRange:
        """Return what `head` adds to `base`, up to 250 commits; a request for each hundred."""
        # Completed at once: a list that is taken from an incomplete comparison asks for its first page again.
        found = self._base.compare(base, self._as_head(head)).complete()
        listed = tuple(answers.commit(it) for it in islice(found.commits, COMMITS_LISTED))
        merge_base = answers.head(found.merge_base_commit)
        return CommitRange(merge_base, listed, complete=found.total_commits == len(listed))

    def read(self, sha: str, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return each file's exact bytes at a commit, None where there is no such file.

        A request for each hundred files, and one more for each file that GraphQL cannot give exactly.
        """
        places = {self.repository: self._base, self.push_repository: self._push}
        return read_files(self._opener, places, sha, paths)

    @understood("a folder")
    def list_files(self, sha: str, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder at a commit, sorted.

        A request for the commit, one for the folders on the way, and one for all that is below.
        """
        tree = self._base.get_git_commit(sha).tree.sha
        return list_folder(self._opener, self._base, self.repository, tree, folder)

    @understood("a comparison")
    def differences(self, old: Head, new: Head) -> Differences:
        """Return the files that differ between two commits, of which `new` descends from `old`.

        GitHub names at most 300 (https://docs.github.com/rest/commits/commits#compare-two-commits); whether
        that is all of them is proved by the trees, which are read as `write_tree` does.
        """
        paths = changed_paths(self._base.compare(old.sha, self._as_head(new.sha)))
        return differ(self._listing(old.tree, paths), self._listing(new.tree, paths), paths, new.tree)

    def nodes(self, tree: str, paths: Sequence[str]) -> Mapping[str, Node | None]:
        """Return what a tree holds at each path, a folder included, None where there is nothing."""
        listing = self._listing(tree, paths)
        return {path: listing.get(path) for path in paths}

    def tree_id(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        """Return the id of the tree that `write_tree` would make; nothing is written."""
        return trees.root_id(self._listing(base_tree, (*files, *(nodes or {}))), files, nodes)

    def write_tree(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        """Create the tree that is `base_tree` with other files in it, and return its sha.

        One request reads the modes of the files, one writes each megabyte of text, and one each file that
        is no text. A fork is first brought up to the base branch, if it is built on that.
        """
        self._sync_fork(base_tree)
        listing = self._listing(base_tree, (*files, *(nodes or {})))
        entries = [*trees.entries(listing, files), *trees.moved(nodes or {}, listing)]
        for data in (files[path] for path in files if trees.as_text(files[path]) is None):
            self._send(self._committer, calls.create_blob(self.push_repository, data))
        tree = base_tree
        for batch in trees.batches(entries):
            call = calls.create_tree(self.push_repository, tree, batch)
            tree = answers.sha(self._send(self._committer, call))
        return tree

    def _listing(self, tree: str, paths: Sequence[str]) -> trees.Listing:
        # Until a fork is brought up to the base branch, only the repository itself knows its tree.
        if self._base_seen is not None and self._base_seen[1].tree == tree:
            return list_tree(self._opener, self._base, self.repository, tree, paths)
        return list_tree(self._committer, self._push, self.push_repository, tree, paths)

    def _sync_fork(self, base_tree: str) -> None:
        if self.push_repository == self.repository or self._base_seen is None:
            return
        branch, head = self._base_seen
        if head.tree == base_tree and head != self._synced:
            self._send(self._committer, calls.sync_fork(self.push_repository, branch))
            self._synced = head

    def write_commit(self, tree: str, parent: str, message: str, merged: str | None = None) -> str:
        """Create a commit, with `merged` as second parent, and return its sha; no branch points to it yet."""
        parents = [parent, *([merged] if merged else [])]
        call = calls.create_commit(self.push_repository, tree, parents, message)
        sha = answers.sha(self._send(self._committer, call))
        self._ungated.add(sha)
        return sha

    def create_branch(self, branch: str, sha: str) -> None:
        """Point a new branch to `sha`. Raises Refused when the branch is there already."""
        self._send(self._committer, calls.create_branch(self.push_repository, branch, sha))

    def advance_branch(self, branch: str, sha: str) -> None:
        """Move a branch forward to `sha`, never by force. Raises Refused when that is no fast-forward."""
        self._send(self._committer, calls.advance_branch(self.push_repository, branch, sha))

    # How

    @property
    def _committer(self) -> Session:
        return self._session("commit", self.push_repository)

    @property
    def _opener(self) -> Session:
        return self._session("pull_request", self.repository)

    @property
    def _commenter(self) -> Session:
        return self._session("comment", self.repository)

    def _session(self, role: Role, place: str) -> Session:
        return self._accounts.session(self._accounts.credentials.kind(role), place)

    @cached_property
    def _base(self) -> Repository:
        return Repository(self._opener, url=f"/repos/{self.repository}")

    @cached_property
    def _push(self) -> Repository:
        return Repository(self._committer, url=f"/repos/{self.push_repository}")

    def _as_head(self, name: str) -> str:
        """Return how the repository's API calls a branch or commit where the bot pushes."""
        owner = self.push_repository.partition("/")[0]
        return name if self.push_repository == self.repository else f"{owner}:{name}"

    def _send(self, session: Session, call: Call) -> Any:
        """Make a write and return what GitHub answers; a dry run has another way."""
        return session.send(call)
