"""Stories of commands in comments: who is heard, what is answered, and that it is answered once."""

from datetime import datetime, timedelta

import pytest

from bot.core.errors import Refused, ServiceError
from bot.flows.answer import EXPIRED, Answering
from bot.texts import Texts
from tests.fakes.code_host import FakeCodeHost
from tests.fakes.command_log import FakeCommandLog

FILES = {"pin": b"26.04-py3"}
WHO = {"ada": "write", "grace": "maintain", "eve": "read", "mallory": "custom"}


class Killed(BaseException):
    """The process is gone; no `except Exception` of the code under test may save it."""


class Mortal:
    """Passes calls on until the process dies, before or after the call number `at` of those that write."""

    WRITES = frozenset({"write_comment", "react", "begin_command", "decide_command", "answered"})

    def __init__(self, life: dict[str, int], target: object) -> None:
        self._life, self._target = life, target

    def __getattr__(self, name):
        found = getattr(self._target, name)
        if name not in self.WRITES:
            return found

        def call(*arguments):
            self._life["left"] -= 1
            if self._life["left"] < 0:
                raise Killed
            answer = found(*arguments)
            if self._life["left"] == 0 and self._life["after"]:
                raise Killed
            return answer

        return call


class World:
    """A pull request with people around it, the bot, and what it did for whom."""

    def __init__(self) -> None:
        self.host = FakeCodeHost(FILES, roles=dict(WHO))
        self.host.push("feature", {"a": b"b"}, author="ada")
        self.number = self.host.open_as("ada", "feature", "main", "Work")
        self.log = FakeCommandLog(self.host.now)
        self.did: list[tuple[str, bool]] = []
        self.outcome: str | BaseException = "done, see #5"
        self.reports: list[Exception] = []

    def say(self, author: str, body: str):
        return self.host.comment_as(author, self.number, body)

    def now(self) -> datetime:
        self.log.now = self.host.now
        return self.host.now

    def run(self, command, asked):
        self.did.append((command.text, asked.again))
        if isinstance(self.outcome, BaseException):
            raise self.outcome
        return self.outcome

    def look(self, life: dict[str, int] | None = None) -> None:
        """Let the bot look at the conversation, with a process that may be killed."""
        host, log = self.host, self.log
        if life is not None:
            host, log = Mortal(life, host), Mortal(life, log)
        answering = Answering(host, log, Texts(), self.run, now=self.now, report=self.reports.append)
        answering.answer(self.number)

    @property
    def answers(self) -> list[str]:
        return [it.body for it in self.host.comments(self.number) if it.author == self.host.bot]


@pytest.fixture
def world():
    return World()


def test_a_command_is_done_and_answered(world):
    comment = world.say("ada", "Let us go\n\n/bot bump 26.06-py3")

    world.look()

    assert world.did == [("/bot bump 26.06-py3", False)]
    assert world.host.reactions == {comment.id: ["eyes"]}
    assert world.answers == [
        f"<!-- ngc-bump-bot:answer {comment.id} -->\n`\u2215bot bump 26.06-py3`\n\ndone, see #5\n"
    ]


def test_the_reaction_comes_before_anything_else(world):
    world.say("ada", "/bot bump 26.06-py3")
    world.outcome = Killed()

    with pytest.raises(Killed):
        world.look()

    assert world.host.writes == ["reaction"]


def test_a_command_that_was_cut_off_is_told_so_when_it_is_done_again(world):
    world.say("ada", "/bot retry")
    world.outcome = Killed()
    with pytest.raises(Killed):
        world.look()
    world.outcome = "done"

    world.look()

    assert world.did == [("/bot retry", False), ("/bot retry", True)]
    assert len(world.answers) == 1


def test_looking_again_changes_nothing(world):
    world.say("ada", "/bot bump 26.06-py3\n/bot frobnicate")
    world.say("eve", "/bot bump 26.06-py3")
    world.look()
    writes = list(world.host.writes)

    for _ in range(3):
        world.look()

    assert world.host.writes == writes
    assert len(world.did) == 1


def test_several_commands_are_done_in_order_and_answered_once(world):
    world.say("grace", "/bot refresh\n/bot bmup 26.06\n/bot pause")

    world.look()

    assert [text for text, _ in world.did] == ["/bot refresh", "/bot pause"]
    (answer,) = world.answers
    assert answer.splitlines()[1:] == [
        "`\u2215bot refresh`",
        "",
        "done, see #5",
        "",
        "`\u2215bot bmup 26.06`",
        "",
        "there is no command `bmup`; did you mean `/bot bump`?",
        "",
        "`\u2215bot pause`",
        "",
        "done, see #5",
    ]


def test_several_comments_are_answered_each(world):
    world.say("ada", "/bot refresh")
    world.say("ada", "thanks")
    world.say("ada", "/bot retry")

    world.look()

    assert [text for text, _ in world.did] == ["/bot refresh", "/bot retry"]
    assert len(world.answers) == 2


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(
            Refused("no such test", hint="name another"), "no such test; name another", id="refused"
        ),
        pytest.param(
            ServiceError("the registry is away"), "the registry is away", id="a service that failed"
        ),
        pytest.param(Refused("@all <b> #1"), "@\u2060all \\<b> #\u20601", id="with a hostile text"),
    ],
)
def test_an_error_is_the_answer(world, error, said):
    world.say("ada", "/bot refresh")
    world.outcome = error

    world.look()

    assert world.answers[0].splitlines()[3] == said
    assert world.reports == []


def test_a_bug_is_answered_too_and_reported_with_its_exception(world):
    bug = ZeroDivisionError("s3cret detail")
    world.say("ada", "/bot refresh\n/bot retry")
    world.outcome = bug

    world.look()

    assert "a bug in the bot" in world.answers[0]
    assert "s3cret" not in world.answers[0]
    assert world.reports == [bug, bug]


def test_a_handler_that_has_nothing_to_say_is_done(world):
    world.say("ada", "/bot refresh")
    world.outcome = ""

    world.look()

    assert world.answers[0].splitlines()[-1] == "done"


@pytest.mark.parametrize(
    ("author", "command", "heard"),
    [
        ("ada", "bump 26.06-py3", True),
        ("ada", "undo -m why", False),
        ("grace", "undo -m why", True),
        ("eve", "bump 26.06-py3", False),
        ("eve", "status", True),
        ("mallory", "bump 26.06-py3", False),
        ("stranger", "triage", False),
        ("stranger", "status", True),
    ],
)
def test_who_may_not_give_a_command_gets_a_reaction_and_no_word(world, author, command, heard):
    comment = world.say(author, f"/bot {command}")

    world.look()

    assert bool(world.did) is heard
    assert bool(world.answers) is heard
    assert world.host.reactions[comment.id] == ["eyes" if heard else "-1"]


def test_a_role_that_somebody_gets_later_does_not_revive_a_command(world):
    world.say("eve", "/bot bump 26.06-py3")
    world.look()
    world.host.roles["eve"] = "admin"

    world.look()

    assert world.did == []


def test_a_role_that_cannot_be_looked_up_lets_nothing_happen_until_it_can(world):
    world.say("ada", "/bot bump 26.06-py3")
    permission, world.host.permission = (
        world.host.permission,
        lambda _login: (_ for _ in ()).throw(ServiceError("502")),
    )

    with pytest.raises(ServiceError):
        world.look()
    assert (world.did, world.host.writes) == ([], [])

    world.host.permission = permission
    world.look()
    assert world.did == [("/bot bump 26.06-py3", False)]


@pytest.mark.parametrize("command", ["help", "status", "frobnicate"])
def test_what_is_for_anyone_is_answered_three_times_an_hour(world, command):
    comments = [world.say("stranger", f"/bot {command}") for _ in range(5)]
    other = world.say("ada", f"/bot {command}")

    world.look()

    assert [world.host.reactions[it.id][0] for it in [*comments, other]] == [
        "eyes",
        "eyes",
        "eyes",
        "confused",
        "confused",
        "eyes",
    ]
    assert len(world.answers) == 4

    world.host.now += timedelta(hours=1)
    world.say("stranger", f"/bot {command}")
    world.look()
    assert len(world.answers) == 5


def test_help_is_the_table(world):
    world.say("stranger", "/bot help")

    world.look()

    assert "| `/bot bump TAG [--track TRACK] [--anyway]` | write |" in world.answers[0]
    assert world.did == []


@pytest.mark.parametrize("author", ["bump-bot", "other[bot]"])
def test_no_bot_is_heard_and_this_one_least_of_all(world, author):
    if author.endswith("[bot]"):
        world.host.person(author)
        world.host._people[author] = type(world.host.bot)(99, author, is_app=True)
    world.say(author, "/bot pause\n/bot help")

    world.look()

    assert world.did == []
    assert world.host.writes == []


def test_an_edited_comment_gives_no_command(world):
    comment = world.say("ada", "hello")
    world.host.edit_comment(comment.id, "/bot bump 26.06-py3")

    world.look()

    assert world.did == []
    assert world.answers == []


def test_a_command_that_is_edited_after_it_was_done_is_not_done_again(world):
    comment = world.say("ada", "/bot refresh")
    world.look()
    world.host.edit_comment(comment.id, "/bot retry\n/bot refresh")

    world.look()

    assert world.did == [("/bot refresh", False)]
    assert len(world.answers) == 1


def test_a_command_that_is_edited_in_the_middle_of_it_is_not_done_in_its_new_form(world):
    comment = world.say("ada", "/bot refresh")
    world.outcome = Killed()
    with pytest.raises(Killed):
        world.look()
    world.outcome = "done"
    world.host.edit_comment(comment.id, "/bot retry\n/bot refresh")

    world.look()

    assert world.did == [("/bot refresh", False)]
    assert "edited while the bot was at it" in world.answers[0]


def test_a_command_is_late_but_not_too_late(world):
    world.say("ada", "/bot refresh")
    world.host.now += EXPIRED - timedelta(hours=1)
    world.say("ada", "/bot retry")
    world.host.now += timedelta(hours=2)

    world.look()

    assert world.did == [("/bot retry", False)]


def test_an_answer_of_somebody_else_is_none(world):
    comment = world.say("ada", "/bot refresh")
    world.say("eve", f"<!-- ngc-bump-bot:answer {comment.id} -->\nall done")

    world.look()

    assert len(world.answers) == 1


def test_a_bot_that_lost_its_memory_finds_its_answers(world):
    world.say("ada", "/bot refresh")
    world.look()
    world.log = FakeCommandLog()

    world.look()

    assert len(world.did) == 1
    assert len(world.answers) == 1


# begin, react, decide twice over, then the answer and its record
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("writes", range(9))
def test_a_bot_that_is_killed_anywhere_answers_once(world, writes, after):
    comment = world.say("ada", "/bot refresh\n/bot retry")
    life = {"left": writes, "after": after}

    try:
        world.look(life)
    except Killed:
        world.look()

    assert len(world.answers) == 1
    assert world.answers[0].count("done, see #5") == 2
    assert set(world.host.reactions[comment.id]) == {"eyes"}
    assert world.log.answer_of("acme/widgets", comment.id) is not None
    assert {text for text, _ in world.did} == {"/bot refresh", "/bot retry"}
    assert len(world.did) <= 3
    assert len(set(world.did)) == len(world.did), "done twice without a word of it"
