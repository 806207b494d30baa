"""How a recipe says what a job on a cluster gets."""

import pytest
from pydantic import ValidationError

from bot.core.container import Mount
from bot.core.recipe_slurm import SlurmJobs
from bot.core.slurm import ClusterJob

IMAGE = "nvcr.io#nvidia/pytorch:26.06-py3"


def test_a_job_has_the_nodes_and_gpus_of_the_recipe():
    jobs = SlurmJobs(
        nodes=2, gpus_per_node=8, minutes=30, workdir="/workspace", partition="batch", account="a"
    )
    mount = Mount("/clone", "/workspace")

    assert jobs.job(IMAGE, ["true"], [mount]) == ClusterJob(
        IMAGE,
        ("true",),
        mounts=(mount,),
        workdir="/workspace",
        nodes=2,
        gpus_per_node=8,
        minutes=30,
        partition="batch",
        account="a",
    )


def test_what_a_recipe_does_not_say_is_left_to_the_cluster():
    job = SlurmJobs().job(IMAGE, ["true"])

    assert (job.nodes, job.gpus_per_node, job.partition, job.account, job.workdir) == (1, 0, None, None, None)


@pytest.mark.parametrize(
    "values",
    [
        {"nodes": 0},
        {"nodes": "2"},
        {"gpus_per_node": -1},
        {"minutes": 0},
        {"workdir": "workspace"},
        {"workdir": "/a/../b"},
        {"workdir": "/a,/b"},
        {"partition": "--wrap=id"},
        {"partition": "a b"},
        {"account": ""},
        {"account": "a\n"},
        {"archive": "yes"},
        {"gpus": 8},
    ],
)
def test_values_that_are_none_are_problems_of_the_recipe(values):
    with pytest.raises(ValidationError):
        SlurmJobs.model_validate(values)
