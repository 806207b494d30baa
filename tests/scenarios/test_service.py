"""The service from end to end: webhooks of the lab over HTTP, a registry, comments, the schedule."""

import secrets
from contextlib import ExitStack

import pytest

from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.registry import PYTORCH, LabRegistry
from bot.lab.server import serving
from bot.lab.webhooks import Webhooks
from bot.serving import Service
from tests.contracts.work_stages import until
from tests.scenarios.conftest import BRANCH, IMAGE, NEW, OLD, REPOSITORY

SECRET = secrets.token_hex(16)
BOTH = ("linux/amd64", "linux/arm64")


@pytest.fixture(scope="module")
def stages():
    with serving() as registry, serving() as service:
        yield registry, service


class Bot:
    """The service on its stage, with everything around it; `restart` is what a new process would see."""

    def __init__(self, story, stages, stack) -> None:
        registry_stage, self.stage = stages
        self.story = story
        self.world = story.lab.world
        self.registry = LabRegistry()
        self.push(OLD)
        registry_stage.app = self.registry.app
        self.environ = story.environ | {
            "BOT_REGISTRY_ENDPOINTS": f"nvcr.io={registry_stage.url}",
            "BOT_WEBHOOK_SECRET": SECRET,
            "BOT_RESYNC": "600",
        }
        story.environ = self.environ
        self.ci = MegatronCi()
        self.world.on_push(REPOSITORY, "pull-request/*", self.ci, path=WORKFLOW, name=NAME)
        hooks = Webhooks(
            self.world,
            REPOSITORY,
            api=story.lab.url,
            address=f"{self.stage.url}/webhooks/github",
            secret=SECRET,
        )
        stack.callback(hooks.close)
        self.start()
        stack.callback(self.stop)

    def push(self, tag, **changes):
        self.registry.push(
            IMAGE.partition("/")[2], tag, {platform: {**PYTORCH, **changes} for platform in BOTH}
        )

    def start(self, **environ):
        self.story.environ = self.environ | environ
        self.service = Service(self.story.settings, ["megatron-lm"])
        self.stage.app = self.service.app
        self.service.start()

    def stop(self):
        self.service.stop()

    def say(self, number, text, author="maintainer"):
        with self.world.lock:
            return self.world.comment(REPOSITORY, number, author, text)

    def issue(self):
        with self.world.lock:
            return self.world.open_issue(REPOSITORY, "maintainer", title="Newer image").number

    def answers(self, number):
        with self.world.lock:
            comments = self.world.issue(REPOSITORY, number).comments
            return [it.body for it in comments if it.body.startswith("<!-- ngc-bump-bot:answer ")]

    def answer(self, number, count=1):
        until(lambda: len(self.answers(number)) >= count)
        return self.answers(number)[count - 1]


@pytest.fixture
def bot(story, stages):
    with ExitStack() as stack:
        yield Bot(story, stages, stack)


def test_a_comment_on_a_plain_issue_opens_the_pull_request_and_links_it(bot):
    bot.push(NEW)
    number = bot.issue()

    bot.say(number, f"/bot bump {NEW}")
    answer = bot.answer(number)

    (pull,) = bot.story.pulls
    assert f"#{pull.number}" in answer
    assert bot.story.pins(BRANCH) == {NEW}
    assert len(bot.story.copy_pr_bot.approvals) == 1
