import os
import stat
from pathlib import Path

import pytest

from bot.checkout.write import write_files
from bot.core.errors import Refused
from tests.adapters.clones import put, snapshot

START = {"one": b"1\n", "docker/two": b"2\r\n", "docker/three": b"\xff3"}
CHANGES = {"one": b"one\r\n", "docker/two": b"\xef\xbb\xbftwo", "docker/three": b""}


@pytest.fixture
def top(tmp_path) -> Path:
    top = (tmp_path / "top").resolve()
    put(top, START)
    return top


def modes_and_contents(top: Path) -> dict[str, tuple[int, bytes]]:
    return {path: (mode, content) for path, (mode, _, content) in snapshot(top).items()}


def contents(top: Path) -> dict[str, bytes]:
    return {str(file.relative_to(top)): file.read_bytes() for file in top.rglob("*") if file.is_file()}


def test_every_file_gets_its_bytes_and_nothing_else_is_left(top):
    write_files(top, CHANGES)

    assert contents(top) == CHANGES


def test_a_new_file_is_made_in_a_folder_that_is_there(top):
    umask = os.umask(0o027)
    try:
        write_files(top, {"docker/new": b"x"})
    finally:
        os.umask(umask)

    assert contents(top) == START | {"docker/new": b"x"}
    assert stat.S_IMODE((top / "docker/new").stat().st_mode) == 0o640


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o664])
def test_the_mode_of_a_file_stays(top, mode):
    (top / "one").chmod(mode)

    write_files(top, {"one": b"x"})

    assert stat.S_IMODE((top / "one").stat().st_mode) == mode


def test_a_file_that_is_as_it_should_be_is_not_touched(top):
    before = snapshot(top)

    write_files(top, START)

    assert snapshot(top) == before


def read_only_file(top: Path) -> None:
    (top / "docker/three").chmod(0o444)


def read_only_folder(top: Path) -> None:
    (top / "docker").chmod(0o555)


def linked_file(top: Path) -> None:
    (top / "docker/three").unlink()
    (top / "docker/three").symlink_to("../one")


def link_to_nowhere(top: Path) -> None:
    (top / "docker/three").unlink()
    (top / "docker/three").symlink_to("nowhere")


def linked_folder(top: Path) -> None:
    (top / "docker").rename(top / "real")
    (top / "docker").symlink_to("real")


def missing_folder(top: Path) -> None:
    (top / "docker").rename(top / "real")


def folder_that_is_a_file(top: Path) -> None:
    (top / "docker").rename(top / "real")
    (top / "docker").write_bytes(b"")


def file_that_is_a_folder(top: Path) -> None:
    (top / "docker/three").unlink()
    (top / "docker/three").mkdir()


def pipe(top: Path) -> None:
    (top / "docker/three").unlink()
    os.mkfifo(top / "docker/three")


def other_repository(top: Path) -> None:
    (top / "docker/.git").write_text("gitdir: ../.git/modules/docker\n")


@pytest.mark.parametrize(
    ("obstacle", "problem"),
    [
        pytest.param(read_only_file, "is read-only", id="read-only file"),
        pytest.param(read_only_folder, "lies in a folder that is read-only", id="read-only folder"),
        pytest.param(linked_file, "is a link", id="link to another file"),
        pytest.param(link_to_nowhere, "is a link", id="link to nowhere"),
        pytest.param(linked_folder, "lies behind a link", id="link to a folder"),
        pytest.param(missing_folder, "lies in a folder that does not exist", id="missing folder"),
        pytest.param(
            folder_that_is_a_file, "lies in a folder that does not exist", id="file in place of a folder"
        ),
        pytest.param(file_that_is_a_folder, "is not a file", id="folder in place of a file"),
        pytest.param(pipe, "is not a file", id="pipe in place of a file"),
        pytest.param(other_repository, "lies in a submodule or another repository", id="submodule"),
    ],
)
def test_an_obstacle_to_one_file_is_found_before_any_is_written(top, obstacle, problem):
    obstacle(top)
    before = snapshot(top)
    files = {"one": b"x", "docker/three": b"y"}

    with pytest.raises(Refused) as failure:
        write_files(top, files)

    assert (failure.value.path, failure.value.message) == ("docker/three", problem)
    assert snapshot(top) == before


@pytest.mark.parametrize(
    "path", ["../outside", "docker/../../outside", "/tmp/outside", ".git/config", "", "docker/"]
)
def test_a_path_outside_of_the_checkout_is_refused_before_any_file_is_written(top, path):
    before = snapshot(top.parent)

    with pytest.raises(Refused):
        write_files(top, {"one": b"x", path: b"y"})

    assert snapshot(top.parent) == before


class Interrupted(BaseException):
    """What Ctrl-C raises, for one."""


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), Interrupted()])
@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_failure_in_the_middle_puts_everything_back(top, failing, error):
    (top / "one").chmod(0o755)
    before = modes_and_contents(top)
    steps = []

    def replace(source: Path, target: Path) -> None:
        steps.append(target)
        if len(steps) == failing:
            raise error
        source.replace(target)

    with pytest.raises((Refused, Interrupted)) as failure:
        write_files(top, {"one": b"x", "docker/new": b"y", "docker/three": b"z"}, replace)

    assert modes_and_contents(top) == before
    if isinstance(failure.value, Refused):
        assert failure.value.path == str(steps[-1].relative_to(top))
        assert failure.value.message == "cannot be written: No space left on device"


@pytest.mark.parametrize("last", [1, 2, 3])
def test_an_interrupt_right_behind_a_step_puts_that_file_back_too(top, last):
    before = modes_and_contents(top)
    steps = []

    def replace(source: Path, target: Path) -> None:
        source.replace(target)
        steps.append(target)
        if len(steps) == last:
            raise Interrupted

    with pytest.raises(Interrupted):
        write_files(top, {"one": b"x", "docker/new": b"y", "docker/three": b"z"}, replace)

    assert modes_and_contents(top) == before


def test_nobody_ever_sees_half_of_a_file(top):
    seen = []

    def replace(source: Path, target: Path) -> None:
        seen.append((target.read_bytes(), source.read_bytes(), source.parent))
        source.replace(target)

    write_files(top, {"one": b"x" * 100_000}, replace)

    assert seen == [(b"1\n", b"x" * 100_000, top)]


def test_a_file_that_cannot_be_put_back_is_named(top):
    def replace(source: Path, target: Path) -> None:
        if target.name == "three":
            (top / "one").unlink()
            (top / "one").mkdir()
            raise OSError(5, "Input/output error")
        source.replace(target)

    with pytest.raises(Refused) as failure:
        write_files(top, {"one": b"x", "docker/three": b"y"}, replace)

    assert failure.value.path == "one"
    assert failure.value.message.startswith("was changed and cannot be put back")
    assert isinstance(failure.value.__context__, OSError)


LEFT = "docker/.bump-0123456789abcdef.tmp"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="killed before the first byte"),
        pytest.param(CHANGES["docker/two"][:2], id="killed in the middle"),
        pytest.param(CHANGES["docker/two"], id="killed before the last step"),
        pytest.param(START["docker/two"], id="killed while it was put back"),
    ],
)
def test_what_a_killed_run_left_is_removed_by_the_next_one(top, content):
    put(top, {LEFT: content})

    write_files(top, CHANGES)

    assert contents(top) == CHANGES


@pytest.mark.parametrize(
    ("path", "content"),
    [
        pytest.param(LEFT, b"notes of somebody", id="other bytes"),
        pytest.param("docker/.bump-0123.tmp", b"", id="a shorter name"),
        pytest.param("docker/.bump-0123456789abcdef.tmp.bak", b"", id="a longer name"),
        pytest.param("docker/below/.bump-0123456789abcdef.tmp", b"", id="another folder"),
    ],
)
def test_what_may_be_somebody_elses_stays(top, path, content):
    put(top, {path: content})

    write_files(top, CHANGES)

    assert contents(top) == {**CHANGES, path: content}


def test_a_link_of_such_a_name_stays(top):
    (top / LEFT).symlink_to(top / "one")

    write_files(top, {"docker/two": b"new"})

    assert (top / LEFT).is_symlink()
