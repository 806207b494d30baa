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
    operation = _operation(description, method, path)
    if operation is None:
        return [f"{method} {path}: no such operation"]
    parameters = {item["name"]: item for item in operation.get("parameters", ()) if item["in"] == "query"}
    unknown = [f"{path}: unknown parameter {name}" for name in query if name not in parameters]
    wrong = [
        f"{path}: {name} may not be {value}"
        for name, values in query.items()
        for value in values
        if not _fits(parameters.get(name, {}), value)
    ]
    missing = [
        f"{path}: {name} is missing"
        for name, item in parameters.items()
        if item["required"] and name not in query
    ]
    return unknown + wrong + missing


def unknown_keys(description: dict[str, Any], entity: str, document: dict[str, Any]) -> list[str]:
    """Return the keys of an answer that GitLab does not describe for that kind of thing."""
    return sorted(document.keys() - description["definitions"][f"API_Entities_{entity}"]["properties"].keys())


def load(file: Path) -> dict[str, Any]:
    """Return the parsed description."""
    return dict(json.loads(file.read_text()))


def _operation(description: dict[str, Any], method: str, path: str) -> dict[str, Any] | None:
    for template, operations in description["paths"].items():
        if method in operations and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            return operations[method]
    return None


def _fits(parameter: dict[str, Any], value: str) -> bool:
    kinds = {"integer": "[0-9]+", "boolean": "(?i:true|false)"}
    is_listed = value in parameter.get("enum", [value])
    return is_listed and re.fullmatch(kinds.get(parameter.get("type", ""), ".*"), value) is not None
