"""Diffs: what a person reads, and what `git apply` makes of it."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.edits import FileEdit, unified_diff

PLAIN = FileEdit("docker/pin", "a\nb\nc\n", "a\nB\nc\n", (2,))


def apply(folder, edits):
    """Return what each file holds after `git apply` of the diff of `edits`."""
    for edit in edits:
        path = folder / edit.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(edit.before.encode())
    diff = unified_diff(edits).encode()
    subprocess.run(["git", "apply", "-"], cwd=folder, input=diff, check=True, capture_output=True)
    return [(folder / edit.path).read_bytes() for edit in edits]


def test_a_diff_names_the_file_and_shows_the_lines():
    assert unified_diff([PLAIN]) == ("--- a/docker/pin\n+++ b/docker/pin\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n")


def test_a_missing_final_line_feed_is_said_on_both_sides():
    assert unified_diff([FileEdit("pin", "a", "b", (1,))]) == (
        "--- a/pin\n+++ b/pin\n@@ -1 +1 @@\n"
        "-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"
    )


def test_nothing_changed_is_no_diff():
    assert unified_diff([]) == ""
    assert unified_diff([FileEdit("pin", "a\n", "a\n", ())]) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a\nb\nc\n", "a\nB\nc\n", id="a line"),
        pytest.param("a\nb", "a\nB", id="no final line feed"),
        pytest.param("a\nb", "a\nb\n", id="a final line feed comes"),
        pytest.param("a\nb\n", "a\nb", id="a final line feed goes"),
        pytest.param("a\r\nb\r\n", "a\r\nB\r\n", id="CRLF"),
        pytest.param("a\r\nb\n", "a\nb\n", id="mixed line ends"),
        pytest.param("\ufeffa\nb\n", "\ufeffA\nb\n", id="byte order mark"),
        pytest.param("a\u2028x\nb\n", "a\u2028X\nb\n", id="a line separator inside a line"),
        pytest.param(
            "a\x0c\x1c\x85x\nb\n", "a\x0c\x1c\x85X\nb\n", id="form feed and next line inside a line"
        ),
        pytest.param("a\rx\nb\n", "a\rX\nb\n", id="a carriage return inside a line"),
        pytest.param("a\n", "", id="an empty result"),
        pytest.param("", "a\n", id="an empty file that is filled"),
        pytest.param("-- a\n++ b\n", "-- A\n++ b\n", id="lines that look like a diff"),
        pytest.param(
            "".join(f"{number}\n" for number in range(50)),
            "".join(f"{'x' if number in (3, 40) else number}\n" for number in range(50)),
            id="two places far apart",
        ),
    ],
)
def test_git_applies_the_diff(tmp_path, before, after):
    assert apply(tmp_path, [FileEdit("file", before, after, ())]) == [after.encode()]


@pytest.mark.parametrize("path", ["docker/a b", "docker/ümlaut", 'docker/a"b'])
def test_git_finds_a_file_with_an_odd_name(tmp_path, path):
    assert apply(tmp_path, [FileEdit(path, "a\n", "b\n", (1,))]) == [b"b\n"]


def test_git_applies_several_files_at_once(tmp_path):
    edits = [PLAIN, FileEdit("b.yml", "x: 1", "x: 2", (1,))]

    assert apply(tmp_path, edits) == [b"a\nB\nc\n", b"x: 2"]


TEXTS = st.lists(st.sampled_from(["a", "b", "\n", "\r", "\u2028", "\x85", "- ", "@@"]), max_size=12).map(
    "".join
)


@settings(max_examples=25)
@given(before=TEXTS, after=TEXTS)
def test_git_applies_whatever_differs(tmp_path_factory, before, after):
    if before != after:
        folder = tmp_path_factory.mktemp("tree")

        assert apply(folder, [FileEdit("file", before, after, ())]) == [after.encode()]
