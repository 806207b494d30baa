"""The commands of a conversation: each is done once, and a comment that gives some is answered once.

Whenever the bot is stopped, the next run goes on by these rules:

* a command is recorded before anything is done for it, and its outcome before that is told;
* a command without an outcome is done once more: what it does is made sure of, not done twice;
* a command with an outcome is never done again, whatever its comment or its author's role is by then;
* before an answer is written the conversation is searched for it: the bot's own comment with the marker;
* a command that waits for something says so in the answer, and is done once more at each look until it is
  decided; the same comment then tells the outcome.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.core.chat_verbs import chat_help
from bot.core.chatops import ChatCommand, ChatProblem, chat_commands
from bot.core.errors import BotError
from bot.core.host import Actor, Comment
from bot.core.markdown import defused
from bot.core.permission import allows, is_answered
from bot.ports import CodeHost, Texts
from bot.service_ports import CommandLog

EXPIRED = timedelta(days=7)
"""After that a comment's commands are not begun any more: who wrote them has gone on."""

_NOTHING = ""
"""The outcome of a command that gets a reaction and no words."""

_EDITED = "the comment was edited while the bot was at it; write the command into a new one"

_OUTCOME_LIMIT = 600


class Postponed(Exception):
    """A command waits for something; the message says for what, as Markdown."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Where a command was given, by whom, and its place among those of its comment.

    `again`: it was begun before, and the bot was stopped in the middle of it or it had to wait.
    """

    number: int
    comment: int
    author: Actor
    again: bool
    position: int = 0


Run = Callable[[ChatCommand, Asked], str]
"""Does a command and returns its outcome as Markdown.

Raises BotError when it cannot be done, and Postponed when it cannot be done yet.
"""


class Answering:
    """Answers the commands of one repository.

    `now` returns the present moment with its zone; `report` is told of exceptions that are bugs.
    """

    def __init__(
        self,
        host: CodeHost,
        log: CommandLog,
        texts: Texts,
        run: Run,
        *,
        now: Callable[[], datetime],
        report: Callable[[Exception], None],
    ) -> None:
        self._host = host
        self._log = log
        self._texts = texts
        self._run = run
        self._now = now
        self._report = report

    def answer(self, number: int) -> None:
        """Do what the comments of an issue or pull request ask for, the oldest first.

        Raises ServiceError when the host fails; done again later, it goes on where it stopped.
        """
        comments = self._host.comments(number)
        bot = self._host.actor("comment")
        own = [comment for comment in comments if comment.author.id == bot.id]
        for comment in comments:
            by_person = not comment.author.is_app and comment.author.id != bot.id
            if by_person and self._now() - comment.created_at < EXPIRED:
                commands = chat_commands(comment.body)
                if commands and not self._is_answered(comment, own):
                    self._follow(number, comment, commands, _with(own, _marker("waiting", comment)))

    def _is_answered(self, comment: Comment, own: Sequence[Comment]) -> bool:
        repository = self._host.repository
        if self._log.answer_of(repository, comment.id) is not None:
            return True
        written = _with(own, _marker("answer", comment))
        if written is not None:
            self._log.answered(repository, comment.id, written.id)
        return written is not None

    def _follow(
        self,
        number: int,
        comment: Comment,
        commands: Sequence[ChatCommand | ChatProblem],
        waiting: Comment | None,
    ) -> None:
        """Do the commands of a comment and tell the outcomes; `waiting` has told that some have to wait."""
        answers: list[tuple[str, str]] = []
        kind = "answer"
        for position, item in enumerate(commands):
            try:
                outcome = self._outcome(number, comment, position, item, is_new=waiting is None)
            except Postponed as postponed:
                outcome, kind = str(postponed), "waiting"
            answers += [(item.text, outcome)] if outcome else []
        if not answers:
            return
        body = self._texts.render("answer.md.j2", marker=_marker(kind, comment), answers=answers)
        if waiting is None:
            written = self._host.write_comment(number, body)
        else:
            written = waiting
            if written.body.strip() != body.strip():
                self._host.edit_comment(written.id, body)
        if kind == "answer":
            self._log.answered(self._host.repository, comment.id, written.id)

    def _outcome(
        self, number: int, comment: Comment, position: int, item: ChatCommand | ChatProblem, *, is_new: bool
    ) -> str:
        command = (self._host.repository, comment.id, position)
        known = self._log.command_state(*command)
        if known is not None and known.outcome is not None:
            return known.outcome
        # What has begun was allowed then; a role that was lost since does not stop it halfway.
        may = known is not None or self._may(comment, item)
        self._log.begin_command(*command, _word(item), comment.author.id)
        if not may:
            return self._log.decide_command(*command, _NOTHING)
        if comment.edited:
            return self._log.decide_command(*command, _EDITED)
        if is_new:
            self._host.react(comment.id, "eyes")
        asked = Asked(number, comment.id, comment.author, again=known is not None, position=position)
        return self._log.decide_command(*command, self._done(item, asked))

    def _may(self, comment: Comment, item: ChatCommand | ChatProblem) -> bool:
        """Return whether a command is followed; where it is not its author sees a reaction."""
        if comment.edited:
            return False
        level = item.verb.level if isinstance(item, ChatCommand) else "anyone"
        if level != "anyone":
            if allows(level, self._host.permission(comment.author.login)):
                return True
            self._host.react(comment.id, "-1")
            return False
        hour = self._now() - timedelta(hours=1)
        given = self._log.given_since(self._host.repository, comment.author.id, _word(item), hour)
        if is_answered(given, self._now()):
            return True
        self._host.react(comment.id, "confused")
        return False

    def _done(self, item: ChatCommand | ChatProblem, asked: Asked) -> str:
        if isinstance(item, ChatProblem):
            return f"{item.message}; {item.hint}"
        if item.verb.word == "help":
            return chat_help()
        try:
            return self._run(item, asked) or "done"
        except BotError as error:
            hint = f"; {error.hint}" if error.hint else ""
            return defused(f"{error}{hint}", _OUTCOME_LIMIT)
        except Postponed:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is: who asked gets an answer
            self._report(error)
            return "a bug in the bot stopped this; the log of the service has the details"


def _marker(kind: str, comment: Comment) -> str:
    return f"<!-- ngc-bump-bot:{kind} {comment.id} -->"


def _with(comments: Sequence[Comment], marker: str) -> Comment | None:
    return next((it for it in comments if it.body.startswith(marker)), None)


def _word(item: ChatCommand | ChatProblem) -> str:
    return item.verb.word if isinstance(item, ChatCommand) else ""
