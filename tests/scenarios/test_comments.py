"""Commands in comments from end to end: GitHub, its webhooks over HTTP, the queue, the log, the answers."""

import json
import secrets
import time
from datetime import UTC, datetime

import httpx
import pytest

from bot import wiring
from bot.core.watch import Watch, Watched
from bot.core.work import Key, conversation, conversation_number
from bot.engine.memory import MemoryQueue
from bot.flows.answer import Answering
from bot.github.webhook import github_delivery
from bot.lab.server import serving
from bot.web.app import create_app
from bot.web.intake import Intake, Source
from tests.adapters.github.deliveries import example, signed
from tests.contracts.work_stages import until
from tests.scenarios.conftest import REPOSITORY

SECRET = secrets.token_hex(16)


class Service:
    """A process of the bot: it answers webhooks and follows commands until it is stopped."""

    def __init__(self, story, stage) -> None:
        self.did: list[str] = []
        self.failures: list[BaseException] = []
        self._log = wiring.command_log(story.settings)
        self._answering = Answering(
            wiring.code_host(story.settings, REPOSITORY),
            self._log,
            wiring.texts(),
            self._run,
            now=lambda: datetime.now(UTC),
            report=self.failures.append,
        )
        self.queue = MemoryQueue(
            time.monotonic, lambda: 0.0, lambda _key, error, _: self.failures.append(error)
        )
        self.queue.start(self._look)
        watch = Watch([Watched(REPOSITORY, frozenset({"main"}))])
        intake = Intake({"github": Source(github_delivery, (SECRET,))}, watch, self.queue)
        stage.app = create_app(intake, self.queue)
        self._client = httpx.Client(base_url=stage.url, timeout=20)

    def _look(self, key: Key) -> None:
        self._answering.answer(conversation_number(key))

    def _run(self, command, _asked) -> str:
        self.did.append(command.text)
        return f"did `{command.verb.word}`"

    def deliver(self, number: int, comment, *, body: str | None = None, secret: str = SECRET) -> int:
        """Deliver the webhook of a comment, perhaps with another text, and return the status."""
        payload = example("issue_comment", "created")
        payload["repository"]["full_name"] = REPOSITORY
        payload["issue"]["number"] = number
        payload["comment"] |= {"id": comment.id, "body": body or comment.body}
        payload["comment"]["user"] |= {"id": comment.author.id, "login": comment.author.login}
        content = json.dumps(payload).encode()
        headers = signed("issue_comment", content, secret)
        return self._client.post("/webhooks/github", content=content, headers=headers).status_code

    def settle(self) -> None:
        until(lambda: (state := self.queue.state()).due == 0 and state.running == 0)
        assert self.failures == []

    def stop(self) -> None:
        self._client.close()
        self.queue.stop(20)
        self._log.close()


@pytest.fixture(scope="module")
def stage():
    with serving() as stage:
        yield stage


@pytest.fixture
def start(story, stage):
    """Starts the bot, once more for each call; the ledger stays."""
    services: list[Service] = []

    def start() -> Service:
        for service in services:
            service.stop()
        services[:] = [Service(story, stage)]
        return services[0]

    yield start
    for service in services:
        service.stop()


@pytest.fixture
def number(story):
    world = story.lab.world
    world.push(REPOSITORY, "feature", {"a.txt": b"a"}, author="maintainer")
    return world.open_pull_request(REPOSITORY, "feature", "main", "maintainer", title="Work").number


def say(story, number, author, body):
    return story.lab.world.comment(REPOSITORY, number, author, body)


def answers(story):
    return [body for body in story.comments() if body.startswith("<!-- ngc-bump-bot:answer ")]


def reactions(comment):
    return [(reaction.user.login, reaction.content) for reaction in comment.reactions]


def test_a_command_is_followed_when_its_webhook_comes(story, start, number):
    service = start()
    comment = say(story, number, "maintainer", "/bot refresh\n/bot frobnicate")

    assert service.deliver(number, comment) == 202
    service.settle()

    assert service.did == ["/bot refresh"]
    assert reactions(comment) == [("bump-bot", "eyes")]
    (answer,) = answers(story)
    assert "did `refresh`" in answer
    assert "there is no command `frobnicate`" in answer


def test_a_person_without_permission_gets_a_reaction(story, start, number):
    service = start()
    comment = say(story, number, "contributor", "/bot pause")

    service.deliver(number, comment)
    service.settle()

    assert reactions(comment) == [("bump-bot", "-1")]
    assert (service.did, answers(story)) == ([], [])


def test_a_forged_webhook_does_nothing(story, start, number):
    service = start()
    comment = say(story, number, "maintainer", "/bot refresh")

    assert service.deliver(number, comment, secret="another") == 401
    service.settle()

    assert service.did == []


def test_a_webhook_only_says_where_to_look_and_not_what_to_believe(story, start, number):
    service = start()
    comment = say(story, number, "maintainer", "thanks")

    service.deliver(number, comment, body="/bot refresh")
    service.settle()

    assert service.did == []


def test_webhooks_that_are_lost_doubled_or_late_make_no_difference(story, start, number):
    service = start()
    first, second, third = (
        say(story, number, "maintainer", f"/bot {word}") for word in ("refresh", "retry", "triage")
    )

    for comment in (third, third, first, third):
        service.deliver(number, comment)
    service.settle()
    service.deliver(number, second)
    service.settle()

    assert service.did == ["/bot refresh", "/bot retry", "/bot triage"]
    assert len(answers(story)) == 3


def test_a_resync_finds_what_no_webhook_told(story, start, number):
    say(story, number, "maintainer", "/bot refresh")
    service = start()

    service.queue.every(300, conversation(REPOSITORY, number))
    service.settle()

    assert service.did == ["/bot refresh"]


def test_a_bot_that_is_started_again_does_nothing_twice(story, start, number):
    comment = say(story, number, "maintainer", "/bot refresh")
    service = start()
    service.deliver(number, comment)
    service.settle()

    again = start()
    again.deliver(number, comment)
    again.settle()

    assert again.did == []
    assert len(answers(story)) == 1


def test_a_bot_that_lost_its_ledger_does_nothing_twice(story, start, number):
    comment = say(story, number, "maintainer", "/bot refresh")
    service = start()
    service.deliver(number, comment)
    service.settle()
    service.stop()
    story.lose_ledger()

    again = start()
    again.deliver(number, comment)
    again.settle()

    assert again.did == []
    assert len(answers(story)) == 1
