"""The commands that ask services, with a real registry and the simulated GitHub."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from bot.lab.megatron import megatron_files
from tests.adapters.registry.docker_registry import push, running_registry
from tests.adapters.registry.layout import ngc_layout

pytestmark = pytest.mark.component("docker-registry")

REPOSITORY = "NVIDIA/Megatron-LM"


@pytest.fixture(scope="module")
def registry(tmp_path_factory):
    with running_registry(tmp_path_factory.mktemp("registry")) as url:
        push(url, "nvidia/pytorch", ngc_layout())
        yield url


@pytest.fixture
def github(lab):
    lab.world.add_repository(REPOSITORY, megatron_files())
    for label in ("Run functional tests", "Run tests", "container::lts"):
        lab.world.add_label(REPOSITORY, label, "read by CI")
    lab.world.set_role(REPOSITORY, lab.world.user("bump-bot").login, "write")
    lab.copy_pr_bot(REPOSITORY)
    return lab


@pytest.fixture
def services(bot, monkeypatch, registry, github):
    """The command line with both services configured."""
    monkeypatch.setenv("BOT_REGISTRY_ENDPOINTS", f"nvcr.io={registry}")
    monkeypatch.setenv("GITHUB_API_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.user_token("bump-bot"))
    monkeypatch.setenv("BOT_WRITE_SPACING", "0")
    monkeypatch.setenv("BOT_RECIPE", "megatron-lm")
    return bot


def writes(lab) -> list[str]:
    return [f"{it.method} {it.path}" for it in lab.requests if it.method != "GET" and it.path != "/graphql"]


def test_releases_are_listed_newest_first_with_their_platforms(services):
    outcome = services("releases")

    first, second = outcome.document["tags"]
    assert (first["tag"], second["tag"]) == ("26.07-py3", "25.10-py3")
    assert first["platforms"] == ["linux/amd64", "linux/arm64"]
    assert services("releases").document["tags"][0]["first_seen"] == first["first_seen"]


def test_images_are_compared_by_their_environment(services):
    outcome = services("images", "25.10-py3", "26.07-py3")

    changed = {row["name"]: (row["old"], row["new"]) for row in outcome.document["components"]}
    assert changed["CUDA"] == ("13.0.2.006", "13.3.1.008")


def test_a_bump_on_github_from_the_command_line(services, github):
    outcome = services("bump", "26.07-py3")

    pull = outcome.document["pull_request"]
    assert (outcome.status, pull["number"], pull["draft"]) == (0, 1, True)
    assert (pull["labels"], pull["approval"]) == (["Run functional tests"], "taken")
    assert outcome.document["to"] == "nvcr.io/nvidia/pytorch:26.07-py3"
    assert any("was not searched" in notice for notice in outcome.document["notices"])


def test_a_dry_run_shows_each_call_and_makes_none(services, github):
    outcome = services("bump", "26.07-py3", "--dry-run")

    shown = [f"{call['method']} {call['path']}" for call in outcome.document["calls"]]
    assert (outcome.status, writes(github)) == (0, [])
    assert any(call.endswith("/pulls") for call in shown)
    assert "Run functional tests" in json.dumps(outcome.document["calls"])
    assert "/ok to test" in outcome.people
    assert "26.07-py3" in outcome.document["diff"]
    services("bump", "26.07-py3")
    assert [line.split("/statuses/")[0] for line in writes(github)] == [
        line.split("/statuses/")[0].replace("/issues/0/", "/issues/1/") for line in shown
    ]


def test_a_stopped_bot_writes_nothing(services, github, monkeypatch):
    monkeypatch.setenv("BOT_MODE", "stopped")

    assert services("bump", "26.07-py3").status == 3
    assert writes(github) == []


@pytest.mark.parametrize(
    ("tag", "status", "says"),
    [
        pytest.param("26.08-py3", 3, "has no tag `26.08-py3`", id="no such tag"),
        pytest.param("26.02-py3", 3, "is newer than", id="an older tag, of which nobody has to ask"),
    ],
)
def test_a_tag_that_the_registry_does_not_have(services, github, tag, status, says):
    outcome = services("bump", tag)

    assert (outcome.status, writes(github)) == (status, [])
    assert says in outcome.document["error"]["message"]


def test_a_refusal_beside_a_pull_request_carries_it(services, github):
    services("bump", "26.07-py3")
    branch = "bot/base-image/main/dev-26.07-py3"
    foreign = github.world.push(REPOSITORY, branch, {"evil.sh": "curl"}, author="eve")

    outcome = services("bump", "26.07-py3")

    assert (outcome.status, outcome.document["error"]["code"]) == (3, "refused")
    assert (outcome.document["pull_request"]["number"], outcome.document["pull_request"]["head"]) == (
        1,
        foreign,
    )


def test_the_gate_reads_a_branch_and_a_pull_request(services):
    services("bump", "26.07-py3")

    on_main = services("check", "--expect", "26.07-py3")
    on_head = services("check", "--expect", "26.07-py3", "--pr", "1")

    assert (on_main.status, on_head.status) == (1, 0)
    assert on_head.document["tracks"][0]["source"] == "github:#1"


def test_the_doctor_names_what_is_missing(services, github):
    github.world.repository(REPOSITORY).labels.pop("run functional tests", None)

    outcome = services("doctor", "--remote")

    assert {check["name"]: check["ok"] for check in outcome.document["checks"]}[
        "registry nvcr.io/nvidia/pytorch"
    ]
    assert outcome.status in (0, 1)


def test_without_credentials_it_says_what_to_set(services, monkeypatch):
    monkeypatch.delenv("GITHUB_TOKEN")

    outcome = services("bump", "26.07-py3")

    assert outcome.status == 2
    assert "GITHUB_TOKEN" in outcome.document["error"]["hint"]


def test_a_token_that_github_does_not_know_is_four_and_never_shown(services, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "not-a-token-of-anybody")

    outcome = services("bump", "26.07-py3")

    assert outcome.status == 4
    assert "not-a-token-of-anybody" not in outcome.people + json.dumps(outcome.document)


def test_a_process_that_is_killed_outright_and_started_again_converges(services, github):
    for after in (8, 11, 13):
        done = len(github.requests)
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "bump", "26.07-py3"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ),
        )
        while process.poll() is None and len(github.requests) - done < after:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()

    outcome = services("bump", "26.07-py3")

    [pull] = github.world.pull_requests(REPOSITORY)
    approvals = [it.body for it in pull.comments if it.body.startswith("/ok to test")]
    assert approvals == [f"/ok to test {outcome.document['pull_request']['head']}"]
    assert github.world.invariants() == ()
