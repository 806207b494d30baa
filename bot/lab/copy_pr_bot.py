"""copy-pr-bot: a vetter's `/ok to test <sha>` mirrors a pull request to `pull-request/<number>`.

https://docs.gha-runners.nvidia.com/platform/apps/copy-pr-bot/

It reads more than it should, on purpose: every line of every comment, also in quotes, code and
edited comments, so that a command that leaked into somebody's text is obeyed and seen.
"""

import re
from dataclasses import dataclass

from bot.lab import branches, conversations
from bot.lab.model import Comment, CommentEvent, Repository, User
from bot.lab.records import Records

LOGIN = "copy-pr-bot[bot]"

_COMMAND = re.compile(r"^[\s>*`~<!-]*/ok to test\s+\[?([0-9a-f]{7,40})\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Approval:
    """An obeyed comment: the mirror of pull request `number` was moved to `sha`."""

    repository: str
    number: int
    sha: str
    comment: Comment
    by: User


class CopyPrBot:
    """Listens to the comments of one repository; `approvals` is what it obeyed, `ignored` what it did not.

    The next `problems` approvals fail: the mirror stays where it is, and a comment says so.
    """

    def __init__(self, records: Records, repository: Repository) -> None:
        self._records = records
        self._repository = repository
        self._user = records.user(LOGIN)
        self.approvals: list[Approval] = []
        self.ignored: list[CommentEvent] = []
        self.problems = 0
        records.listeners.append(self._hear)

    def _hear(self, event: CommentEvent) -> None:
        pull = event.issue.pull
        if event.repository is not self._repository or pull is None or event.by is self._user:
            return
        for found in _COMMAND.finditer(event.comment.body):
            is_vetted = pull.head_sha.startswith(found[1]) and self._is_vetter(event.by)
            if is_vetted and self.problems > 0:
                self._fail(event)
            elif is_vetted:
                self._obey(event, pull.head_sha)
            else:
                self.ignored.append(event)

    def _is_vetter(self, user: User) -> bool:
        """Whether a user may write, or is an App that may."""
        if self._records.has_role(self._repository, user, "write"):
            return True
        name = self._repository.full_name.lower()
        return any(
            found.app.bot is user
            and name in found.repositories
            and found.app.permissions.get("contents") == "write"
            for found in self._records.installations.values()
        )

    def _fail(self, event: CommentEvent) -> None:
        self.problems -= 1
        self.ignored.append(event)
        body = f"{self._user.login.removesuffix('[bot]')} had a problem deploying to `test`"
        conversations.comment(self._records, event.repository, event.issue, body, author=self._user)

    def _obey(self, event: CommentEvent, sha: str) -> None:
        number, mirror = event.issue.number, f"pull-request/{event.issue.number}"
        if self._repository.branch(mirror):
            branches.move(self._records, self._repository, mirror, sha, self._user, force=True)
        else:
            branches.create(self._records, self._repository, mirror, sha, self._user)
        conversations.react(self._records, event.comment, self._user, "+1")
        approval = Approval(self._repository.full_name, number, sha, event.comment, event.by)
        self.approvals.append(approval)
