"""The place of a story: GitHub with copy-pr-bot and CI, a registry, and the service, all over HTTP."""

import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot import wiring
from bot.core.recipe import BumpRecipe
from bot.demo.story import Story, Test
from bot.lab.megatron import REPOSITORY, megatron_files
from bot.lab.megatron_artifacts import scaled
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_matrix import FunctionalTest
from bot.lab.megatron_tests import Outcome
from bot.lab.registry import PYTORCH, LabRegistry
from bot.lab.server import GitHubLab, Stage, serving
from bot.lab.webhooks import Webhooks
from bot.lab.world import World
from bot.serving import Service
from bot.settings import load_settings

BOT = "bump-bot"
PEOPLE = {BOT: "write", "maintainer": "maintain", "contributor": "read"}
WRITE_SPACING = 0.05
"""Seconds between two writes; GitHub is to be spared more, a lab is not."""

_PLATFORMS = ("linux/amd64", "linux/arm64")
_POLL = "0.25"
# The schedule of the shipped recipe waits for days and for the hour; the story's release is due at once.
_SCHEDULE = re.compile(r"^schedule:\n(?:[ \t]+.*\n)+", re.MULTILINE)
_AT_ONCE = "schedule:\n  every_months: 2\n"


@dataclass(frozen=True, slots=True)
class Scene:
    """A story's place while it is played; `page` is the address of the service."""

    world: World
    registry: LabRegistry
    recipe: BumpRecipe
    page: str

    def push_image(self, tag: str) -> None:
        """Let a release appear in the registry."""
        name = self.recipe.track("dev").image.partition("/")[2]
        environment = {**PYTORCH, "NVIDIA_PYTORCH_VERSION": tag.partition("-")[0]}
        self.registry.push(name, tag, dict.fromkeys(_PLATFORMS, environment))


@contextmanager
def scene(story: Story) -> Iterator[Scene]:
    """Set a story's place up on free ports of loopback, and take it down when the block ends."""
    with (
        tempfile.TemporaryDirectory(prefix="bot-demo-") as folder,
        serving() as github,
        serving() as registry,
        serving() as page,
        GitHubLab.play(github) as lab,
    ):
        _people_world(lab, story)
        images = LabRegistry()
        registry.app = images.app
        recipe = Path(folder) / "megatron-lm.yaml"
        shipped = (wiring.recipe_folder() / "megatron-lm.yaml").read_text(encoding="utf-8")
        recipe.write_text(_SCHEDULE.sub(_AT_ONCE, shipped), encoding="utf-8")
        place = Scene(lab.world, images, wiring.load_recipe(str(recipe)), page.url)
        for tag in (story.start, *story.releases):
            place.push_image(tag)
        with _service(lab, registry, page, recipe):
            yield place


def _people_world(lab: GitHubLab, story: Story) -> None:
    world = lab.world
    world.add_repository(REPOSITORY, megatron_files())
    for label in ("Run functional tests", "Run tests", "container::lts"):
        world.add_label(REPOSITORY, label, "read by CI")
    for login, role in PEOPLE.items():
        world.user(login)
        world.set_role(REPOSITORY, login, role)
    lab.copy_pr_bot(REPOSITORY)
    outcomes = {key: _outcome(key, test) for key, test in story.tests.items()}
    ci = MegatronCi(outcomes={**outcomes})
    world.on_push(REPOSITORY, "pull-request/*", ci, path=WORKFLOW, name=NAME)


def _outcome(key: str, test: Test) -> Outcome:
    if not test.by:
        return Outcome(test.goes)
    name, _, platform = key.partition("@")
    model, _, test_name = name.partition("/")
    golden = megatron_files()[FunctionalTest(model, test_name, platform).golden]
    return Outcome(test.goes, scaled(golden, test.by), tuple(test.by))


@contextmanager
def _service(lab: GitHubLab, registry: Stage, page: Stage, recipe: Path) -> Iterator[None]:
    secret = secrets.token_hex(16)
    environ = {
        "GITHUB_TOKEN": lab.user_token(BOT),
        "GITHUB_API_URL": lab.url,
        "BOT_REGISTRY_ENDPOINTS": f"nvcr.io={registry.url}",
        "BOT_DATABASE_URL": f"sqlite:///{recipe.parent / 'ledger.sqlite3'}",
        "BOT_WEBHOOK_SECRET": secret,
        "BOT_WRITE_SPACING": str(WRITE_SPACING),
        "BOT_RELEASE_POLL": _POLL,
    }
    settings = load_settings(environ, user_config=recipe.parent / "no-such-file.toml")
    service = Service(settings, [str(recipe)])
    page.app = service.app
    hooks = Webhooks(lab.world, REPOSITORY, api=lab.url, address=f"{page.url}/webhooks/github", secret=secret)
    service.start()
    try:
        yield
    finally:
        hooks.close()
        service.stop()
