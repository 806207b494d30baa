"""A real Slurm of one node, with folders, ports and a munge key of its own; ended by pid."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.components import component_missing

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "cc")
NODE = "node1"
GPUS = 2
IMAGE = "nvcr.io#nvidia/pytorch:26.06-py3"

CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,batch_sched_delay=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MailProg=/bin/true
MpiDefault=none
ReturnToService=2
KillWait=1
SlurmdTimeout=60
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
GresTypes=gpu
PlugStackConfig={folder}/plugstack.conf
NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:{gpus} State=UNKNOWN
PartitionName=batch Nodes=ALL Default=YES PriorityTier=1 MaxTime=120 State=UP
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF State=UP
PartitionName=closed Nodes=ALL State=DOWN
"""


@dataclass
class Cluster:
    """The running cluster; `folder` holds all of it, `roots` the images of its plugin."""

    folder: Path
    processes: dict[str, subprocess.Popen] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        """What a person on the cluster has, with a token that no job may see."""
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "GITHUB_TOKEN": "not-for-jobs"}

    def call(self, *command: str) -> str:
        """Return what one of Slurm's programs prints."""
        done = subprocess.run(
            command, env=self.environ, check=True, capture_output=True, text=True, timeout=30
        )
        return done.stdout

    def jobs(self) -> list[str]:
        """Return number, name and state of the jobs that have not ended."""
        return self.call("squeue", "--noheader", "--format=%i %j %T").splitlines()

    def add_image(self, name: str) -> None:
        (self.folder / "roots" / name.translate(str.maketrans("/:#", "___"))).mkdir(parents=True)

    def start_node(self) -> None:
        self._start("slurmd", "-D", "-N", NODE)
        self.wait_for_node("idle")

    def wait_for_node(self, state: str) -> None:
        until(lambda: self.call("sinfo", "--noheader", "--Node", "--format=%T").split()[:1] == [state])

    def _start(self, name: str, *arguments: str) -> None:
        log = (self.folder / f"{name}.log").open("ab")
        # The daemons are found in sbin, which is not on everybody's PATH.
        program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        assert program
        self.processes[name] = subprocess.Popen(
            [program, *arguments], env=self.environ, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        log.close()

    def end(self, name: str) -> None:
        process = self.processes.pop(name)
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def start(self) -> None:
        munge = self.folder / "munge"
        words = {
            "socket": "socket",
            "key-file": "key",
            "log-file": "log",
            "pid-file": "pid",
            "seed-file": "seed",
        }
        options = [f"--{option}={munge / name}" for option, name in words.items()]
        self._start("munged", "--foreground", "--force", *options)
        until((munge / "socket").exists)
        self._start("slurmctld", "-D")
        until(self._answers)
        self.start_node()

    def _answers(self) -> bool:
        try:
            return bool(self.call("sinfo", "--noheader"))
        except subprocess.SubprocessError:
            return False


def until(holds) -> None:
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("that did not come about")


def build_plugin(folder: Path) -> Path:
    plugin = folder / "containers.so"
    source = Path(__file__).with_name("containers.c")
    done = subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", plugin, source], capture_output=True, text=True, check=False
    )
    if done.returncode:
        component_missing("slurm", f"its plugin cannot be built: {done.stderr.strip()[-300:]}")
    return plugin


def configure(folder: Path) -> None:
    for name in ("munge", "state", "spool", "roots/archive"):
        (folder / name).mkdir(parents=True, mode=0o700)
    key = folder / "munge" / "key"
    key.write_bytes(secrets.token_bytes(64))
    key.chmod(0o400)
    plugin = build_plugin(folder)
    (folder / "plugstack.conf").write_text(f"required {plugin} roots={folder / 'roots'}\n")
    for number in range(GPUS):
        (folder / f"gpu{number}").touch()
    (folder / "gres.conf").write_text(f"NodeName={NODE} Name=gpu File={folder}/gpu[0-{GPUS - 1}]\n")
    with ExitStack() as held:
        free = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        controller, node = (it.getsockname()[1] for it in free)
    (folder / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            folder=folder,
            controller=controller,
            node=node,
            name=NODE,
            gpus=GPUS,
        )
    )


@contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    """Start a cluster in an empty folder and end it; skip where this machine cannot."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    if missing := [name for name in NEEDED if not shutil.which(name, path=path)]:
        component_missing("slurm", f"no {', '.join(missing)} (Debian: slurm-wlm munge libslurm-dev gcc)")
    if sys.platform != "linux" or os.geteuid() != 0:
        component_missing("slurm", "its node has to be started by root")
    configure(folder)
    cluster = Cluster(folder)
    cluster.add_image(IMAGE)
    try:
        try:
            cluster.start()
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            said = [f"{it.name}: {it.read_text(errors='replace')[-400:]}" for it in folder.glob("*.log")]
            component_missing("slurm", f"{error}; {said}")
        yield cluster
    finally:
        for name in reversed(list(cluster.processes)):
            cluster.end(name)


@pytest.fixture(scope="session")
def session_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


@pytest.fixture
def cluster(session_cluster: Cluster) -> Iterator[Cluster]:
    """The cluster with nothing on it; a test that leaves a job running fails."""
    yield session_cluster
    left = session_cluster.jobs()
    for job in left:
        session_cluster.call("scancel", job.split()[0])
    until(lambda: not session_cluster.jobs())
    session_cluster.wait_for_node("idle")
    assert left == []
