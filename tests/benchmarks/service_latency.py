"""How fast the service answers a comment, and commits the goldens of a run that has ended.

    python -m tests.benchmarks.service_latency [GOLDENS]

The lab's GitHub answers at once; between two writes the service waits as long as it does by default.
"""

import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from bot.lab.registry import PYTORCH, LabRegistry
from bot.lab.server import GitHubLab, serving
from bot.lab.webhooks import Webhooks
from bot.serving import Service
from tests.scenarios.conftest import BRANCH, IMAGE, NEW, OLD, REPOSITORY, Story

RECIPE = "tests/test_utils/recipes/h100/moe.yaml"
CASES = "tests/functional_tests/test_cases/moe"
SPACING = "1"
GOLDENS = 78

_ROW = """\
  - test_case: [{name}]
    products:
      - environment: [dev]
        scope: [mr, mr-github]
        platforms: [dgx_h100]
"""


def many_tests(number: int) -> tuple[dict[str, bytes], dict[str, Outcome]]:
    """Return the files of so many more tests, and that each of them drifts."""
    files = megatron_files()
    golden = files[f"{CASES}/moe_small_ep4_both/golden_values_dev_dgx_h100.json"]
    names = [f"moe_many_{at:03}" for at in range(number)]
    recipe = files[RECIPE].decode() + "".join(_ROW.format(name=name) for name in names)
    made = {f"{CASES}/{name}/golden_values_dev_dgx_h100.json": golden for name in names}
    drifted = Outcome("drift", scaled(golden, {"lm loss": 1.000_01}))
    return {RECIPE: recipe.encode(), **made}, {f"moe/{name}@dgx_h100": drifted for name in names}


def until(holds: Callable[[], object]) -> float:
    """Wait for what the service brings about, and return the seconds that it took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > 300:
            raise TimeoutError
        time.sleep(0.005)
    return time.monotonic() - began


def measure(number: int, folder: Path, stack: ExitStack) -> None:
    github, registry, stage = (stack.enter_context(serving()) for _ in range(3))
    story = Story(stack.enter_context(GitHubLab.play(github)), folder)
    images = LabRegistry()
    for tag in (OLD, NEW):
        platforms = {it: dict(PYTORCH) for it in ("linux/amd64", "linux/arm64")}
        images.push(IMAGE.partition("/")[2], tag, platforms)
    registry.app = images.app
    files, outcomes = many_tests(number)
    world, secret = story.lab.world, secrets.token_hex(16)
    world.push(REPOSITORY, "main", files, author="maintainer")
    world.on_push(REPOSITORY, "pull-request/*", MegatronCi({**outcomes}), path=WORKFLOW, name=NAME)
    story.environ |= {
        "BOT_REGISTRY_ENDPOINTS": f"nvcr.io={registry.url}",
        "BOT_WEBHOOK_SECRET": secret,
        "BOT_WRITE_SPACING": SPACING,
    }
    service = Service(story.settings, ["megatron-lm"])
    stage.app = service.app
    address = f"{stage.url}/webhooks/github"
    hooks = Webhooks(world, REPOSITORY, api=story.lab.url, address=address, secret=secret)
    service.start()
    stack.callback(service.stop)
    stack.callback(hooks.close)
    with world.lock:
        issue = world.open_issue(REPOSITORY, "maintainer", title="Newer image").number
        comment = world.comment(REPOSITORY, issue, "maintainer", f"/bot bump {NEW}")
    print(f"comment to reaction: {until(lambda: comment.reactions):.2f} s")
    until(lambda: world.issue(REPOSITORY, issue).comments[1:])
    until(lambda: service.work.running == 0 == service.work.due)
    (pull,) = story.pulls
    with world.lock:
        world.finish(world.workflow_runs(REPOSITORY)[-1])
    seconds = until(lambda: len(pull.pull.heads) > 1)
    before, after = world.files(REPOSITORY, "main"), world.files(REPOSITORY, BRANCH)
    changed = sum("golden_values" in path and before.get(path) != it for path, it in after.items())
    print(f"run finished to refresh commit of {changed} goldens: {seconds:.1f} s")


def main(arguments: list[str]) -> None:
    number = int(arguments[0]) if arguments else GOLDENS
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        measure(number, Path(folder), stack)


if __name__ == "__main__":
    main(sys.argv[1:])
