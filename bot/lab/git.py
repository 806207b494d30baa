"""A bare git repository, driven through the `git` program: every id, ancestry and difference is git's own."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

_ISOLATED = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_ABSENT = "0" * 40


class GitError(Exception):
    """Git refused; the message is what it wrote to standard error."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Who wrote or committed, and when."""

    name: str
    email: str
    at: datetime

    @property
    def date(self) -> str:
        """The time in git's own form: seconds since 1970 and the offset from UTC."""
        return f"{int(self.at.timestamp())} {self.at.strftime('%z') or '+0000'}"


@dataclass(frozen=True, slots=True)
class CommitObject:
    """A commit as git stores it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A line of a tree: `mode` in octal, `kind` is `blob`, `tree` or `commit`; `size` of blobs in bytes."""

    mode: str
    kind: str
    sha: str
    path: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class FileChange:
    """How one file differs between two trees; `sha` is the blob afterwards, or the one that was removed."""

    path: str
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None


_BY_ID = re.compile(r"[0-9a-f]{40}(?![0-9a-f])")


class Git:
    """One bare repository. Refs are full names (`refs/…`); every method that fails raises GitError."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._answers: dict[tuple[str, ...], bytes] = {}

    @classmethod
    def create(cls, directory: Path) -> "Git":
        """Make an empty bare repository in `directory`."""
        git = cls(directory)
        directory.mkdir(parents=True, exist_ok=True)
        git._run("init", "--bare", "--quiet")
        return git

    def _run(
        self, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> bytes:
        done = subprocess.run(
            ["git", f"--git-dir={self.directory}", *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, **_ISOLATED, **(environment or {})},
        )
        if done.returncode != 0:
            raise GitError(done.stderr.decode(errors="replace").strip() or f"git {arguments[0]} failed")
        return done.stdout

    def _lasting(self, *arguments: str) -> bytes:
        """Run a command that reads objects named by their ids alone: its answer never changes."""
        if arguments not in self._answers:
            self._answers[arguments] = self._run(*arguments)
        return self._answers[arguments]

    def _line(self, *arguments: str, stdin: bytes = b"") -> str:
        return self._run(*arguments, stdin=stdin).decode().strip()

    # Objects

    def write_blob(self, content: bytes) -> str:
        """Store bytes and return their id."""
        return self._line("hash-object", "-w", "--stdin", stdin=content)

    def kind(self, sha: str) -> str | None:
        """Return `blob`, `tree`, `commit` or `tag`, or None if there is no such object."""
        try:
            return self._lasting("cat-file", "-t", sha).decode().strip()
        except GitError:
            return None

    def read_blob(self, sha: str) -> bytes:
        """Return the bytes of a blob."""
        return self._lasting("cat-file", "blob", sha)

    def files(self, treeish: str) -> dict[str, bytes]:
        """Return each file of a tree, those of the trees below as well, with its bytes."""
        entries = [entry for entry in self.tree(treeish, recursive=True) if entry.kind == "blob"]
        answer = self._run("cat-file", "--batch", stdin="".join(f"{it.sha}\n" for it in entries).encode())
        found: dict[str, bytes] = {}
        at = 0
        for entry in entries:
            # A line `<id> blob <size>`, the bytes, and a newline.
            begin = answer.index(b"\n", at) + 1
            at = begin + int(answer[at:begin].split()[2])
            found[entry.path] = answer[begin:at]
            at += 1
        return found

    def resolve(self, expression: str) -> str | None:
        """Return the id that git's `<rev>`, `<rev>:<path>` or `<rev>^{tree}` names, or None."""
        # Without a peel git believes any 40 hex digits; behind a colon `^{…}` would be part of the path.
        peeled = expression if ":" in expression or "^" in expression else f"{expression}^{{object}}"
        run = self._lasting if _BY_ID.match(expression) else self._run
        try:
            return run("rev-parse", "--verify", "--quiet", "--end-of-options", peeled).decode().strip()
        except GitError:
            return None

    def write_tree(self, base: str | None, entries: Sequence[tuple[str, str, str | None]]) -> str:
        """Return the tree that is `base` with `(path, mode, id)` set, or removed where the id is None."""
        lines = [f"{mode} {sha}\t{path}" if sha else f"0 {_ABSENT}\t{path}" for path, mode, sha in entries]
        with tempfile.TemporaryDirectory(dir=self.directory) as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            if base:
                self._run("read-tree", base, environment=index)
            stdin = "".join(f"{line}\0" for line in lines).encode()
            self._run("update-index", "-z", "--index-info", stdin=stdin, environment=index)
            return self._run("write-tree", environment=index).decode().strip()

    def tree(self, treeish: str, *, recursive: bool = False) -> tuple[TreeEntry, ...]:
        """Return the entries of a tree; with `recursive` those of the trees below as well."""
        flags = ["-r", "-t"] if recursive else []
        run = self._lasting if _BY_ID.match(treeish) else self._run
        output = run("ls-tree", "-z", "--long", *flags, treeish).decode()
        return tuple(_tree_entry(line) for line in output.split("\0") if line)

    def write_commit(
        self, tree: str, parents: Sequence[str], message: str, author: Signature, committer: Signature
    ) -> str:
        """Store a commit and return its id."""
        environment = {
            "GIT_AUTHOR_NAME": author.name,
            "GIT_AUTHOR_EMAIL": author.email,
            "GIT_AUTHOR_DATE": author.date,
            "GIT_COMMITTER_NAME": committer.name,
            "GIT_COMMITTER_EMAIL": committer.email,
            "GIT_COMMITTER_DATE": committer.date,
        }
        flags = [flag for parent in parents for flag in ("-p", parent)]
        written = self._run("commit-tree", tree, *flags, stdin=message.encode(), environment=environment)
        return written.decode().strip()

    def commit(self, sha: str) -> CommitObject:
        """Return a commit."""
        form = "%H%n%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B"
        text = self._lasting("show", "-s", f"--format={form}", f"{sha}^{{commit}}").decode(errors="replace")
        return _commit(text)

    def commits(self, *limits: str) -> tuple[str, ...]:
        """Return the commits that `git rev-list` lists for `limits`, oldest first."""
        return tuple(self._line("rev-list", "--reverse", "--topo-order", *limits).split())

    # History

    def is_ancestor(self, old: str, new: str) -> bool:
        """Whether `new` can be reached from `old` by going forward only."""
        try:
            self._run("merge-base", "--is-ancestor", old, new)
        except GitError:
            return False
        return True

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor, or None."""
        try:
            return self._line("merge-base", one, other)
        except GitError:
            return None

    def merged_tree(self, ours: str, theirs: str) -> str | None:
        """Return the tree of the merge of two commits, or None if they conflict."""
        try:
            return self._line("merge-tree", "--write-tree", ours, theirs).split("\n")[0]
        except GitError:
            return None

    def diff(self, old: str, new: str) -> tuple[FileChange, ...]:
        """Return what changed between two trees or commits, by path."""
        command = ("diff-tree", "-r", "--no-renames")
        raw = self._run(*command, "-z", "--raw", old, new).decode().split("\0")
        counts = self._run(*command, "-z", "--numstat", old, new).decode().split("\0")
        patches = self._run(*command, "--patch", old, new).decode(errors="replace")
        # Lines of a patch begin with a blank, a sign or `\`: only headers begin with a letter.
        each = re.split(r"^diff --git ", patches, flags=re.MULTILINE)[1:]
        lines = zip(raw[0::2], raw[1::2], counts, each, strict=False)
        return tuple(_change(fields, path, count, patch) for fields, path, count, patch in lines)

    # Refs

    def ref(self, name: str) -> str | None:
        """Return the id that a ref points to, or None."""
        return self.resolve(name)

    def refs(self, prefix: str) -> dict[str, str]:
        """Return each ref whose name starts with `prefix`, sorted by name."""
        lines = self._line("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        pairs = (line.split(" ") for line in lines)
        return {name: sha for name, sha in pairs if name.startswith(prefix)}

    def set_ref(self, name: str, sha: str) -> None:
        """Create or move a ref."""
        self._run("update-ref", name, sha)

    def delete_ref(self, name: str) -> None:
        """Delete a ref."""
        self._run("update-ref", "-d", name)

    def is_ref_name(self, name: str) -> bool:
        """Whether git would accept the name."""
        try:
            self._run("check-ref-format", name)
        except GitError:
            return False
        return True


def _tree_entry(line: str) -> TreeEntry:
    head, path = line.split("\t", 1)
    mode, kind, sha, size = head.split()
    return TreeEntry(mode=mode, kind=kind, sha=sha, path=path, size=None if size == "-" else int(size))


def _commit(text: str) -> CommitObject:
    sha, tree, parents, *people, message = text.split("\n", 9)
    author, committer = (
        Signature(name, email, datetime.fromisoformat(at)) for name, email, at in (people[:3], people[3:])
    )
    return CommitObject(sha, tree, tuple(parents.split()), author, committer, message.rstrip("\n"))


def _change(fields: str, path: str, count: str, patch: str) -> FileChange:
    _, _, before, after, status = fields.split()
    added, removed, _ = count.split("\t")
    is_text = added != "-"
    return FileChange(
        path=path,
        status={"A": "added", "D": "removed"}.get(status, "modified"),
        sha=before if status == "D" else after,
        additions=int(added) if is_text else 0,
        deletions=int(removed) if is_text else 0,
        patch=_hunks(patch) if is_text else None,
    )


def _hunks(patch: str) -> str:
    start = patch.find("\n@@")
    return patch[start + 1 :].rstrip("\n") if start >= 0 else ""
