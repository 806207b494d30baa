"""How fast all golden values of the real tree are compared, beside upstream's own script."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.real.conftest import Repository
from tests.real.goldens import golden_paths, perturbed, place_script, write_pairs

ROUNDS = 5
SAMPLE = 25
BOT = str(Path(sys.executable).with_name("bot"))

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
    # Upstream's script ends some goldens in a traceback; only the time counts here.
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        text=True,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    wall, after = time.perf_counter() - started, os.times()
    if done.returncode not in {0, 1}:
        raise SystemExit(f"{command} failed")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, spent, done.stdout


def show(name: str, upstream: float, bot: float) -> None:
    print(f"{name:32} upstream {upstream:7.2f} s   bot {bot:6.2f} s   {upstream / bot:6.1f} x faster")


def compare_work_tree(tree: Path, script: Path, paths: list[str]) -> None:
    """Compare the work tree with its commit; by turns, so that both see the same load of the machine."""
    theirs = [sys.executable, "-c", _UPSTREAM, str(script)]
    ours = [BOT, "goldens", "compare", "--recipe", "megatron-lm", "--format", "csv"]
    rounds = [(timed(theirs, tree, "\0".join(paths)), timed(ours, tree)) for _ in range(ROUNDS)]
    print(f"{len(paths)} goldens, of which upstream's script answers for {rounds[0][0][2].strip()}")
    for at, name in enumerate(("wall", "processor")):
        upstream, bot = (statistics.median(it[side][at] for it in rounds) for side in (0, 1))
        show(f"work tree, one process, {name}", upstream, bot)


def compare_folders(folder: Path, script: Path, pairs: list[tuple[str, Path, Path]]) -> None:
    """Compare two folders; upstream's script takes one pair at a time, so a sample of them is scaled up."""
    sample = pairs[:: len(pairs) // SAMPLE]
    command = [sys.executable, str(script / "upstream_script.py")]
    upstream = sum(
        timed([*command, "--old", str(old), "--new", str(new)], script)[0] for _, old, new in sample
    )
    ours = [BOT, "goldens", "compare", str(folder / "old"), str(folder / "new"), "--format", "csv"]
    bot = statistics.median(timed(ours, folder)[0] for _ in range(ROUNDS))
    show(f"two folders ({len(sample)} pairs, scaled)", upstream * len(pairs) / len(sample), bot)


def main() -> None:
    repository = Repository(Path(os.environ["MEGATRON_LM_GIT"]))
    paths = golden_paths(repository)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = repository.work_tree("HEAD", folder / "tree")
        sides = {it: (data := (tree / it).read_bytes(), perturbed(data)) for it in paths}
        for path, (_, new) in sides.items():
            (tree / path).write_bytes(new)
        script = place_script(repository, folder / "script").parent
        compare_work_tree(tree, script, paths)
        compare_folders(folder, script, write_pairs(folder, sides))


if __name__ == "__main__":
    main()
