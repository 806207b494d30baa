"""A judged lab, a server that says what it is told, and an ear on what is sent."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from github.Auth import Token

from bot.github.retry import PatientRetry
from bot.github.session import Server, Session
from bot.lab.server import GitHubLab
from tests.adapters.github.scripted import Scripted, serving
from tests.contracts.stages import LabStage, Signed
from tests.judges.plugin import Judge, github_judge
from tests.judges.wire import body_of, intercepted
from tests.lab.fixtures import lab, lab_stage

__all__ = ["github_judge", "lab", "lab_stage"]


@dataclass
class Ear:
    """What was sent: method, path, and body of each request, without those that only sign in."""

    heard: list[tuple[str, str, Any]] = field(default_factory=list)

    def since(self, start: int = 0) -> list[str]:
        """Return `METHOD path` of each request after the first `start`."""
        return [f"{method} {path}" for method, path, _ in self.heard[start:]]


@pytest.fixture
def ear() -> Iterator[Ear]:
    ear = Ear()

    def listen(request, send):
        body = body_of(request)
        heard = (request.method, urlsplit(request.url).path, json.loads(body) if body else None)
        if not heard[1].endswith(("/installation", "/access_tokens")) and heard[1] != "/app":
            ear.heard.append(heard)
        return send(request)

    with intercepted(listen):
        yield ear


@pytest.fixture(scope="module")
def shared_lab() -> Iterator[GitHubLab]:
    with GitHubLab.start() as lab:
        yield lab


@pytest.fixture
def stage_of(shared_lab: GitHubLab, github_judge: Judge):
    """Return what makes a stage of a fresh repository."""
    github_judge.watch(shared_lab.url, answers=False)

    def make(signed: Signed) -> LabStage:
        return LabStage(shared_lab, signed)

    return make


@pytest.fixture
def script() -> Iterator[Scripted]:
    with serving() as script:
        yield script


@dataclass
class Clock:
    """A clock that moves only while somebody sleeps."""

    now: float = 1_700_000_000.0
    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(script: Scripted, clock: Clock) -> Server:
    retry = PatientRetry(sleep=clock.sleep, clock=lambda: clock.now)
    return Server(script.url, between_writes=0, retry=retry)


@pytest.fixture
def session(server: Server) -> Session:
    return Session(Token("not-a-secret"), server)
