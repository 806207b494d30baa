"""nvcr.io with its habits, in this process: what people measured there and reported.

Token exchange: https://github.com/sapcc/keppel/pull/731; stale tokens:
https://github.com/NVIDIA/nvidia-container-toolkit/issues/1945; media types:
https://github.com/NVIDIA/dcgm-exporter/issues/676.
"""

import json
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from tests.adapters.registry.layout import Layout
from tests.adapters.registry.stub_server import Received, Reply, StubServer

HTML_401 = b"<html>\r\n<head><title>401 Authorization Required</title></head>\r\n</html>\r\n"
UNKNOWN_MANIFEST = b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}'


def json_reply(document: object, **headers: str) -> Reply:
    return Reply(body=json.dumps(document).encode(), headers={"Content-Type": "application/json", **headers})


@dataclass
class Nvcr:
    """One registry, its blob store and the realm that serves no anonymous caller.

    `scripted` holds answers, by path without query, that come before the usual one; `challenge` is
    what follows the realm in the answer to a request without token.
    """

    layout: Layout
    scripted: dict[str, list[Reply]] = field(default_factory=dict)
    challenge: str = ',scope="repository:nvidia/pytorch:pull"'
    expires_in: int | None = 600
    tokens: set[str] = field(default_factory=set)
    registry: StubServer = field(init=False)
    layers: StubServer = field(init=False)
    authn: StubServer = field(init=False)

    def __post_init__(self) -> None:
        self.registry = StubServer(self._answer)
        self.layers = StubServer(self._layer)
        self.authn = StubServer(lambda _: Reply(401, b'{"error":"unauthorized"}'))

    def script(self, path: str, *replies: Reply) -> None:
        self.scripted.setdefault(path, []).extend(replies)

    @property
    def exchange(self) -> list[tuple[str, str]]:
        """What the registry received: the path, and `Bearer`, `Basic` or `cold`."""
        return [(it.path, (it.authorization or "cold").split()[0]) for it in self.registry.received]

    def _answer(self, request: Received) -> Reply:
        path = urlsplit(request.path).path
        if self.scripted.get(path):
            return self.scripted[path].pop(0)
        if path == "/proxy_auth":
            return self._token(parse_qs(urlsplit(request.path).query))
        if request.authorization is None:
            return self._unauthorized(f'Bearer realm="{self.registry.url}/proxy_auth"{self.challenge}')
        if request.authorization.removeprefix("Bearer ") not in self.tokens:
            dead_end = f'Bearer realm="{self.authn.url}/token",service="registry",error="invalid_token"'
            return self._unauthorized(dead_end)
        return self._repository(path.removeprefix("/v2/nvidia/pytorch/"), request)

    def _unauthorized(self, challenge: str) -> Reply:
        return Reply(401, HTML_401, {"Content-Type": "text/html", "WWW-Authenticate": challenge})

    def _token(self, query: dict[str, list[str]]) -> Reply:
        if query != {"scope": ["repository:nvidia/pytorch:pull"]}:
            return Reply(403, b'{"error":"access denied"}')
        token = secrets.token_urlsafe(900)
        self.tokens.add(token)
        lifetime = {} if self.expires_in is None else {"expires_in": self.expires_in}
        answer = json.dumps({"token": token, **lifetime}).encode()
        return Reply(200, answer, {"Content-Type": "text/html"})

    def _repository(self, path: str, request: Received) -> Reply:
        kind, _, reference = path.partition("/")
        if path == "tags/list":
            tags = [tag for tag in self.layout.manifests if not tag.startswith("sha256:")]
            return json_reply({"name": "nvidia/pytorch", "tags": sorted(tags)})
        if kind == "blobs":
            signed = f"{self.layers.url}/{reference}?Signature={secrets.token_hex(8)}"
            return Reply(307, b"", {"Location": signed})
        media_type, body = self.layout.manifests.get(reference, ("", b""))
        if media_type not in request.headers["accept"].split(", "):
            return Reply(404, UNKNOWN_MANIFEST, {"Content-Type": "application/json"})
        return Reply(200, body, {"Content-Type": media_type})

    def _layer(self, request: Received) -> Reply:
        if request.authorization:
            return Reply(400, b"<Error>Only one auth mechanism allowed</Error>")
        return Reply(200, self.layout.blobs[urlsplit(request.path).path.removeprefix("/")])


@contextmanager
def serving(nvcr: Nvcr) -> Iterator[Nvcr]:
    """Serve all three hosts."""
    with ExitStack() as stack:
        for server in (nvcr.registry, nvcr.layers, nvcr.authn):
            stack.enter_context(server)
        yield nvcr
