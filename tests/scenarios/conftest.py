"""A bump's world: GitHub with copy-pr-bot, a registry, and a bot that can be killed and started again."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot import wiring
from bot.core.merge import Rederive
from bot.core.plan import read_track
from bot.core.rounds import Words
from bot.flows.bump import Bump, BumpOutcome, Patience
from bot.flows.request import BumpRequest
from bot.flows.target import resolve_target
from bot.flows.undo import Undo, UndoOutcome
from bot.lab import megatron
from bot.lab.server import GitHubLab
from bot.settings import Settings, load_settings
from bot.store.ledger import open_ledger
from tests.fakes.images import RELEASE_25_10, RELEASE_26_07, on_both_platforms
from tests.fakes.registry import FakeRegistry
from tests.judges.plugin import github_judge
from tests.lab.fixtures import lab, lab_stage

__all__ = ["github_judge", "lab", "lab_stage", "story"]

REPOSITORY = "NVIDIA/Megatron-LM"
BOT = "bump-bot"
IMAGE = "nvcr.io/nvidia/pytorch"
OLD, NEW = "26.04-py3", "26.06-py3"
BRANCH = f"bot/base-image/main/dev-{NEW}"


class Story:
    """One repository and everybody around it. The bot keeps nothing between two runs but its ledger."""

    def __init__(self, lab: GitHubLab, folder: Path) -> None:
        self.lab = lab
        self.folder = folder
        self.recipe = wiring.load_recipe("megatron-lm")
        self.registry = FakeRegistry()
        self.registry.push(IMAGE, OLD, on_both_platforms(RELEASE_25_10))
        self.registry.push(IMAGE, NEW, on_both_platforms(RELEASE_26_07))
        world = lab.world
        world.add_repository(REPOSITORY, megatron.megatron_files())
        for label in ("Run functional tests", "Run tests", "container::lts"):
            world.add_label(REPOSITORY, label, "read by CI")
        for login, role in {BOT: "write", "maintainer": "maintain", "contributor": "read"}.items():
            world.user(login)
            world.set_role(REPOSITORY, login, role)
        self.copy_pr_bot = lab.copy_pr_bot(REPOSITORY)
        self.environ = {
            "GITHUB_TOKEN": lab.user_token(BOT),
            "GITHUB_API_URL": lab.url,
            "BOT_WRITE_SPACING": "0",
            "BOT_DATABASE_URL": f"sqlite:///{folder / 'ledger.sqlite3'}",
        }

    @property
    def settings(self) -> Settings:
        return load_settings(self.environ, user_config=self.folder / "no-such-file.toml")

    def bump(
        self,
        tag: str = NEW,
        *,
        track: str = "dev",
        anyway: bool = False,
        words: Words | None = None,
        rederive: Rederive | None = None,
    ) -> BumpOutcome:
        """Start the bot anew and run one bump; `words` are what people have said."""
        target = resolve_target(self.recipe.track(track), tag, self.registry)
        ledger = open_ledger(self.settings.database_url.get_secret_value(), lambda: datetime.now(UTC))
        try:
            request = BumpRequest(self.recipe, track, "main", target, anyway=anyway)
            host = wiring.code_host(self.settings, REPOSITORY)
            rounds = wiring.rounds(
                self.settings, self.recipe, request.goal, host=host, ledger=ledger, words=words
            )
            bump = Bump(
                request,
                host,
                ledger,
                texts=wiring.texts(),
                registry=self.registry,
                now=lambda: datetime.now(UTC),
                patience=Patience(5, lambda: None),
                rounds=rounds,
                rederive=rederive,
            )
            return bump.run()
        finally:
            ledger.close()

    def undo(self, number: int = 1, why: str = "", base: str | None = None) -> UndoOutcome:
        """Start the bot anew and take one bump back."""
        ledger = open_ledger(self.settings.database_url.get_secret_value(), lambda: datetime.now(UTC))
        try:
            undo = Undo(
                self.recipe,
                number,
                wiring.code_host(self.settings, REPOSITORY),
                ledger,
                texts=wiring.texts(),
                now=lambda: datetime.now(UTC),
                why=why,
                base=base,
            )
            return undo.run()
        finally:
            ledger.close()

    def lose_ledger(self) -> None:
        """Forget everything, as a bot on a new machine."""
        for file in self.folder.glob("ledger.sqlite3*"):
            file.unlink()

    @property
    def pulls(self):
        return self.lab.world.pull_requests(REPOSITORY)

    @property
    def bot_branches(self) -> list[str]:
        """Return the branches that look like the bot's."""
        repository = self.lab.world.repository(REPOSITORY)
        prefix = repository.ref("refs/heads/")
        names = (name.removeprefix(prefix) for name in repository.git.refs(prefix))
        return [name for name in names if name.startswith("bot/")]

    def comments(self, number: int = 0) -> list[str]:
        """Return the texts of the comments on a pull request, the first one unless told."""
        pull = next(it for it in self.pulls if number in (0, it.number))
        return [comment.body for comment in pull.comments]

    def pins(self, revision: str) -> set[str]:
        """Return what the pin files say at a revision, dev track."""
        track = self.recipe.track("dev")
        files = self.lab.world.files(REPOSITORY, revision)
        state = read_track("dev", track, {path: files.get(path) for path in track.paths})
        return {site.image.tag for site in state.pins if site.image}


@pytest.fixture
def story(tmp_path, lab) -> Iterator[Story]:
    yield Story(lab, tmp_path)
    assert lab.world.invariants() == ()
