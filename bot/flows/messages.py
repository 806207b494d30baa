"""What a bump says on the host: commit, pull request, status comment; the two images are compared once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from bot.core.components import Component
from bot.core.errors import BotError
from bot.core.goldens.summary import without_summary
from bot.core.host import Actor
from bot.core.markdown import rows
from bot.core.merge import MergePlan
from bot.core.plan import Plan
from bot.flows.images import compare_images
from bot.flows.request import BumpRequest
from bot.flows.rounds import RoundReport
from bot.ports import ImageRegistry, Texts

BODY_LIMIT = 60_000
"""Characters of a pull request's text; GitHub takes 65,536."""

SUPERSEDED_MARKER = "<!-- ngc-bump-bot:superseded -->"
BEGIN, END = "<!-- ngc-bump-bot:begin -->", "<!-- ngc-bump-bot:end -->"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the new image brings, what of it can break something, and what is doubtful about that."""

    components: Sequence[Component] = ()
    breaking: Sequence[str] = ()
    doubts: Sequence[str] = ()
    was_made: bool = True


class Messages:
    """The messages of one bump that moves what `plan` says."""

    def __init__(
        self, texts: Texts, registry: ImageRegistry | None, request: BumpRequest, plan: Plan
    ) -> None:
        self._texts = texts
        self._registry = registry
        self._request = request
        self._plan = plan

    @cached_property
    def _comparison(self) -> Comparison:
        if self._registry is None:
            return Comparison(was_made=False)
        track, old = self._request.track, self._plan.before.tag or ""
        try:
            found = compare_images(self._registry, track.image, old, self._request.goal.tag, track.scheme)
        except BotError as error:
            doubts = [f"the two images could not be compared: {error.message}"]
            return Comparison(doubts=doubts, was_made=False)
        changed = [row for row in found.components if row.change != "same"]
        return Comparison(changed, found.breaking, found.warnings)

    @property
    def _concerns(self) -> list[str]:
        return [*self._plan.concerns, *self._comparison.breaking]

    def commit(self, author: Actor) -> str:
        """Return the message of the commit, signed off by its author."""
        return self._texts.render(
            "commit.txt.j2",
            title=self._request.goal.title,
            track=self._request.track_name,
            before=str(self._plan.before),
            after=str(self._plan.after.plain()),
            digest=self._request.target.image.digest,
            name=author.login,
            email=f"{author.id}+{author.login}@users.noreply.github.com",
        )

    def merge(self, author: Actor, plan: MergePlan) -> str:
        """Return the message of a merge of the base, signed off by its author."""
        return self._texts.render(
            "merge.txt.j2",
            base=self._request.base,
            branch=self._request.goal.branch,
            derived=list(plan.texts),
            from_base=plan.from_base,
            name=author.login,
            email=f"{author.id}+{author.login}@users.noreply.github.com",
        )

    def body(self, template: str) -> str:
        """Return the text of a new pull request: the bot's block, and the repository's template as it is."""
        block = self._block()
        return f"{block}\n{rows(template, BODY_LIMIT - len(block))}" if template else block

    def refreshed(self, body: str, goldens: Callable[[int], str]) -> str:
        """Return the text of a pull request with the bot's block made anew, and all else left alone.

        Where the images could not be compared this time, the block that is there says more, and stays.
        `goldens` returns the section about goldens for so many characters.
        """
        text = body.replace("\r\n", "\n")
        before, begin, rest = text.partition(BEGIN)
        rest, end, after = rest.partition(END)
        if not begin or not end:
            return body
        block = self._block().strip() if self._comparison.was_made else f"{BEGIN}{without_summary(rest)}{END}"
        head = block.removesuffix(END).rstrip("\n")
        section = goldens(BODY_LIMIT - len(before) - len(block) - len(after) - len("\n\n\n"))
        shown = f"\n{section}\n" if section else ""
        return f"{before}{head}\n{shown}{END}{after}"

    def _block(self) -> str:
        request, plan = self._request, self._plan
        return self._texts.render(
            "pull_request.md.j2",
            track=request.track_name,
            base=request.base,
            recipe=request.recipe.name,
            command=self._command(),
            before=str(plan.before),
            after=str(plan.after.plain()),
            edits=plan.edits,
            concerns=self._concerns,
            doubts=self._comparison.doubts,
            listed=plan.listed,
            components=self._comparison.components,
            unverified=request.target.manifest is None,
            platforms=request.track.platforms,
        )

    def superseded(self, number: int) -> str:
        """Return the last comment on the pull request of an older release; `number` is the newer one."""
        goal = self._request.goal
        return self._texts.render("superseded.md.j2", number=number, track=goal.track, tag=goal.tag)

    def _command(self) -> str:
        request = self._request
        words = [f"bot bump {request.goal.tag} --recipe {request.recipe.name}"]
        words += [f"--track {request.track_name}"] if request.track_name != "dev" else []
        words += [f"--base {request.base}"] if request.base != request.recipe.base else []
        return " ".join(words)

    def landed(self) -> str:
        """Return the sticky comment of a pull request whose base has the release already."""
        goal = self._request.goal
        return self._texts.render("landed.md.j2", tag=goal.tag, track=goal.track, base=goal.base)

    def status(
        self,
        *,
        sha: str,
        conflicts: Sequence[str] = (),
        approval: str = "none",
        opened_by: str | None = None,
        stopped: str | None = None,
        report: RoundReport | None = None,
    ) -> str:
        """Return the sticky comment; `stopped` is why the bot does not go on from the head `sha`.

        `opened_by` is the login of a person who opened the pull request in the bot's place, `report` says
        how it stands with CI.
        """
        return self._texts.render(
            "status.md.j2",
            tag=self._request.goal.tag,
            track=self._request.track_name,
            after=str(self._plan.after.plain()),
            labels=self._request.goal.labels,
            conflicts=conflicts,
            approval=approval,
            sha=sha,
            opened_by=opened_by,
            stopped=stopped,
            report=report,
            components=self._comparison.components,
            concerns=self._concerns,
        )
