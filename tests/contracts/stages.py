"""Places where a code host can be watched: in memory, on the lab, on `emulate`; and the people there."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from typing import Literal, Protocol

from github.Auth import Token

from bot.core.host import Call, Commit, Gate, Head, Role
from bot.github.auth import Accounts, Credentials, Kind
from bot.github.code_host import GitHubHost
from bot.github.session import Server, Session
from bot.lab.conversations import edit_comment, find_comment
from bot.lab.server import GitHubLab
from bot.ports import CodeHost
from tests.emulators.emulator import Emulator
from tests.fakes.code_host import FakeCodeHost

FILES: Mapping[str, bytes] = {
    ".ngc_version.dev": b"nvcr.io/nvidia/pytorch:26.04-py3\n",
    "docker/Dockerfile": b"FROM scratch\r\n",
    "docker/build/notes.txt": b"notes",
    "README.md": b"# Widgets\n",
}

PIN = ".ngc_version.dev"
NEW: Mapping[str, bytes] = {PIN: b"nvcr.io/nvidia/pytorch:26.06-py3\n"}
BOT = "bump-bot"
Signed = Literal["user", "app", "both", "fork", "app on a fork"]

_SERIAL = count(1)


class Stage(Protocol):
    """A repository with `FILES` on `main`, the bot's host, and what others do there."""

    host: CodeHost

    def push(self, branch: str, files: Mapping[str, bytes], *, into: str | None = None) -> str:
        """Commit on top of a branch of the repository, or of where the bot pushes, as `ada`."""

    def point(self, branch: str, sha: str) -> None:
        """Point a new branch of the repository to a commit."""

    def open_pull_request(self, branch: str, base: str, title: str, body: str = "") -> int:
        """Open one from a branch of the repository, as `ada`."""

    def open_issue(self, title: str, body: str) -> int:
        """Open an issue as `ada`."""

    def add_label(self, name: str) -> None:
        """Create a label of the repository."""

    def close(self, number: int) -> None:
        """Close a pull request."""

    def comment(self, number: int, body: str) -> None:
        """Comment as `ada`."""

    def like(self, comment: int) -> None:
        """Give a comment a thumbs-up as `ada`, and eyes as well."""

    def edit(self, comment: int, body: str) -> None:
        """Edit a comment a minute from now: hosts tell no shorter time."""

    def reactions(self, comment: int) -> list[str]:
        """Return what stands below a comment."""

    def set_role(self, login: str, role: str) -> None:
        """Make somebody a collaborator."""

    def set_foreign_gate(self, sha: str, gate: Gate) -> None:
        """Set a gate as somebody else."""


class FakeStage:
    def __init__(self, push_repository: str = "acme/widgets") -> None:
        self.host = FakeCodeHost(FILES, push_repository=push_repository)

    def push(self, branch, files, *, into=None):
        return self.host.push(branch, files, author="ada", into=into)

    def point(self, branch, sha):
        self.host.point(branch, sha)

    def open_pull_request(self, branch, base, title, body=""):
        return self.host.open_as("ada", branch, base, title, body)

    def open_issue(self, title, body):
        return self.host.issue_as("ada", title, body)

    def add_label(self, name):
        self.host.labels.add(name)

    def close(self, number):
        self.host.close(number)

    def comment(self, number, body):
        self.host.comment_as("ada", number, body)

    def like(self, comment):
        self.host.person("ada")
        self.host.thumbs.append((comment, "ada"))

    def edit(self, comment, body):
        self.host.edit_comment(comment, body)

    def reactions(self, comment):
        return self.host.reactions.get(comment, [])

    def set_role(self, login, role):
        self.host.roles[login] = role

    def set_foreign_gate(self, sha, gate):
        self.host.gate_as("ada", sha, gate)


class LabStage:
    """A repository of its own on a shared lab, with the bot signed in one way or another."""

    def __init__(self, lab: GitHubLab, signed: Signed) -> None:
        self.lab = lab
        self.repository = f"acme{next(_SERIAL)}/widgets"
        lab.world.add_repository(self.repository, FILES)
        self._grant(BOT, "write")
        self.push_repository = self._fork() if "fork" in signed else self.repository
        self._commit_as: Kind = "user" if signed in {"user", "fork"} else "app"
        self._other_as: Kind = "app" if signed in {"app", "app on a fork"} else "user"
        self.host = self._sign_in(BOT)

    def _fork(self) -> str:
        owner = f"fork{next(_SERIAL)}"
        fork = self.lab.world.fork(self.repository, owner)
        self.lab.world.set_role(fork.full_name, BOT, "write")
        return fork.full_name

    def _grant(self, login: str, role: str) -> None:
        self.lab.world.user(login)
        self.lab.world.set_role(self.repository, login, role)

    def _sign_in(self, name: str) -> GitHubHost:
        app = None
        if "app" in {self._commit_as, self._other_as}:
            app = self.lab.app(f"{name}-{next(_SERIAL)}", [self.repository])
            if self.push_repository != self.repository:
                owner = self.push_repository.partition("/")[0]
                self.lab.world.install(self.lab.world.apps[app.id], owner, [self.push_repository])
        credentials = Credentials(
            roles={"commit": self._commit_as, "pull_request": self._other_as, "comment": self._other_as},
            token=self.lab.user_token(name) if "user" in {self._commit_as, self._other_as} else None,
            app_id=app.id if app else None,
            app_private_key=app.private_key if app else None,
        )
        return host_at(self.lab.url, credentials, self.repository, self.push_repository)

    def push(self, branch, files, *, into=None):
        return self.lab.world.push(into or self.repository, branch, files, author="ada")

    def point(self, branch, sha):
        self.lab.world.create_branch(self.repository, branch, sha, author="ada")

    def open_pull_request(self, branch, base, title, body=""):
        where = (self.repository, branch, base, "ada")
        return self.lab.world.open_pull_request(*where, title=title, body=body).number

    def open_issue(self, title, body):
        return self.lab.world.open_issue(self.repository, "ada", title=title, body=body).number

    def add_label(self, name):
        self.lab.world.add_label(self.repository, name)

    def close(self, number):
        self.lab.world.close(self.repository, number)

    def comment(self, number, body):
        self.lab.world.comment(self.repository, number, "ada", body)

    def like(self, comment):
        self.lab.world.react(self.repository, comment, "ada", "eyes")
        self.lab.world.react(self.repository, comment, "ada", "+1")

    def edit(self, comment, body):
        world, now = self.lab.world, self.lab.world.now
        world.now = lambda: now() + timedelta(minutes=1)
        edit_comment(world, world.repository(self.repository), comment, body, by=world.user("ada"))
        world.now = now

    def reactions(self, comment):
        _, found = find_comment(self.lab.world.repository(self.repository), comment)
        return [reaction.content for reaction in found.reactions]

    def set_role(self, login, role):
        known = role in {"read", "triage", "write", "maintain", "admin"}
        self.lab.world.user(login)
        self.lab.world.set_role(self.repository, login, role, base_role=None if known else "write")

    def set_foreign_gate(self, sha, gate):
        self._grant("ada", "write")
        self._sign_in("ada").set_gate(sha, gate)


class EmulateStage:
    """The one repository of `emulate`: of its owner and the App, one is the bot and the other is `ada`."""

    def __init__(self, emulator: Emulator, signed: Kind) -> None:
        self.repository = emulator.repository
        self._emulator = emulator
        other: Kind = "app" if signed == "user" else "user"
        self.host, self._ada = (self._sign_in(emulator, kind) for kind in (signed, other))
        self.push("main", FILES)

    def _sign_in(self, emulator: Emulator, kind: Kind) -> GitHubHost:
        roles: dict[Role, Kind] = {"commit": kind, "pull_request": kind, "comment": kind}
        owner = emulator.tokens["acme"]
        if kind == "user":
            return host_at(emulator.url, Credentials(roles, owner), self.repository)
        app = Credentials(roles, None, emulator.app_id, emulator.private_key)
        return host_at(emulator.url, app, self.repository)

    def push(self, branch, files, *, into=None):
        host = self._ada
        head = host.base_head(branch)
        sha = host.write_commit(host.write_tree(head.tree, files), head.sha, "Work")
        host.advance_branch(branch, sha)
        return sha

    def point(self, branch, sha):
        self._ada.create_branch(branch, sha)

    def open_pull_request(self, branch, base, title, body=""):
        return self._ada.open_pull_request(branch, base, title, body).number

    def open_issue(self, title, body):
        raise NotImplementedError

    def add_label(self, name):
        raise NotImplementedError

    def close(self, number):
        session = Session(Token(self._emulator.tokens["acme"]), Server(self._emulator.url, between_writes=0))
        session.send(Call("PATCH", f"/repos/{self.repository}/pulls/{number}", {"state": "closed"}))

    def comment(self, number, body):
        self._ada.write_comment(number, body)

    def like(self, comment):
        raise NotImplementedError

    def edit(self, comment, body):
        raise NotImplementedError

    def reactions(self, comment):
        raise NotImplementedError

    def set_role(self, login, role):
        raise NotImplementedError

    def set_foreign_gate(self, sha, gate):
        raise NotImplementedError


def host_at(
    url: str, credentials: Credentials, repository: str, push_repository: str | None = None
) -> GitHubHost:
    """Return a host on a server that needs no spacing between writes."""
    accounts = Accounts(credentials, Server(url, between_writes=0), repository)
    return GitHubHost(repository, push_repository or repository, accounts)


def commit(
    host: CodeHost,
    files: Mapping[str, bytes] = NEW,
    message: str = "Move the pin",
    parent: Head | Commit | None = None,
) -> str:
    """Make a commit of the bot on top of `main`, or of another one."""
    start = parent or host.base_head("main")
    assert start is not None
    return host.write_commit(host.write_tree(start.tree, files), start.sha, message)


def branch_off(host: CodeHost, branch: str = "bot/bump", files: Mapping[str, bytes] = NEW) -> str:
    """Make a commit of the bot and a branch that points to it."""
    sha = commit(host, files)
    host.create_branch(branch, sha)
    return sha
