"""The base changes the test recipe in which the bot has taken a test out of the gate."""

from bot.core.rounds import Words
from bot.lab.megatron_ci import NAME, WORKFLOW, MegatronCi
from bot.lab.megatron_tests import Outcome
from tests.scenarios.conftest import BRANCH, REPOSITORY

TEST = "gpt_small_tp1_pp4_resume"


def test_the_quarantine_is_made_anew_on_the_bases_text_in_one_merge_commit(story):
    world = story.lab.world
    script = MegatronCi(outcomes={f"gpt/{TEST}@dgx_h100": Outcome("oom")})
    world.on_push(REPOSITORY, "pull-request/*", script, path=WORKFLOW, name=NAME)
    story.bump()
    world.finish(world.workflow_runs(REPOSITORY)[-1])
    before = world.files(REPOSITORY, BRANCH)
    story.bump(words=Words(quarantine=[f"gpt/{TEST}"]))
    path = next(it for it, text in world.files(REPOSITORY, BRANCH).items() if text != before.get(it))
    old, ours = before[path].decode(), world.files(REPOSITORY, BRANCH)[path].decode()
    beside = old[: old.index("scope: [", old.index(TEST))].rstrip().rpartition("\n")[2]
    above = f"{TEST}]\n    products:\n{beside}"
    theirs = old.replace(above, f"{above} # the team's")
    assert theirs != old
    world.push(REPOSITORY, "main", {path: theirs}, author="maintainer")

    outcome = story.bump()

    merged = world.files(REPOSITORY, outcome.sha)[path].decode()
    assert merged != ours
    assert merged.replace(" # the team's", "") == ours
