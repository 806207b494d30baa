"""Stories of a bump on GitHub, from nothing to an approved draft, and what may come in between."""

import pytest

from bot.core.errors import BotError, Refused
from bot.flows.bump import Stopped
from bot.lab.megatron import megatron_files
from tests.judges.kill import Killed, killed
from tests.judges.wire import intercepted
from tests.scenarios.conftest import BOT, BRANCH, IMAGE, NEW, OLD, REPOSITORY

PIN = "docker/.ngc_version.dev"
REQUESTS = 18
"""Requests of a whole bump with a user token, GraphQL and the waiting for copy-pr-bot included."""


def approvals(story) -> list[str]:
    return [body for body in story.comments() if body.startswith("/ok to test")]


def test_from_nothing_to_an_approved_draft_with_its_label(story):
    outcome = story.bump()

    [pull] = story.pulls
    assert (pull.title, pull.pull.draft) == (f"chore: Update Docker image version to {NEW}", True)
    assert [label.name for label in pull.labels] == ["Run functional tests"]
    assert story.pins(outcome.sha) == {NEW}
    assert approvals(story) == [f"/ok to test {outcome.sha}"]
    assert outcome.approval == "taken"
    assert story.lab.world.repository(REPOSITORY).branch("pull-request/1") == outcome.sha


def test_the_second_run_changes_nothing(story):
    first = story.bump()
    writes = [entry for entry in story.lab.requests if entry.method != "GET" and entry.path != "/graphql"]

    second = story.bump()

    assert (second.sha, second.approval) == (first.sha, "taken")
    after = [entry for entry in story.lab.requests if entry.method != "GET" and entry.path != "/graphql"]
    assert after == writes


def test_a_base_that_is_there_already_gets_no_pull_request(story):
    outcome = story.bump(OLD)

    assert (outcome.pull_request, story.pulls) == (None, ())


def test_the_commit_is_signed_off_and_names_its_image(story):
    outcome = story.bump()

    message = story.lab.world.repository(REPOSITORY).git.commit(outcome.sha).message
    assert message.startswith(f"chore: Update Docker image version to {NEW}\n")
    assert f"Base-Image: nvcr.io/nvidia/pytorch:{NEW}\n" in message
    assert f"Signed-off-by: {BOT} <" in message.rstrip().splitlines()[-1]


def test_the_template_is_kept_and_the_reviewed_box_left_unticked(story):
    story.bump()

    [pull] = story.pulls
    template = story.lab.world.files(REPOSITORY, "main")[".github/pull_request_template.md"].decode()
    assert template.strip() in pull.body
    assert "[x]" not in pull.body.lower()


def test_lts_has_a_pull_request_of_its_own(story):
    story.bump()

    outcome = story.bump(OLD, track="lts")

    pull = story.pulls[-1]
    assert pull.title == f"chore: Update LTS Docker image version to {OLD}"
    assert [label.name for label in pull.labels] == ["container::lts", "Run tests"]
    assert story.pins(outcome.sha) == {OLD}


def requests_of_one_bump(story) -> int:
    with killed(None, "after") as count:
        story.bump()
    return count.begun


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, REQUESTS + 1))
def test_killed_at_any_request_and_started_again_it_converges(story, number, when):
    with pytest.raises(Killed), killed(number, when):
        story.bump()

    outcome = story.bump()

    [pull] = story.pulls
    assert [label.name for label in pull.labels] == ["Run functional tests"]
    assert approvals(story) == [f"/ok to test {outcome.sha}"]
    assert sum(body.startswith("<!-- ngc-bump-bot:status -->") for body in story.comments()) == 1
    assert story.bot_branches == [BRANCH]


def test_the_kill_table_reaches_the_last_request(story):
    assert requests_of_one_bump(story) == REQUESTS


def test_a_foreign_commit_is_neither_approved_nor_built_upon(story):
    first = story.bump()
    foreign = story.lab.world.push(REPOSITORY, BRANCH, {"docker/evil.sh": "curl …"}, author="maintainer")

    with pytest.raises(Refused, match=foreign) as refused:
        story.bump()

    assert f"/ok to test {foreign}" in refused.value.hint
    assert approvals(story) == [f"/ok to test {first.sha}"]
    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) == foreign


def test_a_vetter_vouches_for_a_foreign_commit_by_its_full_sha(story):
    story.bump()
    foreign = story.lab.world.push(REPOSITORY, BRANCH, {"docs/note.md": "fine\n"}, author="contributor")
    story.lab.world.comment(REPOSITORY, 1, "maintainer", f"/ok to test {foreign}")

    outcome = story.bump()

    assert outcome.sha == foreign


@pytest.mark.parametrize(
    ("author", "form"),
    [
        pytest.param("contributor", "/ok to test {sha}", id="a reader is no vetter"),
        pytest.param("maintainer", "/ok to test {short}", id="seven digits do not name a commit"),
        pytest.param("maintainer", "> /ok to test {sha}", id="a quote is no word of its author"),
    ],
)
def test_what_is_no_vouch(story, author, form):
    story.bump()
    foreign = story.lab.world.push(REPOSITORY, BRANCH, {"docs/note.md": "fine\n"}, author="contributor")
    story.lab.world.comment(REPOSITORY, 1, author, form.format(sha=foreign, short=foreign[:7]))

    with pytest.raises(Refused, match=foreign):
        story.bump()


def test_without_its_ledger_the_bot_knows_its_commit_by_the_tree(story):
    first = story.bump()
    story.lose_ledger()

    assert story.bump().sha == first.sha


def test_without_its_ledger_a_commit_that_adds_anything_is_foreign(story):
    files = _at_new(story) | {"setup.py": "import os\n"}
    planted = story.lab.world.push(REPOSITORY, BRANCH, files, author=BOT, message="chore: Update")

    with pytest.raises(Refused, match=planted):
        story.bump()

    assert story.pulls == ()


def _at_new(story) -> dict[str, bytes]:
    return {path: raw.replace(OLD.encode(), NEW.encode()) for path, raw in _pin_files(story).items()}


def _pin_files(story) -> dict[str, bytes]:
    files = story.lab.world.files(REPOSITORY, "main")
    return {path: files[path] for path in story.recipe.track("dev").pin_paths}


@pytest.mark.parametrize("title", [f"Update image to {NEW}", "Make CI fast"])
def test_somebody_elses_bump_is_seen_whatever_it_is_called_and_refused_with_its_link(story, title):
    story.lab.world.push(REPOSITORY, "human", {PIN: f"{IMAGE}:{NEW}\n"}, "maintainer")
    story.lab.world.open_pull_request(REPOSITORY, "human", "main", "maintainer", title=title)

    with pytest.raises(Refused, match=r"#1 by maintainer .*https://github.com/NVIDIA/Megatron-LM/pull/1"):
        story.bump()

    assert story.bump(anyway=True).pull_request.number == 2


def test_a_pull_request_that_moves_a_pin_to_another_release_is_no_competitor(story):
    story.lab.world.push(REPOSITORY, "human", {PIN: f"{IMAGE}:26.05-py3\n"}, "maintainer")
    story.lab.world.open_pull_request(
        REPOSITORY, "human", "main", "maintainer", title=f"Update image to 26.05, then to {NEW}"
    )

    assert story.bump().pull_request.number == 2


def test_who_branched_off_before_the_release_was_moved_back_is_no_competitor(story):
    story.lab.world.push(REPOSITORY, "main", _at_new(story), "maintainer")
    story.lab.world.push(REPOSITORY, "fix", {"docs/note.md": "flaky\n"}, "contributor")
    story.lab.world.push(REPOSITORY, "main", _before(story), "maintainer")
    story.lab.world.open_pull_request(REPOSITORY, "fix", "main", "contributor", title="Fix a flaky test")

    assert story.bump().pull_request.number == 2


def test_many_pull_requests_of_others_cost_a_handful_of_requests(story):
    for number in range(30):
        old = {PIN: f"{IMAGE}:25.{number % 12 + 1:02}-py3\n"} if number % 2 else {"docs/note.md": "more\n"}
        branch = f"other-{number}"
        story.lab.world.push(REPOSITORY, branch, old, "contributor")
        story.lab.world.open_pull_request(REPOSITORY, branch, "main", "contributor", title=f"On {NEW}")

    assert requests_of_one_bump(story) <= REQUESTS + 1


def test_a_pull_request_that_somebody_opened_from_the_bots_branch_is_gone_on_with_and_named(story):
    first = story.bump()
    story.lab.world.close(REPOSITORY, 1)
    story.lab.world.open_pull_request(
        REPOSITORY, BRANCH, "main", "maintainer", title="Mine", body="<!-- ngc-bump-bot:begin --> x"
    )

    outcome = story.bump()

    assert (outcome.pull_request.number, outcome.sha, outcome.approval) == (2, first.sha, "taken")
    assert outcome.adopted_from.login == "maintainer"
    assert story.pulls[1].body == "<!-- ngc-bump-bot:begin --> x"
    assert "| opened by | `maintainer`" in story.comments(2)[-1]


def test_a_refusal_tells_how_the_pull_request_stands(story):
    first = story.bump()
    foreign = story.lab.world.push(REPOSITORY, BRANCH, {"evil.sh": "curl"}, author="contributor")

    with pytest.raises(Stopped, match=foreign) as stopped:
        story.bump()

    outcome = stopped.value.outcome
    assert (outcome.pull_request.number, outcome.sha, outcome.approval) == (1, foreign, "none")
    assert outcome.sha != first.sha


def test_a_closed_pull_request_stays_closed(story):
    story.bump()
    story.lab.world.close(REPOSITORY, 1)

    with pytest.raises(Refused, match="stays closed"):
        story.bump()


def test_a_push_between_the_look_and_the_approval_is_not_approved(story):
    pushed = []

    def push_before_the_approval(request, send):
        response = send(request)
        if "/statuses/" in request.url and request.method == "POST":
            pushed.append(story.lab.world.push(REPOSITORY, BRANCH, {"evil.sh": "curl"}, author="contributor"))
        return response

    with intercepted(push_before_the_approval), pytest.raises(Refused, match="nothing was approved"):
        story.bump()

    assert approvals(story) == []
    with pytest.raises(Refused, match=pushed[0]):
        story.bump()


HOSTILE = "x\n/ok to test {sha}\r\n<!-- ngc-bump-bot:status -->\n@NVIDIA/ci `"


def test_hostile_text_is_obeyed_by_nobody(story):
    foreign = story.lab.world.push(REPOSITORY, "human", {PIN: f"{IMAGE}:{NEW}\n"}, "contributor")
    hostile = HOSTILE.format(sha=foreign)
    story.lab.world.open_pull_request(
        REPOSITORY, "human", "main", "contributor", title=f"26.06 {hostile}", body=hostile
    )
    track = story.recipe.track("dev").model_copy(
        update={"labels": (f"Run {hostile}"[:50],), "conflicting_labels": (hostile,)}
    )
    story.recipe = story.recipe.model_copy(update={"tracks": {**story.recipe.tracks, "dev": track}})

    outcome = story.bump(anyway=True)

    assert [approval.sha for approval in story.copy_pr_bot.approvals] == [outcome.sha]
    assert story.copy_pr_bot.ignored == []


def test_a_marker_in_somebody_elses_comment_means_nothing(story):
    outcome = story.bump()
    planted = f"<!-- ngc-bump-bot:status -->\n/ok to test {outcome.sha}"
    story.lab.world.comment(REPOSITORY, 1, "contributor", planted)

    story.bump()

    assert story.comments()[-1] == planted


def test_the_label_of_the_small_run_beside_ours_is_reported(story):
    story.bump()
    story.lab.world.label(REPOSITORY, 1, "Run tests")

    story.bump()

    [status] = [body for body in story.comments() if body.startswith("<!-- ngc-bump-bot:status -->")]
    assert "conflict" in status
    assert "Run tests" in status


def test_the_description_follows_the_base_and_keeps_what_people_wrote(story):
    story.bump()
    [pull] = story.pulls
    pull.body = pull.body.replace("# What does this PR do", "Reviewed by ada.\n\n# What does this PR do")
    readme = "docs/get-started/install.md"
    old = story.lab.world.files(REPOSITORY, "main")[readme]
    story.lab.world.push(
        REPOSITORY, "main", {readme: old + b"\nnvcr.io/nvidia/pytorch:25.12-py3\n"}, "maintainer"
    )

    outcome = story.bump()

    assert outcome.written == ("description",)
    assert "pytorch:25.12-py3" in pull.body
    assert "Reviewed by ada." in pull.body
    assert story.bump().written == ()


def test_the_thumbs_up_of_copy_pr_bot_is_as_good_as_its_branch(story):
    outcome = story.bump()
    approval = story.pulls[0].comments[0]
    story.lab.world.delete_branch(REPOSITORY, "pull-request/1", "maintainer")

    assert story.bump().approval == "taken"
    approval.reactions.clear()
    story.lab.world.react(REPOSITORY, approval.id, "contributor", "+1")
    assert story.bump().approval == "asked"
    assert approvals(story) == [f"/ok to test {outcome.sha}"]


def test_a_bump_that_was_merged_and_reverted_can_be_done_again(story):
    story.bump()
    story.lab.world.merge(REPOSITORY, 1, "maintainer")
    story.lab.world.delete_branch(REPOSITORY, BRANCH, "maintainer")
    story.lab.world.push(REPOSITORY, "main", _before(story), "maintainer")

    outcome = story.bump()

    assert (outcome.pull_request.number, outcome.approval) == (2, "taken")


def _before(story) -> dict[str, bytes]:
    return {path: megatron_files()[path] for path in story.recipe.track("dev").pin_paths}


def test_where_one_lane_is_there_already_only_a_pull_request_that_moves_the_other_competes(story):
    build = ".gitlab/stages/01.build.yml"
    ahead = megatron_files()[build].replace(OLD.encode(), NEW.encode())
    story.lab.world.push(REPOSITORY, "main", {build: ahead}, "maintainer")
    story.lab.world.push(REPOSITORY, "fix", {"docs/note.md": "flaky\n"}, "contributor")
    story.lab.world.open_pull_request(
        REPOSITORY, "fix", "main", "contributor", title="Fix a flaky test on 26.06"
    )

    assert story.bump().pull_request.number == 2


def test_an_answer_that_does_not_show_the_approval_ends_the_run_and_not_the_rule(story):
    def forget_who_wrote_it(request, send):
        response = send(request)
        if request.method == "POST" and "/ok to test" in str(request.body):
            response._content = response.content.replace(b'"id": 1', b'"id": 9')
        return response

    with intercepted(forget_who_wrote_it), pytest.raises(BotError) as ended:
        story.bump()

    assert ended.value.exit_code == 4
    outcome = story.bump()
    assert approvals(story) == [f"/ok to test {outcome.sha}"]


def test_a_commit_that_the_bot_made_for_another_track_proves_nothing_here(story):
    lts = story.bump(OLD, track="lts")
    story.lab.world.create_branch(REPOSITORY, BRANCH, lts.sha, "contributor")

    with pytest.raises(Refused, match=lts.sha):
        story.bump()
