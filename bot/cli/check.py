"""`bot check`: the sync gate on the command line."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot import wiring
from bot.cli.result import Result
from bot.cli.selection import Selection, select
from bot.core.errors import UsageError
from bot.core.markdown import one_line
from bot.core.plan import SiteState, TrackState
from bot.flows.check import (
    NOT_SEARCHED,
    SourceState,
    check_source,
    compared_with,
    references_left,
    with_notices,
)
from bot.flows.host_source import branch_source, pull_request_source
from bot.settings import Settings


def run(
    *,
    track: str | None,
    checkout: str | None,
    pr: int | None,
    expect: str | None,
    gitlab: bool,
    recipe: str | None,
    repo: str | None,
    base: str | None,
    config: str | None,
) -> Result:
    """Check one track or all of them, each for itself."""
    if checkout and pr is not None:
        raise UsageError("`--checkout` and `--pr` name two sources", hint="choose one of them")
    settings = wiring.settings(config)
    selection = select(recipe=recipe, repo=repo, base=base, checkout=checkout, default=settings.recipe)
    tracks = [selection.track(track)] if track else list(selection.recipe.tracks)
    expected = {selection.track(track): _checked_tag(selection, track, expect)} if expect else {}
    states = [_primary(selection, settings, pr, tracks, expected)]
    if gitlab:
        states += _mirrors(selection, settings, tracks, states[0])
    in_sync = all(state.in_sync for source in states for state in source.tracks)
    document = {
        "in_sync": in_sync,
        "tracks": [_track(source, it) for source in states for it in source.tracks],
    }
    return Result(document, _text(states, in_sync=in_sync), 0 if in_sync else 1)


def _checked_tag(selection: Selection, track: str | None, tag: str) -> str:
    scheme = selection.recipe.track(selection.track(track)).scheme
    if scheme.release(tag) is None:
        raise UsageError(
            f"`{tag[:80]}` is not a tag of the form `{scheme.pattern}`", hint="see `bot check --help`"
        )
    return tag


def _primary(
    selection: Selection,
    settings: Settings,
    pr: int | None,
    tracks: Sequence[str],
    expect: Mapping[str, str],
) -> SourceState:
    if selection.clone is not None:
        state = check_source(selection.recipe, selection.clone, tracks, expect)
        return with_notices(state, references_left(selection.recipe, selection.clone))
    host = wiring.code_host(settings, selection.recipe.repository)
    source = branch_source(host, selection.base) if pr is None else pull_request_source(host, pr)
    return with_notices(check_source(selection.recipe, source, tracks, expect), [NOT_SEARCHED])


def _mirrors(
    selection: Selection, settings: Settings, tracks: Sequence[str], primary: SourceState
) -> list[SourceState]:
    project = selection.recipe.gitlab
    if project is None:
        raise UsageError(
            f"recipe `{selection.recipe.name}` names no GitLab project",
            hint="add a `gitlab` section to the recipe",
        )
    mirrors = []
    for branch in project.branches:
        source = wiring.gitlab_branch(settings, project.project, branch)
        state = check_source(selection.recipe, source, tracks, {})
        reference = _reference(selection, settings, primary, branch, tracks)
        mirrors.append(compared_with(reference, state) if reference else state)
    return mirrors


def _reference(
    selection: Selection, settings: Settings, primary: SourceState, branch: str, tracks: Sequence[str]
) -> SourceState | None:
    """Return what a branch of the mirror has to agree with; a clone shows one branch alone."""
    if branch == selection.base:
        return primary
    if selection.clone is not None:
        return None
    host = wiring.code_host(settings, selection.recipe.repository)
    return check_source(selection.recipe, branch_source(host, branch), tracks, {})


def _track(source: SourceState, state: TrackState) -> Mapping[str, Any]:
    return {
        "track": state.track,
        "source": source.source,
        "image": str(state.image) if state.image else None,
        "in_sync": state.in_sync,
        "sites": [_site(site) for site in state.sites],
        "notices": list(state.notices),
    }


def _site(site: SiteState) -> Mapping[str, Any]:
    return {
        "path": site.path,
        "line": site.line,
        "value": site.value,
        "policy": site.policy,
        "platform": site.platform,
        "problem": site.problem,
        "hint": site.hint,
        "hold": site.hold[1] if site.hold else None,
        "note": site.note,
    }


def _text(states: Sequence[SourceState], *, in_sync: bool) -> str:
    blocks = [_block(source, state) for source in states for state in source.tracks]
    return "\n\n".join([*blocks, "in sync" if in_sync else "NOT in sync"])


def _block(source: SourceState, state: TrackState) -> str:
    at = f"in sync at {state.image}" if state.in_sync else "NOT in sync"
    width = max((len(site.where) for site in state.sites), default=0)
    rows = [f"{state.track} ({source.source}): {at}"]
    rows += [_row(site, width) for site in state.sites if site.policy == "edit"]
    others = [_row(site, width) for site in state.sites if site.policy != "edit"]
    rows += ["listed, not moved:", *others] if others else []
    rows += ["notices:", *(f"  {notice}" for notice in state.notices)] if state.notices else []
    return "\n".join(rows)


def _row(site: SiteState, width: int) -> str:
    mark = "FAIL" if site.problem else "ok  " if site.policy == "edit" else "    "
    held = f"held: {site.hold[1]}" if site.hold else None
    # A checkout is outside text: no control sequence of it reaches the terminal.
    parts = (site.value, site.platform, site.note, site.problem, held)
    value = "  ".join(one_line(part, 300) for part in parts if part)
    hint = f"\n       -> {site.hint}" if site.problem and site.hint else ""
    return f"  {mark} {site.where:<{width}}  {value}{hint}"
