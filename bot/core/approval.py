"""Which commits the bot may ask CI to run: every one of them vouched for, or none.

The comment is copy-pr-bot's: `/ok to test <sha>` (https://docs.gha-runners.nvidia.com/apps/copy-pr-bot).
An approval covers everything that a commit carries, so one foreign commit below it is enough to refuse
(https://boostsecurity.io/blog/split-second-side-doors-how-bot-delegated-toctou-breaks-the-cicd-threat-model).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.core.host import Actor, Comment, Commit

Voucher = Literal["ledger", "same tree", "vetter"]
"""Why a commit is trusted: the bot recorded it before any branch pointed to it, its tree is byte for byte
what the plan makes of its parent, or a person with write permission named it."""

OURS: frozenset[Voucher | None] = frozenset({"ledger", "same tree"})
"""The vouchers of the bot's own commits."""

# Nothing before it: after four blanks it would be code, after `>` a quote. Two blanks are often typed.
_APPROVAL = re.compile(r"/ok to test +([0-9a-f]{40})[ \t\r]*(?:\n|\Z)")


COPY_PR_BOT = "copy-pr-bot[bot]"
"""Its login. Only an App's has brackets, so no person can take it."""


@dataclass(frozen=True, slots=True)
class VouchedCommit:
    """A commit and why it is trusted; `voucher` is None for one that is not."""

    commit: Commit
    voucher: Voucher | None


def approval_text(sha: str) -> str:
    """Return the comment that asks copy-pr-bot to run CI on a commit: this, and nothing else."""
    return f"/ok to test {sha}"


def approved_by_bot(comments: Iterable[Comment], bot: int, sha: str) -> Comment | None:
    """Return the bot's own approval of a commit, if it has written one."""
    return next(
        (it for it in comments if it.author.id == bot and it.body.strip() == approval_text(sha)), None
    )


def acknowledged(thumbs_up: Iterable[Actor]) -> bool:
    """Whether copy-pr-bot is among those who gave an approval a thumbs-up: it has copied that commit."""
    return any(it.is_app and it.login == COPY_PR_BOT for it in thumbs_up)


def named_in(comment: Comment) -> str | None:
    """Return the sha that a comment approves in full: 40 hex digits, alone on its first line."""
    found = _APPROVAL.match(comment.body)
    return found[1] if found else None


def possible_vetters(comments: Iterable[Comment], shas: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return (login, sha) of each comment by a person that names one of `shas`.

    Whether the login may vouch is still to be looked up; an App never may. The person whose account the bot
    uses may: the bot itself approves only what is vouched for already.
    """
    wanted = set(shas)
    people = (it for it in comments if not it.author.is_app)
    named = ((comment.author.login, named_in(comment)) for comment in people)
    return tuple(dict.fromkeys((login, sha) for login, sha in named if sha in wanted))


def unvouched(commits: Sequence[VouchedCommit]) -> tuple[Commit, ...]:
    """Return the commits that nobody vouches for, oldest first."""
    return tuple(it.commit for it in commits if it.voucher is None)
