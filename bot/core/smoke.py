"""The smoke test of a built image: what a small program in it reports, and whether that is right."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from bot.core.container import RunRequest
from bot.core.coupled import compare
from bot.core.recipe_builds import Smoke

State = Literal["ok", "failed", "noted", "skipped"]

_MARK = "bot-smoke: "

PROGRAM = r"""
import importlib, json, os, platform, sys
told = {"python": platform.python_version(), "prefix": sys.prefix, "path": os.environ.get("PATH", "")}
keys = ("CUDA_VERSION", "NCCL_VERSION", "PYTORCH_VERSION")
told["environment"] = {key: os.environ[key] for key in keys if key in os.environ}
told["modules"] = {}
for name in sys.argv[2:]:
    try:
        told["modules"][name] = {"version": str(getattr(importlib.import_module(name), "__version__", ""))}
    except BaseException as error:
        told["modules"][name] = {"error": "%s: %s" % (type(error).__name__, error)}
torch = sys.modules.get("torch")
try:
    if torch is not None:
        told["cuda"] = str(torch.version.cuda or "")
        told["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
except BaseException as error:
    told["nccl_error"] = "%s: %s" % (type(error).__name__, error)
try:
    if sys.argv[1] == "gpu" and torch is not None:
        told["gpu"] = {"name": torch.cuda.get_device_name(0)}
        told["gpu"]["kernel"] = float((torch.ones(1024, device="cuda") * 2).sum().item()) == 2048.0
        import tempfile
        import torch.distributed as group
        meeting = "file://" + tempfile.mktemp()
        group.init_process_group("nccl", init_method=meeting, rank=0, world_size=1)
        value = torch.full((8,), 3.0, device="cuda")
        group.all_reduce(value)
        told["gpu"]["all_reduce"] = float(value.sum().item()) == 24.0
        group.destroy_process_group()
except BaseException as error:
    told.setdefault("gpu", {})["error"] = "%s: %s" % (type(error).__name__, error)
print("\nbot-smoke: " + json.dumps(told), flush=True)
"""


@dataclass(frozen=True, slots=True)
class SmokeCheck:
    """One thing that was tried; `text` is a sentence for people, with outside text in it."""

    name: str
    state: State
    text: str


def smoke_request(image: str, smoke: Smoke, *, gpu: bool) -> RunRequest:
    """Return the run that tries an image, on a GPU where there is one."""
    words = ("gpu" if gpu else "no-gpu", *smoke.imports)
    return RunRequest(image, ("python", "-c", PROGRAM, *words), network=False, gpus=gpu, timeout=900.0)


def smoke_checks(lines: tuple[str, ...], smoke: Smoke, *, gpu: bool) -> tuple[SmokeCheck, ...]:
    """Return what the program's last lines say; without its report there is one check, and it failed."""
    told = _told(lines)
    if told is None:
        last = next((it for it in reversed(lines) if it.strip()), "it said nothing")
        return (SmokeCheck("python", "failed", f"Python does not run in the image: {last}"),)
    return (
        SmokeCheck("python", "ok", f"Python {told.get('python')}"),
        _environment(told, smoke),
        *_modules(told, smoke),
        *_versions(told),
        *_gpu(told, gpu=gpu),
    )


def _told(lines: tuple[str, ...]) -> Mapping[str, Any] | None:
    for line in reversed(lines):
        if line.startswith(_MARK):
            try:
                told = json.loads(line.removeprefix(_MARK))
            except ValueError:
                return None
            return told if isinstance(told, dict) else None
    return None


def _environment(told: Mapping[str, Any], smoke: Smoke) -> SmokeCheck:
    folder, first = f"{smoke.environment}/bin", str(told.get("path", "")).split(":")
    if told.get("prefix") != smoke.environment:
        return SmokeCheck(
            "environment", "failed", f"`python` is that of {told.get('prefix')}, not of {folder}"
        )
    if folder not in first:
        return SmokeCheck("environment", "failed", f"{folder} is not on the path")
    return SmokeCheck("environment", "ok", f"{folder} is on the path")


def _modules(told: Mapping[str, Any], smoke: Smoke) -> Iterator[SmokeCheck]:
    for name in smoke.imports:
        found = told.get("modules", {}).get(name, {"error": "it was not tried"})
        if "error" in found:
            yield SmokeCheck(name, "failed", f"`import {name}` fails: {found['error']}")
        else:
            yield SmokeCheck(name, "ok", f"{name} {found['version']}".strip())


def _versions(told: Mapping[str, Any]) -> Iterator[SmokeCheck]:
    """Compare what is installed with what the image says of itself."""
    environment = told.get("environment", {})
    torch, image = told.get("modules", {}).get("torch", {}).get("version"), environment.get("PYTORCH_VERSION")
    if torch and image and not torch.startswith(image):
        # A torch from a package index in place of the image's own breaks whatever was built against that.
        yield SmokeCheck("torch version", "failed", f"torch is {torch}, the image brought {image}")
    for name, key in (("cuda", "CUDA_VERSION"), ("nccl", "NCCL_VERSION")):
        for found in compare(name, {name: told.get(name) or ""}, {name: key}, environment):
            states: Mapping[str, State] = {"agrees": "ok", "older": "failed", "newer": "noted"}
            what = told.get(name) or "does not tell its version"
            text = f"torch runs with {name} {what}, the image has `{key}` {found.image or 'not at all'}"
            yield SmokeCheck(f"{name} version", states.get(found.verdict, "skipped"), text)


def _gpu(told: Mapping[str, Any], *, gpu: bool) -> Iterator[SmokeCheck]:
    if not gpu:
        yield SmokeCheck("gpu", "skipped", "there is no GPU here: no kernel and no all-reduce was run")
        return
    found = told.get("gpu", {"error": "torch is missing"})
    if "error" in found:
        yield SmokeCheck("gpu", "failed", f"the GPU cannot be used: {found['error']}")
        return
    for name in ("kernel", "all_reduce"):
        right = found.get(name) is True
        text = f"one {name.replace('_', '-')} on {found.get('name')}: {'right' if right else 'wrong'}"
        yield SmokeCheck(name, "ok" if right else "failed", text)
