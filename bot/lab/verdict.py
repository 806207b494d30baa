"""Whether a finished story kept the rules of the bump flow, read from the world and not from the bot."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from bot.lab.model import Issue, RefMove, Repository

_APPROVAL = re.compile(r"/ok to test ([0-9a-f]{7,40})")


def violations(repositories: Sequence[Repository], moves: Iterable[RefMove]) -> tuple[str, ...]:
    """Return a sentence for each broken rule."""
    found: list[str] = []
    for repository in repositories:
        found.extend(_doubled_pull_requests(repository))
        for issue in repository.issues.values():
            found.extend(_doubled_labels(repository, issue))
            found.extend(_doubled_approvals(repository, issue))
    found.extend(_strange_moves(moves))
    return tuple(found)


def _doubled_pull_requests(repository: Repository) -> Iterator[str]:
    heads = Counter(
        (issue.pull.head_repository.full_name, issue.pull.head_branch)
        for issue in repository.issues.values()
        if issue.pull and issue.state == "open"
    )
    for (owner, branch), number in heads.items():
        if number > 1:
            yield f"{repository.full_name}: {number} open pull requests from {owner}:{branch}"


def _doubled_labels(repository: Repository, issue: Issue) -> Iterator[str]:
    for name, number in Counter(label.name.lower() for label in issue.labels).items():
        if number > 1:
            yield f"{repository.full_name}#{issue.number}: label `{name}` is there {number} times"


def _doubled_approvals(repository: Repository, issue: Issue) -> Iterator[str]:
    approvals = Counter(
        (comment.author.login, sha) for comment in issue.comments for sha in _APPROVAL.findall(comment.body)
    )
    for (login, sha), number in approvals.items():
        if number > 1:
            yield f"{repository.full_name}#{issue.number}: {login} approved {sha} {number} times"


def _strange_moves(moves: Iterable[RefMove]) -> Iterator[str]:
    for move in moves:
        name = f"{move.repository.full_name}: branch {move.branch}"
        mirror = re.fullmatch(r"pull-request/([0-9]+)", move.branch)
        if mirror and move.new:
            issue = move.repository.issues.get(int(mirror[1]))
            if issue is None or issue.pull is None or move.new not in issue.pull.heads:
                yield f"{name} was moved to {move.new}, which never was a head of that pull request"
        elif move.new and not move.fast_forward:
            yield f"{name} lost commits when {move.by.login} moved it to {move.new}"
