"""How jobs and partitions stand, by lines that Slurm 22.05 printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.errors import Refused, ServiceError
from bot.core.slurm_states import (
    JobReport,
    JobStatus,
    Outcome,
    Partition,
    accounted_status,
    controlled_status,
    listed,
    partitions,
    queued_status,
    refused_partition,
    refused_submission,
    submitted,
)

SHOWN = (
    "JobId=1 JobName=job.sh UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=4294901759 Nice=0 "
    "Account=(null) QOS=(null) JobState=FAILED Reason=NonZeroExitCode Dependency=(null) Requeue=1 Restarts=0 "
    "BatchFlag=1 Reboot=0 ExitCode=7:0 RunTime=00:00:00 TimeLimit=UNLIMITED TimeMin=N/A NodeList=vm "
    "Command=/srv/job.sh 0 7 WorkDir=/srv StdErr=/srv/out-1.log StdOut=/srv/out-1.log Power= \n"
)


@pytest.mark.parametrize(("text", "number"), [("12\n", 12), ("12;cluster\n", 12)])
def test_a_job_that_was_taken_has_a_number(text, number):
    assert submitted(text) == number


@pytest.mark.parametrize("text", ["", "Submitted batch job 12", "0", "12 13", "-1", "\u0661"])
def test_anything_else_is_no_number(text):
    with pytest.raises(ServiceError):
        submitted(text)


@pytest.mark.parametrize(
    ("line", "outcome", "is_over"),
    [
        ("1|PENDING|Resources", Outcome.WAITING, False),
        ("1|CONFIGURING|None", Outcome.WAITING, False),
        ("1|RUNNING|None", Outcome.RUNNING, False),
        ("1|COMPLETING|None", Outcome.RUNNING, False),
        ("1|COMPLETED|None", Outcome.SUCCEEDED, True),
        ("1|FAILED|NonZeroExitCode", Outcome.FAILED, True),
        ("1|FAILED|JobLaunchFailure", Outcome.NOT_STARTED, True),
        ("1|CANCELLED|PartitionDown", Outcome.CANCELLED, True),
        ("1|TIMEOUT|TimeLimit", Outcome.TIMED_OUT, True),
        ("1|PREEMPTED|None", Outcome.PREEMPTED, True),
        ("1|NODE_FAIL|None", Outcome.NODE_FAILED, True),
        ("1|OUT_OF_MEMORY|OutOfMemory", Outcome.OUT_OF_MEMORY, True),
    ],
)
def test_the_queue_says_how_a_job_stands(line, outcome, is_over):
    status = queued_status(f"12|RUNNING|None\n{line}\n", 1)

    assert (status.outcome, status.is_over) == (outcome, is_over)


@pytest.mark.parametrize(
    "text", ["", "12|RUNNING|None\n", "slurm_load_jobs error: Invalid job id specified\n"]
)
def test_a_job_that_the_queue_does_not_list_has_no_status(text):
    assert queued_status(text, 1) is None


def test_a_state_that_is_not_known_is_not_guessed_at():
    with pytest.raises(ServiceError, match="SOMETHING"):
        queued_status("1|SOMETHING|None", 1)


def test_the_controller_tells_the_exit_status():
    assert controlled_status(SHOWN, 1) == JobStatus("FAILED", "NonZeroExitCode", 7, 0)
    assert controlled_status(SHOWN, 2) is None
    assert controlled_status("", 1) is None


def test_what_a_command_says_is_not_the_job_s_state():
    said = SHOWN.replace(
        "Command=/srv/job.sh 0 7", "Command=/srv/job.sh JobState=COMPLETED ExitCode=0:0 JobId=2"
    )

    assert controlled_status(said, 1) == JobStatus("FAILED", "NonZeroExitCode", 7, 0)
    assert controlled_status(said, 2) is None


def test_a_signal_is_told_apart_from_an_exit_status():
    assert controlled_status("JobId=2 JobState=CANCELLED Reason=None ExitCode=0:15", 2).signal == 15
    assert controlled_status("JobId=2 JobState=RUNNING Reason=None ExitCode=", 2).exit_code is None


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("7|COMPLETED|0:0\n", JobStatus("COMPLETED", "", 0, 0)),
        ("7|CANCELLED by 1000|0:15\n", JobStatus("CANCELLED", "by 1000", 0, 15)),
        ("7|NODE_FAIL|1:0\n7|COMPLETED|0:0\n", JobStatus("COMPLETED", "", 0, 0)),
        ("70|COMPLETED|0:0\n", None),
        ("7|COMPLETED\n", None),
        ("", None),
    ],
)
def test_accounts_tell_of_a_job_that_the_controller_has_forgotten(text, status):
    assert accounted_status(text, 7) == status


@pytest.mark.parametrize(
    ("reason", "hopeless"),
    [
        ("Resources", False),
        ("Priority", False),
        ("ReqNodeNotAvail,_UnavailableNodes:n1", False),
        ("None", False),
        ("PartitionDown", True),
        ("PartitionInactive", True),
        ("PartitionConfig", True),
        ("PartitionTimeLimit", True),
        ("BadConstraints", True),
        ("AccountNotAllowed", True),
        ("InvalidQOS", True),
        ("JobHeldAdmin", True),
        ("DependencyNeverSatisfied", True),
    ],
)
def test_a_job_that_waits_for_what_does_not_come_is_known(reason, hopeless):
    assert bool(JobStatus("PENDING", reason).hopeless) is hopeless
    assert JobStatus("RUNNING", reason).hopeless is None


def test_partitions_are_listed_once():
    text = "debug*|up\nlow|down\ndebug*|up\n"

    assert partitions(text) == (Partition("debug", True, "up"), Partition("low", False, "down"))
    assert partitions("") == ()


@pytest.mark.parametrize(
    ("wanted", "error", "words"),
    [
        (None, None, ""),
        ("debug", None, ""),
        ("low", ServiceError, "partition `low` is `down`"),
        ("nosuch", Refused, "it has no `nosuch`"),
    ],
)
def test_a_job_goes_to_a_partition_that_is_up(wanted, error, words):
    refusal = refused_partition(partitions("debug*|up\nlow|down\n"), wanted)

    assert type(refusal) is (error or type(None))
    assert words in str(refusal)


def test_a_cluster_may_have_no_default():
    refusal = refused_partition((), None)

    assert (type(refusal), refusal.hint) == (Refused, "name one of: none")


@pytest.mark.parametrize(
    ("complaint", "error", "hint"),
    [
        (
            "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
            Refused,
            "partition",
        ),
        (
            "sbatch: error: Batch job submission failed: Requested node configuration is not available\n",
            Refused,
            "nodes and GPUs",
        ),
        (
            "sbatch: error: Batch job submission failed: Invalid account or account/partition",
            Refused,
            "account",
        ),
        (
            "sbatch: unrecognized option '--container-image=x'\nTry \"sbatch --help\" for more information\n",
            Refused,
            "pyxis",
        ),
        ("sbatch: error: Unable to contact slurm controller (connect failure)", ServiceError, "again later"),
        ("", ServiceError, "again later"),
    ],
)
def test_a_job_that_is_not_taken_is_explained(complaint, error, hint):
    refusal = refused_submission(complaint)

    assert type(refusal) is error
    assert hint in refusal.hint
    assert "sbatch: " not in refusal.message


def test_the_jobs_of_a_name_are_listed():
    assert listed("12\n13\n") == (12, 13)
    assert listed("\n") == ()


def test_a_report_says_how_the_job_ended():
    assert JobReport(7, JobStatus("TIMEOUT"), "/logs/x-7.log").outcome is Outcome.TIMED_OUT


@given(st.text())
def test_no_answer_of_slurm_is_a_bug_of_the_bot(text):
    for read in (queued_status, controlled_status, accounted_status):
        try:
            read(text, 1)
        except ServiceError:
            continue
    assert all(isinstance(it, int) for it in listed(text))
    partitions(text)
