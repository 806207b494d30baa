"""The service from end to end: webhooks of the lab over HTTP, a registry, comments, the schedule."""

import re
import secrets
from contextlib import ExitStack

import httpx
import pytest

from bot import wiring
from bot.lab.github_api import Fault
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from bot.lab.registry import PYTORCH, LabRegistry
from bot.lab.server import serving
from bot.lab.webhooks import Webhooks
from bot.serving import Service
from tests.contracts.work_stages import until
from tests.scenarios.conftest import BRANCH, IMAGE, NEW, OLD, REPOSITORY
from tests.scenarios.test_rounds import FAR, GOLDEN, ON_H100

SECRET = secrets.token_hex(16)
BOTH = ("linux/amd64", "linux/arm64")


@pytest.fixture(scope="module")
def stages():
    with serving() as registry, serving() as service:
        yield registry, service


class Bot:
    """The service on its stage, with everything around it; `restart` is what a new process would see."""

    def __init__(self, story, stages, stack) -> None:
        registry_stage, self.stage = stages
        self.story = story
        self.world = story.lab.world
        self.registry = LabRegistry()
        self.push(OLD)
        registry_stage.app = self.registry.app
        self.environ = story.environ | {
            "BOT_REGISTRY_ENDPOINTS": f"nvcr.io={registry_stage.url}",
            "BOT_WEBHOOK_SECRET": SECRET,
            "BOT_RESYNC": "600",
        }
        story.environ = self.environ
        self.ci = MegatronCi()
        self.world.on_push(REPOSITORY, "pull-request/*", self.ci, path=WORKFLOW, name=NAME)
        self.recipe = "megatron-lm"
        self.hooks = Webhooks(
            self.world,
            REPOSITORY,
            api=story.lab.url,
            address=f"{self.stage.url}/webhooks/github",
            secret=SECRET,
        )
        stack.callback(self.hooks.close)
        self.start()
        stack.callback(self.stop)

    def push(self, tag, **changes):
        self.registry.push(
            IMAGE.partition("/")[2], tag, {platform: {**PYTORCH, **changes} for platform in BOTH}
        )

    def start(self, **environ):
        self.story.environ = self.environ | environ
        self.service = Service(self.story.settings, [self.recipe])
        self.stage.app = self.service.app
        self.service.start()

    def stop(self):
        self.service.stop()

    def restart(self):
        self.stop()
        self.start()

    @property
    def heart(self):
        return self.service.notebook.state().heartbeats[0]

    def finish(self):
        """Let the newest run end."""
        with self.world.lock:
            self.world.finish(self.world.workflow_runs(REPOSITORY)[-1])

    def say(self, number, text, author="maintainer"):
        with self.world.lock:
            return self.world.comment(REPOSITORY, number, author, text)

    def issue(self):
        with self.world.lock:
            return self.world.open_issue(REPOSITORY, "maintainer", title="Newer image").number

    def writes(self):
        return [it for it in self.story.lab.requests if it.method != "GET" and it.path != "/graphql"]

    def answers(self, number):
        with self.world.lock:
            comments = self.world.issue(REPOSITORY, number).comments
            return [it.body for it in comments if it.body.startswith("<!-- ngc-bump-bot:answer ")]

    def answer(self, number, count=1):
        until(lambda: len(self.answers(number)) >= count)
        return self.answers(number)[count - 1]


@pytest.fixture
def bot(story, stages):
    with ExitStack() as stack:
        yield Bot(story, stages, stack)


def test_a_comment_on_a_plain_issue_opens_the_pull_request_and_links_it(bot):
    bot.push(NEW)
    number = bot.issue()

    bot.say(number, f"/bot bump {NEW}")
    answer = bot.answer(number)

    (pull,) = bot.story.pulls
    assert f"#{pull.number}" in answer
    assert bot.story.pins(BRANCH) == {NEW}
    assert len(bot.story.copy_pr_bot.approvals) == 1


def test_a_release_that_is_due_is_bumped_without_being_asked(bot, tmp_path):
    bot.stop()
    recipe = tmp_path / "megatron-lm.yaml"
    text = (wiring.recipe_folder() / "megatron-lm.yaml").read_text()
    recipe.write_text(re.sub(r"(?m)^  (cron|minimum_age): .*\n", "", text))
    bot.recipe = str(recipe)
    bot.push(NEW)
    bot.start()

    until(lambda: bot.story.copy_pr_bot.approvals)

    (pull,) = bot.story.pulls
    assert pull.title == f"chore: Update Docker image version to {NEW}"
    until(lambda: bot.service.notebook.state().releases)
    (release,) = bot.service.notebook.state().releases
    assert (release.tag, release.decision) == (NEW, f"{NEW} is due")


def test_a_young_release_waits_and_is_shown(bot):
    bot.stop()
    bot.push(NEW)
    bot.start()

    until(lambda: bot.service.notebook.state().releases)

    (release,) = bot.service.notebook.state().releases
    assert release.tag == NEW
    assert "is too new" in release.decision
    assert bot.story.pulls == ()


@pytest.fixture
def red(bot):
    """A pull request whose run of CI is not over yet; one test moved too far."""
    bot.push(NEW)
    bot.ci.outcomes[ON_H100] = Outcome("large-drift", FAR)
    number = bot.issue()
    bot.say(number, f"/bot bump {NEW}")
    bot.answer(number)
    return bot.story.pulls[0].number


def test_a_command_that_comes_too_early_says_so_and_is_done_when_the_run_has_ended(bot, red):
    bot.say(red, "/bot refresh gpt_small_tp1_pp4_resume")
    until(lambda: any(it.startswith("<!-- ngc-bump-bot:waiting ") for it in bot.story.comments(red)))
    assert any("waits for the end of CI" in it for it in bot.story.comments(red))

    bot.finish()

    assert "round, gate, approval" in bot.answer(red)
    assert not any("ngc-bump-bot:waiting" in it for it in bot.story.comments(red))
    assert bot.story.lab.world.files(REPOSITORY, BRANCH)[GOLDEN] == FAR
    bot.finish()
    until(lambda: not bot.story.pulls[0].pull.draft)


def test_triage_status_and_help_answer_and_write_nothing_else(bot, red):
    bot.finish()
    until(lambda: any("moved beyond the limits" in it for it in bot.story.comments(red)))

    bot.say(red, "/bot triage\n\n/bot status")
    answer = bot.answer(red)

    assert "large-drift" in answer
    assert "asking" in answer
    assert "accepts the new values" in answer


def test_a_person_takes_a_test_out_by_a_comment(bot, red):
    bot.finish()

    bot.say(red, "/bot quarantine gpt_small_tp1_pp4_resume -c regression -m 'moves too far'")

    assert "round, gate, approval" in bot.answer(red)
    issues = [it for it in bot.world.repository(REPOSITORY).issues.values() if "gpt_small" in it.title]
    assert len(issues) == 1
    bot.finish()
    bot.say(red, "/bot unquarantine gpt_small_tp1_pp4_resume")
    until(lambda: len(bot.answers(red)) == 2)
    assert "round, gate, approval" in bot.answer(red, 2)


def test_while_the_bot_is_paused_it_says_so_and_does_nothing(bot, red):
    bot.say(red, "/bot pause")
    assert "/bot resume" in bot.answer(red)
    bot.finish()
    bot.restart()

    bot.say(red, "/bot retry")
    assert "`maintainer` has paused the bot here" in bot.answer(red, 2)
    assert not any("moved beyond the limits" in it for it in bot.story.comments(red))

    bot.say(red, "/bot resume")
    until(lambda: any("moved beyond the limits" in it for it in bot.story.comments(red)))


@pytest.mark.parametrize("command", ["build", "lock"])
def test_what_cannot_be_done_from_a_comment_yet_is_said_with_the_way_by_hand(bot, command):
    number = bot.issue()

    bot.say(number, f"/bot {command}")

    answer = bot.answer(number)
    assert f"the bot cannot do `{command.split()[0]}` from a comment yet" in answer


def test_commands_on_a_plain_issue_that_need_a_pull_request_say_so(bot):
    number = bot.issue()

    bot.say(number, "/bot retry")

    assert "is no open pull request of the bot's" in bot.answer(number)


def test_comments_that_no_webhook_told_of_are_found_when_the_bot_starts(bot):
    bot.push(NEW)
    bot.stop()
    number = bot.issue()
    bot.say(number, f"/bot bump {NEW}")

    bot.start()

    assert "pull request" in bot.answer(number)


def test_a_recipe_that_became_invalid_fails_alone_and_is_taken_again_when_it_is_mended(bot, tmp_path):
    bot.stop()
    recipe = tmp_path / "megatron-lm.yaml"
    text = (wiring.recipe_folder() / "megatron-lm.yaml").read_text()
    recipe.write_text(text)
    bot.recipe = str(recipe)
    bot.start(BOT_RESYNC="0.2")
    until(lambda: bot.heart.last_success)

    recipe.write_text("nonsense: true\n")
    until(lambda: "is no key of a recipe" in bot.heart.problem)

    recipe.write_text(text)
    until(lambda: bot.heart.problem == "")


def test_a_stopped_bot_does_nothing(bot):
    bot.stop()
    bot.start(BOT_MODE="stopped")
    bot.push(NEW)
    number = bot.issue()
    bot.say(number, f"/bot bump {NEW}")
    until(lambda: bot.hooks.deliveries and bot.service.work.running == 0 == bot.service.work.due)

    assert bot.answers(number) == []
    assert bot.story.pulls == ()


def test_metrics_and_health_tell_what_the_bot_did(bot, red):
    page = httpx.get(f"{bot.stage.url}/metrics").text
    health = httpx.get(f"{bot.stage.url}/healthz").json()

    assert 'bot_steps_total{step="approval"} 1.0' in page
    assert 'bot_heartbeat_missed{repository="NVIDIA/Megatron-LM"} 0.0' in page
    assert "bot_api_requests_left " in page
    assert health["heartbeats"][0]["missed"] is False


def test_a_bump_is_taken_back_by_a_comment_and_stays_so(bot, red):
    bot.say(red, "/bot undo -m 'it hangs'")

    assert "files have their old bytes back" in bot.answer(red)
    assert bot.story.pins(BRANCH) == {OLD}
    bot.restart()
    until(lambda: bot.heart.last_success)
    assert bot.story.pins(BRANCH) == {OLD}


def test_a_tag_that_is_pushed_again_alerts_and_begins_nothing(bot):
    bot.push(NEW)
    bot.stop()
    bot.start(BOT_RELEASE_POLL="0.2")
    until(lambda: bot.service.notebook.state().releases)

    bot.push(NEW, CUDA_VERSION="13.3.2")

    until(lambda: bot.service.notebook.state().releases[0].alerts)
    (release,) = bot.service.notebook.state().releases
    assert f"{NEW} was pushed again" in release.alerts[0]
    assert httpx.get(f"{bot.stage.url}/healthz").json()["releases"][0]["pushed_again"] == 1
    assert bot.story.pulls == ()


def test_a_dry_run_writes_nothing_and_logs_what_it_would_write(bot, tmp_path, caplog):
    bot.stop()
    recipe = tmp_path / "megatron-lm.yaml"
    text = (wiring.recipe_folder() / "megatron-lm.yaml").read_text()
    recipe.write_text(re.sub(r"(?m)^  (cron|minimum_age): .*\n", "", text))
    bot.recipe = str(recipe)
    bot.push(NEW)
    issue = bot.issue()
    bot.say(issue, f"/bot bump {NEW}")
    writes = len(bot.writes())

    with caplog.at_level("INFO", "bot"):
        bot.start(BOT_MODE="dry-run")
        until(lambda: any(it.fields.get("path", "").endswith("/pulls") for it in logged(caplog)))
        bot.stop()

    assert len(bot.writes()) == writes
    assert (bot.story.pulls, bot.answers(issue)) == ((), [])
    bot.start()
    assert "#2, https://github.com/" in bot.answer(issue)


def logged(caplog):
    return [it for it in caplog.records if it.getMessage() == "would write"]


def test_while_github_fails_the_heartbeat_stops_and_begins_again(bot):
    bot.stop()
    bot.story.lab.faults.append(Fault("GET", r".*/issues/comments", status=500, times=1000))
    bot.start(BOT_RESYNC="0.2")
    until(lambda: bot.heart.problem)
    assert bot.heart.last_success is None
    until(lambda: httpx.get(f"{bot.stage.url}/healthz").status_code == 503)

    bot.story.lab.faults.clear()

    until(lambda: bot.heart.last_success)
    until(lambda: httpx.get(f"{bot.stage.url}/healthz").status_code == 200)


@pytest.mark.parametrize(("status", "is_well"), [(404, True), (502, False)])
def test_a_conversation_that_cannot_be_read_keeps_no_bump_back(bot, red, status, is_well):
    bot.stop()
    moved = bot.issue()
    bot.say(moved, "/bot status")
    path = rf".*/issues/{moved}/comments"
    bot.story.lab.faults.append(Fault("GET", path, status=status, message="Not Found", times=1000))
    bot.start(BOT_RESYNC="0.5")

    until(lambda: bot.service.notebook.state().bumps)
    until(lambda: bot.heart.last_tick)

    assert bot.service.notebook.standing(REPOSITORY, red).state == "waiting"
    assert (bot.heart.problem == "") is is_well
    bot.story.lab.faults.clear()
    if not is_well:
        assert f"waiting, #{red}" in bot.answer(moved)


def test_the_status_of_a_bump_that_stopped_says_why(bot, red):
    with bot.world.lock:
        sha = bot.world.push(REPOSITORY, BRANCH, {"a.txt": b"a"}, author="contributor")

    bot.say(red, "/bot pause\n/bot resume")
    bot.answer(red)
    until(lambda: bot.service.notebook.standing(REPOSITORY, red).state == "stopped")
    bot.say(red, "/bot status")

    assert sha in bot.answer(red, 2)


def test_the_page_shows_the_bump_its_pins_and_its_standing(bot, red):
    until(lambda: bot.heart.last_success)
    until(lambda: bot.service.notebook.state().releases)

    page = httpx.get(f"{bot.stage.url}/").text

    for words in ("NVIDIA/Megatron-LM", NEW, OLD, "waiting for CI"):
        assert words in page
    assert f"pull/{red}" in httpx.get(f"{bot.stage.url}/bumps/NVIDIA/Megatron-LM/main/dev").text
