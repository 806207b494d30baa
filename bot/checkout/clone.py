"""A clone on this machine as the port `Clone`: what its files hold, what is local in them, and writing."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.checkout.git import Git
from bot.checkout.paths import locate, refuse_other_repository, resolve
from bot.checkout.remotes import repository_of
from bot.checkout.search import parse_matches
from bot.checkout.write import write_files
from bot.core.errors import Refused, UsageError
from bot.ports import Match

_NO_MATCH = 1
_FATAL = 128
_VERSIONS = 200
_NO_SUCH = 1
_NO_SUCH_OBJECT = 128


@dataclass(frozen=True)
class Checkout:
    """Implements `bot.ports.Clone`. `top` is the folder of the clone; all paths count from there.

    Every method raises Refused for a path that leads out of the clone or into `.git`.
    """

    top: Path
    git: Git
    configuration: tuple[tuple[str, str], ...]
    """git's configuration as pairs of key and value, such as `remote.origin.url`."""

    @classmethod
    def open(cls, path: Path, environ: Mapping[str, str] = os.environ) -> "Checkout":
        """Return the clone that `path`, its folder or one below, belongs to.

        Raises UsageError when that is no folder, no clone, bare, or the clone of another user.
        """
        if not path.is_dir():
            raise UsageError(f"`{path}` is not a folder", hint="name the folder of a clone")
        git = Git(path, environ)
        answer = os.fsdecode(git.run(["rev-parse", "--is-bare-repository", "--show-toplevel"]))
        top = Path(answer.partition("\n")[2].removesuffix("\n"))
        # `core.worktree` of a hostile clone may name any folder of this machine.
        if not path.resolve().is_relative_to(top) or not (top / ".git").exists():
            raise UsageError(f"`{path}` names `{top}` as its work tree", hint="name the folder of a clone")
        settings = tuple(_entries(git.run(["config", "--null", "--list"])))
        return cls(top, replace(git, folder=top, filters=_filters(top, settings)), settings)

    @property
    def label(self) -> str:
        """`checkout`."""
        return "checkout"

    def remotes(self) -> tuple[str, ...]:
        """Return `owner/name` of each remote, each once."""
        urls = [
            value for key, value in self.configuration if key.startswith("remote.") and key.endswith(".url")
        ]
        return tuple(dict.fromkeys(name for url in urls if (name := repository_of(url))))

    def read(self, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return the exact bytes of each file in the work tree, None where there is no file."""
        return {path: self._read(path) for path in paths}

    def _read(self, path: str) -> bytes | None:
        locate(self.top, path)
        try:
            file = resolve(self.top, path)
        except Refused:
            # A link that leads out of the clone is no file of it; writing through any link is refused.
            return None
        try:
            return file.read_bytes() if file else None
        except OSError as error:
            raise Refused(f"cannot be read: {error.strerror}", path=path) from error

    def read_head(self, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return the exact bytes of each file as committed at HEAD, None where there is no file."""
        return self._read_objects("HEAD", paths)

    def read_at(self, revision: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return the exact bytes of each file in a commit, None where there is no file."""
        return self._read_objects(self._commit(revision), paths)

    def changed(self, revision: str) -> tuple[str, ...]:
        """Return each file that differs from a commit or is not in it, ignored ones aside, in order."""
        flags = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative"]
        tracked = self.git.run(["diff", *flags, "--ignore-submodules=all", self._commit(revision), "--"])
        untracked = self.git.run(["ls-files", "-z", "--others", "--exclude-standard"])
        names = {os.fsdecode(name) for name in (tracked + untracked).split(b"\0") if name}
        # The folder of another repository in this one is listed with a slash; its files are not ours.
        return tuple(sorted(name for name in names if not name.endswith("/")))

    def _read_objects(self, commit: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        names = [self._name(path) for path in paths]
        feed = b"".join(b"%b:%b\n" % (commit.encode(), os.fsencode(name)) for name in names)
        return dict(
            zip(paths, _blobs(self.git.run(["cat-file", "--batch"], feed=feed), len(names)), strict=True)
        )

    def _commit(self, revision: str) -> str:
        arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"]
        # A NUL is no argument of a program.
        found = b"" if "\0" in revision else self.git.run(arguments, also_fine=[_NO_SUCH, _NO_SUCH_OBJECT])
        # A range, `a..b`, is told as several.
        if not re.fullmatch(rb"[0-9a-f]+\n", found):
            raise UsageError(
                f"`{revision[:80]!a}` names no commit of the clone", hint="`git log` shows what there is"
            )
        return found.decode().strip()

    def dirty(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return those of `paths` that differ from HEAD: changed, staged, deleted, untracked or ignored.

        Line endings that git itself converts are no difference. Raises Refused for a path in a submodule.
        """
        if not paths:
            return ()
        for path in paths:
            refuse_other_repository(self.top, locate(self.top, path), path)
        names = [self._name(path) for path in paths]
        arguments = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--no-renames"]
        output = self.git.run([*arguments, "--ignore-submodules=all", "--", *names])
        changed = [os.fsdecode(entry[3:]) for entry in output.split(b"\0") if entry]
        folders = tuple(entry for entry in changed if entry.endswith("/"))
        return tuple(
            path
            for path, name in zip(paths, names, strict=True)
            if name in changed or name.startswith(folders)
        )

    def list_files(self, folder: str) -> tuple[str, ...]:
        """Return the paths of the files below a folder of the work tree, not of ignored ones, sorted."""
        arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
        output = self.git.run([*arguments, "--", self._name(folder)])
        return tuple(sorted(os.fsdecode(name) for name in output.split(b"\0") if name))

    def earlier(self, path: str) -> Iterator[bytes]:
        """Yield the versions of a file that the commits up to HEAD brought, the newest first, up to 200."""
        name = self._name(path)
        arguments = ["log", f"--max-count={_VERSIONS}", "--format=%H", "--no-show-signature"]
        # A clone without a commit has no history: git fails then, and prints nothing.
        shas = self.git.run([*arguments, "HEAD", "--", name], also_fine=[_FATAL]).split()
        for sha in shas:
            feed = b"%b:%b\n" % (sha, os.fsencode(name))
            found = next(_blobs(self.git.run(["cat-file", "--batch"], feed=feed), 1))
            if found is not None:
                yield found

    def search(self, pattern: str) -> tuple[Match, ...]:
        """Return each line of a tracked text file that matches a POSIX extended regular expression.

        Raises ServiceError for a pattern that git does not understand.
        """
        arguments = ["grep", "-zInE", "--untracked", "--no-column", "--no-color", "--no-recurse-submodules"]
        return parse_matches(self.git.run([*arguments, "-e", pattern], also_fine=[_NO_MATCH]))

    def write(self, files: Mapping[str, bytes]) -> None:
        """Give files their new content, all or none; Refused names the one that cannot be written."""
        write_files(self.top, files)

    def _name(self, path: str) -> str:
        return locate(self.top, path).relative_to(self.top).as_posix()


def _filters(top: Path, configuration: tuple[tuple[str, str], ...]) -> frozenset[str]:
    names = {key.split(".", 1)[1].rpartition(".")[0] for key, _ in configuration if key.startswith("filter.")}
    if any("=" in name for name in names):
        # git's `-c` could not turn it off.
        raise UsageError(
            f"the configuration of git in `{top}` has a filter with `=` in its name",
            hint="`git config --list --show-origin` says where it stands; remove it",
        )
    return frozenset(names)


def _entries(output: bytes) -> Iterator[tuple[str, str]]:
    for entry in output.split(b"\0"):
        key, _, value = os.fsdecode(entry).partition("\n")
        yield key, value


def _blobs(output: bytes, count: int) -> Iterator[bytes | None]:
    """Yield what `git cat-file --batch` printed for each of `count` names, None unless it is a file."""
    at = 0
    for _ in range(count):
        end = output.index(b"\n", at)
        words = output[at:end].rsplit(b" ", 2)
        at = end + 1
        # `<sha> blob <size>` and the content; or `HEAD:<name> missing` alone.
        if words[-1].isdigit():
            _, kind, size = words
            yield output[at : at + int(size)] if kind == b"blob" else None
            at += int(size) + 1
        else:
            yield None
