"""Which runs and jobs the bot sees on a GitLab that behaves as GitLab does."""

import pytest

from tests.contracts.gitlab_client import (
    NOW,
    PATH,
    client,
    failure,
    gitlab_lab,
    gitlab_stages,
    project,
    world,
)

__all__ = ["gitlab_lab", "gitlab_stages", "project", "world"]


def test_a_pipeline_is_a_run(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project, source="schedule")
    world.finish(world.add_job(pipeline, "test", "unit"))

    run = client(gitlab_lab).run(pipeline.id)

    assert (run.id, run.sha, run.branch, run.event) == (
        pipeline.id,
        project.branches["main"],
        "main",
        "schedule",
    )
    assert (run.workflow, run.is_foreign, run.attempt) == (".gitlab-ci.yml", False, 1)
    assert (run.status, run.conclusion, run.created_at) == ("completed", "success", NOW)
    assert run.url == f"{gitlab_lab.url}/{PATH}/-/pipelines/{pipeline.id}"


def test_a_project_may_keep_its_pipelines_in_another_file(gitlab_lab, world, project):
    project.ci_config_path = "ci/main.yml"

    assert client(gitlab_lab).run(world.add_pipeline(project).id).workflow == "ci/main.yml"


@pytest.mark.parametrize(
    ("gitlab", "status", "conclusion"),
    [
        ("created", "queued", None),
        ("pending", "queued", None),
        ("running", "in_progress", None),
        ("manual", "waiting", None),
        ("success", "completed", "success"),
        ("failed", "completed", "failure"),
        ("canceled", "completed", "cancelled"),
        ("skipped", "completed", "skipped"),
    ],
)
def test_a_status_is_said_in_the_words_of_both_hosts(gitlab_lab, world, gitlab, status, conclusion):
    pipeline = world.add_pipeline(world.projects[PATH])
    world.add_job(pipeline, "test", "unit").status = gitlab
    reader = client(gitlab_lab)

    (job,) = reader.jobs(pipeline.id)

    assert (job.status, job.conclusion) == (status, conclusion)
    assert reader.run(pipeline.id).conclusion == conclusion


def test_a_pipeline_that_is_not_there_is_none(gitlab_lab, world, project):
    other = world.add_project("ADLR/other", {})

    assert client(gitlab_lab).run(world.add_pipeline(other).id) is None
    assert client(gitlab_lab).run(10**12) is None


def test_the_runs_of_a_branch_come_newest_first_without_child_pipelines(gitlab_lab, world, project):
    world.push(project, "dev", {})
    begun = [world.add_pipeline(project) for _ in range(3)]
    world.add_pipeline(project, "dev")
    world.add_bridge(begun[0], "functional:run")

    runs = client(gitlab_lab).runs("main")

    assert [run.id for run in runs] == [it.id for it in reversed(begun)]


def test_jobs_are_those_of_the_pipeline_and_of_its_children_at_any_depth(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.add_job(pipeline, "build", "test:build_image")
    child = world.add_bridge(pipeline, "functional:run_dev_dgx_h100")
    world.add_job(child, "gpt", "gpt3_tp1", tags=("env/prod", "cluster/eos"))
    grandchild = world.add_bridge(child, "again", stage="late")
    world.add_job(grandchild, "moe", "Größe 1/2")

    jobs = client(gitlab_lab).jobs(pipeline.id)

    assert [job.name for job in jobs] == [
        "build / test:build_image",
        "functional:run_dev_dgx_h100 / gpt / gpt3_tp1",
        "functional:run_dev_dgx_h100 / again / moe / Größe 1/2",
    ]
    assert {job.run for job in jobs} == {pipeline.id}
    assert jobs[1].labels == ("env/prod", "cluster/eos")


def test_every_attempt_of_a_job_is_there_and_counted(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    for stage in ("gpt", "moe"):
        world.finish(world.add_job(pipeline, stage, "same"), "failed")
    (again, other) = world.retry(pipeline)
    world.finish(again, "failed", after=90)
    world.retry(pipeline)
    world.finish(other)

    jobs = client(gitlab_lab).jobs(pipeline.id)

    assert [(job.name, job.attempt, job.conclusion) for job in jobs] == [
        ("gpt / same", 1, "failure"),
        ("moe / same", 1, "failure"),
        ("gpt / same", 2, "failure"),
        ("moe / same", 2, "success"),
        ("gpt / same", 3, None),
    ]
    assert [job.seconds for job in jobs] == [60, 60, 90, 60, None]


def test_a_job_that_ran_too_long_has_timed_out(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    world.finish(world.add_job(pipeline, "gpt", "slow"), "failed", reason="job_execution_timeout")

    (job,) = client(gitlab_lab).jobs(pipeline.id)

    assert (job.status, job.conclusion) == ("completed", "timed_out")


def test_what_was_begun_in_another_project_is_not_read(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    theirs = world.add_bridge(pipeline, "functional:run_nemo", project=world.add_project("dl/nemo-ci", {}))
    world.add_job(theirs, "train", "theirs")
    world.add_empty_bridge(pipeline, "functional:run_lts_dgx_a100")
    world.add_job(pipeline, "build", "ours")

    assert [job.name for job in client(gitlab_lab).jobs(pipeline.id)] == ["build / ours"]
    assert not any(f"/pipelines/{theirs.id}/" in sent.path for sent in gitlab_lab.requests)


def test_pipelines_that_begin_each_other_are_read_once(gitlab_lab, world, project):
    first = world.add_pipeline(project)
    second = world.add_bridge(first, "there")
    world.add_empty_bridge(second, "back").downstream = first
    world.add_empty_bridge(second, "itself").downstream = second
    world.add_job(first, "build", "a")
    world.add_job(second, "test", "b")

    assert [job.name for job in client(gitlab_lab).jobs(first.id)] == ["build / a", "there / test / b"]


def test_a_tree_of_pipelines_without_end_is_not_followed_for_ever(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    for number in range(1001):
        world.add_bridge(pipeline, f"child {number}")

    said = failure(client(gitlab_lab).jobs, pipeline.id).message

    assert said == f"pipeline {pipeline.id} has more than 1000 child pipelines"


def test_a_thousand_jobs_are_read_whole_a_hundred_at_a_time(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    for number in range(1000):
        world.add_job(pipeline, "gpt", f"test_{number}")

    jobs = client(gitlab_lab).jobs(pipeline.id)

    assert [job.name for job in jobs] == [f"gpt / test_{number}" for number in range(1000)]
    asked = [sent.query for sent in gitlab_lab.requests if sent.path.endswith("/jobs")]
    assert asked == [f"include_retried=true&page={page}&per_page=100" for page in range(1, 11)]


def test_a_job_that_appears_while_the_list_is_read_hides_none(gitlab_lab, world, project):
    pipeline = world.add_pipeline(project)
    for number in range(150):
        world.add_job(pipeline, "gpt", f"test_{number}")

    def appear(_method, path):
        if path.endswith("/jobs") and len(pipeline.jobs) < 152:
            world.add_job(pipeline, "late", f"late_{len(pipeline.jobs)}")

    gitlab_lab.api.before_request = appear

    names = [job.name for job in client(gitlab_lab).jobs(pipeline.id)]

    assert {f"gpt / test_{number}" for number in range(150)} <= set(names)
    assert len(names) == len(set(names))


def test_the_jobs_of_a_pipeline_that_is_not_there_are_an_error(gitlab_lab, world):
    said = failure(client(gitlab_lab).jobs, 7).message

    assert said == (f"GitLab at `{gitlab_lab.url}` has no `/pipelines/7/jobs` in `{PATH}`: 404 Not found")
