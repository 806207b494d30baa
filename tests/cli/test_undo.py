"""`bot undo` from the command line, on the simulated GitHub."""

import pytest

from bot.lab.megatron import megatron_files

REPOSITORY = "NVIDIA/Megatron-LM"
BRANCH = "bot/base-image/main/dev-26.07-py3"
PIN, BUILD = "docker/.ngc_version.dev", ".gitlab/stages/01.build.yml"


@pytest.fixture
def github(lab):
    lab.world.add_repository(REPOSITORY, megatron_files())
    lab.world.add_label(REPOSITORY, "Run functional tests", "read by CI")
    lab.world.set_role(REPOSITORY, lab.world.user("bump-bot").login, "write")
    lab.world.set_role(REPOSITORY, lab.world.user("ada").login, "maintain")
    lab.copy_pr_bot(REPOSITORY)
    return lab


@pytest.fixture
def bumped(bot, monkeypatch, github):
    """The command line, after a bump that opened #1."""
    monkeypatch.setenv("GITHUB_API_URL", github.url)
    monkeypatch.setenv("GITHUB_TOKEN", github.user_token("bump-bot"))
    monkeypatch.setenv("BOT_WRITE_SPACING", "0")
    monkeypatch.setenv("BOT_RECIPE", "megatron-lm")
    assert bot("bump", "26.07-py3", "--no-verify").status == 0
    return bot


def writes(lab) -> list[str]:
    return [f"{it.method} {it.path}" for it in lab.requests if it.method != "GET" and it.path != "/graphql"]


def test_a_merged_bump_is_taken_back(bumped, github):
    github.world.merge(REPOSITORY, 1, "ada")

    outcome = bumped("undo", "--pr", "1", "-m", "the image hangs")

    pull = outcome.document["pull_request"]
    assert (outcome.status, pull["number"], pull["draft"]) == (0, 2, True)
    assert pull["title"] == 'Revert "chore: Update Docker image version to 26.07-py3"'
    assert pull["labels"] == ["Run functional tests"]
    assert sorted(outcome.document["restored"]) == [BUILD, PIN]
    assert (outcome.document["refused"], outcome.document["calls"]) == ([], [])
    assert pull["url"] in outcome.people


def test_a_second_time_says_that_all_of_it_is_there(bumped, github):
    first = bumped("undo", "--pr", "1")
    before = writes(github)

    second = bumped("undo", "--pr", "1")

    assert writes(github) == before
    assert second.document["pull_request"]["head"] == first.document["pull_request"]["head"]
    assert "nothing is left to put back" in second.people


def test_a_base_that_holds_nothing_of_it_has_nothing_to_be_done(bumped, github):
    github.world.merge(REPOSITORY, 1, "ada")
    github.world.push(REPOSITORY, "main", {it: megatron_files()[it] for it in (PIN, BUILD)}, "ada")

    outcome = bumped("undo", "--pr", "1")

    assert (outcome.status, outcome.document["pull_request"], outcome.document["restored"]) == (0, None, [])
    assert "nothing to do" in outcome.people


@pytest.mark.parametrize("merged", [False, True], ids=["open", "merged"])
def test_a_dry_run_shows_each_call_and_makes_none(bumped, github, merged):
    if merged:
        github.world.merge(REPOSITORY, 1, "ada")
    before = writes(github)

    outcome = bumped("undo", "--pr", "1", "-m", "it hangs", "--dry-run")

    shown = [f"{call['method']} {call['path']}" for call in outcome.document["calls"]]
    assert (outcome.status, outcome.document["pull_request"], writes(github)) == (0, None, before)
    assert "it hangs" in outcome.people
    assert sorted(outcome.document["restored"]) == [BUILD, PIN]
    bumped("undo", "--pr", "1")
    assert [anonymous(it) for it in writes(github)[len(before) :]] == [anonymous(it) for it in shown]


def anonymous(line: str) -> str:
    return line.split("/statuses/", maxsplit=1)[0].replace("/issues/0/", "/issues/2/")


def test_what_others_changed_since_is_listed_and_nothing_is_written(bumped, github):
    github.world.merge(REPOSITORY, 1, "ada")
    github.world.push(REPOSITORY, "main", {PIN: "nvcr.io/nvidia/pytorch:26.08-py3\n"}, "ada")
    before = writes(github)

    outcome = bumped("undo", "--pr", "1")

    assert outcome.status == 3
    assert outcome.document["refused"] == [{"file": PIN, "reason": "the base has changed it since"}]
    assert (outcome.document["restored"], outcome.document["pull_request"]) == ([], None)
    assert outcome.document["error"]["code"] == "refused"
    assert writes(github) == before


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        pytest.param((), 2, "which pull request", id="no number"),
        pytest.param(("--pr", "7"), 3, "no pull request #7", id="no such pull request"),
        pytest.param(("--pr", "x"), 2, "not a valid integer", id="no number at all"),
        pytest.param(("--pr", "1", "--base", "dev"), 3, "#1 is onto `main`, not `dev`", id="another base"),
    ],
)
def test_what_cannot_be_undone(bumped, words, status, says):
    outcome = bumped("undo", *words)

    assert (outcome.status, outcome.document["command"]) == (status, "undo")
    assert says in outcome.document["error"]["message"]


def test_a_stopped_bot_undoes_nothing(bumped, github, monkeypatch):
    monkeypatch.setenv("BOT_MODE", "stopped")
    before = writes(github)

    assert bumped("undo", "--pr", "1").status == 3
    assert bumped("undo", "--pr", "1", "--dry-run").status == 0
    assert writes(github) == before
