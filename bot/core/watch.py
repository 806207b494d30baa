"""Event → the key to poke, or None: one look into a table says that an event changes no bump."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from bot.core.events import (
    BranchPushed,
    CheckRequested,
    CommentCreated,
    Event,
    IssueChanged,
    PipelineFinished,
    PullRequestChanged,
    RunCompleted,
    TagSeen,
)
from bot.core.work import Key, branch, conversation, releases

# copy-pr-bot copies a vetted head there: https://docs.gha-runners.nvidia.com/platform/apps/copy-pr-bot
_MIRROR = re.compile(r"pull-request/([1-9][0-9]{0,9})")

BUMP_BRANCHES = "bot/base-image/"
"""What the names of the bot's branches begin with."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A repository that the bot looks after, its base branches, and its mirror on GitLab if it has one."""

    repository: str
    branches: frozenset[str]
    gitlab_project: str | None = None


class Watch:
    """Everything that the bot looks after; host names of repositories are compared without case."""

    def __init__(self, watched: Iterable[Watched]) -> None:
        everything = tuple(watched)
        self._repositories = {it.repository.lower(): it for it in everything}
        self._projects = {it.gitlab_project.lower(): it for it in everything if it.gitlab_project}

    def key(self, event: Event) -> Key | None:
        """Return what an event makes the bot look at again, None where it cannot change a bump.

        Names of branches are claims: whoever works on the key looks up whether the bump is there.
        """
        if isinstance(event, PipelineFinished):
            watched = self._projects.get(event.project.lower())
        else:
            watched = self._repositories.get(event.repository.lower())
        return None if watched is None else _key(event, watched)


def _key(event: Event, watched: Watched) -> Key | None:
    repository = watched.repository
    match event:
        case BranchPushed():
            return branch(repository, event.branch) if event.branch in watched.branches else None
        case TagSeen():
            return releases(repository, event.track)
        case _:
            number = _number(event)
            return None if number is None else conversation(repository, number)


_OfConversation = (
    CommentCreated | PullRequestChanged | IssueChanged | CheckRequested | RunCompleted | PipelineFinished
)


def _number(event: _OfConversation) -> int | None:
    """Return the number of the issue or pull request that an event is about."""
    match event:
        case CommentCreated():
            # On a pull request each comment counts: a vetter's `/ok to test`, an answer of copy-pr-bot.
            concerns = event.on_pull_request or (not event.author.is_app and "/bot" in event.body)
            return event.number if concerns else None
        case PullRequestChanged():
            return event.number if event.head_branch.startswith(BUMP_BRANCHES) else None
        case IssueChanged():
            return event.number
        case CheckRequested():
            return _only(event.pull_requests)
        case RunCompleted():
            return _of_branch(event.branch, event.pull_requests)
        case PipelineFinished():
            return _of_branch(event.branch, ())
        case _:
            assert_never(event)


def _of_branch(name: str, pull_requests: tuple[int, ...]) -> int | None:
    mirrored = _MIRROR.fullmatch(name)
    if mirrored:
        return int(mirrored[1])
    return _only(pull_requests) if name.startswith(BUMP_BRANCHES) else None


def _only(pull_requests: tuple[int, ...]) -> int | None:
    return pull_requests[0] if len(pull_requests) == 1 else None
