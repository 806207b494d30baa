"""Archives of images, with a program in enroot's place that writes what enroot 4 wrote."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bot.builders.enroot import EnrootArchives
from bot.core.enroot import Space
from bot.core.errors import Refused, ServiceError, UsageError
from bot.core.image import parse_image
from tests.slurm.cluster import until

IMAGE = parse_image("127.0.0.1:5055/nvidia/pytorch:26.06-py3")
URL = "http://127.0.0.1:5055/v2/nvidia/pytorch/manifests/26.06-py3"
LITTLE = Space(0, 0, 0)

# It notes each call, waits while $ENROOT_TEST_HOLD exists, and refuses a file that is there as enroot does.
ENROOT = f"""#!{sys.executable}
import os, sys, time
command, option, target, uri = sys.argv[1:]
with open(os.environ["ENROOT_TEST_CALLS"], "a") as calls:
    calls.write(" ".join((command, option, uri)) + os.linesep)
def say(line):
    print(line, file=sys.stderr, flush=True)
if os.path.exists(target):
    say("[ERROR] File already exists: " + target)
    sys.exit(1)
say("[INFO] Querying registry for permission grant")
open(target, "w").write("half")
while os.path.exists(os.environ["ENROOT_TEST_HOLD"]):
    time.sleep(0.02)
failure = os.environ.get("ENROOT_TEST_FAILURE")
if failure:
    say(failure)
    sys.exit(1)
say("[INFO] Found all layers in cache")
say("[INFO] Extracting image layers...")
open(target, "w").write("whole " + str("GITHUB_TOKEN" in os.environ))
"""


class Stage:
    """A folder with enroot on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.archives = folder, folder / "archives"
        (folder / "bin").mkdir()
        (folder / "bin" / "enroot").write_text(ENROOT)
        (folder / "bin" / "enroot").chmod(0o755)
        self.hold = folder / "hold"
        self.calls = folder / "calls"
        self.environ = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(folder),
            "GITHUB_TOKEN": "not-for-enroot",
            "ENROOT_TEST_CALLS": str(self.calls),
            "ENROOT_TEST_HOLD": str(self.hold),
        }

    def importer(self, space: Space = LITTLE, **environ: str) -> EnrootArchives:
        return EnrootArchives(self.archives, self.environ | environ, space, poll=0.02)

    @property
    def imports(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    @property
    def files(self) -> list[str]:
        return sorted(it.name for it in self.archives.iterdir() if it.suffix != ".lock")


@pytest.fixture
def stage(tmp_path):
    return Stage(tmp_path)


class Importing(threading.Thread):
    def __init__(self, importer: EnrootArchives) -> None:
        super().__init__()
        self.importer, self.lines, self.ended = importer, [], None
        self.start()

    def run(self) -> None:
        try:
            self.ended = self.importer.archive(IMAGE, self.lines.append)
        except ServiceError as error:
            self.ended = error

    def end(self):
        self.join(30)
        return self.ended


def test_an_image_becomes_an_archive_with_progress_and_without_tokens(stage):
    lines: list[str] = []

    archive = stage.importer().archive(IMAGE, lines.append)

    assert archive.read_text() == "whole False"
    assert archive.suffix == ".sqsh"
    assert stage.imports == ["import --output docker://127.0.0.1:5055#nvidia/pytorch:26.06-py3"]
    assert lines[-1] == "[INFO] Extracting image layers..."


def test_an_archive_that_is_there_is_not_imported_again(stage):
    first = stage.importer().archive(IMAGE, print)

    assert stage.importer().archive(IMAGE, print) == first
    assert len(stage.imports) == 1


def test_those_who_ask_at_the_same_time_share_one_import(stage):
    stage.hold.touch()
    first = Importing(stage.importer())
    until(lambda: stage.imports)
    others = [Importing(stage.importer()) for _ in range(3)]
    until(lambda: all(it.lines for it in others))
    stage.hold.unlink()

    assert len({it.end() for it in (first, *others)}) == 1
    assert len(stage.imports) == 1
    assert all("is being imported by another" in it.lines[0] for it in others)


def test_who_waits_imports_where_the_first_fails(stage):
    stage.hold.touch()
    first = Importing(stage.importer(ENROOT_TEST_FAILURE=f"[ERROR] URL {URL} returned error code: 500"))
    until(lambda: stage.imports)
    second = Importing(stage.importer())
    until(lambda: second.lines)
    stage.hold.unlink()

    assert isinstance(first.end(), ServiceError)
    assert second.end().read_text() == "whole False"


def test_what_a_killed_import_left_is_no_archive(stage):
    stage.hold.touch()
    program = (
        "import os; from pathlib import Path; from bot.builders.enroot import EnrootArchives, Space;"
        f"from bot.core.image import parse_image; image = parse_image({str(IMAGE)!r});"
        f"EnrootArchives(Path({str(stage.archives)!r}), os.environ, Space(0, 0, 0)).archive(image, print)"
    )
    root = Path(__file__).parents[2]
    bot = subprocess.Popen(
        [sys.executable, "-c", program], env=stage.environ, cwd=root, stdout=subprocess.DEVNULL
    )
    until(lambda: stage.imports)
    bot.kill()
    bot.wait()
    stage.hold.unlink()

    archive = stage.importer().archive(IMAGE, print)

    assert archive.read_text() == "whole False"
    assert stage.files == [archive.name]


def test_an_import_that_is_cancelled_ends_enroot_and_leaves_nothing(stage):
    stage.hold.touch()
    importing = Importing(stage.importer())
    until(lambda: stage.imports)
    importing.importer.cancel()

    assert "was cancelled" in importing.end().message
    assert stage.files == []


def test_a_wait_for_another_s_import_can_be_cancelled(stage):
    stage.hold.touch()
    first = Importing(stage.importer())
    until(lambda: stage.imports)
    second = Importing(stage.importer())
    until(lambda: second.lines)
    second.importer.cancel()

    assert "the wait for" in second.end().message
    stage.hold.unlink()
    assert first.end().read_text() == "whole False"


@pytest.mark.parametrize(
    ("said", "error", "cause"),
    [
        (f"[ERROR] URL {URL} returned error code: 404 Not Found", Refused, "image-unknown"),
        (f"[ERROR] URL {URL} returned error code: 401 Unauthorized", ServiceError, "image-unauthorised"),
        (f"[ERROR] URL {URL} returned error code: 429 ", ServiceError, "registry-rate-limit"),
        ("Write failed because No space left on device", ServiceError, "No space left"),
        ("something new", ServiceError, "something new"),
    ],
)
def test_an_import_that_fails_is_explained_and_leaves_nothing(stage, said, error, cause):
    with pytest.raises(error, match=cause):
        stage.importer(ENROOT_TEST_FAILURE=said).archive(IMAGE, print)
    assert stage.files == []


def test_a_file_system_that_is_too_small_is_said_before_anything_is_asked(stage):
    with pytest.raises(Refused, match="GB are needed"):
        stage.importer(Space(archive=10**6)).archive(IMAGE, print)
    assert stage.imports == []


def test_missing_credentials_are_said_and_stop_nothing(stage):
    (problem,) = stage.importer().preflight(parse_image("nvcr.io/nvidia/pytorch:26.06-py3"))
    assert (problem.what, problem.fatal) == ("credentials", False)

    config = stage.folder / ".config" / "enroot"
    config.mkdir(parents=True)
    lines = (f"machine {host} login $oauthtoken password $KEY\n" for host in ("nvcr.io", "authn.nvidia.com"))
    (config / ".credentials").write_text("".join(lines))
    assert stage.importer().preflight(parse_image("nvcr.io/nvidia/pytorch:26.06-py3")) == ()


def test_a_machine_without_enroot_is_told_of(stage):
    with pytest.raises(Refused, match="`enroot` was not found"):
        stage.importer(PATH="/nonexistent").archive(IMAGE, print)


def test_a_folder_that_cannot_be_written_is_told_of(stage):
    stage.archives.touch()

    with pytest.raises(UsageError, match="cannot be written"):
        stage.importer().archive(IMAGE, print)
