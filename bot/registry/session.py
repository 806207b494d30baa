"""The reads of one repository, logged in as far as its registry demands it."""

import asyncio
import base64
import time
from collections.abc import MutableMapping

import httpx

from bot.core.address import same_origin
from bot.core.errors import ServiceError
from bot.registry.challenge import Token, bearer_challenge, parse_token, pull_scope, token_query
from bot.registry.egress import Egress, parse_url
from bot.registry.protocol import NotUnderstoodError, printable
from bot.registry.transport import Answer, Request, Transport

_TOKEN_LIMIT = 64 * 1024

Tokens = MutableMapping[tuple[str, str], Token]
"""Pull tokens by registry host and scope."""


class Session:
    """GET requests for one repository; `tokens` outlives the session, and is read and filled by it."""

    def __init__(
        self, transport: Transport, egress: Egress, repository: str, tokens: Tokens, api_key: str | None
    ) -> None:
        self.egress = egress
        self.repository = repository
        self._transport = transport
        self._tokens = tokens
        self._slot = (egress.host, pull_scope(repository))
        self._api_key = api_key
        self._login = asyncio.Lock()

    def url(self, path: str) -> httpx.URL:
        """Return the URL of `path` under the repository, such as `tags/list`."""
        return self.egress.endpoint.join(f"/v2/{self.repository}/{path}")

    def complaint(self, request: Request, answer: Answer, how: str = "") -> ServiceError:
        """Return the error for an answer that is of no use."""
        return self._transport.complaint(request, answer, how)

    async def get(self, request: Request) -> Answer:
        """Return the answer to `request`, with a pull token where the registry wants one.

        Raises ServiceError when it refuses a token that it has just issued.
        """
        token = self._fresh_token()
        answer = await self._transport.get(request, _bearer(token))
        if answer.status == httpx.codes.UNAUTHORIZED and token:
            # The challenge that answers a stale token can lead to a realm that serves no anonymous
            # caller; only the challenge to a request without token is to be followed
            # (https://github.com/NVIDIA/nvidia-container-toolkit/issues/1945).
            answer = await self._transport.get(request)
        if answer.status != httpx.codes.UNAUTHORIZED:
            return answer
        token = await self._renew(request, answer, token)
        answer = await self._transport.get(request, _bearer(token))
        if answer.status == httpx.codes.UNAUTHORIZED:
            raise self.complaint(request, answer, "with status 401 in spite of a fresh token")
        return answer

    def _fresh_token(self) -> Token | None:
        token = self._tokens.get(self._slot)
        return token if token and token.is_fresh(time.monotonic()) else None

    async def _renew(self, request: Request, answer: Answer, used: Token | None) -> Token:
        async with self._login:
            token = self._fresh_token()
            if token and token is not used:
                # Another read of this session was faster.
                return token
            token = await self._ask_token(request, answer)
            self._tokens[self._slot] = token
            return token

    async def _ask_token(self, request: Request, answer: Answer) -> Token:
        realm = self._realm(request, answer)
        asked = Request(realm, f"a pull token for `{self.repository}`", _TOKEN_LIMIT, redirects=0)
        granted = await self._transport.get(asked, self._key_for(realm))
        if granted.status != httpx.codes.OK:
            raise self.complaint(asked, granted)
        try:
            token = parse_token(granted.body, time.monotonic())
        except NotUnderstoodError as error:
            # The body may hold a token that we cannot read, so none of it is quoted.
            raise ServiceError(
                f"`{realm.host}` answered the request for {asked.what} with a document that {error}",
                hint="try again later",
            ) from None
        return token

    def _realm(self, request: Request, answer: Answer) -> httpx.URL:
        challenge = bearer_challenge(answer.headers.get_list("www-authenticate"))
        if challenge is None or not same_origin(answer.url, request.url):
            raise self.complaint(request, answer, "with status 401 and no bearer challenge of its own")
        realm = parse_url(challenge.realm)
        if realm is None or not self.egress.allows_realm(realm):
            place = printable(realm.host if realm else challenge.realm, 120)
            raise ServiceError(
                f"`{self.egress.host}` wants a login at `{place}`, which is not one of its addresses",
                hint="nothing was sent there; report it if the registry has moved its logins",
            )
        return realm.copy_merge_params(token_query(challenge, self.repository))

    def _key_for(self, realm: httpx.URL) -> str | None:
        if self._api_key is None or not self.egress.allows_key(realm):
            return None
        self._transport.keep_secret(self._api_key)
        return f"Basic {base64.b64encode(f'$oauthtoken:{self._api_key}'.encode()).decode()}"


def _bearer(token: Token | None) -> str | None:
    return f"Bearer {token.value}" if token else None
