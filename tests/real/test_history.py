"""Every shape that Megatron-LM's pins have had, through the functions that a bump uses."""

from collections import Counter

import pytest

from bot import wiring
from bot.core.errors import Refused
from bot.core.image import parse_image
from bot.core.pins.errors import PinError
from bot.core.pins.rewrite import inspect, rewrite
from bot.core.pins.site import PinSite
from bot.core.plan import plan_bump, read_track

BUILD = ".gitlab/stages/01.build.yml"
TARGET = parse_image("nvcr.io/nvidia/pytorch:27.01-py3")

recipe = wiring.load_recipe("megatron-lm")
dev, lts = recipe.track("dev"), recipe.track("lts")


def rows_of(track) -> PinSite:
    return next(site for site in track.sites if site.path == BUILD)


# The commit that the counts below were taken at; a newer clone has more of everything.
SNAPSHOT = "d98e8a64ddf34856e74b24714e3bedb2f5a39553"


def is_snapshot(megatron) -> bool:
    return megatron.heads()["main"] == SNAPSHOT


def historical_builds(megatron) -> list[str]:
    """Return each distinct version of the file on main, dev and the release branches up to 0.19."""
    wanted = {"main", "dev", *(f"core_r0.{number}.0" for number in range(16, 20))}
    branches = [sha for name, sha in megatron.heads().items() if name in wanted]
    log = megatron.git("log", "--format=", "--raw", "--no-abbrev", *branches, "--", BUILD).decode()
    blobs = {line.split()[3] for line in log.splitlines() if line.startswith(":")} - {"0" * 40}
    return [megatron.git("cat-file", "blob", blob).decode() for blob in sorted(blobs)]


def outcome(text: str, site: PinSite) -> str:
    try:
        done = rewrite(text, site, dev.image, dev.scheme, TARGET)
    except PinError as error:
        return f"refused: {error.message}"
    before, after = text.split("\n"), done.text.split("\n")
    changed = [number for number, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]
    assert tuple(changed) == done.lines
    assert all("BASE_IMAGE: nvcr.io/nvidia/pytorch:27.01-py3" in after[number - 1] for number in changed)
    return f"{len(changed)} rows"


def test_the_recipe_bumps_the_builds_with_two_dev_rows_and_refuses_those_with_one(megatron):
    builds = historical_builds(megatron)

    outcomes = Counter(outcome(text, rows_of(dev)).split(":")[0] for text in builds)

    assert outcomes.keys() == {"2 rows", "refused"}
    assert outcomes["refused"] == 22
    assert outcomes["2 rows"] == 8 or not is_snapshot(megatron)


def test_with_the_older_job_and_one_row_the_others_are_bumped_too(megatron):
    where = dict(rows_of(dev).where) | {"rows": ["test:build_image", "parallel", "matrix"]}
    del where["platform"]
    older = PinSite(path=BUILD, format="yaml-rows", where=where)

    outcomes = Counter(outcome(text, older).split(":")[0] for text in historical_builds(megatron))

    assert outcomes.keys() == {"1 rows", "refused"}
    assert outcomes["1 rows"] == 22


def test_the_lts_rows_are_found_in_all_their_shapes(megatron):
    found = Counter()
    for text in historical_builds(megatron):
        reading = inspect(text, rows_of(lts), lts.image, lts.scheme)
        assert not reading.all_problems
        found[len(reading.pins)] += 1

    assert found.keys() == {1, 2}
    assert found[1] == 22


def test_every_branch_with_a_pin_file_and_two_dev_rows_is_bumped_and_the_others_refused(megatron):
    reasons, bumped = Counter(), 0
    for name, sha in megatron.heads().items():
        files = megatron.files(sha, list(dev.paths))
        try:
            plan = plan_bump("dev", dev, files, TARGET)
        except Refused as error:
            reasons[error.message.split("\n")[0]] += 1
            continue
        bumped += 1
        changed = {edit.path: len(edit.lines) for edit in plan.edits}
        assert changed == {"docker/.ngc_version.dev": 1, BUILD: 2}, name

    assert all(reasons)
    assert (bumped, reasons.total()) == (387, 40) or not is_snapshot(megatron), reasons


@pytest.mark.parametrize("track", ["dev", "lts"])
def test_the_head_of_main_is_in_sync(megatron, track):
    chosen = recipe.track(track)

    state = read_track(track, chosen, megatron.files("HEAD", list(chosen.paths)))

    assert state.in_sync, [site for site in state.sites if site.problem]
