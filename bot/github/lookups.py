"""Comments of a whole repository: what was discussed since a moment."""

from collections.abc import Mapping
from datetime import datetime

from github.Repository import Repository

from bot.core.errors import ServiceError
from bot.github.errors import understood


@understood("comments")
def discussed(repository: Repository, moment: datetime) -> Mapping[int, datetime]:
    """Return, by number, when the issues with comments since a moment were last commented on."""
    found: dict[int, datetime] = {}
    for it in repository.get_issues_comments("updated", "asc", moment):
        number = (it.issue_url or "").rpartition("/")[2]
        if not number.isdecimal() or it.updated_at is None:
            raise ServiceError("GitHub's answer does not say where a comment stands")
        found[int(number)] = it.updated_at
    return found
