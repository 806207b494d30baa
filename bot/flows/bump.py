"""A bump on a code host: observe, take the next step, until there is none; then say how it stands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from bot.core.approval import approved_by_bot
from bot.core.components import Component
from bot.core.errors import BotError, Refused
from bot.core.host import Comment, PullRequest
from bot.core.markdown import rows
from bot.core.plan import Plan
from bot.core.reconcile import Done, Observed, Refuse, conflicting_labels, next_step
from bot.flows.images import compare_images
from bot.flows.observe import Observer
from bot.flows.perform import Performer
from bot.flows.request import BumpRequest
from bot.ports import CodeHost, ImageRegistry, Ledger, Texts

APPROVAL_DEADLINE = timedelta(minutes=15)
"""After this long without a sign of copy-pr-bot the bot says so, and never asks twice."""

POLLS = 5
"""How often the bot looks for copy-pr-bot's answer right after it has asked, with a pause between."""

BODY_LIMIT = 60_000
"""Characters of a pull request's text; GitHub takes 65,536."""

STATUS_MARKER = "<!-- ngc-bump-bot:status -->"

Approval = Literal["none", "asked", "taken", "late"]


@dataclass(frozen=True, slots=True)
class BumpOutcome:
    """How the bump stands. Without a pull request there was nothing to do."""

    plan: Plan
    pull_request: PullRequest | None = None
    sha: str | None = None
    approval: Approval = "none"


class Bump:
    """Runs one request; `now` is the clock and `pause` waits between two looks at copy-pr-bot."""

    def __init__(
        self,
        host: CodeHost,
        ledger: Ledger,
        texts: Texts,
        registry: ImageRegistry | None,
        *,
        now: Callable[[], datetime],
        pause: Callable[[], None],
    ) -> None:
        self._host = host
        self._ledger = ledger
        self._texts = texts
        self._registry = registry
        self._now = now
        self._pause = pause

    def run(self, request: BumpRequest) -> BumpOutcome:
        """Bring the host to the goal, and return how it stands.

        Raises Refused when a person has to decide, ServiceError when the host fails; run again, it goes on
        where it stopped.
        """
        goal = request.goal
        found = Observer(request, self._host, self._ledger).observe(self._now())
        performer = Performer(
            goal,
            self._host,
            self._ledger,
            commit_message=lambda: self._commit_message(request, found),
            body=lambda: self._body(request, found),
        )
        seen = found
        while True:
            match step := next_step(goal, seen):
                case Done():
                    break
                case Refuse(reason, hint):
                    raise Refused(reason, hint=hint)
                case _:
                    seen = performer.perform(step, seen)
        return self._outcome(request, seen)

    def _commit_message(self, request: BumpRequest, seen: Observed) -> str:
        author = self._host.actor("commit")
        return self._texts.render(
            "commit.txt.j2",
            title=request.goal.title,
            track=request.track_name,
            before=str(seen.plan.before),
            after=str(seen.plan.after.plain()),
            digest=request.target.image.digest,
            name=author.login,
            email=f"{author.id}+{author.login}@users.noreply.github.com",
        )

    def _body(self, request: BumpRequest, seen: Observed) -> str:
        components, problems = self._compared(request, seen.plan.before.tag or "")
        block = self._texts.render(
            "pull_request.md.j2",
            track=request.track_name,
            base=request.base,
            tag=request.goal.tag,
            recipe=request.recipe.name,
            repository=request.recipe.repository,
            before=str(seen.plan.before),
            after=str(seen.plan.after.plain()),
            edits=seen.plan.edits,
            concerns=[*seen.plan.concerns, *problems],
            listed=seen.plan.listed,
            components=components,
            unverified=request.target.manifest is None,
            platforms=request.track.platforms,
        )
        return f"{block}\n{rows(seen.template, BODY_LIMIT - len(block))}" if seen.template else block

    def _compared(self, request: BumpRequest, old: str) -> tuple[Sequence[Component], Sequence[str]]:
        """Return what the new image brings, and why a part of that is not known."""
        if self._registry is None:
            return (), ()
        track = request.track
        try:
            found = compare_images(self._registry, track.image, old, request.goal.tag, track.scheme)
        except BotError as error:
            return (), [f"the two images could not be compared: {error.message}"]
        return [row for row in found.components if row.change != "same"], [*found.breaking, *found.warnings]

    def _outcome(self, request: BumpRequest, seen: Observed) -> BumpOutcome:
        if seen.pull_request is None or seen.branch is None:
            return BumpOutcome(seen.plan)
        pull, head = seen.pull_request, seen.branch.head.sha
        approval = self._answer(seen, pull, head) if request.goal.approval else "none"
        self._write_status(request, seen, pull, approval, head)
        return BumpOutcome(seen.plan, pull, head, approval)

    def _answer(self, seen: Observed, pull: PullRequest, head: str) -> Approval:
        """Look a few times whether copy-pr-bot has moved its branch to the head."""
        mirror = seen.mirror
        for _ in range(POLLS):
            if mirror == head:
                return "taken"
            self._pause()
            mirror = self._host.mirror_head(pull.number)
        asked = approved_by_bot(seen.comments, seen.bot.id, head)
        late = asked is not None and seen.now - asked.created_at > APPROVAL_DEADLINE
        return "taken" if mirror == head else "late" if late else "asked"

    def _write_status(
        self, request: BumpRequest, seen: Observed, pull: PullRequest, approval: Approval, head: str
    ) -> None:
        body = self._texts.render(
            "status.md.j2",
            tag=request.goal.tag,
            track=request.track_name,
            after=str(seen.plan.after.plain()),
            labels=request.goal.labels,
            conflicts=conflicting_labels(pull, request.track.conflicting_labels),
            approval=approval,
            sha=head,
            concerns=seen.plan.concerns,
        )
        old = _status_comment(seen)
        if old is None:
            self._host.write_comment(pull.number, body)
        elif old.body.strip() != body.strip():
            self._host.edit_comment(old.id, body)


def _status_comment(seen: Observed) -> Comment | None:
    # A marker in anybody else's comment means nothing.
    ours = (comment for comment in seen.comments if comment.author.id == seen.bot.id)
    return next((comment for comment in ours if comment.body.startswith(STATUS_MARKER)), None)
