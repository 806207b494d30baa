"""Who may give a command in a comment: a level against the author's role, refused where it is in doubt.

Roles are GitHub's `role_name`, which tells maintain from write; the legacy `permission` does not:
https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.core.commands import Level
from bot.core.host import PermissionRole

_ENOUGH: dict[Level, frozenset[PermissionRole]] = {
    "write": frozenset({"write", "maintain", "admin"}),
    "maintain": frozenset({"maintain", "admin"}),
}

ANYONE_AN_HOUR = 3
"""How often in an hour a person is answered to one verb that is for anyone; then there is a reaction only."""


def allows(level: Level, role: PermissionRole | None) -> bool:
    """Return whether a person of that role may give a command of that level.

    None stands for a look-up that failed. Only what is for anyone needs no role.
    """
    return level == "anyone" or role in _ENOUGH[level]


def is_answered(given: Sequence[datetime], now: datetime) -> bool:
    """Return whether a person who gave a verb for anyone at those moments is answered to it once more."""
    return sum(now - moment < timedelta(hours=1) for moment in given) < ANYONE_AN_HOUR
