"""One request to the lab's GitLab: who asks for what, the answer, and GitLab's refusals in its own words."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlencode

from bot.lab.gitlab.model import Job, Pipeline, Project, Token
from bot.lab.gitlab.world import GitLabWorld

_LARGEST_PAGE = 100
_COUNTED = 10_000
"""Items that GitLab counts; longer lists come without their total."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """A status, a body (a JSON document unless it is bytes or pieces of them) and further headers."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class Refusal(Exception):
    """An answer other than success."""

    def __init__(
        self, status: int, body: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(f"{status} {dict(body)}")
        self.answer = Answer(dict(body), status, headers or {})


def not_found(what: str = "") -> Refusal:
    """There is no such thing, or the caller may not know that there is."""
    return Refusal(404, {"message": f"404 {what} Not Found" if what else "404 Not found"})


@dataclass(frozen=True, slots=True)
class Call:
    """A request that was routed and whose sender is known; `url` is the server's, `here` the route's own."""

    world: GitLabWorld
    token: Token
    url: str
    here: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Any
    download: Callable[[Job, Mapping[str, str]], Answer]

    def needs(self, *scopes: str) -> None:
        """Refuse a token that has none of these scopes."""
        if not self.token.scopes & set(scopes):
            raise Refusal(
                403,
                {
                    "error": "insufficient_scope",
                    "error_description": "The request requires higher privileges than provided by the access "
                    "token.",
                    "scope": " ".join(scopes),
                },
            )

    @property
    def project(self) -> Project:
        """The project of the path, by its number or its path; 404 where the token does not show it."""
        wanted = self.path["id"]
        found = (it for it in self.world.projects.values() if wanted in {it.path, str(it.id)})
        project = next(found, None)
        if project is None or project.path not in self.token.projects:
            raise not_found("Project")
        return project

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline of the path."""
        found = self.project.pipelines.get(_number(self.path["pipeline_id"]))
        if found is None:
            raise not_found()
        return found

    @property
    def job(self) -> Job:
        """The job of the path."""
        found = self.world.job(self.project, _number(self.path["job_id"]))
        if found is None:
            raise not_found()
        return found

    def page(self, items: Iterable[T], convert: Callable[[T], Any]) -> Answer:
        """Return the page that the query asks for, with the headers that lead on."""
        everything = list(items)
        size = min(_number(self.query.get("per_page", "")) or 20, _LARGEST_PAGE)
        page = _number(self.query.get("page", "")) or 1
        last = max(1, -(-len(everything) // size))
        headers = {
            "X-Page": str(page),
            "X-Per-Page": str(size),
            "X-Next-Page": str(page + 1) if page < last else "",
            "X-Prev-Page": str(page - 1) if page > 1 else "",
            "Link": ", ".join(self._links(page, last)),
        }
        if len(everything) <= _COUNTED:
            headers |= {"X-Total": str(len(everything)), "X-Total-Pages": str(last)}
        shown = everything[(page - 1) * size : page * size]
        return Answer([convert(item) for item in shown], headers=headers)

    def _links(self, page: int, last: int) -> Iterator[str]:
        places = {"prev": page - 1, "next": page + 1, "first": 1, "last": last}
        for rel, at in places.items():
            if 1 <= at <= last:
                yield f'<{self.here}?{urlencode({**self.query, "page": at})}>; rel="{rel}"'


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
