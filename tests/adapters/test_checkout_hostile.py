"""Clones that want to run something, and clones of other shapes."""

import os
import stat
from pathlib import Path

import pytest

from bot.checkout.clone import Checkout
from bot.core.errors import Refused, ServiceError, UsageError
from tests.adapters.clones import git, make_clone, put, snapshot
from tests.adapters.test_checkout import FILES, PIN, clone, open_at

__all__ = ["clone"]


def everything(checkout: Checkout, path: str) -> None:
    """Call all that reads."""
    checkout.remotes()
    checkout.read([path])
    checkout.read_head([path])
    checkout.dirty([path])
    checkout.search("x")


class TestHostileClones:
    @pytest.fixture
    def program(self, tmp_path) -> Path:
        """A program that leaves the file `pwned` beside it when it runs."""
        program = tmp_path / "program"
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\ncat\n")
        program.chmod(0o755)
        return program

    @pytest.mark.parametrize(
        "key",
        [
            "core.fsmonitor",
            "core.pager",
            "pager.grep",
            "core.sshCommand",
            "diff.external",
            "diff.evil.textconv",
            "diff.evil.command",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.evil.process",
            "filter.x.y.clean",
        ],
    )
    def test_no_program_that_the_clone_names_is_run(self, clone, program, tmp_path, key):
        git(clone, "config", key, str(program))
        git(clone, "config", "filter.evil.required", "true")
        put(
            clone, {".gitattributes": b"* diff=evil filter=evil\nempty filter=x.y\n", "empty": b"changed x\n"}
        )

        everything(open_at(clone), "empty")

        assert not (tmp_path / "pwned").exists()

    def test_no_program_that_a_submodule_names_is_run(self, clone, program, tmp_path):
        make_clone(tmp_path / "library", {"Dockerfile": PIN})
        git(clone, "submodule", "--quiet", "add", str(tmp_path / "library"), "sub")
        git(clone / "sub", "config", "core.fsmonitor", str(program))
        git(clone / "sub", "config", "filter.deep.clean", str(program))
        put(clone / "sub", {".gitattributes": b"* filter=deep\n", "Dockerfile": PIN.upper()})

        everything(open_at(clone), "sub")

        assert not (tmp_path / "pwned").exists()

    def test_no_hook_is_run(self, clone, program, tmp_path):
        for hook in ("post-index-change", "fsmonitor-watchman", "pre-auto-gc"):
            (clone / ".git" / "hooks").mkdir(exist_ok=True)
            (clone / ".git" / "hooks" / hook).symlink_to(program)
        os.utime(clone / "empty", (1, 1))

        everything(open_at(clone), "empty")

        assert not (tmp_path / "pwned").exists()

    def test_a_filter_that_could_not_be_turned_off_is_refused(self, clone, program):
        git(clone, "config", "filter.a=b.clean", str(program))

        with pytest.raises(UsageError, match="has a filter with `=` in its name"):
            open_at(clone)

    @pytest.mark.parametrize("elsewhere", ["../elsewhere", ".."])
    def test_a_work_tree_elsewhere_is_refused(self, clone, tmp_path, elsewhere):
        (tmp_path / "elsewhere").mkdir()
        git(clone, "config", "core.worktree", str((clone / elsewhere).resolve()))

        with pytest.raises(UsageError, match="as its work tree"):
            open_at(clone)

    def test_nothing_is_ever_written_into_the_git_folder(self, clone):
        put(clone, {"docker/.ngc_version.dev": b"changed\n", "new": b"x"})
        os.utime(clone / "empty", (1, 1))
        before = snapshot(clone / ".git")

        checkout = open_at(clone)
        everything(checkout, "empty")
        checkout.write({"empty": b"full"})
        everything(checkout, "empty")

        assert snapshot(clone / ".git") == before

    def test_a_clone_that_lacks_a_blob_fetches_nothing(self, clone, tmp_path):
        git(clone, "config", "uploadpack.allowFilter", "true")
        partial = tmp_path / "partial"
        git(
            tmp_path,
            "clone",
            "--quiet",
            "--no-checkout",
            "--filter=blob:none",
            f"file://{clone}",
            str(partial),
        )
        before = snapshot(partial / ".git")

        with pytest.raises(ServiceError):
            open_at(partial).read_head(["docker/.ngc_version.dev"])

        assert snapshot(partial / ".git") == before


class TestOtherShapes:
    def test_a_worktree_is_a_checkout_of_its_own(self, clone, tmp_path):
        git(clone, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
        put(tmp_path / "tree", {"empty": b"full"})

        checkout = open_at(tmp_path / "tree")

        assert (tmp_path / "tree" / ".git").is_file()
        assert checkout.dirty(list(FILES)) == ("empty",)
        checkout.write({"empty": b""})
        assert checkout.dirty(list(FILES)) == ()

    def test_a_submodule_is_another_repository(self, clone, tmp_path):
        make_clone(tmp_path / "library", {"Dockerfile": PIN})
        git(clone, "submodule", "--quiet", "add", str(tmp_path / "library"), "sub")
        git(clone, "commit", "--quiet", "--message=submodule")
        git(clone, "config", "submodule.recurse", "true")
        checkout = open_at(clone)

        assert checkout.read(["sub/Dockerfile"]) == {"sub/Dockerfile": PIN}
        assert checkout.read_head(["sub/Dockerfile", "sub", "empty"]) == {
            "sub/Dockerfile": None,
            "sub": None,
            "empty": b"",
        }
        assert [match.path for match in checkout.search("nvcr.io") if match.path.startswith("sub/")] == []
        for call in (
            lambda: checkout.dirty(["sub/Dockerfile"]),
            lambda: checkout.write({"sub/Dockerfile": b"x"}),
        ):
            with pytest.raises(Refused, match="sub/Dockerfile: lies in a submodule or another repository"):
                call()
        assert open_at(clone / "sub").top == clone.resolve() / "sub"

    def test_the_mode_of_a_file_that_is_written_shows_no_change_to_git(self, clone):
        (clone / "run.sh").write_bytes(b"#!/bin/sh\n")
        (clone / "run.sh").chmod(0o755)
        git(clone, "add", "run.sh")
        git(clone, "commit", "--quiet", "--message=script")
        checkout = open_at(clone)

        checkout.write({"run.sh": b"#!/bin/bash\n"})
        checkout.write({"run.sh": b"#!/bin/sh\n"})

        assert checkout.dirty(["run.sh"]) == ()
        assert stat.S_IMODE((clone / "run.sh").stat().st_mode) == 0o755
