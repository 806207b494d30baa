"""What needs no cluster: logs that grow, and a Slurm whose queue has forgotten the job."""

import os

import pytest

from bot.builders.followed_log import FollowedLog
from bot.builders.slurm import Patience, SlurmCluster
from bot.core.errors import ServiceError
from bot.core.slurm import ClusterJob
from bot.core.slurm_states import JobStatus, Outcome

FORGOTTEN = "echo slurm_load_jobs error: Invalid job id specified >&2; exit 1"
DISABLED = "echo Slurm accounting storage is disabled >&2; exit 1"
JOB = ClusterJob("nvcr.io#nvidia/pytorch:26.06-py3", ("true",))


@pytest.fixture
def programs(tmp_path):
    """A folder of programs that print what Slurm's do; `say` replaces one."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def say(name: str, script: str) -> None:
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    say("squeue", FORGOTTEN)
    say("scontrol", FORGOTTEN)
    say("sacct", DISABLED)
    say("scancel", "exit 0")
    say("sinfo", "echo 'batch*|up'")
    say("sbatch", "echo 12")
    return say


@pytest.fixture
def slurm(programs, tmp_path):
    environ = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    return SlurmCluster(tmp_path / "logs", environ, Patience(poll=0.01, outage=0.1, ending=0.1))


def test_accounts_know_a_job_that_the_controller_has_forgotten(slurm, programs):
    programs("sacct", 'echo "12|TIMEOUT|0:0"')

    assert slurm.status(12) == JobStatus("TIMEOUT", "", 0, 0)
    assert slurm.run(JOB, print).outcome is Outcome.TIMED_OUT


def test_without_accounts_a_forgotten_job_is_no_success(slurm):
    with pytest.raises(ServiceError, match="forgotten job 12"):
        slurm.run(JOB, print)


def test_a_queue_that_alone_knows_an_end_is_believed(slurm, programs):
    programs("squeue", 'case "$*" in *--name=*) ;; *) echo "12|NODE_FAIL|None";; esac')

    assert slurm.run(JOB, print).outcome is Outcome.NODE_FAILED


def test_a_controller_that_stays_away_is_told_of(slurm, programs):
    programs(
        "squeue", 'case "$*" in *--name=*) ;; *) echo Unable to contact slurm controller >&2; exit 1;; esac'
    )

    with pytest.raises(ServiceError, match="Unable to contact slurm controller"):
        slurm.run(JOB, print)


def test_a_job_that_cannot_be_ended_is_told_of(slurm, programs):
    programs("squeue", 'case "$*" in *--name=*) ;; *) echo "12|RUNNING|None";; esac')
    slurm_run = slurm.run

    def stop(number: int) -> None:
        slurm.cancel()

    with pytest.raises(ServiceError, match="was cancelled and does not end"):
        slurm_run(JOB, print, stop)


def test_a_job_without_a_number_is_told_of(slurm, programs):
    programs("squeue", "exit 0")
    programs("sbatch", "echo Submitted")

    with pytest.raises(ServiceError, match="did not say its number"):
        slurm.run(JOB, print)


def test_lines_come_as_they_are_written(tmp_path):
    lines: list[str] = []
    log = FollowedLog(tmp_path / "log", lines.append)
    assert not log.read()

    (tmp_path / "log").write_bytes(b"one\r\ntw")
    assert log.read()
    assert lines == ["one"]
    with (tmp_path / "log").open("ab") as file:
        file.write(b"o\n\xff\nthree")
    assert log.read()
    assert not log.read()
    log.close()
    log.close()

    assert lines == ["one", "two", "\N{REPLACEMENT CHARACTER}", "three"]


def test_a_line_without_end_is_not_kept_as_a_whole(tmp_path):
    lines: list[str] = []
    (tmp_path / "log").write_bytes(b"x" * 1_000_000)
    log = FollowedLog(tmp_path / "log", lines.append)
    log.read()
    log.close()

    assert "".join(lines) == "x" * 1_000_000
    assert max(len(line) for line in lines) == 64 * 1024
