"""Jobs, runs and recipes for tests of triage."""

from datetime import datetime, timedelta

from bot.core.ci import Artifact, Job, Run
from bot.core.recipe_results import Goldens, LabelProof, Results
from bot.core.triage.jobs import Subject
from bot.core.triage.log import LogFacts, read_log
from bot.core.triage.verdict import GoldenFound, Observed, Verdict
from bot.core.triage.verdicts import judge
from tests.core.triage.logs import BEGIN, JobLog

H100, GB200 = "nvidia-ci-aws-gpu-x8", "nvidia-ci-aws-use2-gpu-x4"
GOLDEN = "golden_values_dev_dgx_h100.json"

RESULTS = Results(
    workflow=".github/workflows/cicd-main.yml",
    gate="Nemo_CICD_Test",
    functional="(?P<model>[^/]+)/(?P<test>.+) - latest",
    unit="tests/unit_tests/(?P<bucket>.+) - (gb200 )?latest",
    build="cicd-container-build / Build CI container .+",
    runners={H100: "dgx_h100", GB200: "dgx_gb200"},
    label_proof=LabelProof(
        job="configure",
        says={"scope": ("L1", "mr-github"), "n_repeat": ("5",), "lightweight": ("false",)},
    ),
)
GOLDENS = Goldens(
    file="tests/functional_tests/test_cases/{model}/{test}/golden_values_{environment}_{platform}.json",
    artifact="logs-{test}-{run_id}-*",
)
SUBJECT = Subject("functional", "gpt", "gpt_x", "dgx_h100")


def job(name="gpt/gpt_x - latest", minutes: float | None = 12, conclusion="failure", **more) -> Job:
    begun = more.pop("started_at", BEGIN)
    status = more.pop("status", "completed")
    ended = None if minutes is None or begun is None else begun + timedelta(minutes=minutes)
    defaults = {"id": 1, "run": 7, "attempt": 1, "labels": (H100,), "url": "https://ci.example/1"}
    values = {**defaults, **more}
    return Job(
        name=name,
        status=status,
        conclusion=conclusion if status == "completed" else None,
        started_at=begun,
        completed_at=ended if status == "completed" else None,
        **values,
    )


def run(**more) -> Run:
    values = {
        "id": 7,
        "sha": "a" * 40,
        "branch": "pull-request/12",
        "event": "push",
        "workflow": RESULTS.workflow,
        "repository": 99,
        "attempt": 1,
        "status": "completed",
        "conclusion": "failure",
        "created_at": BEGIN,
        "url": "https://ci.example/run",
    }
    return Run(**{**values, **more})


def artifact(name: str, minutes: float = 11, **more) -> Artifact:
    defaults = {"id": 70, "run": 7, "size": 1000, "expired": False}
    return Artifact(name=name, created_at=_after(minutes), **{**defaults, **more})


def _after(minutes: float) -> datetime:
    return BEGIN + timedelta(minutes=minutes)


def golden(*, is_there=True, second=False) -> GoldenFound:
    return GoldenFound("logs-gpt_x-7-uuid", GOLDEN, is_there, second)


def facts(log: JobLog) -> LogFacts:
    return read_log("job log", [log.bytes()])


def verdict(log: JobLog, **more) -> Verdict:
    """Return the verdict on a test's job with this log; it failed after 12 min unless told otherwise."""
    results = more.pop("results", RESULTS)
    seen = {"subject": SUBJECT, "job": job(), "logs": (facts(log),), "golden": golden(), **more}
    return judge(Observed(**seen), results)
