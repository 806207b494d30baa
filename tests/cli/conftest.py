"""The command line on a fresh clone in Megatron-LM's shape."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.cli.main import main
from bot.lab.megatron import make_checkout
from tests.judges.plugin import github_judge
from tests.lab.fixtures import lab, lab_stage

__all__ = ["bot", "clone", "github_judge", "lab", "lab_stage"]

MACHINE_SETTINGS = (
    "BOT_APP_ID",
    "BOT_CONFIG",
    "BOT_RECIPE",
    "GITHUB_TOKEN",
    "GITLAB_TOKEN",
    "GITLAB_URL",
    "NGC_API_KEY",
)


class Outcome(NamedTuple):
    """What a command left: its exit status, its JSON document, and what a person saw."""

    status: int
    document: dict[str, Any]
    people: str


@pytest.fixture
def clone(tmp_path) -> Path:
    folder = tmp_path / "clone"
    make_checkout(folder)
    return folder


@pytest.fixture
def bot(capsys, monkeypatch, tmp_path):
    """Run a command with `--json`, without any setting of this machine."""
    for name in MACHINE_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("BOT_REGISTRY_ENDPOINTS", "nvcr.io=http://127.0.0.1:9")

    def run(*words: str) -> Outcome:
        status = main([*words, "--json"])
        printed = capsys.readouterr()
        return Outcome(status, json.loads(printed.out), printed.err)

    return run
