"""The bot's one status comment on a pull request: found, and written only where it says something new."""

from collections.abc import Sequence

from bot.core.host import Actor, Comment, PullRequest
from bot.flows.messages import STATUS_MARKER
from bot.ports import CodeHost


def status_comment(comments: Sequence[Comment], bot: Actor) -> Comment | None:
    """Return the status comment. A marker in anybody else's comment means nothing."""
    ours = (comment for comment in comments if comment.author.id == bot.id)
    return next((comment for comment in ours if comment.body.startswith(STATUS_MARKER)), None)


def write_status(host: CodeHost, pull: PullRequest, old: Comment | None, body: str) -> bool:
    """Let the status say `body`; return whether anything was written."""
    if old is None:
        host.write_comment(pull.number, body)
    elif old.body.strip() != body.strip():
        host.edit_comment(old.id, body)
    else:
        return False
    return True
