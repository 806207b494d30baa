"""What a bump needs, whether it is there, why it matters and how to mend it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.core.host import Role
from bot.core.recipe import BumpRecipe


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a bump needs; `ok` is None where nobody would tell, `why` what happens without it."""

    name: str
    ok: bool | None
    why: str
    fix: str = ""


GITLAB_SCOPES = "scopes `read_repository` for pins, `read_api` for pipelines, `api` to run jobs again"
"""What a token for GitLab needs, and what for."""


def identity_checks(recipe: BumpRecipe, roles: Mapping[Role, str]) -> tuple[Check, ...]:
    """Return what can be said of the configured identities alone; `roles` maps a role to `app` or `user`."""
    return tuple(_identity_checks(recipe, roles))


def _identity_checks(recipe: BumpRecipe, roles: Mapping[Role, str]) -> Iterator[Check]:
    yield Check(
        "GitHub credentials",
        bool(roles),
        ", ".join(f"{role} as {kind}" for role, kind in roles.items())
        or "nothing can be read or written on GitHub",
        "" if roles else "set `GITHUB_TOKEN`, or `BOT_APP_ID` and `BOT_APP_PRIVATE_KEY_FILE`",
    )
    if not roles:
        return
    pulls = recipe.pull_requests
    if pulls.author == "user":
        as_user = roles["pull_request"] == "user"
        yield Check(
            "author of pull requests",
            as_user,
            "a user, as this repository needs" if as_user else pulls.author_why,
            "" if as_user else "set `GITHUB_TOKEN` of a user of the team and `BOT_PULL_REQUEST_AS=user`",
        )
    if pulls.approval == "copy-pr-bot":
        as_user = roles["comment"] == "user"
        yield Check(
            "author of approvals",
            True if as_user else None,
            "a user"
            if as_user
            else "whether copy-pr-bot obeys an App is not known; every public precedent is a user",
            "" if as_user else "set `BOT_COMMENT_AS=user`",
        )


def gitlab_check(recipe: BumpRecipe, *, configured: bool) -> tuple[Check, ...]:
    """Return whether the GitLab mirror can be looked at, if the recipe names one."""
    if recipe.gitlab is None:
        return ()
    return (
        Check(
            "GitLab server",
            True if configured else None,
            f"`bot check --gitlab` reads {recipe.gitlab.project}"
            if configured
            else "a mirror that drifted is not seen",
            "" if configured else f"set `GITLAB_URL` and `GITLAB_TOKEN` ({GITLAB_SCOPES})",
        ),
    )


_WHY = {
    "credentials": (
        "nothing can be read or written on GitHub",
        "set `GITHUB_TOKEN` to one that has not expired, or check the App's number and key",
    ),
    "App": (
        "a step will be refused half-way: `actions` runs failed jobs again, `issues` tracks quarantines",
        "grant it on the App's settings page and accept it in the installation",
    ),
    "user": (
        "copy-pr-bot obeys only accounts with write permission, and a branch cannot be pushed without it",
        "ask a maintainer for the role `write`",
    ),
    "branch": ("there is nothing to bump", "name another one with `--base`"),
    "label": (
        "GitHub would silently make a new label that CI does not know, and CI would not do what it asks for",
        "correct the label in the bump recipe, or create it in the repository",
    ),
    "commit": ("nothing can be committed", "renew the credential"),
    "pull_request": ("no pull request can be opened", "renew the credential"),
    "comment": ("no approval can be given", "renew the credential"),
    "team": (
        "CI asks more of people outside the team, and copy-pr-bot's trustees are rewritten from it every day",
        "ask for membership; adding the account to the list by hand is undone the next day",
    ),
}


def remote_check(what: str, detail: str, *, state: bool | None) -> Check:
    """Return a finding of the host, with why it matters. `what` begins with the kind of thing looked at."""
    why, fix = _WHY[what.split(" ", 1)[0]]
    return Check(what, state, detail, "") if state else Check(what, state, f"{detail}: {why}", fix)


def one_team_is_enough(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    """Return the checks with all teams passed where the account is in one of them."""
    teams = [check for check in checks if check.name.startswith("team ")]
    if not any(check.ok for check in teams):
        return checks
    return tuple(
        replace(check, ok=True, why="not needed: the account is in another of the teams", fix="")
        if check in teams and not check.ok
        else check
        for check in checks
    )
