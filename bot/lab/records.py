"""What GitHub has on record: accounts, Apps, teams, repositories, and who may do what."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Literal

from bot.lab.answers import not_found
from bot.lab.blobs import BlobStore
from bot.lab.model import (
    App,
    CommentEvent,
    Installation,
    Issue,
    RefMove,
    Repository,
    RoleName,
    User,
)
from bot.lab.runs import Workflow, WorkflowRun

_ROLES = ("none", "read", "triage", "write", "maintain", "admin")


def wall_clock() -> datetime:
    """Return the time in UTC, to the second, as GitHub writes it."""
    return datetime.now(UTC).replace(microsecond=0)


class Records:
    """The state of the world. One thread at a time: whoever acts beside a running server holds `lock`.

    `signed` are the commits that GitHub signed, `unindexed` the ids of issues that search does not
    know yet, `lag` how many reads of a pull request still show its old head after a push,
    `computes_mergeability_later` whether `mergeable` is null until it is asked for again after the base or
    the head moved (`mergeability_asked`), `ref_moves` what ever happened to a branch, `listeners` who hears
    of comments, `ref_listeners` who hears of moved branches, `run_listeners` who hears of runs that ended,
    `workflows` what runs in which repository, `runs` the runs of all, oldest first.
    """

    def __init__(self, directory: Path, clock: Callable[[], datetime] = wall_clock) -> None:
        self.directory = directory
        self.now = clock
        self.lock = threading.RLock()
        self.users: dict[str, User] = {}
        self.apps: dict[int, App] = {}
        self.installations: dict[int, Installation] = {}
        self.repositories: dict[str, Repository] = {}
        self.teams: dict[tuple[str, str], dict[int, str]] = {}
        self.signed: set[str] = set()
        self.unindexed: set[int] = set()
        self.lag = 0
        self.computes_mergeability_later = False
        self.mergeability_asked: set[tuple[int, str, str]] = set()
        self.ref_moves: list[RefMove] = []
        self.listeners: list[Callable[[CommentEvent], None]] = []
        self.ref_listeners: list[Callable[[RefMove], None]] = []
        self.run_listeners: list[Callable[[WorkflowRun], None]] = []
        self.workflows: list[tuple[Repository, Workflow]] = []
        self.runs: list[WorkflowRun] = []
        self.blobs = BlobStore()
        self._ids: Iterator[int] = count(1001)
        self.github = self.user("web-flow")

    def new_id(self) -> int:
        """Return a number that nothing else has."""
        return next(self._ids)

    # People and Apps

    def user(self, login: str) -> User:
        """Return the user of this login, made if there is none."""
        return self._account(login, "User")

    def organization(self, login: str) -> User:
        """Return the organization of this login, made if there is none."""
        return self._account(login, "Organization")

    def _account(self, login: str, kind: Literal["User", "Organization"]) -> User:
        if login.lower() not in self.users:
            is_bot = login.endswith("[bot]")
            made = User(self.new_id(), login, "Bot" if is_bot else kind, self.now())
            self.users[login.lower()] = made
        return self.users[login.lower()]

    def find_user(self, login: str) -> User:
        """Return a user; 404 if there is none."""
        if login.lower() not in self.users:
            raise not_found()
        return self.users[login.lower()]

    def add_app(self, slug: str, owner: str, public_key: str, permissions: Mapping[str, str]) -> App:
        """Register a GitHub App that proves itself with the private half of `public_key` (PEM)."""
        app = App(
            id=self.new_id(),
            slug=slug,
            owner=self.user(owner),
            bot=self.user(f"{slug}[bot]"),
            permissions={"metadata": "read", **permissions},
            public_key=public_key,
            created_at=self.now(),
        )
        self.apps[app.id] = app
        return app

    def install(self, app: App, account: str, repositories: Sequence[str]) -> Installation:
        """Install an App on an account, for the repositories named `owner/name`."""
        found = Installation(
            self.new_id(), app, self.find_user(account), {name.lower() for name in repositories}, self.now()
        )
        self.installations[found.id] = found
        return found

    def set_team(self, organization: str, slug: str, members: Sequence[str]) -> None:
        """Replace the members of a team."""
        key = (organization.lower(), slug.lower())
        self.teams[key] = {self.user(login).id: "member" for login in members}

    def repository(self, full_name: str) -> Repository:
        """Return a repository; 404 if there is none."""
        if full_name.lower() not in self.repositories:
            raise not_found()
        return self.repositories[full_name.lower()]

    def set_role(self, full_name: str, login: str, role: RoleName, *, base_role: str | None = None) -> None:
        """Give a user a role; a custom one names the role that it is based on."""
        if role not in _ROLES and base_role is None:
            raise ValueError(f"{role} is a custom role: name its base role")
        repository = self.repository(full_name)
        repository.roles[self.user(login).id] = role
        if base_role:
            repository.base_of_custom_roles[role] = base_role

    def role(self, repository: Repository, user: User) -> RoleName:
        """Return the `role_name` of a user: everybody reads what is public."""
        if user is repository.owner:
            return "admin"
        return repository.roles.get(user.id, "none" if repository.private else "read")

    def has_role(self, repository: Repository, user: User, at_least: RoleName) -> bool:
        """Whether a user's role is `at_least` or above; a custom role counts as its base role."""
        role = self.role(repository, user)
        known = repository.base_of_custom_roles.get(role, role)
        return _ROLES.index(known) >= _ROLES.index(at_least)

    def issue(self, full_name: str, number: int) -> Issue:
        """Return an issue or pull request; 404 if there is none."""
        found = self.repository(full_name).issues.get(number)
        if found is None:
            raise not_found()
        return found
