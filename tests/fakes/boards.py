"""Boards to show: one with everything on it, and what is needed to serve a board without a service."""

import json
import math
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from bot.charts import DrawnCharts
from bot.core.board import (
    Board,
    Bump,
    Event,
    Heartbeat,
    Pin,
    PullLink,
    Release,
    Repository,
    Standing,
    Track,
    followed,
    golden_change,
    verdict_groups,
)
from bot.core.ci import Job
from bot.core.testrecipes.ledger_block import Entry
from bot.core.testrecipes.tracking import Listed
from bot.core.triage.jobs import Subject
from bot.core.triage.summary import Judged
from bot.core.triage.verdict import Evidence, Verdict, VerdictKind
from bot.texts import Pages
from bot.web.dashboard import Dashboard

NOW = datetime(2026, 6, 29, 12, tzinfo=UTC)
GITHUB = "https://github.com/NVIDIA/Megatron-LM"
HOSTILE = "</code><script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x1b[31m"
ADDRESS = "/bumps/NVIDIA/Megatron-LM/main/dev"


@dataclass
class FixedBoard:
    """A `BoardReader` that shows one board until it is given another."""

    board: Board

    def snapshot(self) -> Board:
        return self.board


def dashboard(board: Board, now=lambda: NOW) -> Dashboard:
    return Dashboard(FixedBoard(board), Pages(), DrawnCharts(), now)


def ago(**span) -> datetime:
    return NOW - timedelta(**span)


def _golden(values):
    def block(numbers):
        steps = {str(step): number for step, number in enumerate(numbers, 1)}
        return {"start_step": 1, "end_step": len(numbers), "step_interval": 1, "values": steps}

    return json.dumps(
        {"lm loss": block(values), "num-zeros": block([round(v * 100) for v in values])}
    ).encode()


def _curve(shift):
    return [10.9 - 2.4 * math.log1p(step / 6) + shift * math.sin(step / 3) for step in range(50)]


def _change(test, platform, shift):
    file = f"tests/functional_tests/test_cases/gpt/{test}/golden_values_dev_{platform}.json"
    return golden_change(file, _golden(_curve(0)), _golden(_curve(shift)))


def judged(kind, name, why, *lines, role="functional", minutes=22):
    model, _, test = name.rpartition("/")
    began = ago(hours=2)
    ended = began + timedelta(minutes=minutes)
    job = Job(1, 1, name, 1, "completed", "failure", (), began, ended, f"{GITHUB}/actions/runs/41/job/1")
    proof = tuple(Evidence("job log", 1_200 + number, line) for number, line in enumerate(lines))
    return Judged(Subject(role, model, test, "dgx_h100"), job, Verdict(kind, why, proof))


def verdicts():
    drift, hang, infra = VerdictKind.DRIFT, VerdictKind.HANG, VerdictKind.INFRA
    why = "only exact comparisons failed"
    drifting = [
        judged(drift, f"gpt/gpt3_mcore_{test}", why, "E  AssertionError: lm loss differs at step 7")
        for test in ("tp2_pp2", "te_tp1_pp4_vp1", "tp4_pp1_resume_torch_dist")
    ]
    silent = judged(
        hang,
        "moe/gpt3_moe_tp2_pp2_ep4_te",
        "no line of the log for 31 min, cancelled at the limit",
        "[default0]: iteration 12/ 50 | elapsed time per iteration (ms): 812.4",
        HOSTILE,
        minutes=61,
    )
    build = judged(
        infra, "cicd-container-build", "the registry did not answer in time",
        "#14 ERROR: failed to do request: context deadline exceeded", "------", role="build", minutes=9,
    )  # fmt: skip
    return verdict_groups([(drift, drifting), (hang, [silent]), (infra, [build])])


def bump(**changed) -> Bump:
    """Return a bump whose CI is red, with the way that led there."""
    opened = Bump(
        repository="NVIDIA/Megatron-LM",
        base="main",
        track="dev",
        tag="26.06-py3",
        at=ago(hours=5),
        standing=Standing.WAITING,
        before="26.04-py3",
        pull_request=PullLink(
            7123, f"{GITHUB}/pull/7123", "chore: Update Docker image version to 26.06-py3", draft=True
        ),
        head="4f1c2a9d" * 5,
        labels=("Run functional tests", "container::dev"),
        approval="asked",
        written=("commit", "pull request", "labels", "gate", "approval"),
    )
    taken = replace(
        opened, at=ago(hours=4), approval="taken", written=(), run_url=f"{GITHUB}/actions/runs/41"
    )
    red = replace(
        taken,
        at=ago(minutes=3),
        standing=Standing.ASKING,
        passed=118,
        verdicts=verdicts(),
        sentences=(
            "`moe/gpt3_moe_tp2_pp2_ep4_te` on dgx_h100 hangs; `/bot quarantine` takes it out of the gate",
        ),
        not_refreshed=(("no run on gb200 said anything of it", 54), ("nightly tests did not run", 31)),
        goldens=tuple(
            _change(test, platform, shift)
            for test, platform, shift in (
                ("gpt3_mcore_tp2_pp2", "dgx_h100", 0.012),
                ("gpt3_mcore_te_tp1_pp4_vp1", "dgx_h100", 0.2),
                ("gpt3_mcore_te_tp1_pp4_vp1", "dgx_gb200", 0.0004),
            )
        ),
    )
    seen = followed(followed(followed(None, opened), taken), red)
    return replace(seen, **changed)


def quarantines():
    def listed(test, reason, since, left, number):
        entry = Entry(
            test, "moe", "dgx_h100", reason, "broken", "NVIDIA/mcore", since, NOW.date() + timedelta(left)
        )
        return Listed(entry, number, f"{GITHUB}/issues/{number}", "open", (NOW.date() - since).days, left)

    return (
        listed("gpt3_moe_mcore_te_ep8_resume", "crash", date(2026, 4, 20), -9, 6801),
        listed("gpt3_moe_tp2_pp2_ep4_te", "hang", date(2026, 6, 28), 59, 7130),
    )


def full_board() -> Board:
    """Return a board on which there is something of everything."""
    both = ("linux/amd64", "linux/arm64")
    newest = Release("26.06-py3", both, "sha256:0", ago(days=4))
    pins = (
        Pin(".github/workflows/_build.yml:33", "26.04-py3"),
        Pin("docker/.ngc_version.dev:1", "26.04-py3"),
    )
    dev = Track(
        "main", "dev", "26.04-py3", in_sync=True, pins=pins, platforms=both, newest=newest, bumps=(bump(),)
    )
    lts_pins = (
        Pin("docker/.ngc_version.lts:1", "25.03-py3"),
        Pin(".gitlab/stages/01.build.yml:52", "25.02-py3", "differs from the others"),
    )
    lts = Track(
        "main", "lts", None, in_sync=False, pins=lts_pins, platforms=both,
        newest=replace(newest, platforms=both[:1], repushed=True),
    )  # fmt: skip
    ready = replace(
        bump(standing=Standing.READY, sentences=(), approval="taken"),
        base="core_r0.17.0",
        goldens=(),
        verdicts=(),
    )
    release = Track(
        "core_r0.17.0",
        "dev",
        "26.04-py3",
        in_sync=True,
        pins=pins,
        platforms=both,
        newest=newest,
        bumps=(ready,),
    )
    events = (
        Event(ago(minutes=3), "NVIDIA/Megatron-LM", "judged run 41", f"{GITHUB}/actions/runs/41"),
        Event(ago(hours=1), "NVIDIA/Megatron-LM", f"a comment of ada: /bot status {HOSTILE}"),
        Event(ago(days=4), "", "a new release: 26.06-py3"),
    )  # fmt: skip
    beat = Heartbeat(timedelta(minutes=5), ago(minutes=2), ago(minutes=2), ago(days=4))
    megatron = Repository("NVIDIA/Megatron-LM", (dev, lts, release), quarantines())
    return Board(
        "running", beat, (megatron, Repository("owner/paused", paused="by ada: the cluster is down")), events
    )


def empty_board() -> Board:
    """Return the board of a service that has just begun."""
    return Board("dry-run", Heartbeat(timedelta(minutes=5)))
