"""Who the bot is on GitHub: a user, an App, or both sharing the work.

Source: https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Literal
from urllib.parse import quote

from github.Auth import AppAuth, Auth, Token

from bot.core.errors import UsageError
from bot.core.host import Actor, Role
from bot.github.errors import understood
from bot.github.session import Server, Session

Kind = Literal["app", "user"]

_EARLY = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Credentials:
    """A user's token, an App's id and private key (PEM), or both, and who acts in which role.

    Secrets stay out of the repr.
    """

    roles: Mapping[Role, Kind]
    token: str | None = field(default=None, repr=False)
    app_id: int | None = None
    app_private_key: str | None = field(default=None, repr=False)

    def kind(self, role: Role) -> Kind:
        """Return who acts in `role`. Raises UsageError when nobody does."""
        if role not in self.roles:
            hint = "set GITHUB_TOKEN, or BOT_APP_ID and BOT_APP_PRIVATE_KEY_FILE"
            raise UsageError("there are no credentials for GitHub", hint=hint)
        return self.roles[role]


class Accounts:
    """The signed-in sessions of a run. Nothing is sent before a session is first used."""

    def __init__(self, credentials: Credentials, server: Server, repository: str) -> None:
        self.credentials = credentials
        self._server = server
        self._repository = repository
        self._sessions: dict[tuple[Kind, str], Session] = {}
        self._actors: dict[Kind, Actor] = {}
        self._tokens: dict[str, InstallationToken] = {}

    def session(self, kind: Kind, repository: str) -> Session:
        """Return the session in which the user, or the App as installed on `repository`, works."""
        key = (kind, repository.lower() if kind == "app" else "")
        if key not in self._sessions:
            self._sessions[key] = self._sign_in(kind, repository)
        return self._sessions[key]

    def _sign_in(self, kind: Kind, repository: str) -> Session:
        if kind == "user":
            return Session(Token(self.credentials.token or ""), self._server)
        token = InstallationToken(self._as_app, repository)
        self._tokens[repository] = token
        return Session(token, self._server, forget=token.forget)

    @understood("an account")
    def actor(self, kind: Kind) -> Actor:
        """Return the account whose id GitHub puts beside what the user or the App writes; asked for once."""
        if kind not in self._actors:
            session = self.session(kind, self._repository)
            path = "/user" if kind == "user" else f"/users/{quote(self._bot_login())}"
            _, account = session.requestJsonAndCheck("GET", path)
            self._actors[kind] = Actor(account["id"], account["login"], is_app=kind == "app")
        return self._actors[kind]

    @property
    def requests_left(self) -> int | None:
        """How many requests GitHub still takes of the identity with the fewest, None before the first one."""
        told = [it.rate_limiting[0] for it in self._sessions.values() if it.rate_limiting[0] >= 0]
        return min(told, default=None)

    def _bot_login(self) -> str:
        return f"{self._tokens[self._repository].app_slug}[bot]"

    def installation(self, repository: str) -> Mapping[str, Any]:
        """Return the App's installation on a repository, as GitHub describes it."""
        _, document = self._as_app.requestJsonAndCheck("GET", f"/repos/{repository}/installation")
        return dict(document)

    @cached_property
    def _as_app(self) -> Session:
        return Session(_app_auth(self.credentials), self._server)


class InstallationToken(Auth):
    """The token of an App's installation on one repository, fetched when it is needed.

    It is fetched anew two minutes before it ends, and after `forget`.
    """

    def __init__(self, app: Session, repository: str) -> None:
        self._app = app
        self._repository = repository
        self._lock = threading.Lock()
        self._token: str | None = None
        self._app_slug: str | None = None
        self._renew_at = datetime.min.replace(tzinfo=UTC)

    @property
    def token_type(self) -> str:
        """How the token is announced in the `Authorization` header."""
        return "token"

    @property
    def token(self) -> str:
        """A token that still lives for two minutes; threads that ask at once get one and the same."""
        with self._lock:
            if self._token is None or self._renew_at <= datetime.now(UTC):
                self._token, self._renew_at = self._fetch()
            return self._token

    @property
    def app_slug(self) -> str:
        """The name of the App in addresses, as its installation tells it."""
        if self._app_slug is None:
            self._token, self._renew_at = self._fetch()
        return self._app_slug or ""

    def forget(self) -> None:
        """Drop the token: GitHub refused it."""
        self._token = None

    @understood("an installation")
    def _fetch(self) -> tuple[str, datetime]:
        _, installation = self._app.requestJsonAndCheck("GET", f"/repos/{self._repository}/installation")
        self._app_slug = installation["app_slug"]
        path = f"/app/installations/{installation['id']}/access_tokens"
        # Without a list of permissions GitHub grants all that the installation has.
        only = {"repositories": [self._repository.partition("/")[2]]}
        _, granted = self._app.requestJsonAndCheck("POST", path, input=only)
        return granted["token"], datetime.fromisoformat(granted["expires_at"]) - _EARLY


def _app_auth(credentials: Credentials) -> AppAuth:
    auth = AppAuth(credentials.app_id or 0, credentials.app_private_key)
    try:
        auth.create_jwt()
    except Exception:  # noqa: BLE001 - each key format fails in its own way, and the text may quote the key
        raise UsageError(
            "BOT_APP_PRIVATE_KEY is no private key of an App",
            hint="give the whole PEM file, from `-----BEGIN` to `-----END`, that GitHub made for the App",
        ) from None
    return auth
