"""GitLab's own description of its API (Swagger 2.0), to check requests against."""

import json
import os
import re
from pathlib import Path
from typing import Any


def description_file() -> Path | None:
    """Return the file that `GITLAB_API_DESCRIPTION` names. Its licence keeps it out of this repository."""
    named = os.environ.get("GITLAB_API_DESCRIPTION")
    return Path(named) if named else None


def complaints(description: dict[str, Any], method: str, path: str, query: dict[str, list[str]]) -> list[str]:
    """Return what is wrong with a GET or another request without a body."""
    operations = [
        operations[method]
        for template, operations in description["paths"].items()
        if method in operations and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
    ]
    if not operations:
        return [f"{method} {path}: no such operation"]
    parameters = {item["name"]: item for item in operations[0]["parameters"] if item["in"] == "query"}
    unknown = [f"{path}: unknown parameter {name}" for name in query if name not in parameters]
    missing = [
        f"{path}: {name} is missing"
        for name, item in parameters.items()
        if item["required"] and name not in query
    ]
    return unknown + missing


def load(file: Path) -> dict[str, Any]:
    """Return the parsed description."""
    return dict(json.loads(file.read_text()))
