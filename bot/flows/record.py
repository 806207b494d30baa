"""A commit of the bot on a branch of the bot: written, recorded, and only then pointed to."""

from bot.core.approval import VouchedCommit
from bot.core.host import Commit
from bot.ports import CodeHost, Ledger


def record_commit(
    host: CodeHost,
    ledger: Ledger,
    branch: str,
    *,
    tree: str,
    parent: str,
    message: str,
    merged: str | None = None,
    create: bool = False,
) -> VouchedCommit:
    """Commit `tree` on `parent` (and `merged`), point the branch there, and return the commit.

    With `create` the branch is a new one.
    """
    sha = host.write_commit(tree, parent, message, merged)
    # Before any branch points to it: what a branch shows later is the bot's only if it is recorded.
    ledger.created_commit(host.push_repository, sha, branch)
    if create:
        host.create_branch(branch, sha)
    else:
        host.advance_branch(branch, sha)
    parents = (parent, *([merged] if merged else []))
    return VouchedCommit(Commit(sha, tree, parents, author="", subject=message.partition("\n")[0]), "ledger")
