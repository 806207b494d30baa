"""The service as a process of its own, killed without warning again and again over a whole bump."""

import os
import random
import secrets
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack

import pytest

from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from bot.lab.registry import PYTORCH, LabRegistry
from bot.lab.server import serving
from bot.lab.webhooks import Webhooks
from tests.scenarios.conftest import BRANCH, IMAGE, NEW, OLD, REPOSITORY
from tests.scenarios.test_rounds import BOTH, NEAR, OF_BOTH, ON_H100
from tests.scenarios.test_rounds import OLD as FILES

KILLS = 8
SECRET = secrets.token_hex(16)
PATIENCE = 120


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Process:
    """`bot serve`, killed at chosen requests to GitHub, which then never hears that its answer was lost."""

    def __init__(self, story, registry_url, port, chance) -> None:
        self._environ = (
            os.environ
            | story.environ
            | {
                "BOT_REGISTRY_ENDPOINTS": f"nvcr.io={registry_url}",
                "BOT_WEBHOOK_SECRET": SECRET,
                "BOT_LISTEN": f"127.0.0.1:{port}",
                "BOT_RECIPES": "megatron-lm",
                "BOT_RESYNC": "1",
                "XDG_CONFIG_HOME": str(story.folder),
            }
        )
        self._log = (story.folder / "log").open("ab")
        self._chance = chance
        self._requests = 0
        self._at = 0
        self.kills: list[str] = []
        self._running: subprocess.Popen[bytes] | None = None
        story.lab.api.before_request = self._request

    def start(self) -> None:
        self._requests, self._at = 0, self._chance.randint(1, 45)
        command = [sys.executable, "-m", "bot", "serve"]
        self._running = subprocess.Popen(command, env=self._environ, stderr=self._log, stdout=self._log)

    def keep_running(self) -> None:
        """Start it again where it is dead."""
        if self._running is not None and self._running.poll() is not None:
            assert self._running.returncode == -9, "it ended by itself"
            self.start()

    def _request(self, method: str, path: str) -> None:
        self._requests += 1
        if self._requests == self._at and len(self.kills) < KILLS and self._running is not None:
            self.kills.append(f"{method} {path}")
            self._running.kill()
            self._running.wait()

    def stop(self) -> None:
        if self._running is not None:
            self._running.terminate()
            assert self._running.wait(30) == 0
        self._log.close()


@pytest.mark.parametrize("seed", [1, 2])
def test_killed_again_and_again_it_converges_and_does_nothing_twice(story, seed):
    world, port = story.lab.world, free_port()
    ci = MegatronCi()
    ci.outcomes = {
        ON_H100: Outcome("drift", NEAR),
        f"{BOTH}@dgx_h100": Outcome("hang"),
        f"{BOTH}@dgx_gb200": Outcome("drift", scaled(FILES[OF_BOTH["dgx_gb200"]], {"lm loss": 1.000_03})),
    }
    world.on_push(REPOSITORY, "pull-request/*", ci, path=WORKFLOW, name=NAME)
    registry = LabRegistry()
    for tag in (OLD, NEW):
        platforms = {it: dict(PYTORCH) for it in ("linux/amd64", "linux/arm64")}
        registry.push(IMAGE.partition("/")[2], tag, platforms)
    with ExitStack() as stack:
        stage = stack.enter_context(serving())
        stage.app = registry.app
        process = Process(story, stage.url, port, random.Random(seed))
        stack.callback(process.stop)
        address = f"http://127.0.0.1:{port}/webhooks/github"
        hooks = Webhooks(world, REPOSITORY, api=story.lab.url, address=address, secret=SECRET)
        stack.callback(hooks.close)
        with world.lock:
            issue = world.open_issue(REPOSITORY, "maintainer", title="Newer image")
            world.comment(REPOSITORY, issue.number, "maintainer", f"/bot bump {NEW}")
        process.start()
        _go_on_until_ready(story, process)
        # Another life, which has to find that all is done.
        before = len(story.lab.world.issue(REPOSITORY, story.pulls[0].number).comments)
        _settle(process)

    assert len(process.kills) == KILLS
    (pull,) = story.pulls
    approvals = [it.body for it in pull.comments if it.body.startswith("/ok to test ")]
    heads = [f"/ok to test {sha}" for sha in pull.pull.heads]
    assert approvals == heads
    assert len(heads) == 3
    assert [run.conclusion for run in world.workflow_runs(REPOSITORY)] == ["failure", "failure", "success"]
    assert Counter(_kind(it.body) for it in pull.comments) == {"status": 1, "approval": 3}
    assert len(pull.comments) == before
    assert [_kind(it.body) for it in issue.comments] == ["command", "answer"]
    assert f"#{pull.number}" in issue.comments[1].body
    tracking = [
        it for it in world.repository(REPOSITORY).issues.values() if it.title.startswith("Quarantined")
    ]
    assert len(tracking) == 1
    assert story.pins(BRANCH) == {NEW}


def _go_on_until_ready(story, process) -> None:
    """Let CI end whatever runs, and the process live again, until the pull request is ready."""
    world, deadline = story.lab.world, time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        process.keep_running()
        with world.lock:
            for run in world.workflow_runs(REPOSITORY):
                world.finish(run)
            is_ready = any(not it.pull.draft for it in story.pulls)
        if is_ready and len(process.kills) == KILLS:
            return
        time.sleep(0.05)
    log = (story.folder / "log").read_text(errors="replace")[-3000:]
    pytest.fail(f"not ready after kills at {process.kills}\n{log}")


def _settle(process) -> None:
    process.keep_running()
    time.sleep(4)
    process.keep_running()


def _kind(body: str) -> str:
    if body.startswith("/ok to test "):
        return "approval"
    if body.startswith("<!-- ngc-bump-bot:"):
        return body.removeprefix("<!-- ngc-bump-bot:").split()[0]
    return "command"
