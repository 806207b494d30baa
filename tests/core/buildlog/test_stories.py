"""Whole builds: which lines count, which of them is the root, and which are passed over."""

import pytest

from bot.core.buildlog.diagnosis import Outcome
from bot.core.buildlog.reader import read_build_log

HEADER = "csrc/a.cpp:1:10: fatal error: cudnn.h: No such file or directory"
KILLED = "g++: fatal error: Killed signal terminated program cc1plus"
NETWORK = "curl: (6) Could not resolve host: git.example"
FAILED_STEP = 'ERROR: process "/bin/sh -c x" did not complete successfully: exit code: 1'


def read(*lines: str):
    return read_build_log(["\n".join(lines).encode()])


def named(diagnosis):
    return [(it.role, it.cause, it.package) for it in diagnosis.causes]


def kit(number: int, *lines: str) -> list[str]:
    return [f"#{number} {index}.5 {line}" for index, line in enumerate(lines)]


def test_what_a_step_said_that_ended_well_is_passed_over():
    diagnosis = read(
        "#5 [main 1/3] RUN probe",
        *kit(5, HEADER, NETWORK),
        "#5 DONE 1.5s",
        "#6 [main 2/3] RUN build",
        *kit(6, KILLED),
        f"#6 {FAILED_STEP}",
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]
    assert (diagnosis.failed_stage, diagnosis.failed_step) == ("main", "2/3 RUN build")


def test_steps_that_run_side_by_side_are_told_apart():
    diagnosis = read(
        "#5 [a 1/1] RUN one",
        "#6 [b 1/1] RUN two",
        f"#5 0.1 {HEADER}",
        f"#6 0.2 {KILLED}",
        f"#5 0.3 {NETWORK}",
        f"#6 {FAILED_STEP}",
        "#5 CANCELED",
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]
    assert diagnosis.causes[0].stage == "b"


def test_a_step_that_was_still_running_when_another_failed_is_not_the_reason():
    diagnosis = read(
        "#5 [a 1/1] RUN one", *kit(5, HEADER), "#6 [b 1/1] RUN two", *kit(6, KILLED), f"#6 {FAILED_STEP}"
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]


def test_a_step_that_failed_without_a_word_is_not_explained_by_another_one():
    diagnosis = read(
        NETWORK,
        "#5 [a 1/1] RUN one",
        *kit(5, HEADER),
        "#6 [b 1/1] RUN two",
        f"#6 {FAILED_STEP}",
    )

    assert (diagnosis.outcome, named(diagnosis)) == (Outcome.FAILED, [])
    assert diagnosis.failed_step == "1/1 RUN two"


def test_what_the_cluster_says_after_a_step_failed_may_be_the_reason():
    diagnosis = read(
        "#6 [b 1/1] RUN two",
        *kit(6, KILLED),
        f"#6 {FAILED_STEP}",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.",
    )

    assert named(diagnosis) == [("root", "out-of-memory", None)]


@pytest.mark.parametrize(
    "begin", ["#0 building with x", "#1 [internal] load build definition from Dockerfile"]
)
def test_an_older_builder_begins_again_with_the_dockerfile(begin):
    diagnosis = read(
        begin,
        "#5 [main 1/1] RUN x",
        *kit(5, NETWORK),
        f"#5 {FAILED_STEP}",
        begin,
        "#1 DONE 0.0s",
        "#5 [main 1/1] RUN x",
        *kit(5, KILLED),
        f"#5 {FAILED_STEP}",
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]


def test_the_platform_that_failed_is_named():
    diagnosis = read("#7 [linux/arm64 main 2/5] RUN x", *kit(7, KILLED), f"#7 {FAILED_STEP}")

    assert diagnosis.causes[0].platform == "linux/arm64"
    assert diagnosis.causes[0].step == "2/5 RUN x"


def test_the_earliest_decisive_cause_is_the_root_and_the_others_contribute():
    diagnosis = read("#6 [main 2/3] RUN x", *kit(6, KILLED, HEADER), f"#6 {FAILED_STEP}")

    assert named(diagnosis) == [("root", "compiler-killed", None), ("contributing", "header-missing", None)]


def test_what_follows_from_another_cause_is_not_the_root_even_if_it_was_said_first():
    diagnosis = read(
        "Err:1 http://archive.example/ubuntu noble InRelease",
        "E: Unable to locate package rdma-core",
        "W: Failed to fetch http://archive.example/  Could not resolve 'archive.example'",
    )

    assert named(diagnosis) == [("root", "network", None)]


def test_a_warning_alone_is_no_cause():
    assert named(read("UserWarning: we could not find ninja.. Falling back to the slow backend")) == []


def test_a_warning_in_another_step_than_the_root_did_not_contribute():
    diagnosis = read(
        "#5 [a 1/1] RUN one",
        *kit(5, "UserWarning: we could not find ninja.."),
        "#6 [b 1/1] RUN two",
        *kit(6, KILLED),
        f"#6 {FAILED_STEP}",
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]


def test_only_where_nothing_better_is_known_an_exit_code_is_the_cause():
    failed = 'ERROR: process "/bin/sh -c x" did not complete successfully: exit code: 137'

    assert named(read("#6 [main 2/3] RUN x", f"#6 {failed}")) == [("root", "process-killed", None)]
    assert named(read("#6 [main 2/3] RUN x", *kit(6, KILLED), f"#6 {failed}")) == [
        ("root", "compiler-killed", None)
    ]


def test_the_package_is_the_one_that_is_being_built():
    diagnosis = read(
        "  × Failed to build `flash-mla @ git+https://git.example/FlashMLA`",  # noqa: RUF001 - uv writes it so
        f"      {HEADER}",
        "  × Failed to build `deep-ep==1.2`",  # noqa: RUF001 - uv writes it so
        f"      {KILLED}",
    )

    assert named(diagnosis) == [
        ("root", "header-missing", "flash-mla"),
        ("contributing", "compiler-killed", "deep-ep"),
    ]


def test_a_line_that_came_before_the_package_was_named_gets_the_only_one_that_failed():
    diagnosis = read(KILLED, "ERROR: Failed building wheel for flash-mla")

    assert named(diagnosis) == [("root", "compiler-killed", "flash-mla")]
    assert [line.n for line in diagnosis.causes[0].lines] == [1, 2]


def test_what_was_said_before_and_after_the_package_was_named_is_one_cause():
    diagnosis = read(
        KILLED, "ERROR: Failed building wheel for flash-mla", KILLED.replace("g++", "c++"), KILLED
    )

    assert named(diagnosis) == [("root", "compiler-killed", "flash-mla")]
    assert [line.n for line in diagnosis.causes[0].lines] == [1, 2, 3]


def test_a_line_that_came_before_two_packages_failed_gets_none():
    diagnosis = read(
        KILLED, "ERROR: Failed building wheel for flash-mla", "ERROR: Failed building wheel for deep-ep"
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]


def test_an_excerpt_is_enough_where_the_beginning_of_the_log_is_lost():
    diagnosis = read(
        "------",
        " > [main 5/20] RUN build:",
        f"12.5 {KILLED}",
        "------",
        "Dockerfile:9",
        "ERROR: failed to solve: x",
    )

    assert [(it.cause, it.stage, it.step, it.lines[0].text) for it in diagnosis.causes] == [
        ("compiler-killed", "main", "5/20 RUN build", KILLED)
    ]


def test_an_attempt_that_failed_does_not_count_when_the_next_one_succeeds():
    diagnosis = read(
        '#0 building with "default"',
        "#5 [main 1/1] RUN x",
        *kit(5, NETWORK),
        f"#5 {FAILED_STEP}",
        '#0 building with "default"',
        "#5 [main 1/1] RUN x",
        "#5 DONE 3.0s",
        "#6 exporting to image",
        "#6 DONE 0.5s",
    )

    assert (diagnosis.outcome, named(diagnosis)) == (Outcome.SUCCEEDED, [])


def test_of_two_attempts_that_failed_the_last_one_counts():
    diagnosis = read(
        '#0 building with "default"',
        "#5 [main 1/1] RUN x",
        *kit(5, NETWORK),
        f"#5 {FAILED_STEP}",
        '#0 building with "default"',
        "#5 [main 1/1] RUN x",
        *kit(5, KILLED),
        f"#5 {FAILED_STEP}",
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]


def test_the_attempt_before_is_asked_when_the_last_one_does_not_say_why():
    diagnosis = read(
        '#0 building with "default"',
        "#5 [main 1/1] RUN x",
        *kit(5, NETWORK),
        f"#5 {FAILED_STEP}",
        '#0 building with "default"',
        "#5 [main 1/1] RUN x",
        f"#5 {FAILED_STEP}",
    )

    assert named(diagnosis) == [("root", "network", None)]


def test_a_push_that_fails_after_the_build_is_the_reason():
    diagnosis = read(
        HEADER, "Successfully built 1414d090b100", "denied: requested access to the resource is denied"
    )

    assert (diagnosis.outcome, named(diagnosis)) == (
        Outcome.FAILED,
        [("root", "image-unauthorised", None)],
    )


def test_a_job_of_the_runner_that_succeeded_has_no_cause():
    assert read(NETWORK, "Job succeeded").outcome is Outcome.SUCCEEDED


def test_what_an_earlier_step_of_the_runner_said_is_passed_over():
    diagnosis = read(
        "##[group]Run apt-get update",
        NETWORK,
        "##[group]Run docker build .",
        KILLED,
        "##[error]Process completed with exit code 1.",
        "##[group]Run docker logout",
        "##[endgroup]",
    )

    assert [(it.cause, it.step) for it in diagnosis.causes] == [("compiler-killed", "Run docker build .")]


def test_the_classic_builder_fails_in_its_last_step():
    diagnosis = read(
        "Step 1/3 : FROM r.example/x:1 AS main",
        "Step 2/3 : RUN probe",
        HEADER,
        "Step 3/3 : RUN build",
        KILLED,
        "The command '/bin/sh -c build' returned a non-zero code: 1",
    )

    assert [(it.cause, it.stage, it.step) for it in diagnosis.causes] == [
        ("compiler-killed", "main", "3/3 RUN build")
    ]


def test_a_second_build_of_the_classic_builder_begins_without_a_stage():
    diagnosis = read(
        "Step 1/2 : FROM a AS one", "Step 2/2 : RUN a", "Step 1/2 : FROM b", "Step 2/2 : RUN b", KILLED
    )

    assert [(it.stage, it.step) for it in diagnosis.causes] == [(None, "2/2 RUN b")]


def test_stages_say_how_long_their_steps_took():
    diagnosis = read(
        "#4 [main 1/3] FROM r.example/x:1",
        "#4 CACHED",
        "#5 [main 2/3] RUN one",
        "#5 DONE 1.5s",
        "#6 [main 3/3] RUN two",
        "#6 DONE 2.0s",
        "#7 [jet 1/1] RUN three",
        "#7 DONE 4.0s",
        "#8 [internal] load build context",
        "#8 DONE 9.0s",
    )

    assert [(it.stage, it.steps, it.seconds) for it in diagnosis.stages] == [
        ("main", 3, 3.5),
        ("jet", 1, 4.0),
    ]


@pytest.mark.parametrize(
    ("log", "outcome"),
    [
        pytest.param(b"", Outcome.UNKNOWN, id="empty"),
        pytest.param(b"#5 [main 1/3] RUN x\n#5 0.1 com", Outcome.UNKNOWN, id="cut"),
        pytest.param(b"##[error]The operation was canceled.\n", Outcome.FAILED, id="cancelled"),
        pytest.param(
            b"srun: error: n: task 0: Exited with exit code 7\n", Outcome.FAILED, id="a script of its own"
        ),
        pytest.param(b"failed to solve: something new\n", Outcome.FAILED, id="unheard of"),
        pytest.param(
            b"Resolved 3 packages in 2ms\nInstalled 3 packages in 3ms\n",
            Outcome.SUCCEEDED,
            id="uv is content",
        ),
        pytest.param(
            b"#5 [a 1/1] RUN x\n#5 0.1 Installed 3 packages in 3ms\n",
            Outcome.UNKNOWN,
            id="only within a step",
        ),
    ],
)
def test_how_a_build_ended_without_a_cause(log, outcome):
    diagnosis = read_build_log([log])

    assert (diagnosis.outcome, diagnosis.causes) == (outcome, ())


def test_a_log_of_many_failures_keeps_a_few():
    log = "\n".join(f"csrc/a.cpp:1:1: fatal error: h{n}.h: No such file or directory" for n in range(2_000))

    assert len(read(log).causes) == 20


def test_failures_of_steps_that_ended_well_leave_room_for_the_one_that_did_not():
    lines = [f"#5 0.1 fatal error: h{n}.h: No such file" for n in range(300)]
    diagnosis = read(
        "#5 [a 1/2] RUN x", *lines, "#5 DONE 1.0s", "#6 [a 2/2] RUN y", *kit(6, KILLED), f"#6 {FAILED_STEP}"
    )

    assert named(diagnosis) == [("root", "compiler-killed", None)]


def test_of_one_cause_a_few_lines_are_kept():
    diagnosis = read(*(f"tar: ./usr/{n}: Cannot write: No space left on device" for n in range(100)))

    assert len(diagnosis.causes[0].lines) == 6


def test_more_steps_than_a_build_has_are_not_kept():
    steps = (f"#{n} [s{n} 1/1] RUN x\n#{n} DONE 1.0s\n".encode() for n in range(1, 10_000))
    diagnosis = read_build_log(steps)

    assert len(diagnosis.stages) == 100
    assert diagnosis.line_count == 19_998
