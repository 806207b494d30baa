"""The bot's open pull requests of a repository, by the names of their branches; one query for a hundred."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.errors import Refused, UsageError
from bot.core.host import Proposal
from bot.core.recipe import BumpRecipe
from bot.flows.request import bump_branch
from bot.ports import CodeHost


@dataclass(frozen=True, slots=True)
class OpenBump:
    """A pull request from a branch of the bot's: which track it moves, and to which tag."""

    proposal: Proposal
    track: str
    tag: str


def open_bumps(host: CodeHost, recipe: BumpRecipe, base: str) -> tuple[OpenBump, ...]:
    """Return the bot's open pull requests onto `base`, the newest first.

    A branch proves no more than that the bot would have named it so: what is on it is vouched for commit by
    commit before anything is written.
    """
    paths = tuple(dict.fromkeys(path for track in recipe.tracks.values() for path in track.pin_paths))
    places = {host.repository.lower(), host.push_repository.lower()}
    found = [
        it
        for it in host.proposals(base, paths)
        if it.head_repository and it.head_repository.lower() in places
    ]
    return tuple(bump for it in found for bump in _bump(recipe, base, it))


def _bump(recipe: BumpRecipe, base: str, proposal: Proposal) -> Sequence[OpenBump]:
    for name, track in recipe.tracks.items():
        prefix = bump_branch(base, name, "")
        tag = proposal.head_branch.removeprefix(prefix)
        if proposal.head_branch.startswith(prefix) and track.scheme.release(tag):
            return (OpenBump(proposal, name, tag),)
    return ()


def the_open_bump(found: Sequence[OpenBump], number: int | None, base: str) -> OpenBump:
    """Return the one that is meant: `number`, or the only one.

    Raises Refused when there is none, UsageError when there are several and none is named.
    """
    if number is not None:
        found = [it for it in found if it.proposal.number == number]
    if not found:
        which = "no pull request of the bot's" if number is None else f"#{number} is none of the bot's that"
        raise Refused(
            f"{which} is open onto `{base}`",
            hint="`bot bump TAG` opens one; with `--checkout DIR` the command works in a clone",
        )
    if len(found) > 1:
        named = ", ".join(f"#{it.proposal.number} ({it.track} to {it.tag})" for it in found)
        raise UsageError(f"several pull requests of the bot's are open: {named}", hint="say `--pr N`")
    return found[0]
