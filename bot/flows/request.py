"""A bump as it was asked for, and what it wants to see on the host."""

from dataclasses import dataclass

from bot.core.recipe import BumpRecipe, Track
from bot.core.reconcile import Goal
from bot.flows.target import Target


def bump_branch(base: str, track: str, tag: str) -> str:
    """Return the bot's branch for a base and track at a tag."""
    return f"bot/base-image/{base}/{track}-{tag}"


@dataclass(frozen=True, slots=True)
class BumpRequest:
    """Move a track of a recipe, on branch `base`, to `target`."""

    recipe: BumpRecipe
    track_name: str
    base: str
    target: Target
    anyway: bool = False

    @property
    def track(self) -> Track:
        """The track to move."""
        return self.recipe.track(self.track_name)

    def branch_of(self, tag: str) -> str:
        """Return the bot's branch for this base and track at a tag."""
        return bump_branch(self.base, self.track_name, tag)

    @property
    def goal(self) -> Goal:
        """The state of the host that the request asks for."""
        tag = self.target.image.tag or ""
        return Goal(
            repository=self.recipe.repository,
            base=self.base,
            track=self.track_name,
            tag=tag,
            branch=self.branch_of(tag),
            title=self.track.title.format(tag=tag),
            labels=self.track.labels,
            approval=self.recipe.pull_requests.approval == "copy-pr-bot",
            anyway=self.anyway,
        )
