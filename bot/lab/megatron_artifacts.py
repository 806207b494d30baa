"""What a functional test of the small Megatron-LM leaves: a zip of golden values and logs of its ranks."""

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

_MOMENT = (2026, 7, 1, 12, 0, 0)


def functional_zip(goldens: Mapping[str, bytes], repeats: int, stderr: Mapping[int, str]) -> bytes:
    """Return the zip: `goldens` by file name at its top, and what each rank wrote in each repeat."""
    files = dict(goldens)
    for repeat in range(1, repeats + 1):
        files[f"{repeat}/tensorboard/events.out.tfevents.0.lab"] = b"\x00\x01events"
        for rank, text in stderr.items():
            folder = f"logs/{repeat}/none_lab/attempt_0/{rank}"
            files[f"{folder}/stdout.log"] = b""
            files[f"{folder}/stderr.log"] = text.encode() if repeat == repeats else b""
    files["logs/nccl_debug.log"] = b"NCCL version 2.30.7+cuda13.3\n"
    files[".run_ci_barriers/training_1"] = b""
    return zipped(files)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files by their paths; the same files make the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, _MOMENT), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def scaled(golden: bytes, factors: Mapping[str, float]) -> bytes:
    """Return golden values whose metrics are multiplied, as another image would yield them."""
    document = json.loads(golden)
    for metric, factor in factors.items():
        values: dict[str, Any] = document[metric]["values"]
        document[metric]["values"] = {step: round(value * factor, 5) for step, value in values.items()}
    return written(document)


def truncated(golden: bytes, steps: int) -> bytes:
    """Return golden values of a training that ended after so many of its steps."""
    document = json.loads(golden)
    for block in document.values():
        block["values"] = dict(list(block["values"].items())[:steps])
        block["end_step"] = int(list(block["values"])[-1])
    return written(document)


def written(document: Any) -> bytes:
    """Return golden values in the form in which CI writes them: no newline at the end."""
    return json.dumps(document, indent=4).encode()
