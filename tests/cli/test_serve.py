"""`bot serve` on the command line: what keeps it from starting, each with a hint."""

import secrets
import socket
import sqlite3

import pytest

from bot.cli.main import main
from bot.store.ledger import open_ledger


@pytest.fixture
def environ(monkeypatch, tmp_path):
    given = {
        "GITHUB_TOKEN": secrets.token_hex(20),
        "BOT_WEBHOOK_SECRET": secrets.token_hex(16),
        "BOT_DATABASE_URL": f"sqlite:///{tmp_path}/ledger.sqlite3",
        "BOT_RECIPES": "megatron-lm",
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


def said(capsys) -> str:
    return capsys.readouterr().err


def test_without_a_secret_it_does_not_start(environ, capsys):
    environ.delenv("BOT_WEBHOOK_SECRET")

    assert main(["serve"]) == 2
    assert "no webhook has a secret" in said(capsys)


def test_a_database_of_a_newer_release_is_left_alone(environ, capsys, tmp_path):
    file = tmp_path / "ledger.sqlite3"
    open_ledger(f"sqlite:///{file}", lambda: None).close()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE ledger_version SET version_num = '0999'")
    connection.close()

    assert main(["serve"]) == 2
    assert "update this one" in said(capsys)


def test_an_address_that_is_taken_is_said(environ, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        environ.setenv("BOT_LISTEN", f"127.0.0.1:{taken.getsockname()[1]}")

        assert main(["serve"]) == 2

    assert "cannot be listened at" in said(capsys)


@pytest.mark.parametrize(
    ("recipes", "words"),
    [
        ("megatron-lm,megatron-lm", "two of the recipes are for one repository"),
        ("no-such", "there is no bump recipe `no-such`"),
        ("", "recipe"),
    ],
)
def test_recipes_that_cannot_be_served_are_said(environ, capsys, recipes, words):
    environ.setenv("BOT_RECIPES", recipes)

    assert main(["serve"]) == 2
    assert words in said(capsys)


def test_repository_and_branch_come_from_recipes(environ, capsys):
    assert main(["serve", "--repo", "acme/widgets"]) == 2
    assert "takes repository and branch from recipes" in said(capsys)
