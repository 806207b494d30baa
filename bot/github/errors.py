"""What GitHub's refusals and failures mean to a person: an exception of the client in, a `BotError` out.

Source: https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from github.GithubException import BadAttributeException, GithubException

from bot.core.errors import BotError, Refused, ServiceError

_LONGEST = 300

_REPOSITORY = "^/repos/[^/]+/[^/]+"
_PERMISSIONS = (
    (re.compile(rf"{_REPOSITORY}/(commits/[^/]+/)?check-runs"), "checks"),
    (re.compile(rf"{_REPOSITORY}/(commits/[^/]+/)?status"), "commit statuses"),
    (re.compile(rf"{_REPOSITORY}/issues$"), "issues"),
    (re.compile(rf"{_REPOSITORY}/(pulls|issues)"), "pull requests"),
    (re.compile(rf"{_REPOSITORY}/actions"), "actions"),
    (re.compile(rf"{_REPOSITORY}/collaborators"), "metadata"),
    (re.compile("^/orgs/"), "members"),
)
"""Source: https://docs.github.com/rest/authentication/permissions-required-for-github-apps"""

_HINTS = (
    ("reference already exists", "somebody made the branch first: run again, the bot goes on from there"),
    ("not a fast forward", "somebody pushed to the branch: run again, the bot looks at those commits first"),
    ("a pull request already exists", "run again: the bot goes on with the one that is there"),
    ("no commits between", "the branch holds nothing that the base branch lacks"),
    ("is not a valid tree", "bring the fork up to date with the repository"),
    ("merge conflicts", "bring the fork's branch up to date by hand, or delete it there"),
    ("without `workflow", "the token or App also needs the permission `workflows: write`"),
    ("rule violations", "a rule of the repository stands against it: a maintainer has to let the bot pass"),
    ("protected branch", "a rule of the repository stands against it: a maintainer has to let the bot pass"),
)


_EXPIRED = "logs and artifacts expire: let CI run again"
_SETTLE = "settle that on GitHub, then run again: the bot goes on from what is there"


class NotFound(Refused):
    """GitHub has no such thing, or does not show it to these credentials."""


class Gone(Refused):
    """What GitHub had there is deleted: a log or an artifact that has expired."""


class BadCredentials(ServiceError):
    """GitHub does not know the token or the App's key."""


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Let an answer that is not of the documented form end as ServiceError; `what` names its subject."""
    try:
        yield
    except (
        GithubException,
        BadAttributeException,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise ServiceError(
            f"GitHub's answer about {what} is not of the documented form ({type(error).__name__})",
            hint="run it again; if it stays so, check GITHUB_API_URL and what stands between",
        ) from error


def explain(error: Exception, method: str, url: str) -> BotError:
    """Return what `error`, raised by the request `method url`, means; no secret gets into it."""
    path = urlsplit(url).path
    # The bot only reads through GraphQL, whose every question is a POST.
    method = "GET" if path.endswith("/graphql") else method
    call = f"`{method} {path}`"
    if isinstance(error, GithubException):
        return _answered(error, method, path)
    if isinstance(error, ValueError):
        return ServiceError(f"GitHub's answer to {call} is cut off or no JSON", hint=_again(method))
    if isinstance(error, RuntimeError):
        return ServiceError(f"GitHub redirects {call} to another address", hint="check GITHUB_API_URL")
    why = type(error).__name__
    return ServiceError(f"GitHub gave no answer to {call} ({why})", hint=_again(method))


def _again(method: str) -> str:
    if method == "GET":
        return "check the network and GITHUB_API_URL, then try again"
    return "whether GitHub did it is unknown: run again, the bot looks at what is there before it writes"


def _answered(error: GithubException, method: str, path: str) -> BotError:
    said = said_by(error.data)
    headers = {name.lower(): str(value) for name, value in (error.headers or {}).items()}
    where = f"`{method} {path}` ({error.status})"
    match error.status:
        case HTTPStatus.UNAUTHORIZED:
            return BadCredentials(f"GitHub does not accept the credentials: {said}", hint=_credentials(path))
        case HTTPStatus.FORBIDDEN:
            hint = _hint(said) or _access(headers, method, path)
            return Refused(f"GitHub forbids {where}: {said}", hint=hint)
        case HTTPStatus.NOT_FOUND:
            return _missing(said, where, path)
        case HTTPStatus.GONE:
            return Gone(f"GitHub has deleted what was at {where}: {said}", hint=_EXPIRED)
        case HTTPStatus.CONFLICT | HTTPStatus.UNPROCESSABLE_ENTITY:
            return Refused(f"GitHub refused {where}: {said}", hint=_hint(said) or _SETTLE)
        case _:
            return ServiceError(f"GitHub failed at {where}: {said}", hint=_again(method))


def _credentials(path: str) -> str:
    if path.startswith("/app") or path.endswith("/installation"):
        return "check that BOT_APP_ID and BOT_APP_PRIVATE_KEY belong together, and this machine's clock"
    return "set GITHUB_TOKEN to a token that has not expired, or use a GitHub App"


def _access(headers: Mapping[str, str], method: str, path: str) -> str:
    sso = headers.get("x-github-sso", "")
    if "url=" in sso:
        return f"authorize the token for the organization's single sign-on: {sso.partition('url=')[2]}"
    accepted = headers.get("x-accepted-github-permissions") or _permission(method, path)
    return f"the token or App needs `{accepted}` on this repository (a classic token: the scope `repo`)"


def _permission(method: str, path: str) -> str:
    found = (name for pattern, name in _PERMISSIONS if pattern.search(path))
    return f"{next(found, 'contents')}: {'read' if method == 'GET' else 'write'}"


def _missing(said: str, where: str, path: str) -> NotFound:
    if path.endswith("/installation"):
        repository = path.removeprefix("/repos/").removesuffix("/installation")
        return NotFound(f"the GitHub App is not installed on `{repository}`", hint="install it there")
    return NotFound(
        f"GitHub has no such thing, or these credentials may not see it: {where}: {said}",
        hint="check the names of the repository and the branch, and that the token or App has access",
    )


def _hint(said: str) -> str | None:
    return next((hint for words, hint in _HINTS if words in said.lower()), None)


def said_by(document: Any) -> str:
    """Return GitHub's own words in the body of an answer as one line of at most 300 characters."""
    if not isinstance(document, Mapping):
        return "no reason given"
    text = ": ".join(part for part in (_line(document.get("message")), "; ".join(_details(document))) if part)
    text = text or ("a page instead of JSON" if isinstance(document.get("data"), str) else "no reason given")
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _details(document: Mapping[str, Any]) -> Iterator[str]:
    errors = document.get("errors")
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, Mapping):
            named = (error.get(key) for key in ("resource", "field", "code"))
            yield _line(error.get("message")) or " ".join(_line(part) for part in named if part)
        else:
            yield _line(error)


def _line(value: Any) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return "".join(letter for letter in text if letter.isprintable())
