"""The same bump on an independent emulator of GitHub, killed after every request as well."""

from datetime import UTC, datetime

import pytest

from bot import wiring
from bot.core.host import Head
from bot.flows.bump import Bump, BumpOutcome, Patience
from bot.flows.request import BumpRequest
from bot.flows.target import resolve_target
from bot.lab.megatron import megatron_files
from bot.settings import load_settings
from bot.store.ledger import open_ledger
from tests.emulators.emulator import NAME, OWNER, emulator, emulator_process
from tests.fakes.images import RELEASE_25_10, RELEASE_26_07, on_both_platforms
from tests.fakes.registry import FakeRegistry
from tests.judges.kill import Killed, killed
from tests.scenarios.conftest import BRANCH, IMAGE, NEW, OLD

__all__ = ["emulator", "emulator_process"]

pytestmark = pytest.mark.component("emulate")

REPOSITORY = f"{OWNER}/{NAME}"
PIN = "docker/.ngc_version.dev"
REQUESTS = 24
"""Requests of a whole bump: without copy-pr-bot there is no answer, and the bot looks for it six times."""


class OnEmulate:
    """A repository on emulate, and a bot that keeps nothing between two runs but its ledger."""

    def __init__(self, emulator, folder) -> None:
        self.settings = load_settings(
            {
                "GITHUB_TOKEN": emulator.tokens[OWNER],
                "GITHUB_API_URL": emulator.url,
                "BOT_WRITE_SPACING": "0",
                "BOT_DATABASE_URL": f"sqlite:///{folder / 'ledger.sqlite3'}",
            },
            user_config=folder / "none.toml",
        )
        self.recipe = wiring.load_recipe("megatron-lm").model_copy(update={"repository": REPOSITORY})
        self.registry = FakeRegistry()
        self.registry.push(IMAGE, OLD, on_both_platforms(RELEASE_25_10))
        self.registry.push(IMAGE, NEW, on_both_platforms(RELEASE_26_07))
        self._start()

    @property
    def host(self):
        return wiring.code_host(self.settings, REPOSITORY)

    def _start(self) -> None:
        host = self.host
        head: Head = host.base_head("main")
        tree = host.write_tree(head.tree, megatron_files())
        host.advance_branch("main", host.write_commit(tree, head.sha, "Start"))

    def bump(self) -> BumpOutcome:
        ledger = open_ledger(self.settings.database_url.get_secret_value(), lambda: datetime.now(UTC))
        target = resolve_target(self.recipe.track("dev"), NEW, self.registry)
        now = datetime.now(UTC)
        try:
            bump = Bump(
                BumpRequest(self.recipe, "dev", "main", target),
                self.host,
                ledger,
                texts=wiring.texts(),
                registry=self.registry,
                now=lambda: now,
                patience=Patience(5, lambda: None),
            )
            return bump.run()
        finally:
            ledger.close()


@pytest.fixture
def on_emulate(emulator, tmp_path):
    return OnEmulate(emulator, tmp_path)


def test_from_nothing_to_a_draft_with_label_and_approval(on_emulate):
    outcome = on_emulate.bump()

    host = on_emulate.host
    [pull] = host.pull_requests(BRANCH)
    assert (pull.draft, pull.labels) == (True, ("Run functional tests",))
    assert host.read(outcome.sha, [PIN]) == {PIN: megatron_files()[PIN].replace(OLD.encode(), NEW.encode())}
    assert host.comments(pull.number)[0].body == f"/ok to test {outcome.sha}"


def test_the_kill_table_reaches_the_last_request(on_emulate):
    with killed(None, "after") as count:
        on_emulate.bump()

    assert count.begun == REQUESTS


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, REQUESTS + 1))
def test_killed_at_any_request_and_started_again_it_converges(on_emulate, number, when):
    with pytest.raises(Killed), killed(number, when):
        on_emulate.bump()

    outcome = on_emulate.bump()

    host = on_emulate.host
    [pull] = host.pull_requests(BRANCH)
    bodies = [comment.body for comment in host.comments(pull.number)]
    assert pull.labels == ("Run functional tests",)
    assert [body for body in bodies if body.startswith("/ok to test")] == [f"/ok to test {outcome.sha}"]
