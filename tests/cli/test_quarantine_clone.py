"""`bot quarantine` and `bot unquarantine` in a clone, and on GitHub for its issue."""

import os
import subprocess
import sys

import pytest

from bot.cli.main import main
from tests.core.testrecipes.recipes import PATH, RECIPE

UNIT = "tests/unit_tests/test_x.py"
CONFIG = "tests/functional_tests/test_cases/gpt/tiny_tp1/model_config.yaml"
UNIT_TEXT = b"import pytest\r\n\r\n\r\n@pytest.mark.slow\r\ndef test_y():\r\n    pass\r\n"
CONFIG_TEXT = b"ENV_VARS:\n  A: 1\n"


def git(clone, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True, text=True)
    return done.stdout


def commit(clone, message="Work") -> None:
    git(clone, "add", "--all")
    git(clone, "-c", "user.name=Lab", "-c", "user.email=lab@localhost", "commit", "-qm", message)


@pytest.fixture
def tree(clone):
    """A clone with a test recipe, a unit test and a model config of its own."""
    for path, content in {PATH: RECIPE.encode(), UNIT: UNIT_TEXT, CONFIG: CONFIG_TEXT}.items():
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        (clone / path).write_bytes(content)
    commit(clone)
    return clone


@pytest.fixture
def quarantine(bot, tree):
    def run(test, *more):
        return bot("quarantine", test, "--class", "hang", "--checkout", str(tree), *more)

    return run


@pytest.fixture
def unquarantine(bot, tree):
    def run(test, *more):
        return bot("unquarantine", test, "--checkout", str(tree), *more)

    return run


def test_a_test_is_taken_out_offline(quarantine, tree):
    outcome = quarantine("tiny_tp1", "--issue", "7", "-m", "no output")

    document = outcome.document
    assert outcome.status == 0
    assert list(document)[:2] == ["schema", "command"]
    assert (document["command"], document["test"], document["platform"]) == (
        "quarantine",
        "tiny_tp1",
        "dgx_h100",
    )
    assert document["before"] == ["mr", "mr-github"]
    assert document["after"] == ["mr-broken", "mr-github-broken"]
    assert (document["issue"], document["changed"]) == (7, [{"path": PATH, "lines": [15, 16]}])
    assert git(tree, "diff", "--numstat").split() == ["2", "1", PATH]
    comment = "# Quarantined (hang): no output; see https://github.com/NVIDIA/Megatron-LM/issues/7"
    assert f"+        {comment}\n" in document["diff"]
    assert "changed tiny_tp1 on dgx_h100: mr mr-github -> mr-broken mr-github-broken" in outcome.people


def test_its_diff_is_one_that_git_applies(quarantine, tree):
    shown = quarantine("tiny_tp1", "--issue", "7", "--dry-run")
    assert git(tree, "status", "--porcelain") == ""

    subprocess.run(["git", "-C", str(tree), "apply", "-"], input=shown.document["diff"].encode(), check=True)

    assert quarantine("tiny_tp1", "--issue", "7").document["changed"] == []


@pytest.mark.parametrize(
    ("test", "more"),
    [
        ("tiny_tp1", []),
        ("pair_tp2", ["--comment", "In a person's words\nof two lines"]),
        ("pair_tp2", ["--as", "allow-failure"]),
        (f"{UNIT}::test_y", []),
        (f"{UNIT}::test_y", ["--track", "lts", "--comment", "words"]),
    ],
)
def test_every_remedy_leads_back_to_the_same_bytes(quarantine, unquarantine, tree, test, more):
    for then in (lambda: None, lambda: commit(tree)):
        assert quarantine(test, "--issue", "7", *more).document["changed"]
        then()

        outcome = unquarantine(test, *[word for word in more if word in {"--track", "lts"}])

        assert (outcome.status, len(outcome.document["changed"])) == (0, 1)
        assert [(tree / PATH).read_bytes(), (tree / UNIT).read_bytes()] == [RECIPE.encode(), UNIT_TEXT]


def test_the_way_back_works_in_a_clone_without_history(bot, quarantine, tree, tmp_path):
    quarantine("tiny_tp1", "--issue", "7")
    commit(tree)
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{tree}", str(shallow))

    outcome = bot("unquarantine", "tiny_tp1", "--checkout", str(shallow), "--recipe", "megatron-lm")

    assert outcome.status == 0
    assert (shallow / PATH).read_bytes() == RECIPE.encode()


def test_a_unit_test_gets_a_mark_in_a_file_with_crlf(quarantine, tree):
    outcome = quarantine(f"{UNIT}::test_y", "--issue", "7", "--track", "lts")

    lines = (tree / UNIT).read_bytes().split(b"\r\n")
    assert lines[3].startswith(b"# Quarantined (hang); see https://")
    assert lines[4:7] == [b"@pytest.mark.flaky", b"@pytest.mark.slow", b"def test_y():"]
    assert "only GitLab" in outcome.document["notices"][0]


def test_repeats_need_neither_class_nor_issue(bot, tree):
    outcome = bot("quarantine", "tiny_tp1", "--as", "n-repeat=1", "--checkout", str(tree))

    assert outcome.status == 0
    assert (tree / CONFIG).read_bytes() == b"ENV_VARS:\n  A: 1\n  N_REPEAT: 1\n"
    assert outcome.document["after"] == ["N_REPEAT=1"]


def test_a_test_that_runs_is_left_alone(unquarantine):
    outcome = unquarantine("tiny_tp1")

    assert (outcome.status, outcome.document["changed"]) == (0, [])
    assert "nothing to do" in outcome.people


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        pytest.param(["absent", "--issue", "7"], 3, "no test recipe names", id="unknown test"),
        pytest.param(["tiny_tp1"], 2, "only with an issue", id="no issue"),
        pytest.param(["tiny_tp1", "--issue", "0"], 2, "no number of an issue", id="issue 0"),
        pytest.param(["tiny_tp1", "--issue", "x"], 2, "not a valid integer", id="issue x"),
        pytest.param(["tiny_tp1", "--issue", "7", "--file-issue"], 2, "two answers", id="two issues"),
        pytest.param(["tiny_tp1", "--issue", "7", "--platform", "dgx_a100"], 3, "no row on", id="platform"),
        pytest.param(["tiny_tp1", "--issue", "7", "--platform", "a b"], 2, "no platform", id="odd platform"),
        pytest.param(["tiny_tp1", "--issue", "7", "--as", "gone"], 2, "no remedy", id="odd remedy"),
        pytest.param(["tiny_tp1", "--issue", "7", "--comment", "a\tb"], 2, "not printable", id="odd comment"),
        pytest.param(["tiny_tp1", "--issue", "7", "--track", "lts"], 3, "environment `lts`", id="lts rows"),
        pytest.param(["tiny_tp1", "--issue", "7", "--track", "x"], 2, "no track", id="odd track"),
        pytest.param(["../x; rm -rf", "--issue", "7"], 2, "names no test", id="a hostile name"),
        pytest.param(["/ok to test x", "--issue", "7"], 2, "names no test", id="a command"),
        pytest.param(["tests/unit_tests/../../x.py::t", "--issue", "7"], 2, "names no test", id="dots"),
        pytest.param([f"{UNIT}::test_y[1]", "--issue", "7"], 2, "one case", id="one case"),
    ],
)
def test_what_makes_no_sense_or_needs_a_person_changes_nothing(quarantine, tree, words, status, says):
    outcome = quarantine(*words)

    assert outcome.status == status
    assert says in outcome.document["error"]["message"]
    assert git(tree, "status", "--porcelain") == ""


def test_another_class_is_wrong_usage(bot, tree):
    words = ("--issue", "7", "--checkout", str(tree))

    assert bot("quarantine", "tiny_tp1", "--class", "sad", *words).status == 2
    assert "--class" in bot("quarantine", "tiny_tp1", *words).document["error"]["hint"]


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        pytest.param(
            RECIPE.replace("  - test_case: [tiny", "\t- test_case: [tiny"), 12, "not valid YAML", id="a tab"
        ),
        pytest.param(
            RECIPE.replace("[mr, mr-github]", "[mr, flaky]"), 15, "`flaky` is no scope", id="a word"
        ),
    ],
)
def test_a_refusal_names_path_and_line(quarantine, tree, content, line, says):
    (tree / PATH).write_text(content)

    error = quarantine("tiny_tp1", "--issue", "7").document["error"]

    assert (error["path"], error["line"]) == (PATH, line)
    assert says in error["message"]


def test_a_recipe_with_crlf_keeps_its_line_ends(quarantine, unquarantine, tree):
    content = RECIPE.replace("\n", "\r\n").encode()
    (tree / PATH).write_bytes(content)

    assert quarantine("tiny_tp1", "--issue", "7").status == 0
    assert (tree / PATH).read_bytes().count(b"\n") == content.count(b"\r\n") + 1
    assert b"\n" not in (tree / PATH).read_bytes().replace(b"\r\n", b"")
    assert unquarantine("tiny_tp1").status == 0
    assert (tree / PATH).read_bytes() == content


def test_without_a_clone_github_is_needed(bot):
    outcome = bot("quarantine", "tiny_tp1", "--class", "hang", "--issue", "7", "--recipe", "megatron-lm")

    assert outcome.status == 2
    assert "GITHUB_TOKEN" in outcome.document["error"]["hint"]


def test_a_stopped_bot_only_rehearses(quarantine, tree, monkeypatch):
    monkeypatch.setenv("BOT_MODE", "stopped")

    assert quarantine("tiny_tp1", "--issue", "7").status == 3
    assert quarantine("tiny_tp1", "--issue", "7", "--dry-run").status == 0
    assert git(tree, "status", "--porcelain") == ""


def test_a_control_sequence_of_the_file_reaches_no_terminal(tree, capsys):
    text = RECIPE.replace("        scope: [mr, mr", "        # \x9b31m\n        scope: [mr, mr")
    (tree / PATH).write_text(text, encoding="utf-8")

    main(["quarantine", "tiny_tp1", "--class", "hang", "--issue", "7", "--checkout", str(tree)])

    assert "\x9b" not in capsys.readouterr().out


def test_other_commands_do_not_load_the_python_parser():
    code = "import sys, bot.cli.check, bot.cli.main; print('libcst' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )

    assert done.stdout == "False\n"


class TestWithGitHub:
    REPOSITORY = "NVIDIA/Megatron-LM"

    @pytest.fixture
    def world(self, lab, monkeypatch, bot):
        lab.world.add_repository(self.REPOSITORY, {"README.md": "x"})
        lab.world.user("bump-bot")
        lab.world.set_role(self.REPOSITORY, "bump-bot", "write")
        monkeypatch.setenv("GITHUB_TOKEN", lab.user_token("bump-bot"))
        monkeypatch.setenv("GITHUB_API_URL", lab.url)
        monkeypatch.setenv("BOT_WRITE_SPACING", "0")
        return lab.world

    def issues(self, world):
        return tuple(world.repository(self.REPOSITORY).issues.values())

    def test_the_issue_is_opened_once_and_named_in_the_file(self, world, quarantine, tree):
        outcome = quarantine("tiny_tp1", "--file-issue", "-m", "no output")

        (issue,) = self.issues(world)
        assert (outcome.status, outcome.document["issue"]) == (0, issue.number)
        assert issue.title == "Quarantined: tiny_tp1 on dgx_h100 (hang)"
        assert f"/issues/{issue.number}\n" in (tree / PATH).read_text()
        again = quarantine("tiny_tp1", "--file-issue", "-m", "no output")
        assert (again.status, again.document["changed"]) == (0, [])
        assert self.issues(world) == (issue,)

    def test_no_issue_is_opened_where_the_edit_is_refused(self, world, quarantine):
        assert quarantine("absent", "--file-issue").status == 3
        assert quarantine("tiny_tp1", "--file-issue", "--as", "allow-failure").status == 3
        assert self.issues(world) == ()

    def test_a_dry_run_shows_the_issue_and_opens_none(self, world, quarantine, tree):
        outcome = quarantine("tiny_tp1", "--file-issue", "--dry-run")

        (call,) = outcome.document["calls"]
        assert (call["method"], call["path"]) == ("POST", f"/repos/{self.REPOSITORY}/issues")
        assert self.issues(world) == ()
        assert git(tree, "status", "--porcelain") == ""

    def test_the_ledger_leads_back_in_a_clone_without_history(self, world, bot, quarantine, tree, tmp_path):
        quarantine("tiny_tp1", "--file-issue", "--comment", "In a person's words")
        commit(tree)
        shallow = tmp_path / "shallow"
        git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{tree}", str(shallow))

        outcome = bot("unquarantine", "tiny_tp1", "--checkout", str(shallow), "--recipe", "megatron-lm")

        assert outcome.status == 0
        assert (shallow / PATH).read_bytes() == RECIPE.encode()

    def test_a_host_that_is_down_leaves_the_history(self, world, quarantine, unquarantine, tree, monkeypatch):
        quarantine("tiny_tp1", "--issue", "7")
        monkeypatch.setenv("GITHUB_TOKEN", "wrong")

        outcome = unquarantine("tiny_tp1")

        assert outcome.status == 0
        assert "were not read" in outcome.people
        assert (tree / PATH).read_bytes() == RECIPE.encode()
