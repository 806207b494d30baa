from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from bot.core.commands import Level
from bot.core.host import PermissionRole
from bot.core.permission import allows, is_answered

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
MAY: dict[Level, set[str]] = {
    "anyone": {"none", "read", "triage", "write", "maintain", "admin", "unknown"},
    "write": {"write", "maintain", "admin"},
    "maintain": {"maintain", "admin"},
}


@pytest.mark.parametrize("level", get_args(Level))
@pytest.mark.parametrize("role", get_args(PermissionRole))
def test_each_role_may_what_its_level_says(level, role):
    assert allows(level, role) is (role in MAY[level])


@pytest.mark.parametrize("role", [None, "owner", "Admin", ""])
def test_a_role_that_is_not_known_may_only_what_is_for_anyone(role):
    assert [level for level in get_args(Level) if allows(level, role)] == ["anyone"]


def test_every_role_of_the_host_has_its_place():
    assert MAY["anyone"] == set(get_args(PermissionRole))


@pytest.mark.parametrize(
    ("minutes_ago", "answered"),
    [
        ([], True),
        ([1, 2], True),
        ([1, 2, 3], False),
        ([1, 2, 59.9], False),
        ([1, 2, 60], True),
        ([61, 62, 63, 64], True),
        ([-5, 1, 2], False),
    ],
)
def test_three_an_hour_are_answered(minutes_ago, answered):
    given = [NOW - timedelta(minutes=minutes) for minutes in minutes_ago]

    assert is_answered(given, NOW) is answered
