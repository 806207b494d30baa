"""The command line on the simulated GitHub, with the repository's CI."""

import pytest

from bot.lab.megatron import megatron_files
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome

REPOSITORY = "NVIDIA/Megatron-LM"
BRANCH = "bot/base-image/main/dev-26.06-py3"
TEST = "gpt/gpt_small_tp1_pp4_resume"
GOLDEN = f"tests/functional_tests/test_cases/{TEST}/golden_values_dev_dgx_h100.json"
BUMP = ("bump", "26.06-py3", "--no-verify")


class GitHub:
    """The simulated GitHub with the repository's CI: every test passes unless `goes` says otherwise."""

    def __init__(self, lab) -> None:
        self.lab, self.world, self.script = lab, lab.world, MegatronCi()
        self.world.add_repository(REPOSITORY, megatron_files())
        for label in ("Run functional tests", "Run tests", "container::lts"):
            self.world.add_label(REPOSITORY, label, "read by CI")
        self.world.set_role(REPOSITORY, self.world.user("bump-bot").login, "write")
        lab.copy_pr_bot(REPOSITORY)
        self.world.on_push(REPOSITORY, "pull-request/*", self.script, path=WORKFLOW, name=NAME)

    def goes(self, test: str, *outcomes: Outcome) -> None:
        self.script.outcomes[test] = outcomes[0] if len(outcomes) == 1 else outcomes

    def finish(self):
        run = self.world.workflow_runs(REPOSITORY)[-1]
        self.world.finish(run)
        return run

    @property
    def writes(self) -> list[str]:
        """The requests that wrote something, GraphQL aside, where most only ask."""
        found = [it for it in self.lab.requests if it.method in {"POST", "PATCH"} and it.path != "/graphql"]
        return [f"{it.method} {it.path}" for it in found]

    @property
    def subjects(self) -> list[str]:
        """The first lines of the commits of the bot's branch, the one that moves the pins apart."""
        repository = self.world.repository(REPOSITORY)
        shas = repository.git.commits(repository.branch(BRANCH), f"^{repository.branch('main')}")
        return [repository.git.commit(sha).message.splitlines()[0] for sha in shas][1:]

    @property
    def files(self):
        """The files at the head of the bot's branch."""
        return self.world.files(REPOSITORY, BRANCH)

    @property
    def issues(self):
        found = self.world.repository(REPOSITORY).issues.values()
        return [issue for issue in found if issue.pull is None]

    def comments(self) -> list[str]:
        return [it.body for it in self.world.pull_requests(REPOSITORY)[0].comments]


@pytest.fixture
def github(lab):
    return GitHub(lab)


@pytest.fixture
def hub(bot, monkeypatch, github):
    """The command line with the simulated GitHub."""
    monkeypatch.setenv("GITHUB_API_URL", github.lab.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.lab.user_token("bump-bot"))
    monkeypatch.setenv("BOT_WRITE_SPACING", "0")
    monkeypatch.setenv("BOT_RECIPE", "megatron-lm")
    return bot
