"""The image and the compose file on a real daemon."""

import json
import socket
import ssl
import time
from contextlib import closing, contextmanager
from http.client import HTTPSConnection
from secrets import token_hex

import pytest

pytestmark = pytest.mark.component("docker")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def composed(docker, image, folder):
    """Bring the compose file up as it is, and take everything away again."""
    settings = folder / "bot.env"
    settings.write_text(
        f"BOT_WEBHOOK_SECRET={token_hex(16)}\nGITHUB_TOKEN={token_hex(16)}\nBOT_RECIPE=megatron-lm\n"
        "BOT_MODE=stopped\nGITHUB_API_URL=http://127.0.0.1:9\n"
    )
    port = free_port()
    values = {
        "BOT_IMAGE": image,
        "PROXY_IMAGE": "bot-test-proxy",
        "BOT_SITE": "localhost",
        "HTTP_PORT": str(free_port()),
        "HTTPS_PORT": str(port),
        "BOT_ENV_FILE": str(settings),
    }
    compose = ("compose", "--project-name", f"bot-test-{token_hex(4)}", "--file", "docker/compose.yaml")
    try:
        docker(*compose, "up", "--detach", "--wait", "--no-build", **values)
        yield lambda *words: docker(*compose, *words, **values), port
    finally:
        docker(*compose, "down", "--volumes", "--timeout", "30", **values)


def get(port, path):
    # The proxy vouches for `localhost` itself, by a certificate that nobody else knows.
    context = ssl._create_unverified_context()
    with closing(HTTPSConnection("localhost", port, timeout=20, context=context)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


def is_there(port):
    """Wait until the proxy has got its certificate: it listens before that."""
    for _ in range(60):
        try:
            return get(port, "/healthz")[0] == 200
        except OSError:
            time.sleep(0.5)
    return False


def test_the_image_holds_the_bot_and_runs_as_nobody_in_particular(docker, image):
    run = ("run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL")

    assert docker(*run, image, "--version").startswith("bot, version")
    assert docker(*run, "--entrypoint", "id", image, "-u") == "10001"
    assert "megatron-lm" in docker(
        *run, "--entrypoint", "python", image, "-c",
        "from bot.wiring import shipped_recipes; print([it.name for it in shipped_recipes()])",
    )  # fmt: skip


def test_the_image_can_build_nothing_and_reach_no_daemon(docker, image):
    found = docker(
        "run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c",
        "for it in uv docker gcc git; do command -v $it; done; ls /uv /var/run/docker.sock 2>/dev/null; true",
    )  # fmt: skip

    assert found == ""


def test_the_image_has_a_health_check_that_fails_where_nothing_is_served(docker, image):
    check = json.loads(docker("image", "inspect", "--format", "{{json .Config.Healthcheck.Test}}", image))
    assert check[0] == "CMD"

    said = docker(
        "run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c",
        f"{' '.join(check[1:])} 2>&1; echo status $?",
    )  # fmt: skip
    assert "no answer" in said
    assert said.endswith("status 1")


def test_no_layer_of_the_image_holds_a_test_or_a_file_of_git(docker, image):
    found = docker(
        "run", "--rm", "--network", "none", "--entrypoint", "sh", image, "-c",
        "find / -xdev \\( -name .git -o -path '/src*' -o -name 'bot.env*' \\) 2>/dev/null | head; true",
    )  # fmt: skip

    assert found == ""


def test_the_compose_file_comes_up_healthy_and_answers_over_tls(docker, served, tmp_path):
    with composed(docker, served, tmp_path) as (compose, port):
        assert is_there(port)
        status, headers, body = get(port, "/healthz")
        assert (status, json.loads(body)["status"]) == (200, "ok")
        assert "strict-transport-security" in {name.lower() for name in headers}
        assert get(port, "/metrics")[0] == 404
        status, headers, body = get(port, "/")
        assert (status, b"Base image bumps" in body) == (200, True)
        assert "content-security-policy" in {name.lower() for name in headers}

        shown = [json.loads(line) for line in compose("ps", "--format", "json").splitlines()]
        assert {it["Service"]: it["Health"] for it in shown}["bot"] == "healthy"

        # The ledger outlives its container.
        compose("exec", "bot", "test", "-s", "/var/lib/bot/ledger.sqlite3")
        compose("up", "--detach", "--wait", "--no-build", "--force-recreate", "bot")
        assert get(port, "/healthz")[0] == 200


def test_the_service_ends_in_order_when_it_is_told_to(docker, served, tmp_path):
    with composed(docker, served, tmp_path) as (compose, _):
        compose("stop", "bot")
        (stopped,) = map(json.loads, compose("ps", "--all", "--format", "json", "bot").splitlines())
        assert stopped["ExitCode"] == 0
