"""The CI of a bump's repository, and what a pull request and its issues look like afterwards."""

import json

import pytest

from bot.lab.megatron import megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from tests.scenarios.conftest import BRANCH, REPOSITORY

RESUME = "gpt/gpt_small_tp1_pp4_resume"
BOTH = "moe/moe_small_ep4_both"
ON_H100 = f"{RESUME}@dgx_h100"
CASES = "tests/functional_tests/test_cases"
GOLDEN = f"{CASES}/{RESUME}/golden_values_dev_dgx_h100.json"
OF_BOTH = {name: f"{CASES}/{BOTH}/golden_values_dev_{name}.json" for name in ("dgx_h100", "dgx_gb200")}
OLD = megatron_files()
NEAR = scaled(OLD[GOLDEN], {"lm loss": 1.000_01})
NEARER = scaled(OLD[GOLDEN], {"lm loss": 1.000_02})
MORE = "tests/test_utils/recipes/h100/more.yaml"
FAR = scaled(OLD[GOLDEN], {"lm loss": 1.2})
REFRESHED = "chore: Refresh golden values for 26.06-py3, round 1"
TAKEN_OUT = "chore: Take failing tests out of the gate for 26.06-py3, round {}"


class Ci:
    """The CI of the story's repository: every test passes unless its outcome is set."""

    def __init__(self, story) -> None:
        self.world = story.lab.world
        self.script = MegatronCi()
        self.world.on_push(REPOSITORY, "pull-request/*", self.script, path=WORKFLOW, name=NAME)

    def goes(self, test: str, *outcomes: Outcome) -> None:
        self.script.outcomes[test] = outcomes[0] if len(outcomes) == 1 else outcomes

    def finish(self):
        """Let the newest run end, and return it."""
        run = self.runs[-1]
        self.world.finish(run)
        return run

    @property
    def runs(self):
        return self.world.workflow_runs(REPOSITORY)


@pytest.fixture
def ci(story) -> Ci:
    return Ci(story)


def subjects(story) -> list[str]:
    """Return the first lines of the commits of the pull request, the first one apart."""
    repository = story.lab.world.repository(REPOSITORY)
    shas = repository.git.commits(repository.branch(BRANCH), f"^{repository.branch('main')}")
    return [repository.git.commit(sha).message.splitlines()[0] for sha in shas][1:]


def tracking_issues(story):
    issues = story.lab.world.repository(REPOSITORY).issues.values()
    return [issue for issue in issues if issue.pull is None]


def approvals(story) -> list[str]:
    return [text for text in story.comments() if text.startswith("/ok to test")]


def add_tests(story, names, *, model: str = "gpt") -> dict[str, str]:
    """Give the base branch more functional tests on H100; return the golden's path of each by its name."""
    rows = [
        f"  - test_case: [{json.dumps(name)}]\n    products:\n      - environment: [dev]\n"
        "        scope: [mr, mr-github]\n        platforms: [dgx_h100]\n"
        for name in names
    ]
    recipe = "".join([f"type: basic\nspec:\n  model: {model}\nproducts:\n", *rows])
    goldens = {name: f"{CASES}/{model}/{name}/golden_values_dev_dgx_h100.json" for name in names}
    files = {
        "tests/test_utils/recipes/h100/more.yaml": recipe,
        **dict.fromkeys(goldens.values(), OLD[GOLDEN]),
    }
    story.lab.world.push(REPOSITORY, "main", files, author="maintainer")
    return goldens


def run_in_merge_queue(ci: Ci):
    """Let the merge queue's run of the base branch end, and return it."""
    head = ci.world.repository(REPOSITORY).branch("main")
    queue = f"gh-readonly-queue/main/pr-1-{head}"
    ci.world.create_branch(REPOSITORY, queue, head, author="maintainer")
    run = ci.world.run_workflow(REPOSITORY, WORKFLOW, queue, head, event="merge_group")
    ci.world.finish(run)
    return run


def changed(story) -> set[str]:
    """Return the files in which the bump's branch differs from the base branch, the pins apart."""
    files = {branch: story.lab.world.files(REPOSITORY, branch) for branch in ("main", BRANCH)}
    differ = {path for path, text in files[BRANCH].items() if text != files["main"].get(path)}
    return {path for path in differ if path.startswith("tests/")}
