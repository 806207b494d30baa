"""Open pull requests in the way of a bump: other people's for this release, the bot's own for another."""

from collections.abc import Iterator, Sequence

from bot.core.approval import unvouched
from bot.core.blob import blob_id
from bot.core.host import Commit, Proposal, PullRequest
from bot.core.plan import Files, read_track
from bot.core.reconcile import Sibling
from bot.flows.request import BumpRequest
from bot.flows.vouch import Vouching
from bot.ports import CodeHost

COMPETITORS_READ = 20
"""How many pull requests of others, whose pins are at the tag, are asked what they change."""


class Rivals:
    """Judges the open pull requests onto the base; `files` are those of its head."""

    def __init__(self, request: BumpRequest, host: CodeHost, vouching: Vouching, files: Files) -> None:
        self._request = request
        self._goal = request.goal
        self._track = request.track
        self._host = host
        self._vouching = vouching
        self._files = files
        self._proposals = host.proposals(self._goal.base, self._track.pin_paths)

    def siblings(self) -> tuple[Sibling, ...]:
        """Return the bot's open pull requests that move the track of this base to another release."""
        return tuple(self._siblings())

    def _siblings(self) -> Iterator[Sibling]:
        scheme = self._track.scheme
        wanted = scheme.release(self._goal.tag)
        for branch in dict.fromkeys(it.head_branch for it in self._proposals if self._is_ours(it)):
            tag = branch.removeprefix(self._request.branch_of(""))
            release = scheme.release(tag)
            if release and wanted and release != wanted:
                for pull in self._host.pull_requests(branch):
                    if (pull.state, pull.base) == ("open", self._goal.base):
                        newer = release > wanted
                        yield Sibling(pull, tag, newer=newer, others=() if newer else self._others(pull, tag))

    def _is_ours(self, proposal: Proposal) -> bool:
        """Whether a pull request comes from a branch that the bot would give to this base and track."""
        places = {self._host.repository.lower(), self._host.push_repository.lower()}
        in_place = (proposal.head_repository or "").lower() in places
        return in_place and proposal.head_branch.startswith(self._request.branch_of(""))

    def _others(self, pull: PullRequest, tag: str) -> Sequence[Commit]:
        """Return the commits that the bot has not made; also those for which somebody vouches."""
        found = self._host.commits(self._goal.base, pull.head_sha)
        image = self._request.target.image.at(tag)
        return unvouched(self._vouching.of(found, pull.head_branch, image)) or (
            () if found.complete else found.commits
        )

    def competitors(self) -> tuple[Proposal, ...]:
        """Return open pull requests of others that move a pin of the base to this release."""
        paths, tag = self._track.pin_paths, self._goal.tag
        there = {path: raw if raw is None else blob_id(raw) for path, raw in self._pins().items()}
        others = [
            it for it in self._proposals if it.head_branch != self._goal.branch or not self._is_ours(it)
        ]
        unlike = [it for it in others if it.files != there]
        # Most are merely behind the base, and name the few ids that it had before.
        ids = dict.fromkeys(oid for it in unlike for oid in it.files.values() if oid)
        contents = self._host.contents(tuple(ids)) if ids else {}
        pins = self._pins_at(self._files, tag)
        moving = [
            it
            for it in unlike
            if self._pins_at({path: contents.get(oid or "") for path, oid in it.files.items()}, tag) > pins
        ][:COMPETITORS_READ]
        # Who branched off while the base was at the release, before it was moved back, changes nothing.
        changing = self._host.touching([it.number for it in moving], paths) if moving else frozenset()
        return tuple(it for it in moving if it.number in changing)

    def _pins(self) -> Files:
        return {path: self._files.get(path) for path in self._track.pin_paths}

    def _pins_at(self, files: Files, tag: str) -> int:
        """Return how many pins are at a tag: one lane of the base may be there already."""
        state = read_track(self._goal.track, self._track, files)
        return sum(1 for pin in state.pins if pin.image and pin.image.tag == tag)
