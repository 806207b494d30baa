"""The golden values of the real tree and of real bumps, and upstream's own script to compare with."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.real.conftest import Repository

SCRIPT = "tests/test_utils/python_scripts/compare_golden_values_kl.py"

# Imports the script and prints, for each pair of files, its rows, or null where it fails.
_DRIVER = """
import json, pathlib, sys
import upstream_script as script
answers = {}
for name, old, new in json.load(sys.stdin):
    try:
        rows = script.compare_files(name, *(script.load_from_path(pathlib.Path(it)) for it in (old, new)))
        answers[name] = {row.metric: [row.n_steps, row.avg_rel_diff] for row in rows}
    except Exception:
        answers[name] = None
json.dump(answers, sys.stdout)
"""

Answers = dict[str, dict[str, tuple[int, float]] | None]


def golden_paths(repository: Repository, revision: str = "HEAD") -> list[str]:
    listed = repository.git("ls-tree", "-r", "-z", "--name-only", revision).decode().split("\0")
    return [path for path in listed if "/golden_values" in path and path.endswith(".json")]


def changed_goldens(repository: Repository, commit: str) -> dict[str, tuple[bytes, bytes]]:
    """Return each golden that a commit changed, as it was and as it became."""
    names = (
        repository.git("diff-tree", "-r", "-z", "--no-commit-id", "--name-only", commit).decode().split("\0")
    )
    paths = [path for path in names if "/golden_values" in path]
    old, new = repository.files(f"{commit}^", paths), repository.files(commit, paths)
    return {path: (old[path] or b"", new[path] or b"") for path in paths}


def perturbed(data: bytes) -> bytes:
    """Return a golden in which most numbers of the training metrics moved a little, up and down by turns."""
    if not data.strip():
        return data
    document = json.loads(data)
    for block in document.values() if isinstance(document, dict) else ():
        values = block.get("values") if isinstance(block, dict) else None
        if isinstance(values, dict):
            block["values"] = {
                step: value if isinstance(value, str) else value * (1 + (-1) ** at * 1e-4 * (at % 7))
                for at, (step, value) in enumerate(values.items())
            }
    return json.dumps(document).encode()


def write_pairs(folder: Path, pairs: dict[str, tuple[bytes, bytes]]) -> list[tuple[str, Path, Path]]:
    """Write both sides of each pair below `folder`, and return name, old file and new file."""
    written = []
    for name, sides in pairs.items():
        files = tuple(folder / side / name for side in ("old", "new"))
        for file, data in zip(files, sides, strict=True):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        written.append((name, *files))
    return written


def place_script(repository: Repository, folder: Path) -> Path:
    """Put upstream's script into a repository of its own: it asks git where it is. Return its path."""
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    script = folder / "upstream_script.py"
    script.write_bytes(repository.git("show", f"HEAD:{SCRIPT}"))
    return script


def upstreams_answers(repository: Repository, folder: Path, written: list[tuple[str, Path, Path]]) -> Answers:
    """Return what upstream's script says of each pair, None where it fails."""
    place_script(repository, folder)
    asked = json.dumps([[name, str(old), str(new)] for name, old, new in written])
    command = [sys.executable, "-c", _DRIVER]
    environ = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        command, input=asked, cwd=folder, env=environ, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
