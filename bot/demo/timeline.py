"""What happens in the world, told as it happens: each look finds what is new since the look before."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.flows.status import STATUS_MARKER
from bot.lab.model import Issue, Repository
from bot.lab.runs import WorkflowRun
from bot.lab.world import World

_APPROVAL = re.compile(r"/ok to test ([0-9a-f]{40})")
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened: `at` is in seconds since the story began."""

    at: float
    actor: str
    kind: str
    text: str


class Timeline:
    """Tells `say` of each event of one repository, the first one first; `events` is all of them."""

    def __init__(self, world: World, full_name: str, say: Callable[[Event], None]) -> None:
        self.events: list[Event] = []
        self._world = world
        self._repository = world.repository(full_name)
        self._say = say
        self._began = time.monotonic()
        self._known: set[tuple[object, ...]] = set()

    def happened(self, actor: str, kind: str, text: str) -> None:
        """Tell what no look would find."""
        event = Event(round(time.monotonic() - self._began, 2), actor, kind, text)
        self.events.append(event)
        self._say(event)

    def look(self) -> None:
        """Tell what is new."""
        with self._world.lock:
            found = [*self._found()]
        for key, actor, kind, text in found:
            if key not in self._known:
                self._known.add(key)
                self.happened(actor, kind, text)

    def _found(self) -> Iterator[tuple[tuple[object, ...], str, str, str]]:
        repository = self._repository
        for issue in repository.issues.values():
            yield from _conversation(repository, issue)
        for run in self._world.runs:
            if run.repository is repository:
                yield from _run(run)
        for status in repository.statuses:
            key = ("gate", status.sha, status.state, status.context)
            yield key, status.creator.login, "gate", f"{status.context}: {status.state} on {status.sha[:7]}"


def _conversation(repository: Repository, issue: Issue) -> Iterator[tuple[tuple[object, ...], str, str, str]]:
    pull, author = issue.pull, issue.author.login
    kind = "pull-request" if pull else "issue"
    yield (kind, issue.number), author, kind, f"#{issue.number} opened: {issue.title}"
    if pull is not None:
        for sha in pull.heads:
            commit = repository.git.commit(sha)
            subject = commit.message.partition("\n")[0]
            yield ("commit", sha), commit.author.name, "commit", f"{sha[:7]} {subject}"
    for label in issue.labels:
        yield ("label", issue.number, label.name), author, "label", f"#{issue.number} labelled `{label.name}`"
    for comment in issue.comments:
        yield from _comment(comment.id, comment.author.login, comment.body)
        for reaction in comment.reactions:
            key = ("reaction", comment.id, reaction.user.login, reaction.content)
            yield key, reaction.user.login, "reaction", f":{reaction.content}: to {_line(comment.body)}"
    if pull is not None and not pull.draft:
        yield ("ready", issue.number), author, "ready", f"#{issue.number} is ready for review"


def _comment(number: int, author: str, body: str) -> Iterator[tuple[tuple[object, ...], str, str, str]]:
    if _APPROVAL.fullmatch(body):
        yield ("comment", number), author, "approval", body
    elif body.startswith(STATUS_MARKER):
        yield ("status", number), author, "status", "status comment written"
        if "A person has to decide" in body:
            yield ("asked", number), author, "asked", "a person has to decide: see the status comment"
    elif body.startswith("<!-- ngc-bump-bot:"):
        yield ("comment", number, body), author, "answer", _line(body.partition("-->")[2])
    else:
        yield ("comment", number), author, "comment", _line(body)


def _run(run: WorkflowRun) -> Iterator[tuple[tuple[object, ...], str, str, str]]:
    what = f"run {run.id} of {run.sha[:7]} on {run.branch}"
    yield ("run", run.id, run.attempt), "CI", "run", f"{what} began"
    if run.status == "completed":
        failed = [it for it in run.jobs_at(run.attempt) if it.conclusion in {"failure", "cancelled"}]
        many = f", {len(failed)} jobs not green" if failed else f", {len(run.jobs)} jobs"
        yield ("ended", run.id, run.attempt), "CI", "run-ended", f"{what}: {run.conclusion}{many}"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
