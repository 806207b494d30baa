"""The command lines of a job: what Slurm and pyxis are asked for, and what they are never asked for."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.container import Mount
from bot.core.errors import Refused
from bot.core.image import parse_image
from bot.core.slurm import (
    STEP_SCRIPT,
    ClusterJob,
    container_image,
    environment,
    log_path,
    sbatch_arguments,
    step_arguments,
)

IMAGE = "nvcr.io#nvidia/pytorch:26.06-py3"
JOB = ClusterJob(IMAGE, ("python", "-V"))


def options(words):
    return dict(word.removeprefix("--").partition("=")[::2] for word in words if word.startswith("--"))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("nvcr.io/nvidia/pytorch:26.06-py3", "nvcr.io#nvidia/pytorch:26.06-py3"),
        ("nvcr.io#nvidia/pytorch:26.06-py3", "nvcr.io#nvidia/pytorch:26.06-py3"),
        ("127.0.0.1:5055/nvidia/pytorch:26.06-py3", "127.0.0.1:5055#nvidia/pytorch:26.06-py3"),
    ],
)
def test_pyxis_wants_a_hash_between_registry_and_repository(written, expected):
    image = container_image(parse_image(written))

    assert image == expected
    assert options(step_arguments(replace(JOB, image=image)))["container-image"] == expected


def test_a_job_is_one_step_with_the_container_s_options_and_then_the_program():
    job = ClusterJob(
        IMAGE,
        ("bash", "-c", "exit 7", "--gpus=9"),
        mounts=(
            Mount("/data/clone", "/workspace", read_only=False),
            Mount("/data/assets", "/assets", read_only=True),
        ),
        workdir="/workspace",
    )

    assert step_arguments(job) == (
        "--kill-on-bad-exit=1",
        "--container-image=nvcr.io#nvidia/pytorch:26.06-py3",
        "--container-mounts=/data/clone:/workspace,/data/assets:/assets:ro",
        "--container-workdir=/workspace",
        "--container-readonly",
        "--no-container-mount-home",
        "--",
        *("bash", "-c", "exit 7", "--gpus=9"),
    )


def test_a_container_is_written_to_only_where_that_is_asked_for():
    assert "--container-writable" in step_arguments(replace(JOB, writable=True))
    assert "--container-writable" not in step_arguments(JOB)


def test_a_job_asks_for_its_nodes_gpus_and_minutes():
    job = replace(JOB, nodes=2, gpus_per_node=8, minutes=30, partition="batch", account="coreai_dlalgo")
    words = sbatch_arguments(job, "/logs")

    assert words[:2] == ("sbatch", "--parsable")
    assert options(words) == {
        "parsable": "",
        "no-requeue": "",
        "open-mode": "append",
        "job-name": job.name,
        "chdir": "/logs",
        "output": f"/logs/{job.name}-%j.log",
        "nodes": "2",
        "ntasks-per-node": "1",
        "time": "30",
        "gpus-per-node": "8",
        "partition": "batch",
        "account": "coreai_dlalgo",
    }


def test_what_is_not_asked_for_is_left_to_the_cluster():
    assert not {"gpus-per-node", "partition", "account"} & options(sbatch_arguments(JOB, "/logs")).keys()


def test_a_percent_sign_in_the_folder_is_no_field_of_slurm_s():
    assert options(sbatch_arguments(JOB, "/a%jb"))["output"] == f"/a%%jb/{JOB.name}-%j.log"
    assert log_path(JOB, "/a%jb/", 12) == f"/a%jb/{JOB.name}-12.log"


def test_the_name_is_that_of_the_very_job():
    assert JOB.name == ClusterJob(IMAGE, ("python", "-V")).name
    others = [replace(JOB, command=("python", "-v")), replace(JOB, nodes=2), replace(JOB, writable=True)]
    assert len({JOB.name, *(it.name for it in others)}) == 4


@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=1).filter(lambda it: it[0]))
def test_the_words_of_the_program_stand_behind_all_options_as_they_are(words):
    step = step_arguments(replace(JOB, command=tuple(words)))

    assert step[step.index("--") + 1 :] == tuple(words)


def test_no_value_is_in_the_script():
    assert STEP_SCRIPT == '#!/bin/sh\nexec srun "$@"\n'


@pytest.mark.parametrize(
    "job",
    [
        pytest.param(replace(JOB, image="nvcr.io/nvidia/pytorch:26.06-py3"), id="a slash after the host"),
        pytest.param(replace(JOB, image="--container-writable"), id="image as option"),
        pytest.param(replace(JOB, image="nvcr.io#nvidia/pytorch:1 --gpus=8"), id="image with a blank"),
        pytest.param(replace(JOB, image="nvcr.io#nvidia/pytorch:1\n"), id="image with a line end"),
        pytest.param(replace(JOB, image="/data/image.tar"), id="no archive"),
        pytest.param(replace(JOB, image="/data/../etc/x.sqsh"), id="archive with dots"),
        pytest.param(replace(JOB, mounts=(Mount("/a,/etc:/etc", "/b"),)), id="two mounts in one"),
        pytest.param(replace(JOB, mounts=(Mount("/a:/etc", "/b"),)), id="a mount with a colon"),
        pytest.param(replace(JOB, mounts=(Mount("a", "/b"),)), id="a mount that is relative"),
        pytest.param(replace(JOB, mounts=(Mount("/a", "/b\nc"),)), id="a mount with a line end"),
        pytest.param(replace(JOB, workdir="workspace"), id="a relative working folder"),
        pytest.param(replace(JOB, command=()), id="no program"),
        pytest.param(replace(JOB, command=("",)), id="an empty program"),
        pytest.param(replace(JOB, command=("a", "b\0c")), id="a NUL"),
    ],
)
def test_a_step_that_would_be_read_otherwise_is_refused(job):
    with pytest.raises(Refused):
        step_arguments(job)


@pytest.mark.parametrize(
    ("job", "folder"),
    [
        pytest.param(replace(JOB, partition="--wrap=id"), "/logs", id="partition as option"),
        pytest.param(replace(JOB, partition="a;b"), "/logs", id="partition as shell"),
        pytest.param(replace(JOB, partition=""), "/logs", id="no partition's name"),
        pytest.param(replace(JOB, account="a b"), "/logs", id="account with a blank"),
        pytest.param(replace(JOB, account="a\n"), "/logs", id="account with a line end"),
        pytest.param(replace(JOB, nodes=0), "/logs", id="no nodes"),
        pytest.param(replace(JOB, gpus_per_node=-1), "/logs", id="fewer than no GPUs"),
        pytest.param(replace(JOB, minutes=0), "/logs", id="no time"),
        pytest.param(JOB, "logs", id="a relative folder"),
        pytest.param(JOB, "/lo\\gs", id="a folder with a backslash"),
    ],
)
def test_a_submission_that_would_be_read_otherwise_is_refused(job, folder):
    with pytest.raises(Refused):
        sbatch_arguments(job, folder)


def test_an_archive_is_named_by_its_path():
    assert "--container-image=/data/my image.sqsh" in step_arguments(
        replace(JOB, image="/data/my image.sqsh")
    )


def test_slurm_sees_no_token_and_no_option_in_the_environment():
    seen = {"PATH": "/bin", "HOME": "/root", "SLURM_CONF": "/s.conf", "ENROOT_CACHE_PATH": "/c"}
    secret = {
        "GITHUB_TOKEN": "x",
        "NGC_API_KEY": "x",
        "SBATCH_WRAP": "id",
        "SBATCH_PARTITION": "p",
        "SLURM_JOB_ID": "1",
        "ENROOT_LOGIN_x": "1",
        "LD_PRELOAD": "/x.so",
    }

    assert environment(seen | secret) == seen
