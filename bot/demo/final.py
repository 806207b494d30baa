"""The state of the world at the end of a story, read from the world itself and not from the bot's memory."""

from collections.abc import Mapping
from typing import Any

from bot.core.plan import read_track
from bot.core.recipe import BumpRecipe
from bot.core.reconcile import GATE
from bot.lab.megatron_matrix import select
from bot.lab.model import Issue, PullRequest, Repository
from bot.lab.world import World

_APPROVAL = "/ok to test "
_SCOPES = ("L0", "L1", "L2", "L3")
_PLATFORMS = ("dgx_h100", "dgx_gb200")


def final_state(world: World, recipe: BumpRecipe) -> Mapping[str, Any]:
    """Return the state as `bot demo --json` has it; the newest pull request is the story's."""
    repository = world.repository(recipe.repository)
    pulls = world.pull_requests(recipe.repository)
    runs = [{"sha": run.sha, "conclusion": run.conclusion} for run in world.workflow_runs(recipe.repository)]
    issues = [it.number for it in repository.issues.values() if it.pull is None]
    if not pulls or pulls[-1].pull is None:
        return _nothing(issues, runs)
    issue, pull = pulls[-1], pulls[-1].pull
    before = world.files(recipe.repository, pull.base_branch)
    after = world.files(recipe.repository, pull.head_sha)
    changed = [path for path, content in after.items() if before.get(path) != content]
    return {
        "pull_request": _pull_request(repository, issue, pull),
        "pins": _pins(recipe, after),
        "approvals": [
            it.body.removeprefix(_APPROVAL) for it in issue.comments if it.body.startswith(_APPROVAL)
        ],
        "goldens_changed": sum("/golden_values_" in path for path in changed),
        "quarantined": sorted(_tests(before) - _tests(after)),
        "issues": issues,
        "runs": runs,
        "gate": _gate(repository, pull.head_sha),
    }


def _nothing(issues: list[int], runs: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {
        "pull_request": None,
        "pins": {},
        "approvals": [],
        "goldens_changed": 0,
        "quarantined": [],
        "issues": issues,
        "runs": runs,
        "gate": None,
    }


def _pull_request(repository: Repository, issue: Issue, pull: PullRequest) -> Mapping[str, Any]:
    base = repository.branch(pull.base_branch)
    shas = repository.git.commits(pull.head_sha, f"^{base}")
    return {
        "number": issue.number,
        "draft": pull.draft,
        "labels": [label.name for label in issue.labels],
        "head": pull.head_sha,
        "commits": [{"sha": sha, "author": repository.git.commit(sha).author.name} for sha in shas],
    }


def _pins(recipe: BumpRecipe, files: Mapping[str, bytes]) -> Mapping[str, str]:
    track = recipe.track("dev")
    state = read_track("dev", track, {path: files.get(path) for path in track.paths})
    found: dict[str, list[str]] = {}
    for pin in state.pins:
        found.setdefault(pin.path, []).append(str(pin.image) if pin.image else str(pin.value))
    return {path: ", ".join(dict.fromkeys(values)) for path, values in found.items()}


def _tests(files: Mapping[str, bytes]) -> set[str]:
    """Return the functional tests that run anywhere, by `model/name`."""
    return {
        f"{it.model}/{it.name}"
        for scope in _SCOPES
        for platform in _PLATFORMS
        for it in select(files, scope, platform)
    }


def _gate(repository: Repository, sha: str) -> str | None:
    found = [it.state for it in repository.statuses if (it.sha, it.context) == (sha, GATE)]
    return found[-1] if found else None
