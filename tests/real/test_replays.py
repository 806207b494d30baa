"""Merged bumps of Megatron-LM, done again at their parents by whole processes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

DEV, BUILD = "docker/.ngc_version.dev", ".gitlab/stages/01.build.yml"
BOT = str(Path(sys.executable).with_name("bot"))


def run(*words: str) -> tuple[int, dict]:
    done = subprocess.run([BOT, *words, "--json"], capture_output=True, check=False)
    return done.returncode, json.loads(done.stdout)


def check(tree: Path, *more: str) -> int:
    return run("check", "--track", "dev", "--checkout", str(tree), "--recipe", "megatron-lm", *more)[0]


def bump(tree: Path, tag: str) -> dict:
    words = ("bump", tag, "--no-verify", "--checkout", str(tree), "--recipe", "megatron-lm")
    status, document = run(*words)
    assert status == 0, document
    return document


def changed_in(tree: Path) -> set[str]:
    shown = subprocess.run(["git", "-C", str(tree), "diff", "--name-only"], capture_output=True, check=True)
    return set(shown.stdout.decode().split())


class Merged(NamedTuple):
    """A bump that upstream merged: the commit before it, and where each file is as it was merged."""

    parent: str
    tag: str
    dev: str
    build: str
    changed: set[str]


BOTH = {DEV, BUILD}


@pytest.mark.parametrize(
    "merged",
    [
        pytest.param(Merged("6bd5c12eac", "26.02-py3", "f5b2ec0130", "f5b2ec0130", BOTH), id="#3474"),
        pytest.param(
            Merged("8de8238844", "26.04-py3", "5fe3f06658", "7cdf652c16", BOTH), id="#4611 and #4688"
        ),
        pytest.param(Merged("58f3e67d33", "26.04-py3", "1fe78252e9", "1fe78252e9", {DEV}), id="#5051 on dev"),
        pytest.param(Merged("2d7060f44f", "26.06-py3", "64bee49c96", "64bee49c96", BOTH), id="#5632"),
    ],
)
def test_a_merged_bump_done_again_yields_upstreams_files(megatron, tmp_path, merged):
    tree = megatron.work_tree(merged.parent, tmp_path / "tree")
    assert check(tree, "--expect", merged.tag) == 1

    bump(tree, merged.tag)

    assert changed_in(tree) == merged.changed
    assert check(tree, "--expect", merged.tag) == 0
    assert (tree / BUILD).read_bytes() == megatron.files(merged.build, [BUILD])[BUILD]
    wanted = megatron.files(merged.dev, [DEV])[DEV]
    # #4611 added a final newline to the version file; a bump leaves such things as they are.
    assert (tree / DEV).read_bytes() == (wanted.removesuffix(b"\n") if merged.dev == "5fe3f06658" else wanted)


def test_the_gate_is_red_where_the_lanes_had_drifted_apart(megatron, tmp_path):
    assert check(megatron.work_tree("58f3e67d33", tmp_path / "tree")) == 1


def test_the_gate_is_red_when_any_one_site_alone_is_moved(megatron, tmp_path):
    tree = megatron.work_tree("2d7060f44f", tmp_path / "tree")
    assert check(tree) == 0
    sites = run("check", "--track", "dev", "--checkout", str(tree))[1]["tracks"][0]["sites"]
    pins = [(site["path"], site["line"]) for site in sites if site["policy"] == "edit"]

    for path, line in pins:
        before = (tree / path).read_text()
        lines = before.split("\n")
        lines[line - 1] = lines[line - 1].replace("26.04-py3", "26.06-py3")
        (tree / path).write_text("\n".join(lines))
        assert (tree / path).read_text() != before
        assert check(tree) == 1, (path, line)
        (tree / path).write_text(before)

    assert len(pins) == 3
