"""Jobs, runs and recipes for tests of triage."""

from datetime import datetime, timedelta

from bot.core.ci import Artifact, Job, Run
from bot.core.recipe_results import Goldens, LabelProof, Results
from bot.core.triage.jobs import Subject
from bot.core.triage.log import LogFacts, read_log
from bot.core.triage.verdict import GoldenFound, Observed, Verdict
from bot.core.triage.verdicts import judge
from tests.core.triage.logs import BEGIN, JobLog, started

H100, GB200 = "nvidia-ci-aws-gpu-x8", "nvidia-ci-aws-use2-gpu-x4"
GOLDEN = "golden_values_dev_dgx_h100.json"

RESULTS = Results(
    workflow=".github/workflows/cicd-main.yml",
    gate="Nemo_CICD_Test",
    functional="(?P<model>[^/]+)/(?P<test>.+) - latest",
    unit="tests/unit_tests/(?P<bucket>.+) - (gb200 )?latest",
    build="cicd-container-build / Build CI container .+",
    runners={H100: "dgx_h100", GB200: "dgx_gb200"},
)
LABEL_PROOF = LabelProof(
    job="configure",
    says={"scope": ("L1", "mr-github"), "n_repeat": ("5",), "lightweight": ("false",)},
)
GOLDENS = Goldens(
    file="tests/functional_tests/test_cases/{model}/{test}/golden_values_{environment}_{platform}.json",
    artifact="logs-{test}-{run_id}-*",
)
EXACT = {"lm loss": "exact", "num-zeros": "exact"}
WATCHDOG = "[rank0]:[E822 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: x"
LIVE_CANCEL = "WARNING:__main__:Detected flaky failure while job is running; cancelling current attempt."
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
STOPPED = {"minutes": 60.2, "conclusion": "cancelled"}
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
        "is_foreign": False,
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


def said(log: JobLog, **more) -> tuple[str, str, int | None]:
    """Return the verdict, its remedy and the number of the first line that proves it."""
    found = verdict(log, **more)
    return found.kind.value, found.remedy, found.evidence[0].line


def drifting(attempts=3, metrics=EXACT) -> JobLog:
    """Return the log of a test whose comparison failed in each attempt."""
    log = started()
    for _ in range(attempts):
        log.train(3).check().failed(metrics).restart()
    return log.result()


def e_line(log: JobLog, attempt=1) -> int:
    """Return the number of pytest's own line in an attempt."""
    lines = [at for at, line in enumerate(log.lines, 1) if "E       " in line]
    return lines[attempt - 1]
