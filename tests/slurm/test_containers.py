"""Programs in containers on a real Slurm, by the port that Docker implements too."""

import threading

import pytest

from bot.builders.slurm_containers import SlurmContainers
from bot.core.container import Mount, RunRequest
from bot.core.errors import Refused, ServiceError
from bot.core.recipe_slurm import SlurmJobs
from tests.slurm.cluster import GPUS, IMAGE, NODE, until

pytestmark = pytest.mark.component("slurm")

WRITTEN = "nvcr.io/nvidia/pytorch:26.06-py3"


@pytest.fixture
def containers(slurm):
    return SlurmContainers(slurm, SlurmJobs(gpus_per_node=GPUS, minutes=5))


def run(containers, *command, image=WRITTEN, **values):
    lines: list[tuple[str, str]] = []
    request = RunRequest(image, command, **values)
    return containers.run(request, lambda platform, line: lines.append((platform, line))), lines


def test_a_program_runs_in_the_image_with_its_variables(containers, tmp_path):
    report, lines = run(
        containers,
        *("sh", "-c", 'echo "$CONTAINER_IMAGE $A ${SLURM_GPUS_ON_NODE-none}"; pwd; exit 3'),
        environment={"A": "a b,c=$(id)"},
        mounts=(Mount(str(tmp_path), str(tmp_path)),),
        workdir=str(tmp_path),
        platform="linux/amd64",
    )

    assert (report.exit_status, report.stopped) == (3, "")
    assert ("linux/amd64", f"{IMAGE} a b,c=$(id) none") in lines
    assert str(tmp_path) in report.tail
    assert report.seconds > 0


def test_gpus_are_asked_for_where_they_are_wanted(containers):
    report, _ = run(containers, "sh", "-c", "echo gpus $SLURM_GPUS_ON_NODE", gpus=True)

    assert (report.exit_status, f"gpus {GPUS}" in report.tail) == (0, True)


@pytest.mark.parametrize(
    ("image", "cause"),
    [("nvcr.io/nvidia/pytorch:99.99-py3", "image-unknown"), ("/nosuch/image.sqsh", "squashfs-missing")],
)
def test_an_image_that_does_not_come_up_is_no_result(containers, image, cause):
    with pytest.raises(ServiceError, match=cause):
        run(containers, "true", image=image)


def test_a_program_that_only_speaks_of_pyxis_is_a_result(containers):
    report, _ = run(containers, "sh", "-c", "echo we saw pyxis: failed to import docker image: x; exit 1")

    assert report.exit_status == 1


def test_a_name_that_is_no_image_is_refused(containers):
    with pytest.raises(Refused):
        run(containers, "true", image="--container-writable")


def test_a_run_that_is_cancelled_says_so(containers, cluster):
    timer = threading.Thread(target=lambda: (until(lambda: "RUNNING" in str(cluster.jobs())), stop()))
    stop = containers.cluster.cancel
    timer.start()
    report, _ = run(containers, "sleep", "300")
    timer.join()

    assert report.stopped == "cancelled"


def test_a_node_that_fails_is_no_result_of_the_program(containers, cluster):
    def fail() -> None:
        until(lambda: "RUNNING" in str(cluster.jobs()))
        cluster.end("slurmd")
        cluster.call("scontrol", "update", f"NodeName={NODE}", "State=DOWN", "Reason=test")

    timer = threading.Thread(target=fail)
    timer.start()
    try:
        with pytest.raises(ServiceError, match="node failed"):
            run(containers, "sleep", "300")
    finally:
        timer.join()
        cluster.start_node()
