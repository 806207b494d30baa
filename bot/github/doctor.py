"""What GitHub shows of the bot's means: identities, rights, branch, labels, teams; reads only."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, get_args
from urllib.parse import quote

from bot.core.errors import BotError
from bot.core.host import Role
from bot.github.auth import Accounts
from bot.github.errors import BadCredentials, NotFound

NEEDED = {
    "actions": "write",
    "contents": "write",
    "pull_requests": "write",
    "issues": "write",
    "checks": "write",
    "statuses": "write",
}
"""The permissions of an App that does everything."""


class Finding(NamedTuple):
    """One look: true, false, or None where GitHub would not tell."""

    what: str
    state: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What is looked at; `teams` are `organization/slug`, in which the bot's user has to be."""

    repository: str
    push_repository: str
    branch: str
    labels: Sequence[str] = ()
    teams: Sequence[str] = ()


Look = Callable[[], tuple[bool | None, str]]


def examine(accounts: Accounts, subject: Subject) -> tuple[Finding, ...]:
    """Return a finding for each thing to look at; one that fails does not hide the others."""
    try:
        looks = (*_identities(accounts), *_rights(accounts, subject), *_places(accounts, subject))
        return tuple(_finding(what, look) for what, look in looks)
    except BadCredentials as error:
        # Nothing else can be asked with them.
        return (Finding("credentials", state=False, detail=error.message),)


def _finding(what: str, look: Look) -> Finding:
    try:
        return Finding(what, *look())
    except NotFound as error:
        return Finding(what, state=False, detail=error.message)
    except BadCredentials:
        raise
    except BotError as error:
        return Finding(what, state=None, detail=error.message)


def _identities(accounts: Accounts) -> Iterator[tuple[str, Look]]:
    for role in get_args(Role):
        yield f"{role} identity", partial(_identity, accounts, role)


def _identity(accounts: Accounts, role: Role) -> tuple[bool, str]:
    actor = accounts.actor(accounts.credentials.kind(role))
    return True, f"{actor.login} ({'App' if actor.is_app else 'user'})"


def _rights(accounts: Accounts, subject: Subject) -> Iterator[tuple[str, Look]]:
    # Also where the branch is in a fork: approvals and the gate are written in the repository itself.
    places = {subject.repository: "push"} | {subject.push_repository: "push"}
    for place, least in places.items():
        if accounts.credentials.app_id is not None:
            yield f"App on {place}", partial(_app_permissions, accounts, place)
        if accounts.credentials.token:
            yield f"user on {place}", partial(_user_rights, accounts, place, least)


def _app_permissions(accounts: Accounts, place: str) -> tuple[bool, str]:
    granted = accounts.installation(place)["permissions"]
    missing = [
        f"{name}: {least}" for name, least in NEEDED.items() if granted.get(name) not in {least, "write"}
    ]
    return not missing, f"lacks {', '.join(missing)}" if missing else "has every permission"


def _user_rights(accounts: Accounts, place: str, least: str) -> tuple[bool, str]:
    path = f"/repos/{place}"
    _, document = accounts.session("user", place).requestJsonAndCheck("GET", path)
    rights = [name for name, given in document["permissions"].items() if given]
    return least in rights, f"may {', '.join(sorted(rights))}"


def _places(accounts: Accounts, subject: Subject) -> Iterator[tuple[str, Look]]:
    here = f"/repos/{subject.repository}"
    branch = f"{here}/branches/{quote(subject.branch)}"
    yield f"branch {subject.branch}", partial(_exists, accounts, subject, branch)
    for label in subject.labels:
        path = f"{here}/labels/{quote(label, safe='')}"
        yield f"label {label}", partial(_exists, accounts, subject, path)
    for team in subject.teams if accounts.credentials.token else ():
        yield f"team {team}", partial(_is_member, accounts, subject, team)


def _get(accounts: Accounts, subject: Subject, path: str) -> Any:
    kind = accounts.credentials.kind("pull_request")
    _, document = accounts.session(kind, subject.repository).requestJsonAndCheck("GET", path)
    return document


def _exists(accounts: Accounts, subject: Subject, path: str) -> tuple[bool, str]:
    try:
        _get(accounts, subject, path)
    except NotFound:
        return False, "does not exist"
    return True, "exists"


def _is_member(accounts: Accounts, subject: Subject, team: str) -> tuple[bool | None, str]:
    organization, _, slug = team.partition("/")
    login = accounts.actor("user").login
    try:
        found = _get(accounts, subject, f"/orgs/{organization}/teams/{slug}/memberships/{login}")
    except NotFound:
        return None, f"{login} is no member, or the token may not read teams"
    return found["state"] == "active", f"{login} is {found['state']}"
