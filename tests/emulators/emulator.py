"""GitHub as `emulate` has it, started once and brought back to its seed for each test."""

import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.components import component_missing
from tests.judges.plugin import Judge

HERE = Path(__file__).parent
COMPONENT = "emulate"
OWNER, NAME = "acme", "widgets"


@dataclass(frozen=True)
class Emulator:
    """A running emulator: one repository, its owner, a writer, a stranger, and an App installed on it."""

    url: str
    tokens: dict[str, str] = field(repr=False)
    app_id: int
    installation_id: int
    private_key: str = field(repr=False)

    @property
    def repository(self) -> str:
        """`owner/name`."""
        return f"{OWNER}/{NAME}"

    def reset(self) -> None:
        """Bring the seed back."""
        requests.post(f"{self.url}/_ctl/reset", timeout=10).raise_for_status()


@contextmanager
def emulating(*flags: str) -> Iterator[Emulator]:
    """Start an emulator on a free port of loopback; `--as-shipped` leaves it as it came from npm."""
    node = shutil.which("node")
    if node is None:
        component_missing(COMPONENT, "node is not on PATH")
    if not (HERE / "node_modules" / "emulate").is_dir():
        component_missing(COMPONENT, f"run `npm ci --prefix {HERE.name}` in `{HERE.parent.name}` first")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found, seed = _seed(port)
    command = [node, str(HERE / "gh_emulator.mjs"), str(port), *flags]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise AssertionError("both were asked for as pipes")
        process.stdin.write(json.dumps(seed))
        process.stdin.close()
        try:
            if process.stdout.readline().strip() != "ready":
                raise RuntimeError("gh_emulator.mjs did not start: its own words are on standard error")
            yield found
        finally:
            process.terminate()


def _seed(port: int) -> tuple[Emulator, dict[str, Any]]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    people = (OWNER, "writer", "stranger")
    found = Emulator(
        f"http://127.0.0.1:{port}", {login: token_hex(20) for login in people}, 12345, 67890, pem
    )
    permissions = dict.fromkeys(("checks", "contents", "issues", "pull_requests", "statuses"), "write")
    installation = {
        "installation_id": found.installation_id,
        "account": OWNER,
        "repository_selection": "all",
        "permissions": permissions,
    }
    app = {
        "app_id": found.app_id,
        "slug": "bump-bot",
        "name": "bump-bot",
        "private_key": pem,
        "permissions": permissions,
        "events": [],
        "installations": [installation],
    }
    github = {
        "users": [{"login": login} for login in people],
        "repos": [{"owner": OWNER, "name": NAME, "auto_init": True}],
        "apps": [app],
    }
    tokens = {token: {"login": login, "scopes": ["repo"]} for login, token in found.tokens.items()}
    return found, {"tokens": tokens, "github": github}


@pytest.fixture(scope="module")
def emulator_process() -> Iterator[Emulator]:
    """The mended emulator of one file of tests: it lets a token ask 5,000 times, whatever is reset."""
    with emulating() as found:
        yield found


@pytest.fixture(scope="session")
def emulator_as_shipped() -> Iterator[Emulator]:
    """The emulator without what we mend in it."""
    with emulating("--as-shipped") as found:
        yield found


@pytest.fixture
def emulator(emulator_process: Emulator, github_judge: Judge) -> Emulator:
    """The mended emulator with its seed, its clients judged."""
    emulator_process.reset()
    github_judge.watch(emulator_process.url, answers=False)
    return emulator_process
