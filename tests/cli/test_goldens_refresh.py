"""`bot goldens refresh` in a clone, from a run on the simulated GitHub: API and blob store over HTTP."""

import json

import pytest

from bot import wiring
from bot.lab.megatron import REPOSITORY
from bot.lab.megatron_artifacts import functional_zip, scaled, truncated
from bot.lab.megatron_ci import WORKFLOW
from bot.lab.megatron_tests import Outcome
from tests.cli.refresh_story import BOTH, FILES, FSDP, RESUME, Story, git, golden
from tests.judges.wire import intercepted


def moved(test: str, factor: float, name: str = "dev_dgx_h100") -> bytes:
    return scaled(FILES[golden(test, name)], {"lm loss": factor})


OLD = FILES[golden(RESUME)]
NEAR, NEARER, FAR = (moved(RESUME, factor) for factor in (1.000_01, 1.000_02, 1.2))
NEAR_FSDP = moved(FSDP, 1.000_01)


@pytest.fixture
def story(lab, bot, monkeypatch, tmp_path):
    found = Story(lab, bot, tmp_path / "clone")
    monkeypatch.setenv("GITHUB_API_URL", lab.url)
    monkeypatch.setenv("GITHUB_TOKEN", lab.user_token("ann"))
    return found


def test_a_drift_takes_its_place_with_the_artifacts_own_bytes(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()

    outcome = story.refresh(run)

    document = outcome.document
    assert (outcome.status, document["schema"], document["command"]) == (0, 1, "goldens refresh")
    assert (document["sha"], document["written"]) == (story.head, [golden(RESUME)])
    assert (document["unchanged"], document["refused"]) == ([], [])
    assert story.read(golden(RESUME)) == NEAR
    assert story.changed == [golden(RESUME)]
    assert not story.world.blobs.violations


def test_what_was_written_before_is_unchanged(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()
    story.refresh(run)
    git(story.clone, "-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qam", "Refresh")

    document = story.refresh(run).document

    assert (document["written"], document["unchanged"]) == ([], [golden(RESUME)])


def test_a_dry_run_says_the_same_and_writes_nothing(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()

    outcome = story.refresh(run, "--dry-run")

    assert outcome.document["written"] == [golden(RESUME)]
    assert "would write 1" in outcome.people
    assert story.changed == []


def test_all_looks_at_passed_tests_too(story):
    story.goes(
        resume=Outcome("drift", NEAR), both_gb200=Outcome("passed", moved(BOTH, 1.000_01, "dev_dgx_gb200"))
    )
    run = story.finished()

    document = story.refresh(run, which="--all").document

    assert document["written"] == [golden(RESUME), golden(BOTH, "dev_dgx_gb200")]
    assert golden(BOTH) in document["unchanged"]


def test_one_name_on_two_platforms_is_two_goldens(story):
    h100, gb200 = moved(BOTH, 1.000_01), moved(BOTH, 1.000_02, "dev_dgx_gb200")
    story.goes(both_h100=Outcome("drift", h100), both_gb200=Outcome("drift", gb200))

    story.refresh(story.finished())

    assert story.read(golden(BOTH)) == h100
    assert story.read(golden(BOTH, "dev_dgx_gb200")) == gb200


@pytest.mark.parametrize("name", [RESUME, RESUME.partition("/")[2], "all"])
def test_what_moved_far_is_written_once_a_person_accepts_it(story, name):
    story.goes(resume=Outcome("large-drift", FAR), fsdp=Outcome("drift", NEAR_FSDP))
    run = story.finished()

    asked = story.refresh(run, "--dry-run").document
    assert asked["written"] == [golden(FSDP)]
    [refused] = asked["refused"]
    assert (refused["file"], refused["person_may_accept"]) == (golden(RESUME), True)
    assert "lm loss" in refused["reason"]

    accepted = story.refresh(run, "--accept", name).document
    assert accepted["written"] == [golden(FSDP), golden(RESUME)]
    assert story.read(golden(RESUME)) == FAR


def test_what_failed_otherwise_is_refused_with_its_verdict_whatever_a_person_says(story):
    story.goes(
        resume=Outcome("oom", NEAR),
        fsdp=Outcome("hang"),
        both_h100=Outcome("drift", truncated(moved(BOTH, 1.000_01), 3)),
        both_gb200=Outcome("infra"),
    )

    outcome = story.refresh(story.finished(), "--accept", "all")

    assert (outcome.status, outcome.document["written"]) == (0, [])
    reasons = {it["file"]: it["reason"].partition(":")[0] for it in outcome.document["refused"]}
    assert reasons[golden(RESUME)] == "oom"
    assert reasons[golden(FSDP)] == "hang"
    assert reasons[golden(BOTH, "dev_dgx_gb200")] == "infra"
    assert "lacks steps" in reasons[golden(BOTH)]
    assert not any(it["person_may_accept"] for it in outcome.document["refused"])
    assert story.changed == []


def test_what_the_run_says_nothing_of_is_listed_with_the_reason(story):
    recipe = "tests/test_utils/recipes/h100/gpt.yaml"
    text = story.read(recipe).decode()
    more = {
        golden("gpt/gpt_small_fp8_delayed"): "is of a test that runs in `nightly` and did not run here",
        golden("gpt/gone"): "is of a test that no test recipe names",
        golden(FSDP): "is of a test in quarantine: `mr-broken` and `mr-github-broken`",
        golden(FSDP, "dev_dgx_gb200"): "is of a test that no test recipe runs on `dgx_gb200`",
        golden(RESUME, "dev_dgx_a100"): "is of platform `dgx_a100`, which this CI does not run",
        golden(RESUME, "lts_dgx_h100"): "is of environment `lts`, which this CI does not run",
        golden(RESUME, "dev_dgx_h100_2nd"): "is of the second run of a test, which nothing reads",
        golden(RESUME, "old"): "has a name that no test writes",
    }
    broken = "scope: [mr-broken, mr-github-broken] # slow"
    changes = {recipe: text.replace("scope: [mr, mr-github] # slow", broken), **dict.fromkeys(more, OLD)}
    story.head = story.world.push(REPOSITORY, "bump", changes, author="ann")
    for path, content in changes.items():
        (story.clone / path).parent.mkdir(exist_ok=True)
        (story.clone / path).write_bytes(content.encode() if isinstance(content, str) else content)
    repository = story.world.repository(REPOSITORY)
    git(story.clone, "fetch", "--quiet", str(repository.git.directory), repository.ref("refs/heads/bump"))

    outcome = story.refresh(story.finished())

    assert {it["file"]: it["reason"] for it in outcome.document["not_covered"]} == more
    assert "1 is of a test that no test recipe names" in outcome.people


def test_a_run_that_goes_on_is_refused(story):
    outcome = story.refresh(story.begin())

    assert outcome.status == 3
    assert "is still" in outcome.document["error"]["message"]


def test_a_run_that_is_begun_again_meanwhile_is_refused(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()

    def begin_again(request, send):
        answer = send(request)
        if (request.url or "").partition("?")[0].endswith("/artifacts") and run.attempt == 1:
            story.world.rerun_failed(run)
        return answer

    with intercepted(begin_again):
        outcome = story.refresh(run)

    assert outcome.status == 3
    assert "was begun again meanwhile" in outcome.document["error"]["message"]
    assert story.changed == []


def test_a_clone_with_other_pins_than_the_run_had_is_refused(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()
    git(story.clone, "checkout", "--quiet", "main")

    outcome = story.refresh(run)

    assert outcome.status == 3
    message = outcome.document["error"]["message"]
    assert "26.06-py3" in message
    assert "26.04-py3" in message
    assert story.changed == []


def test_a_run_of_a_commit_that_the_clone_does_not_have_is_refused(story):
    story.head = story.world.push(REPOSITORY, "bump", {"docs/a.md": "later"}, author="ann")

    outcome = story.refresh(story.finished())

    assert outcome.status == 3
    assert "which the clone does not have" in outcome.document["error"]["message"]


def test_a_golden_that_a_person_has_changed_is_not_overwritten(story):
    story.goes(resume=Outcome("drift", NEAR), fsdp=Outcome("drift", NEAR_FSDP))
    run = story.finished()
    (story.clone / golden(RESUME)).write_bytes(NEARER)

    outcome = story.refresh(run)

    assert (outcome.status, outcome.document["error"]["path"]) == (3, golden(RESUME))
    assert story.read(golden(FSDP)) == FILES[golden(FSDP)]


def test_where_one_golden_cannot_be_written_none_is(story):
    story.goes(resume=Outcome("drift", NEAR), fsdp=Outcome("drift", NEAR_FSDP))
    run = story.finished()
    (story.clone / golden(RESUME)).chmod(0o444)

    outcome = story.refresh(run)

    assert (outcome.status, outcome.document["error"]["path"]) == (3, golden(RESUME))
    assert story.changed == []


@pytest.mark.parametrize("listed", [True, False], ids=["listed as expired", "gone since it was listed"])
def test_an_artifact_that_has_expired_is_refused_and_the_others_are_taken(story, listed):
    story.goes(resume=Outcome("drift", NEAR), fsdp=Outcome("drift", NEAR_FSDP))
    run = story.finished()
    [lost] = [it for it in run.artifacts if "resume" in it.name]

    def expire(request, send):
        answer = send(request)
        if (request.url or "").partition("?")[0].endswith("/artifacts"):
            lost.expired = True
        return answer

    lost.expired = listed
    with intercepted(expire):
        document = story.refresh(run).document

    # What the artifact held is part of the verdict: without it nobody can say that the golden is whole.
    assert document["written"] == [golden(FSDP)]
    [refused] = document["refused"]
    assert refused["file"] == golden(RESUME)


def test_an_artifact_of_another_test_under_its_name_is_at_most_asked_about(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()
    put_in_place_of(run, "resume", moved(BOTH, 1.2))

    document = story.refresh(run).document

    assert document["written"] == []
    [refused] = document["refused"]
    assert (refused["file"], refused["person_may_accept"]) == (golden(RESUME), True)


def test_an_artifact_of_another_platform_is_nobodys_to_accept(story):
    story.goes(resume=Outcome("drift", NEAR))
    run = story.finished()
    put_in_place_of(run, "resume", NEAR, "golden_values_dev_dgx_gb200.json")

    document = story.refresh(run, "--accept", "all").document

    assert document["written"] == []
    [refused] = document["refused"]
    assert (refused["file"], refused["person_may_accept"]) == (golden(RESUME), False)


def put_in_place_of(run, test: str, content: bytes, name: str = "golden_values_dev_dgx_h100.json") -> None:
    """Let the artifact of a test hold a golden that is not its own."""
    zipped = functional_zip({name: content}, 1, {0: ""})
    [artifact] = [it for it in run.artifacts if test in it.name]
    artifact.content, artifact.size = (lambda: zipped), len(zipped)


@pytest.mark.parametrize(
    ("event", "branch"), [("workflow_dispatch", "pull-request/1"), ("push", "main"), ("merge_group", "main")]
)
def test_only_a_pull_requests_own_run_is_believed(story, event, branch):
    run = story.finished()
    forged = story.world.run_workflow(REPOSITORY, WORKFLOW, branch, run.sha, event=event)
    story.world.finish(forged)

    outcome = story.refresh(forged)

    assert outcome.status == 3
    assert "is not believed" in outcome.document["error"]["message"]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("--all",), id="no run"),
        pytest.param(("--run-id", "1", "--pipeline-id", "1", "--all"), id="two runs"),
        pytest.param(("--run-id", "1"), id="which tests"),
        pytest.param(("--run-id", "1", "--all", "--only-failing"), id="both kinds of tests"),
        pytest.param(("--run-id", "0", "--all"), id="no such number"),
        pytest.param(("--run-id", "999", "--all"), id="no such run"),
    ],
)
def test_a_mistake_of_the_person_is_exit_status_2(story, words):
    assert story.bot("goldens", "refresh", *words, "--checkout", str(story.clone)).status == 2


def test_without_a_clone_the_bots_pull_request_is_meant_and_there_is_none(story):
    outcome = story.bot("goldens", "refresh", "--run-id", "1", "--all", "--recipe", "megatron-lm")

    assert outcome.status == 3
    assert outcome.document["error"]["code"] == "refused"


def test_the_layout_of_the_old_file_is_kept_where_the_recipe_says_so(story, tmp_path):
    story.goes(resume=Outcome("drift", NEAR))
    text = (wiring.recipe_folder() / "megatron-lm.yaml").read_text()
    recipe = tmp_path / "kept.yaml"
    recipe.write_text(text.replace("\ngoldens:\n", "\ngoldens:\n  format: keep\n"))
    oneline = json.dumps(json.loads(OLD)).encode() + b"\n"
    story.head = story.world.push(REPOSITORY, "bump", {golden(RESUME): oneline}, author="ann")
    repository = story.world.repository(REPOSITORY)
    ref = repository.ref("refs/heads/bump")
    git(story.clone, "pull", "--quiet", "--ff-only", str(repository.git.directory), ref)

    story.refresh(story.finished(), "--recipe", str(recipe))

    assert story.read(golden(RESUME)) == json.dumps(json.loads(NEAR)).encode() + b"\n"
