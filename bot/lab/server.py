"""The lab as a server on loopback: a world, GitHub's API over it, Apps and tokens to use it with."""

import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import AF_INET, IPPROTO_TCP, SOCK_STREAM, socket

import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.lab.blobs import BlobStore
from bot.lab.copy_pr_bot import CopyPrBot
from bot.lab.credentials import Credentials
from bot.lab.github_api import Fault, GitHubApi, LogEntry
from bot.lab.world import World

BUMP_PERMISSIONS = {
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "members": "read",
    "pull_requests": "write",
    "statuses": "write",
    "workflows": "write",
}
"""What an App needs for every route of the bump flow."""


@dataclass(frozen=True, slots=True)
class AppKeys:
    """What the owner of an App has; the key is made anew for each App and kept out of `repr`."""

    id: int
    slug: str
    installation_id: int
    bot_id: int
    bot_login: str
    private_key: str

    def __repr__(self) -> str:
        return f"AppKeys({self.slug!r}, id={self.id})"


class Stage:
    """A server whose applications can be exchanged while it runs; addresses have no slash at their ends.

    It has two ports, and so two origins: `url` is where `app` answers, `blob_url` is where `blobs` does.
    """

    def __init__(self) -> None:
        self.url = ""
        self.blob_url = ""
        self.app: ASGIApp | None = None
        self.blobs: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application of the moment."""
        is_for_blobs = self.blob_url.endswith(f":{scope['server'][1]}")
        app = self.blobs if is_for_blobs else self.app
        if app is None:
            raise RuntimeError("nothing is on stage")
        await app(scope, receive, send)


class GitHubLab:
    """A running GitHub; `url` is what clients take as the address of the API."""

    def __init__(self, directory: Path, url: str) -> None:
        self.url = url
        self.world = World(directory)
        self.credentials = Credentials(self.world)
        self.api = GitHubApi(self.world, self.credentials)

    @classmethod
    @contextmanager
    def start(cls) -> "Iterator[GitHubLab]":
        """Serve an empty world on a free port of loopback until the block ends."""
        with serving() as stage, cls.play(stage) as lab:
            yield lab

    @classmethod
    @contextmanager
    def play(cls, stage: Stage) -> "Iterator[GitHubLab]":
        """Put an empty world on a stage that runs already: starting one takes longer than a test."""
        with tempfile.TemporaryDirectory(prefix="bot-lab-") as folder:
            lab = cls(Path(folder), stage.url)
            lab.blobs.url = stage.blob_url
            stage.app, stage.blobs = lab.api.app, lab.blobs
            yield lab

    @property
    def faults(self) -> list[Fault]:
        """What will go wrong; stories add to it."""
        return self.api.faults

    @property
    def blobs(self) -> BlobStore:
        """Where logs and artifacts are fetched from: another origin than the API."""
        return self.world.blobs

    @property
    def requests(self) -> list[LogEntry]:
        """Every request that was answered, the first one first."""
        return self.api.log

    def user_token(self, login: str, *, read_only: bool = False) -> str:
        """Return a new token of a user, made if there is none of that login."""
        return self.credentials.user_token(login, read_only=read_only)

    def app(
        self,
        slug: str,
        repositories: Sequence[str],
        permissions: Mapping[str, str] | None = None,
        owner: str = "app-owner",
    ) -> AppKeys:
        """Register an App and install it on `repositories` (all of one owner)."""
        private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        public = private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        pem = private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
        granted = permissions if permissions is not None else BUMP_PERMISSIONS
        app = self.world.add_app(slug, owner, public.decode(), granted)
        installation = self.world.install(app, repositories[0].split("/")[0], repositories)
        return AppKeys(app.id, slug, installation.id, app.bot.id, app.bot.login, pem.decode())

    def copy_pr_bot(self, full_name: str) -> CopyPrBot:
        """Let copy-pr-bot listen to a repository's comments."""
        return CopyPrBot(self.world, self.world.repository(full_name))


@contextmanager
def serving() -> Iterator[Stage]:
    """Run an empty stage on a free port of loopback, in a thread, until the block ends."""
    stage = Stage()
    config = uvicorn.Config(stage, log_level="error", access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    with _listener() as listener, _listener() as blob_listener:
        stage.url, stage.blob_url = (
            f"http://127.0.0.1:{it.getsockname()[1]}" for it in (listener, blob_listener)
        )
        sockets = [listener, blob_listener]
        thread = threading.Thread(target=server.run, kwargs={"sockets": sockets}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        try:
            yield stage
        finally:
            server.should_exit = True
            thread.join()


def _listener() -> socket:
    # With the protocol named, asyncio sends without Nagle's delay (TCP_NODELAY), 40 ms an answer.
    listener = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    return listener
