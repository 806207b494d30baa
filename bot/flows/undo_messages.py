"""What an undoing says on the host: commit, pull request, status comment."""

from collections.abc import Sequence

from bot.core.host import Actor
from bot.core.markdown import rows
from bot.flows.messages import BODY_LIMIT
from bot.flows.undo_subject import Subject
from bot.ports import Texts


class UndoMessages:
    """The messages of one undoing; `why` is what a person said, or nothing."""

    def __init__(self, texts: Texts, subject: Subject, why: str) -> None:
        self._texts = texts
        self._pull = subject.pull
        self._common = {"tag": subject.bump.tag, "track": subject.bump.track, "why": why}

    def commit(self, author: Actor, title: str, files: Sequence[str]) -> str:
        """Return the message of the commit that puts `files` back, signed off by its author."""
        return self._texts.render(
            "undo_commit.txt.j2",
            **self._common,
            title=title,
            files=files,
            name=author.login,
            email=f"{author.id}+{author.login}@users.noreply.github.com",
        )

    def body(self, files: Sequence[str], template: str) -> str:
        """Return the text of the pull request: the bot's block, and the repository's template as it is."""
        pull = self._pull
        block = self._texts.render(
            "undo_pull_request.md.j2", **self._common, number=pull.number, base=pull.base, files=files
        )
        return f"{block}\n{rows(template, BODY_LIMIT - len(block))}" if template else block

    def undone(self) -> str:
        """Return the status comment of a pull request on which nothing of the bot is left."""
        return self._texts.render("undone.md.j2", **self._common)
