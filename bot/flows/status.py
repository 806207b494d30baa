"""The bot's one status comment on a pull request: found, and written only where it says something new."""

from collections.abc import Sequence

from bot.core.host import Actor, Comment, PullRequest
from bot.ports import CodeHost

STATUS_MARKER = "<!-- ngc-bump-bot:status -->"
READY_MARKER = "<!-- ngc-bump-bot:ready -->"


def status_comment(comments: Sequence[Comment], bot: Actor) -> Comment | None:
    """Return the status comment. A marker in anybody else's comment means nothing."""
    ours = (comment for comment in comments if comment.author.id == bot.id)
    return next((comment for comment in ours if comment.body.startswith(STATUS_MARKER)), None)


def was_ready(status: Comment | None) -> bool:
    """Whether the bot has asked for a review before: it asks once, whatever people do with the draft then."""
    return status is not None and status.body.rstrip().endswith(READY_MARKER)


def write_status(
    host: CodeHost, pull: PullRequest, old: Comment | None, body: str, *, is_ready: bool = False
) -> bool:
    """Let the status say `body`, and keep that a review was asked for; return whether it was written."""
    if is_ready or was_ready(old):
        body = f"{body.rstrip()}\n{READY_MARKER}\n"
    if old is None:
        host.write_comment(pull.number, body)
    elif old.body.strip() != body.strip():
        host.edit_comment(old.id, body)
    else:
        return False
    return True
