"""How fast all golden values of the real tree are compared, beside upstream's own script."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.real.conftest import Repository
from tests.real.goldens import golden_paths, perturbed, place_script

ROUNDS = 5

# What upstream's script does for each changed file of a work tree: `git show`, two parses, the comparison.
# On its own it stops at the first golden of inference; here such a file only counts as not answered.
_UPSTREAM = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import upstream_script as script
script.REPO_ROOT = pathlib.Path.cwd()
answered = 0
for path in map(pathlib.Path, sys.stdin.read().split("\\0")):
    try:
        before = script.load_from_git("HEAD", path)
        answered += bool(script.compare_files(str(path), before, script.load_from_path(path)))
    except Exception:
        pass
print(answered)
"""


def timed(command: list[str], folder: Path, given: str = "") -> tuple[float, float, str]:
    """Return wall seconds, processor seconds of the command and all that it starts, and what it prints."""
    before, started = os.times(), time.perf_counter()
    done = subprocess.run(command, cwd=folder, input=given, stdout=subprocess.PIPE, text=True, check=False)
    wall, after = time.perf_counter() - started, os.times()
    if done.returncode not in {0, 1}:
        raise SystemExit(f"{command} failed")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, spent, done.stdout


def main() -> None:
    repository = Repository(Path(os.environ["MEGATRON_LM_GIT"]))
    paths = golden_paths(repository)
    with tempfile.TemporaryDirectory() as folder:
        tree = repository.work_tree("HEAD", Path(folder) / "tree")
        for path in paths:
            (tree / path).write_bytes(perturbed((tree / path).read_bytes()))
        script = place_script(repository, Path(folder) / "script").parent
        theirs = [sys.executable, "-c", _UPSTREAM, str(script)]
        program = str(Path(sys.executable).with_name("bot"))
        ours = [program, "goldens", "compare", "--recipe", "megatron-lm", "--format", "csv"]
        # By turns, so that both see the same load of the machine.
        rounds = [(timed(theirs, tree, "\0".join(paths)), timed(ours, tree)) for _ in range(ROUNDS)]
    print(f"{len(paths)} goldens, of which upstream's script answers for {rounds[0][0][2].strip()}")
    for name, at in (("wall", 0), ("processor", 1)):
        upstream, bot = (statistics.median(it[side][at] for it in rounds) for side in (0, 1))
        print(f"{name:10} upstream {upstream:6.2f} s   bot {bot:6.2f} s   {upstream / bot:5.1f} x faster")


if __name__ == "__main__":
    main()
