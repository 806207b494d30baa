"""Pull tokens: from a registry's challenge to the request for a token, and from the answer to the token.

The exchange is the distribution project's token authentication
(https://distribution.github.io/distribution/spec/auth/token/). nvcr.io leaves `service` out, and
its scope may be missing or empty (https://github.com/renovatebot/renovate/issues/17294).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field, StringConstraints

from bot.registry.protocol import Document, NotUnderstoodError, read_document

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # noqa: S105 - `token` of RFC 9110, the grammar
_NEXT = re.compile(
    rf"[\s,]*(?:(?P<key>{_TOKEN})\s*=\s*(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<bare>[^\s,\"]*))"
    rf"|(?P<scheme>{_TOKEN})(?=[\s,]|$))"
)

# What docker, containerd and the specification assume where a registry does not say.
_DEFAULT_LIFETIME = 60.0
_REFRESH_EARLY = 30.0


@dataclass(frozen=True, slots=True)
class Challenge:
    """A demand for a bearer token: where to ask (`realm`, a URL), and what for."""

    realm: str
    service: str | None = None
    scope: str | None = None


def parse_challenges(headers: Sequence[str]) -> tuple[tuple[str, Mapping[str, str]], ...]:
    """Return each challenge of `WWW-Authenticate` headers: its scheme and its parameters, in lower case keys.

    Commas separate parameters and challenges alike (RFC 9110, section 11.6.1), and may stand in quotes.
    """
    found: list[tuple[str, dict[str, str]]] = []
    for part in (part for header in headers for part in _NEXT.finditer(header)):
        if part["scheme"]:
            found.append((part["scheme"].lower(), {}))
        elif found:
            found[-1][1].setdefault(part["key"].lower(), _value(part))
    return tuple(found)


def _value(part: re.Match[str]) -> str:
    return part["bare"] if part["quoted"] is None else re.sub(r"\\(.)", r"\1", part["quoted"])


def bearer_challenge(headers: Sequence[str]) -> Challenge | None:
    """Return the first bearer challenge with a realm; an empty service or scope counts as none."""
    for scheme, parameters in parse_challenges(headers):
        if scheme == "bearer" and (realm := parameters.get("realm")):
            return Challenge(realm, parameters.get("service") or None, parameters.get("scope") or None)
    return None


def pull_scope(repository: str) -> str:
    """Return the scope for reading `repository`, such as `nvidia/pytorch`."""
    return f"repository:{repository}:pull"


def token_query(challenge: Challenge, repository: str) -> dict[str, str]:
    """Return the query of the token request; the scope is made by ourselves where the challenge has none."""
    service = {"service": challenge.service} if challenge.service else {}
    return {**service, "scope": challenge.scope or pull_scope(repository)}


# Visible characters only: the token becomes part of a header.
_TokenText = Annotated[str, StringConstraints(pattern=r"^[!-~]+$")]


class _TokenAnswer(Document):
    token: _TokenText | None = None
    access_token: _TokenText | None = None
    expires_in: Annotated[float, Field(allow_inf_nan=False)] | None = None


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token and the moment, on the clock of the caller, until which to use it."""

    value: str = field(repr=False)
    good_until: float

    def is_fresh(self, now: float) -> bool:
        """Return whether the token may still be used."""
        return now < self.good_until


def parse_token(body: bytes, now: float) -> Token:
    """Return the token of a token answer that came at `now` (seconds); renewed 30 s before it expires.

    Raises NotUnderstoodError.
    """
    answer = read_document(_TokenAnswer, body)
    value = answer.token or answer.access_token
    if value is None:
        raise NotUnderstoodError("has neither `token` nor `access_token`")
    lifetime = _DEFAULT_LIFETIME if answer.expires_in is None else answer.expires_in
    return Token(value, now + lifetime - _REFRESH_EARLY)
