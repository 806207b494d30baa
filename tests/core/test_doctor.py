"""What a bump needs: said with the reason and the remedy, and only where it is missing."""

import pytest

from bot.core.doctor import (
    GITLAB_SCOPES,
    Check,
    gitlab_check,
    identity_checks,
    one_team_is_enough,
    remote_check,
)
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import COMPLETE, SMALL

STRICT = parse_recipe(COMPLETE, name="strict", path="strict.yaml")
EASY = parse_recipe(SMALL, name="easy", path="easy.yaml")
AS_USER = dict.fromkeys(("commit", "pull_request", "comment"), "user")
AS_APP = dict.fromkeys(("commit", "pull_request", "comment"), "app")


def states(checks):
    return [(check.name, check.ok) for check in checks]


@pytest.mark.parametrize(
    ("recipe", "roles", "expected"),
    [
        pytest.param(EASY, {}, [("GitHub credentials", False)], id="no credential"),
        pytest.param(
            STRICT, {}, [("GitHub credentials", False)], id="no credential, and more that asks for it"
        ),
        pytest.param(EASY, AS_APP, [("GitHub credentials", True)], id="an App where that is enough"),
        pytest.param(
            STRICT,
            AS_USER,
            [
                ("GitHub credentials", True),
                ("author of pull requests", True),
                ("author of approvals", True),
            ],
            id="a user where one is needed",
        ),
        pytest.param(
            STRICT,
            AS_APP,
            [
                ("GitHub credentials", True),
                ("author of pull requests", False),
                ("author of approvals", None),
            ],
            id="an App where a user is needed",
        ),
        pytest.param(
            STRICT,
            AS_APP | {"pull_request": "user"},
            [
                ("GitHub credentials", True),
                ("author of pull requests", True),
                ("author of approvals", None),
            ],
            id="an App that only comments",
        ),
    ],
)
def test_identities_are_judged_by_what_the_repository_needs(recipe, roles, expected):
    assert states(identity_checks(recipe, roles)) == expected


def test_a_recipe_says_why_an_app_is_not_enough():
    assert identity_checks(STRICT, AS_APP)[1] == Check(
        "author of pull requests",
        ok=False,
        why="an App is nobody there",
        fix="set `GITHUB_TOKEN` of a user of the team and `BOT_PULL_REQUEST_AS=user`",
    )


def test_what_is_there_is_said_and_needs_no_remedy():
    checks = identity_checks(STRICT, AS_USER)

    assert checks[0].why == "commit as user, pull_request as user, comment as user"
    assert [check.fix for check in checks] == ["", "", ""]


def test_what_is_missing_has_a_remedy():
    for roles in ({}, AS_APP):
        missing = [check for check in identity_checks(STRICT, roles) if not check.ok]

        assert missing
        assert all(check.why and check.fix for check in missing)


@pytest.mark.parametrize(
    ("recipe", "configured", "expected"),
    [
        pytest.param(EASY, False, (), id="no mirror"),
        pytest.param(
            STRICT,
            True,
            (Check("GitLab server", ok=True, why="`bot check --gitlab` reads group/project"),),
            id="a mirror that can be read",
        ),
        pytest.param(
            STRICT,
            False,
            (
                Check(
                    "GitLab server",
                    ok=None,
                    why="a mirror that drifted is not seen",
                    fix=f"set `GITLAB_URL` and `GITLAB_TOKEN` ({GITLAB_SCOPES})",
                ),
            ),
            id="a mirror that cannot be read is a loss, not a fault",
        ),
    ],
)
def test_a_mirror_is_looked_at_where_there_is_one(recipe, configured, expected):
    assert gitlab_check(recipe, configured=configured) == expected


@pytest.mark.parametrize(
    "what",
    ["App", "user", "branch main", "label CI", "commit", "pull_request", "comment", "team NVIDIA/mcore"],
)
def test_a_finding_of_the_host_has_its_reason_only_where_it_is_bad(what):
    good, bad = remote_check(what, "as seen", state=True), remote_check(what, "as seen", state=False)
    unknown = remote_check(what, "as seen", state=None)

    assert good == Check(what, ok=True, why="as seen", fix="")
    assert bad.why.startswith("as seen: ")
    assert bad.fix
    assert (unknown.ok, unknown.why, unknown.fix) == (None, bad.why, bad.fix)


def teams(*states_of_them):
    others = (Check("user ada", ok=False, why="may only read", fix="ask"),)
    return others + tuple(
        Check(f"team o/{number}", ok=state, why="looked up", fix="" if state else "ask for membership")
        for number, state in enumerate(states_of_them)
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param((), [False], id="no team is asked for"),
        pytest.param((False, False), [False, False, False], id="in none of them"),
        pytest.param((None, False), [False, None, False], id="nobody would tell"),
        pytest.param((False, True, None), [False, True, True, True], id="in one of them"),
    ],
)
def test_one_team_of_several_is_enough(before, after):
    checks = one_team_is_enough(teams(*before))

    assert [check.ok for check in checks] == after
    assert checks[0] == teams()[0], "what is no team stays"


def test_a_team_that_is_not_needed_says_so():
    assert one_team_is_enough(teams(False, True))[1] == Check(
        "team o/0", ok=True, why="not needed: the account is in another of the teams"
    )
