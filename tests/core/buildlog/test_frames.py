"""What builders and runners write around a build, one line at a time."""

import pytest

from bot.core.buildlog.frames import WORDS, Frame, Mark, frame_of

RUN = "RUN uv sync --locked"
CASES = [
    (
        '#0 building with "default" instance using docker driver',
        Frame(Mark.NEW_BUILD, 'building with "default" instance using docker driver'),
    ),
    (
        "#1 [internal] load build definition from Dockerfile",
        Frame(Mark.NEW_BUILD, "[internal] load build definition from Dockerfile"),
    ),
    ("#12 [main 5/20] RUN uv sync --locked", Frame(Mark.BEGAN, RUN, 12, "main", None, "5/20")),
    ("#12 [5/20] RUN uv sync --locked", Frame(Mark.BEGAN, RUN, 12, None, None, "5/20")),
    (
        "#12 [linux/arm64 main 5/20] RUN uv sync --locked",
        Frame(Mark.BEGAN, RUN, 12, "main", "linux/arm64", "5/20"),
    ),
    (
        "#12 [linux/amd64->arm64 main 5/20] RUN uv sync --locked",
        Frame(Mark.BEGAN, RUN, 12, "main", "linux/amd64->arm64", "5/20"),
    ),
    ("#12 [linux/arm64 5/20] RUN uv sync --locked", Frame(Mark.BEGAN, RUN, 12, None, "linux/arm64", "5/20")),
    (
        "#2 [internal] load metadata for r.example/x:1",
        Frame(Mark.BEGAN, "load metadata for r.example/x:1", 2),
    ),
    (
        "#2 [linux/arm64 internal] load metadata for r.example/x:1",
        Frame(Mark.BEGAN, "load metadata for r.example/x:1", 2, None, "linux/arm64"),
    ),
    (
        "#3 [auth] nvidia/pytorch:pull token for nvcr.io",
        Frame(Mark.BEGAN, "nvidia/pytorch:pull token for nvcr.io", 3),
    ),
    ("#4 [main] FROM r.example/x:1", Frame(Mark.BEGAN, "FROM r.example/x:1", 4, "main")),
    ("#20 exporting to image", Frame(Mark.BEGAN, "exporting to image", 20)),
    ("#12 DONE 312.4s", Frame(Mark.DONE, "", 12, seconds=312.4)),
    ("#12 DONE", Frame(Mark.DONE, "", 12)),
    ("#12 CACHED", Frame(Mark.DONE, "", 12)),
    ("#12 CANCELED", Frame(Mark.CANCELLED, "", 12)),
    (
        '#12 ERROR: process "/bin/sh -c echo \\"uv: none\\"" did not complete successfully: exit code: 1',
        Frame(Mark.FAILED, "did not complete successfully: exit code: 1", 12),
    ),
    ("#12 ERROR: secret X: not found", Frame(Mark.FAILED, "secret X: not found", 12)),
    ("#12 3.456 error: text", Frame(Mark.TEXT, "error: text", 12)),
    ("#12 3.456   indented", Frame(Mark.TEXT, "  indented", 12)),
    ("#12 3.456 + uv sync", Frame(Mark.QUOTED, "+ uv sync", 12)),
    ("#12 transferring context: 2B done", Frame(Mark.TEXT, "transferring context: 2B done", 12)),
    ("#include <cudnn.h>", Frame(Mark.TEXT, "#include <cudnn.h>")),
    (" > [main 5/20] RUN uv sync --locked:", Frame(Mark.EXCERPT, RUN, None, "main", None, "5/20")),
    ("------", Frame(Mark.EXCERPT_EDGE, "------")),
    ("   4 | >>> RUN uv sync", Frame(Mark.QUOTED, "   4 | >>> RUN uv sync")),
    ("ERROR: failed to solve: x: not found", Frame(Mark.SOLVE_FAILED, "x: not found")),
    ("ERROR: failed to build: failed to solve: x: not found", Frame(Mark.SOLVE_FAILED, "x: not found")),
    (
        "##[error]buildx failed with: ERROR: failed to solve: x: not found",
        Frame(Mark.SOLVE_FAILED, "x: not found"),
    ),
    ("failed to solve with frontend dockerfile.v0: x: not found", Frame(Mark.SOLVE_FAILED, "x: not found")),
    (
        "executor failed running [/bin/sh -c x]: network bridge not found",
        Frame(Mark.SOLVE_FAILED, "network bridge not found"),
    ),
    ("Step 3/12 : RUN uv sync --locked", Frame(Mark.CLASSIC, RUN, number="3/12")),
    ("STEP 3/12: RUN uv sync --locked", Frame(Mark.CLASSIC, RUN, number="3/12")),
    (
        "Step 1/12 : FROM r.example/x:1 AS main",
        Frame(Mark.CLASSIC, "FROM r.example/x:1 AS main", stage="main", number="1/12"),
    ),
    (
        "The command '/bin/sh -c uv' returned a non-zero code: 127",
        Frame(Mark.CLASSIC_FAILED, "returned a non-zero code: 127"),
    ),
    ("Successfully built 1414d090b100", Frame(Mark.SUCCEEDED, "Successfully built 1414d090b100")),
    ("Successfully tagged x:1", Frame(Mark.SUCCEEDED, "Successfully tagged x:1")),
    ("Successfully built click", Frame(Mark.TEXT, "Successfully built click")),
    ("Job succeeded", Frame(Mark.SUCCEEDED, "Job succeeded")),
    ("ERROR: Job failed: exit code 1", Frame(Mark.RUNNER_FAILED, "ERROR: Job failed: exit code 1")),
    (
        "##[error]Process completed with exit code 1.",
        Frame(Mark.RUNNER_FAILED, "##[error]Process completed with exit code 1."),
    ),
    (
        "srun: error: node1: task 0: Exited with exit code 1",
        Frame(Mark.RUNNER_FAILED, "srun: error: node1: task 0: Exited with exit code 1"),
    ),
    ("##[group]Run docker build .", Frame(Mark.RUNNER_STEP, "Run docker build .")),
    ("section_start:1782900000:step_script", Frame(Mark.RUNNER_STEP, "step_script")),
    ("section_start:1782900000:after_script", Frame(Mark.QUOTED, "after_script")),
    ("Installed 3 packages in 27ms", Frame(Mark.INSTALLED, "Installed 3 packages in 27ms")),
    ("an ordinary line", Frame(Mark.TEXT, "an ordinary line")),
]


@pytest.mark.parametrize(("line", "frame"), CASES)
def test_what_a_line_says_of_the_steps(line, frame):
    assert frame_of(line) == frame


@pytest.mark.parametrize(("line", "frame"), CASES)
def test_in_every_line_that_says_something_stands_one_of_the_words(line, frame):
    says_something = frame.mark not in {Mark.TEXT, Mark.QUOTED}

    assert not says_something or any(word in line for word in WORDS)
