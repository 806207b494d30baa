import os
from pathlib import Path

import pytest

from bot.checkout.clone import Checkout
from bot.checkout.remotes import repository_of
from bot.core.errors import Refused, ServiceError, UsageError
from bot.ports import Match
from tests.adapters.clones import ENVIRON, git, make_clone, put

PIN = b"nvcr.io/nvidia/pytorch:26.04-py3\n"
FILES = {
    "docker/.ngc_version.dev": PIN,
    "docker/Dockerfile.ci.dev": b"\xef\xbb\xbfARG X\r\nFROM nvcr.io/nvidia/pytorch:26.04-py3\r\n",
    "notes/latin-1 ü.txt": b"caf\xe9 nvcr.io/nvidia/pytorch:25.09-py3",
    "empty": b"",
    "image.png": b"\0nvcr.io/nvidia/pytorch:26.04-py3\n",
}


def open_at(path: Path, **environ: str) -> Checkout:
    return Checkout.open(path, ENVIRON | environ)


@pytest.fixture
def clone(tmp_path) -> Path:
    return make_clone(tmp_path / "clone", FILES)


class TestOpening:
    def test_the_folder_of_a_clone_or_one_below_opens_the_same_clone(self, clone):
        assert open_at(clone).top == open_at(clone / "docker").top == clone.resolve()
        assert open_at(clone).label == "checkout"

    def test_a_link_to_a_clone_opens_the_clone(self, clone, tmp_path):
        (tmp_path / "link").symlink_to(clone)

        assert open_at(tmp_path / "link" / "docker").top == clone.resolve()

    @pytest.mark.parametrize(
        ("path", "problem"),
        [
            ("nowhere", "is not a folder"),
            ("clone/empty", "is not a folder"),
            ("plain", "is not in a git repository"),
            ("bare", "is a bare repository, without files to edit"),
            ("clone/.git", "is inside `.git`, without files to edit"),
        ],
    )
    def test_what_is_no_work_tree_is_refused(self, clone, tmp_path, path, problem):
        (tmp_path / "plain").mkdir()
        git(tmp_path, "init", "--quiet", "--bare", "bare")

        with pytest.raises(UsageError) as failure:
            open_at(tmp_path / path)

        assert failure.value.message == f"`{tmp_path / path}` {problem}"
        assert failure.value.hint == "name the folder of a clone"

    def test_the_clone_of_another_user_is_refused_with_the_way_out(self, clone):
        with pytest.raises(UsageError, match="belongs to another user") as failure:
            open_at(clone, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")

        assert failure.value.hint == f"if you trust it: git config --global --add safe.directory {clone}"

    def test_a_machine_without_git_is_told_so(self, clone, tmp_path):
        with pytest.raises(UsageError, match="git was not found"):
            open_at(clone, PATH=str(tmp_path))

    def test_a_broken_clone_is_told_as_git_tells_it(self, clone):
        (clone / ".git" / "config").write_text("[core")

        with pytest.raises(ServiceError, match=r"git failed in .*bad config line"):
            open_at(clone)

    def test_the_variables_of_another_repository_do_not_lead_astray(self, clone, tmp_path):
        other = make_clone(tmp_path / "other", {"other": b"other"})

        checkout = open_at(clone, GIT_DIR=str(other / ".git"), GIT_WORK_TREE=str(other), GIT_INDEX_FILE="/x")

        assert checkout.top == clone.resolve()
        assert checkout.read_head(["other", "empty"]) == {"other": None, "empty": b""}
        assert checkout.dirty(["empty"]) == ()


class TestRemotes:
    @pytest.mark.parametrize(
        ("url", "name"),
        [
            ("https://github.com/NVIDIA/Megatron-LM.git", "NVIDIA/Megatron-LM"),
            ("https://github.com/NVIDIA/Megatron-LM", "NVIDIA/Megatron-LM"),
            ("https://github.com/NVIDIA/Megatron-LM/", "NVIDIA/Megatron-LM"),
            ("https://me:token@github.com/NVIDIA/Megatron-LM.git", "NVIDIA/Megatron-LM"),
            ("ssh://git@github.com/NVIDIA/Megatron-LM.git", "NVIDIA/Megatron-LM"),
            ("ssh://git@ssh.github.com:443/NVIDIA/Megatron-LM", "NVIDIA/Megatron-LM"),
            ("git@github.com:NVIDIA/Megatron-LM.git", "NVIDIA/Megatron-LM"),
            ("github.com:NVIDIA/Megatron-LM", "NVIDIA/Megatron-LM"),
            ("git@github.com:/NVIDIA/Megatron-LM.git", "NVIDIA/Megatron-LM"),
            ("git@gitlab.example.com:group/sub/name.git", "group/sub/name"),
            ("git://git.example.com/owner/name.js.git", "owner/name.js"),
            ("/srv/git/owner/name.git", None),
            ("../owner/name", None),
            ("file:///srv/git/owner/name.git", None),
            ("https://github.com/NVIDIA", None),
            ("https://github.com/", None),
            ("ext::sh -c owner/name", None),
            ("", None),
        ],
    )
    def test_the_name_of_the_repository_that_a_url_leads_to(self, url, name):
        assert repository_of(url) == name

    def test_each_remote_counts_once_and_a_clone_without_has_none(self, clone):
        assert open_at(clone).remotes() == ()

        for remote, url in [("origin", "git@github.com:me/fork.git"), ("a.b", "https://github.com/me/fork")]:
            git(clone, "remote", "add", remote, url)
        git(clone, "remote", "add", "upstream", "https://github.com/NVIDIA/Megatron-LM.git")

        assert open_at(clone).remotes() == ("me/fork", "NVIDIA/Megatron-LM")


class TestReading:
    def test_every_byte_comes_as_it_is_from_the_work_tree_and_from_head(self, clone):
        checkout = open_at(clone / "docker")

        assert checkout.read(list(FILES)) == FILES
        assert checkout.read_head(list(FILES)) == FILES

    def test_a_change_shows_in_the_work_tree_alone(self, clone):
        put(clone, {"empty": b"now\r\nfull"})

        assert open_at(clone).read(["empty"]) == {"empty": b"now\r\nfull"}
        assert open_at(clone).read_head(["empty"]) == {"empty": b""}

    @pytest.mark.parametrize(
        "path", ["nowhere", "docker/nowhere", "empty/below", "docker", "name missing", "a 5"]
    )
    def test_what_is_no_file_is_none(self, clone, path):
        checkout = open_at(clone)

        assert checkout.read([path, "empty"]) == {path: None, "empty": b""}
        assert checkout.read_head([path, "empty"]) == {path: None, "empty": b""}

    def test_nothing_is_at_the_head_of_a_clone_without_commits(self, tmp_path):
        git(tmp_path, "init", "--quiet")
        put(tmp_path, {"file": b"x"})

        assert open_at(tmp_path).read_head(["file"]) == {"file": None}
        assert open_at(tmp_path).dirty(["file"]) == ("file",)

    def test_no_file_is_asked_for_and_none_comes(self, clone):
        checkout = open_at(clone)

        assert (checkout.read([]), checkout.read_head([]), checkout.dirty([])) == ({}, {}, ())

    @pytest.mark.parametrize(
        "path",
        [
            "../secret",
            "docker/../../secret",
            "/etc/passwd",
            "",
            ".",
            ".git/config",
            "docker/.GIT/x",
            "a\nb",
            "a\0b",
        ],
    )
    def test_a_path_that_leads_out_or_into_git_is_refused(self, clone, path):
        checkout = open_at(clone)

        for read in (checkout.read, checkout.read_head, checkout.dirty):
            with pytest.raises(Refused) as failure:
                read([path])
            assert failure.value.path

    @pytest.mark.parametrize("target", ["../secret", "/etc/hostname", ".git/config", "loop"])
    def test_a_link_that_leads_out_or_into_git_or_nowhere_is_no_file(self, clone, tmp_path, target):
        (tmp_path / "secret").write_text("s3cret")
        (clone / "loop").symlink_to("loop")
        (clone / "Dockerfile").symlink_to(target)

        assert open_at(clone).read(["Dockerfile"]) == {"Dockerfile": None}

    def test_a_link_inside_the_clone_is_followed_and_a_broken_one_is_no_file(self, clone):
        (clone / "inside").symlink_to("docker/.ngc_version.dev")
        (clone / "broken").symlink_to("nowhere")

        assert open_at(clone).read(["inside", "broken"]) == {"inside": PIN, "broken": None}

    def test_a_pipe_is_no_file_and_does_not_block(self, clone):
        os.mkfifo(clone / "pipe")

        assert open_at(clone).read(["pipe"]) == {"pipe": None}


class TestDirty:
    def test_a_fresh_clone_is_clean_though_its_files_were_touched(self, clone):
        os.utime(clone / "empty", (1, 1))

        assert open_at(clone).dirty([*FILES, "nowhere"]) == ()

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda clone: put(clone, {"empty": b"full"}), id="changed"),
            pytest.param(lambda clone: (clone / "empty").unlink(), id="deleted"),
            pytest.param(lambda clone: (clone / "empty").chmod(0o755), id="made executable"),
            pytest.param(
                lambda clone: (put(clone, {"empty": b"x"}), git(clone, "add", "empty")), id="staged"
            ),
            pytest.param(
                lambda clone: (
                    put(clone, {"empty": b"x"}),
                    git(clone, "add", "empty"),
                    put(clone, {"empty": b""}),
                ),
                id="staged and changed back",
            ),
            pytest.param(
                lambda clone: git(clone, "rm", "--quiet", "--cached", "empty"), id="no longer tracked"
            ),
        ],
    )
    def test_a_file_that_differs_from_head_is_told_and_no_other(self, clone, change):
        change(clone)

        assert open_at(clone / "docker").dirty(["docker/.ngc_version.dev", "empty"]) == ("empty",)

    @pytest.mark.parametrize("path", ["new", "new folder/ü/new", "build/new", "a*", ":(odd)"])
    def test_a_file_that_head_has_not_differs(self, clone, path):
        put(clone, {path: b"x", ".git/info/exclude": b"build/\n"})

        assert open_at(clone).dirty([path, "ab"]) == (path,)

    def test_a_file_that_was_moved_differs_at_both_names(self, clone):
        git(clone, "mv", "image.png", "moved.png")

        assert open_at(clone).dirty(["image.png", "moved.png", "empty"]) == ("image.png", "moved.png")

    def test_line_endings_that_git_converts_are_no_difference(self, tmp_path):
        clone = make_clone(tmp_path / "clone", {"file": b"one\ntwo\n"})
        git(clone, "config", "core.autocrlf", "true")
        (clone / "file").unlink()
        git(clone, "checkout", "--", "file")

        checkout = open_at(clone)

        assert checkout.read(["file"]) == {"file": b"one\r\ntwo\r\n"}
        assert checkout.read_head(["file"]) == {"file": b"one\ntwo\n"}
        assert checkout.dirty(["file"]) == ()
        checkout.write({"file": b"one\r\nthree\r\n"})
        assert checkout.read(["file"]) == {"file": b"one\r\nthree\r\n"}
        assert checkout.dirty(["file"]) == ("file",)


class TestSearch:
    PATTERN = r"nvcr\.io[/#]nvidia/pytorch:[0-9.]+-py3"

    def test_every_line_is_found_with_its_place_from_the_top(self, clone):
        put(clone, {"untracked": PIN, "docker/.ngc_version.dev": b"\nchanged " + PIN})

        assert open_at(clone / "docker").search(self.PATTERN) == (
            Match("docker/.ngc_version.dev", 2, "changed nvcr.io/nvidia/pytorch:26.04-py3"),
            Match("docker/Dockerfile.ci.dev", 2, "FROM nvcr.io/nvidia/pytorch:26.04-py3"),
            Match("notes/latin-1 ü.txt", 1, "caf\N{REPLACEMENT CHARACTER} nvcr.io/nvidia/pytorch:25.09-py3"),
            Match("untracked", 1, "nvcr.io/nvidia/pytorch:26.04-py3"),
        )

    def test_nothing_found_is_no_failure(self, clone):
        assert open_at(clone).search("nvcr.io/nvidia/nowhere") == ()

    def test_a_pattern_may_begin_like_an_option(self, clone):
        put(clone, {"empty": b"use --open-files-in-pager here\n"})

        assert open_at(clone).search("--open-files-in-pager") == (
            Match("empty", 1, "use --open-files-in-pager here"),
        )

    def test_names_and_lines_with_line_breaks_and_colons_are_told_apart(self, tmp_path):
        clone = make_clone(tmp_path / "clone", {"a:1:b\nc d": b"x:2:pin\npin:\n\npin"})

        assert open_at(clone).search("pin") == (
            Match("a:1:b\nc d", 1, "x:2:pin"),
            Match("a:1:b\nc d", 2, "pin:"),
            Match("a:1:b\nc d", 4, "pin"),
        )

    def test_a_very_long_line_is_cut(self, tmp_path):
        clone = make_clone(tmp_path / "clone", {"min.js": b"pin" + b"\xc3\xbc" * 1_000_000})

        assert open_at(clone).search("pin") == (Match("min.js", 1, "pin" + "ü" * 19_997),)

    def test_the_configuration_of_a_person_changes_nothing(self, clone):
        before = open_at(clone).search(self.PATTERN)
        for key, value in {
            "color.grep": "always",
            "grep.column": "true",
            "grep.lineNumber": "false",
            "grep.patternType": "fixed",
            "core.quotePath": "true",
        }.items():
            git(clone, "config", key, value)

        assert open_at(clone).search(self.PATTERN) == before

    def test_a_pattern_that_is_none_is_told(self, clone):
        with pytest.raises(ServiceError, match=r"git failed in .*'\['"):
            open_at(clone).search("[")


class TestHistory:
    def test_the_files_below_a_folder_are_listed_untracked_ones_too(self, clone):
        put(
            clone,
            {"docker/new": b"", ".gitignore": b"ignored\n", "docker/ignored": b"", "docker/deep/x": b""},
        )

        assert open_at(clone).list_files("docker") == (
            "docker/.ngc_version.dev",
            "docker/Dockerfile.ci.dev",
            "docker/deep/x",
            "docker/new",
        )
        assert open_at(clone).list_files("absent") == ()

    def test_the_versions_of_a_file_come_newest_first(self, clone):
        for content in (b"second", b"\xff third"):
            put(clone, {"empty": content, "other": content})
            git(clone, "add", "--all")
            git(clone, "commit", "--quiet", "--message=more")

        assert list(open_at(clone).earlier("empty")) == [b"\xff third", b"second", b""]
        assert list(open_at(clone).earlier("absent")) == []

    def test_a_commit_that_took_a_file_away_brought_no_version(self, clone):
        git(clone, "rm", "--quiet", "empty")
        git(clone, "commit", "--quiet", "--message=gone")

        assert list(open_at(clone).earlier("empty")) == [b""]

    def test_a_clone_without_a_commit_has_no_history(self, tmp_path):
        git(tmp_path, "init", "--quiet", "new")
        put(tmp_path / "new", {"a/b": b"b"})

        assert list(open_at(tmp_path / "new").earlier("a/b")) == []
        assert open_at(tmp_path / "new").list_files("a") == ("a/b",)

    @pytest.mark.parametrize("path", ["../x", "/etc/passwd", ".git/config"])
    def test_a_path_out_of_the_clone_is_refused(self, clone, path):
        with pytest.raises(Refused):
            open_at(clone).list_files(path)
        with pytest.raises(Refused):
            list(open_at(clone).earlier(path))
