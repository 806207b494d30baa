"""Jobs on a real Slurm: what the program gets, what the bot sees of it, and that no job outlives the bot."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.builders.slurm import Patience, SlurmCluster
from bot.core.buildlog.reader import read_build_log
from bot.core.container import Mount
from bot.core.errors import Refused, ServiceError, UsageError
from bot.core.slurm import ClusterJob
from bot.core.slurm_states import Outcome
from tests.slurm.cluster import GPUS, IMAGE, NODE, Cluster, until

pytestmark = pytest.mark.component("slurm")

SHOW = "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]))"


def job(*command: str, **values) -> ClusterJob:
    return ClusterJob(IMAGE, command or ("true",), minutes=5, **values)


def sleeping(seconds: int = 300, **values) -> ClusterJob:
    return job("sh", "-c", f"echo begun; sleep {seconds}", **values)


def run(slurm: SlurmCluster, it: ClusterJob):
    lines: list[str] = []
    return slurm.run(it, lines.append), lines


class Running:
    """A job that another thread follows; it has begun, unless that is not waited for."""

    def __init__(self, slurm: SlurmCluster, it: ClusterJob, *, is_begun: bool = True) -> None:
        self.lines, self.ended = [], []
        self.number = 0
        self._thread = threading.Thread(target=self._run, args=(slurm, it))
        self._thread.start()
        until(lambda: not is_begun or "begun" in self.lines or self.ended)

    def _run(self, slurm: SlurmCluster, it: ClusterJob) -> None:
        try:
            self.ended.append(slurm.run(it, self.lines.append, self._numbered))
        except Exception as error:  # noqa: BLE001 - the test asks what it was
            self.ended.append(error)

    def _numbered(self, number: int) -> None:
        self.number = number

    def end(self):
        self._thread.join(60)
        return self.ended[0]


def test_the_program_gets_its_words_mounts_folder_and_gpus(slurm, tmp_path):
    words = ["a b", "$(id)", "`id`", "new\nline", '"', "'", "", "-x", "--gpus=9", "ü", "\\", "*", "%j"]
    source, target = tmp_path / "clone", tmp_path / "workspace"
    source.mkdir()
    target.mkdir()
    (source / "file").write_text("here")
    it = job(
        *(sys.executable, "-c", SHOW, *words),
        mounts=(Mount(str(source), str(target)),),
        workdir=str(target),
        gpus_per_node=GPUS,
    )

    report, lines = run(slurm, it)

    (shown,) = [json.loads(line) for line in lines if line.startswith("[")]
    given, folder, environ = shown
    assert (report.outcome, report.status.exit_code) == (Outcome.SUCCEEDED, 0)
    assert given == words
    assert folder == str(target)
    assert environ["CONTAINER_IMAGE"] == IMAGE
    assert environ["SLURM_GPUS_ON_NODE"] == str(GPUS)
    assert "GITHUB_TOKEN" not in environ


def test_a_mount_that_is_to_be_read_cannot_be_written(slurm, tmp_path):
    source, target = tmp_path / "clone", tmp_path / "workspace"
    for it in (source, target):
        it.mkdir()
    write = ("touch", f"{target}/made")

    report, lines = run(slurm, job(*write, mounts=(Mount(str(source), str(target), read_only=True),)))
    assert report.outcome is Outcome.FAILED
    assert any("Read-only file system" in line for line in lines)

    report, _ = run(slurm, job(*write, mounts=(Mount(str(source), str(target), read_only=False),)))
    assert report.outcome is Outcome.SUCCEEDED
    assert (source / "made").exists()


def test_a_program_that_fails_is_a_result_with_its_exit_status(slurm):
    report, lines = run(slurm, job("sh", "-c", "echo one; echo two >&2; printf three; exit 7"))

    assert (report.outcome, report.status.exit_code) == (Outcome.FAILED, 7)
    # Slurm's own words go on where the program's last line has no end.
    assert all(any(line.startswith(word) for line in lines) for word in ("one", "two", "three"))
    assert Path(report.log).read_text().count("one") == 1


@pytest.mark.parametrize(
    ("image", "cause"),
    [
        ("nvcr.io#nvidia/pytorch:99.99-py3", "image-unknown"),
        ("/nosuch/image.sqsh", "squashfs-missing"),
    ],
)
def test_an_image_that_is_not_there_is_told_apart_from_a_program_that_fails(slurm, image, cause):
    report, _ = run(slurm, replace(job(), image=image))

    diagnosis = read_build_log([Path(report.log).read_bytes()])
    assert (report.outcome, report.status.exit_code) == (Outcome.FAILED, 1)
    assert diagnosis.causes[0].cause == cause


def test_the_log_is_followed_while_the_job_runs(slurm):
    running = Running(slurm, sleeping())

    assert running.lines[-1] == "begun"
    assert slurm.status(running.number).outcome is Outcome.RUNNING
    slurm.cancel()
    assert running.end().outcome is Outcome.CANCELLED


def test_a_job_that_somebody_cancels_has_been_cancelled(slurm, cluster):
    running = Running(slurm, sleeping())
    cluster.call("scancel", str(running.number))

    assert running.end().outcome is Outcome.CANCELLED


def test_a_reader_that_breaks_cancels_the_job(slurm, cluster):
    def broken(line: str) -> None:
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="begun"):
        slurm.run(sleeping(), lambda line: broken(line) if line == "begun" else None)
    assert cluster.jobs() == []


FOLLOW = """
import os, sys
from pathlib import Path
from bot.builders.slurm import Patience, SlurmCluster
from bot.core.slurm import ClusterJob
job = ClusterJob(sys.argv[2], ("sh", "-c", "echo begun; sleep " + sys.argv[3]), minutes=5)
report = SlurmCluster(Path(sys.argv[1]), os.environ, Patience(poll=0.1)).run(job, print)
print(report.number, report.outcome)
"""


def follower(cluster: Cluster, logs: Path, seconds: int) -> subprocess.Popen:
    command = [sys.executable, "-u", "-c", FOLLOW, str(logs), IMAGE, str(seconds)]
    process = subprocess.Popen(
        command, env=cluster.environ, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    for line in process.stdout:
        if line == "begun\n":
            return process
    raise AssertionError("the job has not begun")


def test_the_job_ends_with_a_bot_that_is_interrupted(cluster, logs):
    process = follower(cluster, logs, 300)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode
    assert cluster.jobs() == []
    assert not list(logs.glob("*.job"))


def test_a_bot_that_was_killed_follows_the_same_job_once_it_is_back(cluster, logs, slurm):
    process = follower(cluster, logs, 5)
    process.kill()
    process.communicate()
    before = [line.split()[0] for line in cluster.jobs()]

    report, lines = run(slurm, sleeping(5))

    assert [str(report.number)] == before
    assert report.outcome is Outcome.SUCCEEDED
    assert lines.count("begun") == 1


def test_an_end_that_a_killed_bot_did_not_tell_is_told_and_not_worked_for_again(cluster, logs, slurm):
    process = follower(cluster, logs, 1)
    process.kill()
    process.communicate()
    (before,) = [line.split()[0] for line in cluster.jobs()]
    until(lambda: not cluster.jobs())

    told, _ = run(slurm, sleeping(1))
    again, _ = run(slurm, sleeping(1))

    assert str(told.number) == before
    assert again.number > told.number


def test_a_job_whose_number_was_not_written_down_is_found_by_its_name(slurm, logs):
    running = Running(slurm, sleeping(4))
    (logs / f"{sleeping(4).name}.job").unlink()

    report, _ = run(SlurmCluster(logs, slurm._slurm.environ, Patience(poll=0.1)), sleeping(4))

    assert report.number == running.number == running.end().number


def test_a_partition_that_is_down_is_said_before_anything_is_submitted(slurm, cluster, logs):
    with pytest.raises(ServiceError, match="partition `closed` is `down`"):
        run(slurm, job(partition="closed"))
    assert not logs.exists()


def test_a_partition_that_goes_down_while_a_job_waits_ends_the_wait(slurm, cluster):
    holder = Running(slurm, sleeping(gpus_per_node=GPUS))
    other = SlurmCluster(Path(f"{slurm._folder}-2"), cluster.environ, Patience(poll=0.1))
    waiting = Running(other, job("echo", "late", gpus_per_node=GPUS), is_begun=False)
    until(lambda: any("PENDING" in line for line in cluster.jobs()))
    cluster.call("scontrol", "update", "PartitionName=batch", "State=DOWN")
    try:
        error = waiting.end()
    finally:
        cluster.call("scontrol", "update", "PartitionName=batch", "State=UP")
        slurm.cancel()

    assert holder.end().outcome is Outcome.CANCELLED
    assert isinstance(error, ServiceError)
    assert "PartitionDown" in error.message
    assert run(other, job("echo", "late", gpus_per_node=GPUS))[0].outcome is Outcome.SUCCEEDED


def test_a_job_that_is_preempted_says_so_and_is_not_begun_again(slurm, cluster):
    running = Running(slurm, sleeping(gpus_per_node=GPUS))
    other = SlurmCluster(Path(f"{slurm._folder}-2"), cluster.environ, Patience(poll=0.1))

    urgent, _ = run(other, job(partition="urgent", gpus_per_node=GPUS))

    assert urgent.outcome is Outcome.SUCCEEDED
    assert running.end().outcome is Outcome.PREEMPTED
    assert cluster.jobs() == []


def test_a_node_that_fails_is_told_apart_from_a_program_that_fails(slurm, cluster):
    running = Running(slurm, sleeping())
    cluster.end("slurmd")
    cluster.call("scontrol", "update", f"NodeName={NODE}", "State=DOWN", "Reason=test")
    try:
        assert running.end().outcome is Outcome.NODE_FAILED
    finally:
        cluster.start_node()


def test_a_controller_that_is_away_for_a_while_is_waited_for(slurm, cluster):
    running = Running(slurm, sleeping(3))
    cluster.end("slurmctld")
    time.sleep(0.5)
    cluster._start("slurmctld", "-D")
    until(cluster._answers)

    assert running.end().outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    ("it", "error", "words"),
    [
        (job(partition="nosuch"), Refused, "it has no `nosuch`"),
        (job(gpus_per_node=GPUS + 1), Refused, "Requested node configuration is not available"),
        (job(nodes=2), ServiceError, "waits in vain: PartitionConfig"),
        (job(account="--wrap=id"), Refused, "no name for `--account`"),
    ],
)
def test_what_the_cluster_has_not_is_refused_in_its_words(slurm, cluster, it, error, words):
    with pytest.raises(error, match=words):
        run(slurm, it)
    assert cluster.jobs() == []


def test_nobody_remembers_a_job_that_never_was(slurm):
    assert slurm.status(4_000_000) is None


def test_a_machine_without_slurm_is_told_of(cluster, logs):
    with pytest.raises(UsageError, match="was not found"):
        run(SlurmCluster(logs, {"PATH": "/nonexistent"}), job())


def test_a_folder_that_cannot_be_written_is_told_of(cluster, tmp_path):
    file = tmp_path / "file"
    file.touch()

    with pytest.raises(UsageError, match="cannot be written"):
        run(SlurmCluster(file / "logs", cluster.environ), job())


def test_a_cluster_without_an_answer_is_told_of(cluster, logs):
    environ = {**os.environ, "SLURM_CONF": "/nonexistent/slurm.conf"}

    with pytest.raises(ServiceError, match="gives no answer for 1 seconds"):
        run(SlurmCluster(logs, environ, Patience(answer=1.0)), job())
