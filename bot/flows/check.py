"""The sync gate: what the pins of each track say, wherever the files are read from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.census import search_pattern, unaccounted
from bot.core.plan import TrackState, read_track
from bot.core.recipe import BumpRecipe
from bot.ports import Clone, Sources

NOT_SEARCHED = "only the files that the recipe names were read; the rest of the tree was not searched"


@dataclass(frozen=True, slots=True)
class SourceState:
    """The tracks as one source shows them."""

    source: str
    tracks: tuple[TrackState, ...]


def check_source(
    recipe: BumpRecipe, source: Sources, tracks: Sequence[str], expect: Mapping[str, str]
) -> SourceState:
    """Return the state of `tracks` in `source`; `expect` maps a track to the tag that it has to be at."""
    paths = dict.fromkeys(path for name in tracks for path in recipe.track(name).paths)
    files = source.read(list(paths))
    states = [read_track(name, recipe.track(name), files) for name in tracks]
    states = [state.expecting(expect[state.track]) if state.track in expect else state for state in states]
    return SourceState(source.label, tuple(states))


def references_left(recipe: BumpRecipe, clone: Clone) -> tuple[str, ...]:
    """Return each reference to the recipe's images in the whole tree that is no site of any track."""
    images = [track.image for track in recipe.tracks.values()]
    files = clone.read(list(dict.fromkeys(path for track in recipe.tracks.values() for path in track.paths)))
    states = [read_track(name, track, files) for name, track in recipe.tracks.items()]
    lines = [(match.path, match.line, match.text) for match in clone.search(search_pattern(images))]
    return tuple(f"{reference} is not in the recipe" for reference in unaccounted(lines, images, states))


def with_notices(state: SourceState, notices: Sequence[str]) -> SourceState:
    """Return the state with notices that belong to the tree, put to its first track."""
    first, *rest = state.tracks
    return replace(state, tracks=(replace(first, notices=(*first.notices, *notices)), *rest))


def compared_with(reference: SourceState, mirror: SourceState) -> SourceState:
    """Return the mirror's state with a problem at each pin that differs from the reference's image."""
    expected = {state.track: state.image.tag for state in reference.tracks if state.image and state.image.tag}
    judged = [
        state.expecting(expected[state.track]) if state.track in expected else state
        for state in mirror.tracks
    ]
    return replace(mirror, tracks=tuple(judged))
