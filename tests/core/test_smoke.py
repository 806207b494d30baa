"""What the program in the image reports, judged."""

import json

import pytest

from bot.core.recipe_builds import Smoke
from bot.core.smoke import smoke_checks, smoke_request

SMOKE = Smoke()
GOOD = {
    "python": "3.12.3",
    "prefix": "/opt/venv",
    "path": "/opt/venv/bin:/usr/bin",
    "environment": {
        "CUDA_VERSION": "13.3.0.008",
        "NCCL_VERSION": "2.30.7",
        "PYTORCH_VERSION": "2.12.0a0+1",
    },
    "modules": {"torch": {"version": "2.12.0a0+1.nv26.6"}, "transformer_engine": {"version": "2.18"}},
    "cuda": "13.3",
    "nccl": "2.30.7",
}
GPU = {"name": "H200", "kernel": True, "all_reduce": True}


def checks(change=None, gpu=False, lines=None):
    told = {**GOOD, **(change or {})}
    said = lines if lines is not None else ("noise", f"bot-smoke: {json.dumps(told)}", "")
    return {it.name: (it.state, it.text) for it in smoke_checks(tuple(said), SMOKE, gpu=gpu)}


def test_a_good_image_has_nothing_that_failed():
    found = checks()

    assert {name: state for name, (state, _) in found.items()} == {
        "python": "ok",
        "environment": "ok",
        "torch": "ok",
        "transformer_engine": "ok",
        "cuda version": "ok",
        "nccl version": "ok",
        "gpu": "skipped",
    }
    assert "no GPU" in found["gpu"][1]


@pytest.mark.parametrize(
    ("change", "name", "state", "text"),
    [
        ({"prefix": "/usr"}, "environment", "failed", "`python` is that of /usr"),
        ({"path": "/usr/bin"}, "environment", "failed", "/opt/venv/bin is not on the path"),
        (
            {"modules": {"torch": {"error": "ImportError: libnccl.so"}}},
            "torch",
            "failed",
            "`import torch` fails: ImportError: libnccl.so",
        ),
        ({"modules": {}}, "transformer_engine", "failed", "it was not tried"),
        (
            {"modules": {"torch": {"version": "2.13.0+cu13"}, "transformer_engine": {"version": ""}}},
            "torch version",
            "failed",
            "torch is 2.13.0+cu13, the image brought 2.12.0a0+1",
        ),
        ({"nccl": "2.29.1"}, "nccl version", "failed", "nccl 2.29.1, the image has `NCCL_VERSION` 2.30.7"),
        ({"nccl": "2.31.0"}, "nccl version", "noted", "2.31.0"),
        ({"cuda": "12.9"}, "cuda version", "failed", "12.9"),
        ({"cuda": ""}, "cuda version", "skipped", "does not tell its version"),
        ({"environment": {}}, "cuda version", "skipped", "`CUDA_VERSION` not at all"),
    ],
)
def test_what_is_not_right_is_said(change, name, state, text):
    found = checks(change)

    assert found[name][0] == state
    assert text in found[name][1]


def test_a_gpu_runs_one_kernel_and_one_all_reduce():
    found = checks({"gpu": GPU}, gpu=True)

    assert found["kernel"] == ("ok", "one kernel on H200: right")
    assert found["all_reduce"] == ("ok", "one all-reduce on H200: right")


@pytest.mark.parametrize(
    ("change", "name", "text"),
    [
        ({"gpu": GPU | {"all_reduce": False}}, "all_reduce", "one all-reduce on H200: wrong"),
        ({"gpu": {"error": "RuntimeError: no driver"}}, "gpu", "RuntimeError: no driver"),
        ({}, "gpu", "torch is missing"),
    ],
)
def test_a_gpu_that_is_wrong_is_no_success(change, name, text):
    found = checks(change, gpu=True)

    assert found[name][0] == "failed"
    assert text in found[name][1]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("exec: python: not found", ""), "Python does not run in the image: exec: python: not found"),
        ((), "it said nothing"),
        (("bot-smoke: {",), "bot-smoke: {"),
        (("bot-smoke: [1]",), "bot-smoke: [1]"),
    ],
)
def test_without_a_report_python_does_not_run(lines, text):
    found = checks(lines=lines)

    assert list(found) == ["python"]
    assert found["python"][0] == "failed"
    assert text in found["python"][1]


def test_the_program_has_no_network_and_a_gpu_only_where_there_is_one():
    asked = smoke_request("image", SMOKE, gpu=True)

    assert asked.command[3:] == ("gpu", "torch", "transformer_engine")
    assert (asked.network, asked.gpus) == (False, True)
    assert smoke_request("image", SMOKE, gpu=False).command[3] == "no-gpu"
