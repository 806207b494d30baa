"""The files by which the bot is run for real agree with the code and with each other."""

import json
import re
from configparser import RawConfigParser
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bot.github.doctor import NEEDED
from bot.github.webhook import EVENTS
from bot.lab.server import BUMP_PERMISSIONS
from bot.settings import load_settings

DOCKER = Path(__file__).parents[2] / "docker"
GUIDE = (DOCKER / "README.md").read_text(encoding="utf-8")
MANIFEST = json.loads((DOCKER / "github-app-manifest.json").read_text(encoding="utf-8"))
COMPOSE = YAML(typ="safe").load(DOCKER / "compose.yaml")


def documented(heading):
    """Return the first cells of the table below a heading of the guide, each with its last cell."""
    section = GUIDE.partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line
    ]
    return {row[0].strip("`"): row for row in rows[2:]}


def test_the_app_has_the_permissions_that_every_route_of_the_bump_needs_and_no_more():
    assert MANIFEST["default_permissions"] == {**BUMP_PERMISSIONS, "metadata": "read"}
    assert NEEDED.items() <= MANIFEST["default_permissions"].items()


def test_the_app_hears_what_the_bot_understands():
    assert sorted(MANIFEST["default_events"]) == sorted(EVENTS)


def test_the_guide_gives_each_permission_with_its_reason():
    table = documented("Permissions")

    assert {name: row[1] for name, row in table.items()} == MANIFEST["default_permissions"]
    assert all(len(row[-1]) > 15 for row in table.values())


def test_the_guide_gives_each_event_with_its_reason():
    table = documented("Events")

    assert sorted(table) == sorted(EVENTS)
    assert all(len(row[-1]) > 15 for row in table.values())


def test_the_service_has_no_rights_that_it_does_not_need():
    bot = COMPOSE["services"]["bot"]

    assert bot["read_only"]
    assert bot["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in bot["security_opt"]
    assert "ports" not in bot
    assert not {"privileged", "pid", "network_mode"} & bot.keys()


@pytest.mark.parametrize("name", ["compose.yaml", "Dockerfile", "bump-bot.service"])
def test_nothing_reaches_a_container_daemon(name):
    assert "docker.sock" not in (DOCKER / name).read_text(encoding="utf-8")


def test_the_example_of_the_settings_holds_settings_and_no_secret():
    text = (DOCKER / "bot.env.example").read_text(encoding="utf-8")
    given = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", text, re.MULTILINE))
    secrets = {name for name in given if re.search("TOKEN|SECRET|KEY", name)}

    assert {given[name] for name in secrets} == {""}
    assert load_settings(given).mode == "dry-run"


def test_the_unit_keeps_the_service_in():
    unit = RawConfigParser(strict=False)
    unit.optionxform = str
    unit.read(DOCKER / "bump-bot.service", encoding="utf-8")
    service = unit["Service"]

    assert service["ExecStart"].endswith("/bot serve")
    for key in ("DynamicUser", "NoNewPrivileges", "PrivateDevices", "ProtectHome"):
        assert service[key] == "yes"
    assert (service["ProtectSystem"], service["CapabilityBoundingSet"]) == ("strict", "")


def test_the_files_that_the_guide_lists_are_there():
    table = GUIDE.partition("| file | what it is |")[2].partition("\n\n")[0]
    named = re.findall(r"`([^`]+)`", table)

    assert len(named) >= 7
    assert [name for name in named if not (DOCKER / name).is_file()] == []
