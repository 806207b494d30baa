"""`bot bump --checkout`: both pins or none, and a clear refusal for everything else."""

import subprocess

import pytest

DEV = "docker/.ngc_version.dev"
BUILD = ".gitlab/stages/01.build.yml"
IMAGE = "nvcr.io/nvidia/pytorch"


def bump(bot, clone, tag="26.06-py3", *more):
    return bot("bump", tag, "--no-verify", "--checkout", str(clone), *more)


def everything(clone) -> dict[str, bytes]:
    files = (path for path in clone.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path): path.read_bytes() for path in files}


def git(clone, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *words], check=True, capture_output=True, text=True)
    return done.stdout


def commit(clone, message: str) -> None:
    git(clone, "-c", "user.name=Lab", "-c", "user.email=lab@localhost", "commit", "-qam", message)


def test_it_moves_the_file_and_both_dev_rows_and_nothing_else(bot, clone):
    outcome = bump(bot, clone)

    rows = outcome.document["changed"][1]["lines"]
    assert outcome.status == 0
    assert outcome.document["changed"] == [{"path": DEV, "lines": [1]}, {"path": BUILD, "lines": rows}]
    assert (outcome.document["from"], outcome.document["to"]) == (f"{IMAGE}:26.04-py3", f"{IMAGE}:26.06-py3")
    assert git(clone, "diff", "--numstat").split() == ["2", "2", BUILD, "1", "1", DEV]
    assert git(clone, "diff", "--", DEV, BUILD).count(f"+        BASE_IMAGE: {IMAGE}:26.06-py3") == 2


def test_its_diff_is_one_that_git_applies(bot, clone):
    document = bump(bot, clone, "26.06-py3", "--dry-run").document

    subprocess.run(["git", "-C", str(clone), "apply", "-"], input=document["diff"].encode(), check=True)

    assert bot("check", "--checkout", str(clone), "--expect", "26.06-py3").status == 0


def test_a_dry_run_shows_the_same_and_writes_nothing(bot, clone):
    before = everything(clone)

    shown = bump(bot, clone, "26.06-py3", "--dry-run")

    assert everything(clone) == before
    assert shown.document == bump(bot, clone).document


def test_the_second_time_there_is_nothing_to_do(bot, clone):
    bump(bot, clone)

    again = bump(bot, clone)

    assert (again.status, again.document["changed"]) == (0, [])


def test_lts_moves_only_when_it_is_named(bot, clone):
    outcome = bump(bot, clone, "26.02-py3", "--track", "lts")

    assert [it["path"] for it in outcome.document["changed"]] == ["docker/.ngc_version.lts", BUILD]
    assert (clone / DEV).read_text().strip() == f"{IMAGE}:26.04-py3"


def test_a_lane_that_fell_behind_is_brought_along_and_said(bot, clone):
    (clone / DEV).write_text(f"{IMAGE}:26.02-py3")
    commit(clone, "Fall behind")

    assert bot("check", "--checkout", str(clone)).status == 1
    outcome = bump(bot, clone)

    assert outcome.status == 0
    assert any("the pins disagreed before" in notice for notice in outcome.document["notices"])
    assert (clone / DEV).read_bytes() == f"{IMAGE}:26.06-py3".encode()


def test_one_already_moved_pin_is_normal(bot, clone):
    (clone / DEV).write_text(f"{IMAGE}:26.06-py3\n")
    commit(clone, "Forget the other")

    outcome = bump(bot, clone)

    assert [it["path"] for it in outcome.document["changed"]] == [BUILD]


def test_references_that_nobody_moves_are_listed(bot, clone):
    notices = bump(bot, clone).document["notices"]

    assert any(notice.startswith("README.md:") and "not in the recipe" in notice for notice in notices)
    assert any(notice.startswith("docker/Dockerfile.ci.dev:") and "stays" in notice for notice in notices)


@pytest.mark.parametrize(
    ("tag", "status", "says"),
    [
        pytest.param("26.4-py3", 2, "not a tag of the form `YY.MM-py3`", id="one digit of month"),
        pytest.param("26.13-py3", 2, "not a tag of the form", id="month thirteen"),
        pytest.param("26.04-py3-igpu", 2, "not a tag of the form", id="another flavour"),
        pytest.param("latest", 2, "not a tag of the form", id="latest"),
        pytest.param("26.06", 2, "not a tag of the form", id="release without flavour"),
        pytest.param("26.06-py3\n", 2, "not a tag of the form", id="line feed"),
        pytest.param("26.06-py3; rm -rf .", 2, "not a tag of the form", id="shell words"),
        pytest.param("٢٦.٠٦-py3", 2, "not a tag of the form", id="digits of another script"),
        pytest.param("26.02-py3", 3, "newer than `26.02-py3`", id="older than the pin"),
    ],
)
def test_a_tag_that_is_no_step_forward(bot, clone, tag, status, says):
    before = everything(clone)

    outcome = bump(bot, clone, tag)

    assert (outcome.status, everything(clone)) == (status, before)
    assert says in outcome.document["error"]["message"]
    assert outcome.document["error"]["hint"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "empty", id="empty"),
        pytest.param(b"nvcr.io/nvidia/pytorch:26.04-py3\r\n", "carriage return", id="CRLF"),
        pytest.param(b"\xef\xbb\xbfnvcr.io/nvidia/pytorch:26.04-py3\n", "byte order mark", id="BOM"),
        pytest.param(b"nvcr.io/nvidia/pytorch:26.04-py3 \n", "blank", id="trailing blank"),
        pytest.param(b"nvcr.io/nvidia/pytorch:26.04-py3\n# note\n", "second line", id="second line"),
        pytest.param(b"\xff\xfe", "UTF-8", id="not UTF-8"),
        pytest.param(b"docker.io/nvidia/pytorch:26.04-py3\n", "docker.io", id="another registry"),
        pytest.param(b"nvcr.io/nvidia/pytorch:26.04-py3-igpu\n", "igpu", id="another flavour"),
        pytest.param(b"nvcr.io/nvidia/pytorch:latest\n", "latest", id="latest"),
    ],
)
def test_a_pin_file_that_is_not_as_strict_as_it_has_to_be(bot, clone, content, says):
    (clone / DEV).write_bytes(content)
    commit(clone, "Break it")
    before = everything(clone)

    refused = bump(bot, clone)
    checked = bot("check", "--checkout", str(clone))

    [problem] = [site["problem"] for site in checked.document["tracks"][0]["sites"] if site["problem"]]
    assert (refused.status, checked.status, everything(clone)) == (3, 1, before)
    assert says.lower() in refused.document["error"]["message"].lower()
    assert says.lower() in problem.lower()
    assert refused.document["error"]["path"] == DEV


def test_a_digest_moves_only_with_the_registry(bot, clone):
    (clone / DEV).write_text(f"{IMAGE}:26.04-py3@sha256:{'a' * 64}\n")
    commit(clone, "Pin the digest")

    refused = bump(bot, clone)

    assert refused.status == 3
    assert "digest" in refused.document["error"]["message"]


def test_local_changes_on_a_pin_file_are_refused_and_this_very_bump_is_not(bot, clone):
    (clone / DEV).write_text(f"{IMAGE}:26.06-py3\n")
    this_bump = bump(bot, clone)
    (clone / DEV).write_text(f"{IMAGE}:26.05-py3\n")
    other = bump(bot, clone)

    assert this_bump.status == 0
    assert other.status == 3
    assert other.document["refused"][0]["path"] == DEV
    assert "local changes" in other.document["error"]["message"]


def test_a_read_only_file_is_refused_and_nothing_is_half_written(bot, clone):
    (clone / BUILD).chmod(0o444)
    before = everything(clone)

    outcome = bump(bot, clone)

    assert (outcome.status, outcome.document["error"]["path"], everything(clone)) == (3, BUILD, before)


def test_a_hold_comment_is_honoured(bot, clone):
    text = (
        (clone / BUILD)
        .read_text()
        .replace(
            "      - IMAGE: CI_MCORE_DEV_IMAGE\n",
            "      # Pinned to 26.04: the newer TensorRT removed a plugin. Bump once it is back.\n"
            "      - IMAGE: CI_MCORE_DEV_IMAGE\n",
            1,
        )
    )
    (clone / BUILD).write_text(text)
    commit(clone, "Hold")

    outcome = bump(bot, clone)

    assert outcome.status == 3
    assert "Pinned to 26.04" in outcome.document["error"]["message"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        pytest.param(("--checkout", "no-such-folder"), "no-such-folder", id="no folder"),
        pytest.param(("--checkout", "/"), "git", id="no git repository"),
        pytest.param(("--recipe", "no-such-recipe"), "no-such-recipe", id="unknown recipe"),
        pytest.param((), "no bump recipe fits", id="nothing to choose a recipe by"),
        pytest.param(
            ("--track", "nightly", "--recipe", "megatron-lm"), "no track `nightly`", id="unknown track"
        ),
    ],
)
def test_wrong_usage_is_two(bot, words, says):
    outcome = bot("bump", "26.06-py3", "--no-verify", *words)

    assert outcome.status == 2
    assert says in outcome.document["error"]["message"]
    assert "Traceback" not in outcome.people


def test_a_registry_that_is_down_is_four_and_writes_nothing(bot, clone):
    before = everything(clone)

    outcome = bot("bump", "26.06-py3", "--checkout", str(clone))

    assert (outcome.status, everything(clone)) == (4, before)
    assert "nvcr.io" in outcome.document["error"]["message"]


def test_where_nothing_has_to_move_or_may_move_a_registry_that_is_down_is_not_missed(bot, clone):
    before = everything(clone)

    equal, older = (bot("bump", tag, "--checkout", str(clone)) for tag in ("26.04-py3", "26.02-py3"))

    assert (equal.status, equal.document["changed"]) == (0, [])
    assert (older.status, older.document["error"]["code"]) == (3, "refused")
    assert everything(clone) == before


def test_a_hostile_env_and_settings_file_in_the_clone_change_nothing(bot, clone, monkeypatch):
    (clone / ".env").write_text("GITHUB_API_URL=http://evil.example\nBOT_MODE=stopped\n")
    (clone / "bot.toml").write_text('mode = "stopped"\nrecipe = "nemo-rl"\n')
    monkeypatch.chdir(clone)

    assert bump(bot, clone).status == 0


@pytest.mark.parametrize(("mode", "status"), [("dry-run", 0), ("stopped", 3), ("dryrun", 2)])
def test_the_mode_of_the_bot_holds_for_a_clone_too(bot, clone, monkeypatch, mode, status):
    monkeypatch.setenv("BOT_MODE", mode)
    before = everything(clone)

    assert bump(bot, clone).status == status
    assert everything(clone) == before


def test_the_recipe_of_the_settings_is_taken_only_where_the_clone_tells_none(bot, clone, monkeypatch):
    git(clone, "remote", "set-url", "origin", "https://example.com/somebody/else.git")
    monkeypatch.setenv("BOT_RECIPE", "nemo-rl")
    told = bot("check", "--checkout", str(clone))
    (clone / BUILD).unlink()
    untold = bot("check", "--checkout", str(clone))

    first_pins = [outcome.document["tracks"][0]["sites"][0]["path"] for outcome in (told, untold)]
    assert first_pins == [DEV, "docker/Dockerfile"]
