"""One request to the lab: who asks for what, what the caller may do, and the answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar
from urllib.parse import urlencode

from bot.lab.answers import ApiError, forbidden, not_found
from bot.lab.bodies import Body
from bot.lab.credentials import Caller, Credentials
from bot.lab.documents.site import Site
from bot.lab.model import Issue, Repository, RoleName
from bot.lab.records import Records

_LARGEST_PAGE = 100

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a JSON document (None for an empty body) and further headers."""

    document: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    """What a route asks for: one of an App's `permissions` at `level`, a user's `role`.

    `refusal` is what a user without that role is told; GitHub hides most writes behind a 404.
    """

    permissions: Sequence[str]
    level: Literal["read", "write"] = "read"
    role: RoleName = "read"
    refusal: Callable[[], ApiError] = not_found


@dataclass(frozen=True, slots=True)
class Call:
    """A request that was routed and whose sender is known; `url` is the route's own address."""

    records: Records
    credentials: Credentials
    site: Site
    caller: Caller
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Body
    url: str

    def repository(self, access: Access) -> Repository:
        """Return the repository of the path; 404 where the caller cannot see it, 403 where it may not act."""
        found = self.records.repository(f"{self.path['owner']}/{self.path['repo']}")
        if not self.can_see(found):
            raise not_found()
        if self.caller.kind == "installation" and (found.private or access.level == "write"):
            self._check_permissions(found, access)
        if self.caller.kind == "user":
            self._check_role(found, access)
        if self.caller.kind == "app":
            raise forbidden("Resource not accessible by integration")
        return found

    def can_see(self, repository: Repository) -> bool:
        """Whether the caller may know of a repository."""
        if not repository.private:
            return True
        if self.caller.kind == "installation":
            return repository.full_name.lower() in self.caller.repositories
        return self.records.has_role(repository, self.caller.user, "read")

    def _check_permissions(self, repository: Repository, access: Access) -> None:
        granted = self.caller.permissions or {}
        levels = {granted.get(name) for name in access.permissions}
        allowed = {"write", "admin"} if access.level == "write" else {"read", "write", "admin"}
        if levels & allowed and repository.full_name.lower() in self.caller.repositories:
            return
        accepted = ",".join(f"{name}={access.level}" for name in access.permissions)
        raise ApiError(
            403,
            "Resource not accessible by integration",
            headers={"X-Accepted-GitHub-Permissions": accepted},
        )

    def _check_role(self, repository: Repository, access: Access) -> None:
        if access.level == "write" and self.caller.read_only:
            raise forbidden("Resource not accessible by personal access token")
        if not self.records.has_role(repository, self.caller.user, access.role):
            raise access.refusal()

    def has_role(self, repository: Repository, at_least: RoleName) -> bool:
        """Whether a user has a role; an App has what its permissions gave it already."""
        return self.caller.kind == "installation" or self.records.has_role(
            repository, self.caller.user, at_least
        )

    def issue(self, repository: Repository, name: str = "number") -> Issue:
        """Return the issue or pull request whose number is in the path."""
        return self.records.issue(repository.full_name, self.number(name))

    def pull(self, repository: Repository) -> Issue:
        """Return the pull request whose number is in the path; 404 for an issue."""
        issue = self.issue(repository)
        if issue.pull is None:
            raise not_found()
        return issue

    def number(self, name: str) -> int:
        """Return a number of the path; what is none names nothing."""
        text = self.path[name]
        if not text.isdecimal():
            raise not_found()
        return int(text)

    def page(self, items: Iterable[T], convert: Callable[[T], Any]) -> Answer:
        """Return the page that the query asks for, with the `Link` header that leads on."""
        shown, headers = self.cut(list(items))
        return Answer([convert(item) for item in shown], headers=headers)

    def cut(self, items: Sequence[T], default: int = 30) -> tuple[Sequence[T], Mapping[str, str]]:
        """Return the items of the page that the query asks for, and the headers that lead to the others."""
        size = min(_positive(self.query.get("per_page"), default), _LARGEST_PAGE)
        page = _positive(self.query.get("page"), 1)
        last = max(1, -(-len(items) // size))
        rest = {key: value for key, value in self.query.items() if key != "page"}
        places: dict[str, int] = {}
        if page < last:
            places |= {"next": page + 1, "last": last}
        if page > 1:
            places |= {"prev": page - 1, "first": 1}
        links = [f'<{self.url}?{urlencode(rest | {"page": at})}>; rel="{rel}"' for rel, at in places.items()]
        return items[(page - 1) * size : page * size], {"Link": ", ".join(links)} if links else {}


def _positive(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and int(text) > 0 else default
