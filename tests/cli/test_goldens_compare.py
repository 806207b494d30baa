"""`bot goldens compare`: a clone with its commits, or two folders."""

import json

import pytest

from bot.cli.main import main
from tests.adapters.clones import git, put
from tests.core.goldens.made import PATH, ROOT, answer, inference, training

OLD = training(lm_loss=[10.0] * 10, iteration_time=[1.0] * 10)
SMALL = training(lm_loss=[10.1] * 10, iteration_time=[9.0] * 10)
LARGE = training(lm_loss=[20.0] * 10, iteration_time=[1.0] * 10)


@pytest.fixture
def tree(clone):
    """A clone whose last commit holds a golden."""
    put(clone, {PATH: OLD})
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message=golden")
    return clone


@pytest.fixture
def folders(tmp_path):
    put(tmp_path / "old", {"a/x.json": OLD, "gone.json": OLD, "b/i.json": inference(r0=answer())})
    put(
        tmp_path / "new", {"a/x.json": SMALL, "more.json": OLD, "b/i.json": inference(r0=answer(latency=1.0))}
    )
    return str(tmp_path / "old"), str(tmp_path / "new")


def test_the_work_tree_is_compared_with_the_last_commit(bot, tree):
    put(tree, {PATH: SMALL})

    outcome = bot("goldens", "compare", "--checkout", str(tree))

    assert outcome.status == 0
    assert list(outcome.document) == ["schema", "command", "rows", "files", "not_compared"]
    assert (outcome.document["command"], outcome.document["files"]) == ("goldens compare", 1)
    time, loss = outcome.document["rows"]
    assert (time["file"], time["metric"], time["signed_mean"]) == (PATH, "iteration time", -8)
    assert loss == {
        "file": PATH,
        "metric": "lm loss",
        "n": 10,
        "signed_mean": pytest.approx(-0.01),
        "mean_abs": pytest.approx(0.01),
        "median_abs": pytest.approx(0.01),
        "max_abs": pytest.approx(0.01),
        "max_step": 1,
        "missing_steps": [],
        "added_steps": [],
        "not_finite_steps": [],
        "from_zero_steps": [],
        "measure": "relative",
        "request": None,
        "exceeded": None,
    }


def test_a_move_beyond_the_limits_of_the_recipe_is_exit_status_1(bot, tree):
    put(tree, {PATH: LARGE})

    outcome = bot("goldens", "compare", "--checkout", str(tree))

    assert outcome.status == 1
    assert outcome.document["rows"][0]["exceeded"].startswith("`lm loss`: 10 of 10 moved by more than 5 %")
    assert "beyond the limits of the recipe" in outcome.people


def test_any_commit_may_be_the_old_side(bot, tree):
    put(tree, {PATH: LARGE})
    git(tree, "commit", "--quiet", "--all", "--message=new golden")

    assert bot("goldens", "compare", "--checkout", str(tree)).document["files"] == 0
    assert bot("goldens", "compare", "--checkout", str(tree), "--rev", "HEAD^").document["files"] == 1


def test_the_folder_one_stands_in_is_the_clone_unless_another_is_named(bot, tree, monkeypatch):
    put(tree, {PATH: SMALL})
    monkeypatch.chdir(tree / ROOT)

    assert bot("goldens", "compare").document["files"] == 1


def test_new_and_deleted_goldens_are_named_and_other_files_are_not(bot, tree):
    (tree / PATH).unlink()
    new = f"{ROOT}/moe/other/golden_values_lts.json"
    put(tree, {new: OLD, "notes.json": b"{}", f"{ROOT}/moe/other/model_config.yaml": b""})

    assert bot("goldens", "compare", "--checkout", str(tree)).document["not_compared"] == [
        {"file": PATH, "reason": "there is no new golden"},
        {"file": new, "reason": "there is no old golden"},
    ]


def test_a_recipe_without_goldens_compares_whatever_is_called_one(bot, tree):
    put(tree, {"any/golden_values.json": b"{}", "other.json": b"{}"})

    outcome = bot("goldens", "compare", "--checkout", str(tree), "--recipe", "megatron-bridge")

    assert [it["file"] for it in outcome.document["not_compared"]] == ["any/golden_values.json"]


def test_two_folders_are_compared_file_by_file(bot, folders):
    outcome = bot("goldens", "compare", *folders)

    assert (outcome.status, outcome.document["files"]) == (0, 4)
    assert {it["file"] for it in outcome.document["rows"]} == {"a/x.json", "b/i.json"}
    assert outcome.document["not_compared"] == [
        {"file": "gone.json", "reason": "there is no new golden"},
        {"file": "more.json", "reason": "there is no old golden"},
    ]


def test_two_folders_have_limits_only_when_a_recipe_is_named(bot, tmp_path):
    put(tmp_path, {"old/x.json": OLD, "new/x.json": LARGE})
    words = ["goldens", "compare", str(tmp_path / "old"), str(tmp_path / "new")]

    assert bot(*words).status == 0
    assert bot(*words, "--recipe", "megatron-lm").status == 1


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"[" * 50_000,
        b'{"a": 1, "a": 2}',
        b'{"a": 1' + b"0" * 9_999 + b"}",
        b'{"\\ud800": 1}',
    ],
)
def test_a_broken_file_is_a_reason_and_never_a_failure(bot, tmp_path, data):
    put(tmp_path, {"old/x.json": OLD, "new/x.json": data})

    outcome = bot("goldens", "compare", str(tmp_path / "old"), str(tmp_path / "new"))

    assert (outcome.status, outcome.document["rows"]) == (0, [])
    (entry,) = outcome.document["not_compared"]
    assert entry["reason"].startswith("the new golden ")


def test_what_is_not_finite_is_null(bot, tmp_path):
    old, new = (training(lm_loss=[it, 1.0]) for it in (-1e308, 1e308))
    put(tmp_path, {"old/x.json": old, "new/x.json": new})

    (row,) = bot("goldens", "compare", str(tmp_path / "old"), str(tmp_path / "new")).document["rows"]

    assert (row["signed_mean"], row["max_abs"], row["max_step"]) == (None, None, 1)


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        pytest.param([], "4 goldens, 7 metrics compared", id="text"),
        pytest.param(["--format", "text"], "4 goldens, 7 metrics compared", id="text by name"),
        pytest.param(["--format", "csv"], "file,metric,n_steps,avg_rel_diff,", id="csv"),
        pytest.param(["--format", "markdown"], "4 golden files, 7 metrics compared.", id="markdown"),
    ],
)
def test_the_result_is_printed_as_asked(capsys, folders, words, begins):
    assert main(["goldens", "compare", *folders, *words]) == 0

    printed = capsys.readouterr()
    assert printed.out.startswith(begins)
    assert printed.err == ""


@pytest.mark.parametrize("words", [["--format", "json"], ["--format=json"], ["--json"]])
def test_json_is_one_document_whichever_way_it_is_asked_for(capsys, folders, words):
    assert main(["goldens", "compare", *folders, *words]) == 0
    assert json.loads(capsys.readouterr().out)["command"] == "goldens compare"

    assert main(["goldens", "compare", "/nowhere", "/nowhere", *words]) == 2
    document = json.loads(capsys.readouterr().out)
    assert (document["command"], document["error"]["code"]) == ("goldens compare", "usage")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(["only"], "two folders are compared, or a clone", id="one folder"),
        pytest.param([".", ".", "--checkout", "."], "two folders are compared, or a clone", id="both"),
        pytest.param(
            [".", ".", "--rev", "HEAD"], "two folders are compared, or a clone", id="folders and commit"
        ),
        pytest.param(["/nowhere", "."], "`/nowhere` is not a folder", id="no folder"),
        pytest.param(["--format", "xml"], "xml", id="unknown format"),
        pytest.param(["--checkout", "/nowhere"], "/nowhere", id="no clone"),
    ],
)
def test_wrong_usage_is_exit_status_2(bot, words, says):
    outcome = bot("goldens", "compare", *words)

    assert outcome.status == 2
    assert says in outcome.document["error"]["message"]


def test_an_unknown_commit_is_exit_status_2(bot, tree):
    outcome = bot("goldens", "compare", "--checkout", str(tree), "--rev", "nowhere")

    assert (outcome.status, "names no commit" in outcome.document["error"]["message"]) == (2, True)


def test_each_golden_is_drawn_where_charts_are_asked_for(bot, folders, tmp_path):
    outcome = bot("goldens", "compare", *folders, "--charts", str(tmp_path / "charts"))

    expected = [str(tmp_path / "charts" / it) for it in ("a/x.svg", "b/i.svg")]
    assert outcome.document["charts"] == expected
    assert all((tmp_path / "charts" / it).read_text().startswith("<?xml") for it in ("a/x.svg", "b/i.svg"))
    assert "2 charts written to" in outcome.people


def test_help_shows_that_the_folders_may_be_left_out(capsys):
    assert main(["goldens", "compare", "--help"]) == 0

    assert "compare [OPTIONS] [OLD_DIR] [NEW_DIR]" in capsys.readouterr().out
