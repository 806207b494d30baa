"""Who is asking: user tokens, JSON web tokens of Apps, installation tokens."""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import jwt

from bot.lab.answers import bad_credentials, bad_json_web_token, requires_authentication
from bot.lab.model import App, Installation, User
from bot.lab.records import Records

LIFETIME = 3600
"""Seconds that an installation token lives."""

_LONGEST_JWT = 600
_CLOCK_SKEW = 60


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sent a request.

    `kind` tells which credential it was; `permissions` are those of an installation token
    (`{"contents": "write"}`), `repositories` the full names that it reaches.
    """

    kind: Literal["user", "installation", "app"]
    user: User
    app: App | None = None
    installation: Installation | None = None
    permissions: Mapping[str, str] | None = None
    repositories: frozenset[str] = frozenset()
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class _Issued:
    caller: Caller
    expires_at: float


class Credentials:
    """Every token that was handed out; nothing here is ever written down."""

    def __init__(self, records: Records, clock: Callable[[], float] = time.time) -> None:
        self._records = records
        self._clock = clock
        self._issued: dict[str, _Issued] = {}

    def user_token(self, login: str, *, read_only: bool = False) -> str:
        """Return a new token of a user; a read-only one may write nothing at all."""
        caller = Caller("user", self._records.user(login), read_only=read_only)
        return self._issue(caller, float("inf"))[0]

    def installation_token(
        self, installation: Installation, permissions: Mapping[str, str], repositories: frozenset[str]
    ) -> tuple[str, float]:
        """Return a token of an installation, and when it expires (seconds since 1970)."""
        app = installation.app
        caller = Caller("installation", app.bot, app, installation, permissions, repositories)
        return self._issue(caller, self._clock() + LIFETIME)

    def _issue(self, caller: Caller, expires_at: float) -> tuple[str, float]:
        token = secrets.token_hex(20)
        self._issued[token] = _Issued(caller, expires_at)
        return token, expires_at

    def revoke(self, token: str) -> None:
        """Make a token as good as expired."""
        self._issued.pop(token, None)

    def authenticate(self, authorization: str | None) -> Caller:
        """Return who sends this header; 401 if nobody known does."""
        if not authorization:
            raise requires_authentication()
        token = authorization.partition(" ")[2].strip()
        if token.count(".") == 2:  # noqa: PLR2004 - a JSON web token has three parts
            return self._app(token)
        issued = self._issued.get(token)
        if issued is None or issued.expires_at <= self._clock():
            raise bad_credentials()
        return issued.caller

    def _app(self, token: str) -> Caller:
        try:
            issuer = str(jwt.decode(token, options={"verify_signature": False}).get("iss"))
        except jwt.InvalidTokenError as error:
            raise bad_json_web_token() from error
        for app in self._records.apps.values():
            if issuer in {str(app.id), app.client_id}:
                self._check_claims(token, app)
                return Caller("app", app.bot, app)
        raise bad_json_web_token()

    def _check_claims(self, token: str, app: App) -> None:
        try:
            claims = jwt.decode(
                token,
                app.public_key,
                algorithms=["RS256"],
                options={"require": ["exp", "iat"], "verify_exp": False, "verify_iat": False},
            )
        except jwt.InvalidTokenError as error:
            raise bad_json_web_token() from error
        now = self._clock()
        if claims["exp"] <= now:
            raise bad_json_web_token(
                "'Expiration time' claim ('exp') must be a numeric value representing "
                "the future time at which the assertion expires"
            )
        if claims["exp"] > now + _LONGEST_JWT:
            raise bad_json_web_token("'Expiration time' claim ('exp') is too far in the future")
        if claims["iat"] > now + _CLOCK_SKEW:
            raise bad_json_web_token(
                "'Issued at' claim ('iat') must be an Integer representing "
                "the time that the assertion was issued"
            )
