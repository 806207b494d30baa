"""Numbers for Prometheus: what is counted, what is looked up, and that the alerts name what there is."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from bot.core.standing import BumpStanding, Heartbeat, ReleaseSeen, ServiceState
from bot.core.work import Key, WorkState
from bot.metrics import PrometheusMeter

NOW = datetime(2026, 7, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ALERTS = Path(__file__).parents[2] / "docker" / "prometheus-alerts.yml"


class Known:
    def state(self):
        return ServiceState(
            heartbeats=(
                Heartbeat("acme/late", NOW - 9 * HOUR, HOUR, last_tick=NOW, last_success=NOW - 8 * HOUR),
                Heartbeat("acme/widgets", NOW - 9 * HOUR, HOUR, last_tick=NOW, last_success=NOW),
            ),
            bumps=(
                BumpStanding("acme/widgets", "main", "dev", "26.06-py3", "asking", NOW),
                BumpStanding("acme/widgets", "main", "lts", "25.06-py3", "asking", NOW),
            ),
            releases=(ReleaseSeen("acme/widgets", "dev", "26.06-py3", NOW, alerts=("pushed again",)),),
        )


@pytest.fixture
def meter():
    made = PrometheusMeter()
    failing = Key("acme/widgets", "resync")
    made.watch(Known(), lambda: WorkState(True, 1, 2, 3, (failing,), ()), lambda: 4999, lambda: NOW)
    return made


def numbers(meter) -> dict[str, float]:
    lines = (line for line in meter.page().decode().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_what_the_service_knows_is_on_the_page(meter):
    shown = numbers(meter)

    assert shown['bot_heartbeat_missed{repository="acme/late"}'] == 1
    assert shown['bot_heartbeat_missed{repository="acme/widgets"}'] == 0
    assert shown['bot_last_success_timestamp_seconds{repository="acme/widgets"}'] == NOW.timestamp()
    assert shown['bot_open_bumps{repository="acme/widgets",state="asking"}'] == 2
    assert shown['bot_repushed_tags{repository="acme/widgets",track="dev"}'] == 1
    assert shown['bot_work_keys{state="failing"}'] == 1
    assert shown["bot_api_requests_left"] == 4999


def test_what_is_counted_adds_up(meter):
    for _ in range(2):
        meter.wrote("approval")
    meter.judged("drift", 78)
    meter.looked("resync", 0.2, ok=False)
    meter.released("dev", 120)
    meter.ready(-5)  # a clock that was set back

    shown = numbers(meter)
    assert shown['bot_steps_total{step="approval"}'] == 2
    assert shown['bot_verdicts_total{verdict="drift"}'] == 78
    assert shown['bot_look_seconds_count{kind="resync",ok="false"}'] == 1
    assert shown['bot_detection_seconds_sum{track="dev"}'] == 120
    assert shown["bot_bump_seconds_sum"] == 0


def test_every_alert_is_about_a_number_that_is_there(meter):
    meter.released("dev", 1)
    names = {re.match(r"\w+", it)[0] for it in numbers(meter)}
    rules = YAML(typ="safe").load(ALERTS)["groups"][0]["rules"]

    for rule in rules:
        assert set(re.findall(r"bot_\w+", rule["expr"])) <= names, rule["alert"]
    assert len(rules) == 7
