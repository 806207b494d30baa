"""Stories of a bump whose base branch, or whose own branch, moves on while it is open."""

import pytest

from bot.core.errors import Refused
from bot.lab.megatron import megatron_files
from tests.judges.kill import Killed, killed, writes
from tests.scenarios.conftest import BRANCH, IMAGE, NEW, OLD, REPOSITORY

PIN = "docker/.ngc_version.dev"
BUILD = ".gitlab/stages/01.build.yml"
LOCK = "uv.lock"
GOLDEN = "tests/functional_tests/test_cases/gpt/gpt3_base/golden_values_dev_dgx_h100.json"
RECIPE = "tests/test_utils/recipes/gpt.yaml"
BETWEEN = "26.05-py3"


def push(story, files, branch="main", author="maintainer"):
    return story.lab.world.push(REPOSITORY, branch, files, author)


def vouched(story, files):
    """A contributor pushes onto the bot's branch, and a maintainer vouches for it."""
    sha = push(story, files, BRANCH, "contributor")
    story.lab.world.comment(REPOSITORY, 1, "maintainer", f"/ok to test {sha}")
    return sha


def pinned(tag, path=PIN):
    """The pin file as a person would have it for another tag."""
    return {path: megatron_files()[path].replace(OLD.encode(), tag.encode())}


def approvals(story):
    return [approval.sha for approval in story.copy_pr_bot.approvals]


def status(story):
    [found] = [body for body in story.comments() if body.startswith("<!-- ngc-bump-bot:status -->")]
    return found


def commit(story, sha):
    return story.lab.world.repository(REPOSITORY).git.commit(sha)


def files(story, revision):
    return story.lab.world.files(REPOSITORY, revision)


def test_a_base_that_moves_without_a_conflict_is_left_to_the_merge(story):
    first = story.bump()
    push(story, {"docs/note.md": "meanwhile\n"})

    outcome = story.bump()

    assert (outcome.sha, outcome.written) == (first.sha, ())


def test_a_pin_that_moved_on_the_base_is_moved_anew_in_a_merge_commit(story):
    first = story.bump()
    base = push(story, pinned(BETWEEN))

    outcome = story.bump()

    assert commit(story, outcome.sha).parents == (first.sha, base)
    assert story.pins(outcome.sha) == {NEW}
    assert files(story, outcome.sha) == {**files(story, "main"), **_moved(story, first.sha)}
    assert approvals(story) == [first.sha, outcome.sha]
    assert story.bump().written == ()


def _moved(story, sha):
    return {path: files(story, sha)[path] for path in (PIN, BUILD)}


def test_a_row_that_the_base_added_is_moved_with_the_others(story):
    story.bump()
    rows = files(story, "main")[BUILD].replace(f"{IMAGE}:{OLD}".encode(), f"{IMAGE}:{BETWEEN}".encode())
    push(story, {BUILD: b"# Rows for every platform.\n" + rows})

    outcome = story.bump()

    assert files(story, outcome.sha)[BUILD].startswith(b"# Rows for every platform.\n")
    assert story.pins(outcome.sha) == {NEW}


def test_what_others_changed_elsewhere_is_kept_in_the_merge(story):
    story.bump()
    theirs = {"tests/unit_tests/test_it.py": b"fixed\n", "docs/get-started/install.md": None}
    vouched(story, theirs)
    push(story, pinned(BETWEEN))

    outcome = story.bump()

    found = files(story, outcome.sha)
    assert found["tests/unit_tests/test_it.py"] == b"fixed\n"
    assert "docs/get-started/install.md" not in found
    assert approvals(story)[-1] == outcome.sha


def test_a_file_that_somebody_and_the_base_changed_is_a_persons_to_merge(story):
    story.bump()
    last = vouched(story, {"README.md": "ours\n"})
    push(story, {"README.md": "theirs\n"})

    with pytest.raises(Refused, match=r"README.md \(the base and the branch both changed it\)"):
        story.bump()

    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) == last
    assert "README.md" in status(story)


def test_a_pin_file_to_which_somebody_added_on_the_branch_is_a_persons_to_merge(story):
    story.bump()
    vouched(story, {BUILD: files(story, BRANCH)[BUILD] + b"# A remark.\n"})
    push(story, pinned(BETWEEN, BUILD))

    with pytest.raises(Refused, match=BUILD):
        story.bump()


def without_hangs(path, text):
    """What the bot makes of a test recipe in this story."""
    return text.replace("[mr]", "[mr-broken]") if path == RECIPE else None


@pytest.mark.parametrize("ledger", ["kept", "lost"])
def test_an_edit_of_the_bot_that_is_no_pin_is_made_anew_on_the_bases_text(story, ledger):
    push(story, {RECIPE: "scope: [mr]\n"})
    story.bump()
    vouched(story, {RECIPE: "scope: [mr-broken]\n"})
    push(story, {RECIPE: "# Slow.\nscope: [mr]\n"})

    outcome = story.bump(rederive=without_hangs)

    assert files(story, outcome.sha)[RECIPE] == b"# Slow.\nscope: [mr-broken]\n"
    if ledger == "lost":
        story.lose_ledger()
    assert story.bump(rederive=without_hangs).sha == outcome.sha


@pytest.mark.parametrize("path", [pytest.param(GOLDEN, id="golden"), pytest.param(LOCK, id="lock file")])
def test_a_golden_or_lock_file_that_both_changed_is_the_bases(story, path):
    push(story, {path: "old\n"})
    story.bump()
    vouched(story, {path: "ours\n"})
    push(story, {path: "theirs\n"})

    outcome = story.bump()

    assert files(story, outcome.sha)[path] == b"theirs\n"
    assert f"to be judged by the next run: {path}" in commit(story, outcome.sha).message
    assert story.pins(outcome.sha) == {NEW}


def test_a_bot_that_locks_the_base_meanwhile_is_in_nobodys_way(story):
    push(story, {LOCK: "old\n"})
    first = story.bump()
    push(story, {LOCK: "new\n"}, author="dependabot")

    assert story.bump().sha == first.sha


def test_a_merge_by_somebody_else_waits_for_a_vouch(story):
    first = story.bump()
    base = push(story, {"docs/note.md": "meanwhile\n"})
    git = story.lab.world.repository(REPOSITORY).git
    author = git.commit(first.sha).author
    merged = git.write_commit(git.merged_tree(first.sha, base), [first.sha, base], "Merge", author, author)
    git.set_ref(story.lab.world.repository(REPOSITORY).ref(f"refs/heads/{BRANCH}"), merged)

    with pytest.raises(Refused, match=merged):
        story.bump()


def test_without_its_ledger_the_bot_knows_its_merge_by_the_tree(story):
    story.bump()
    vouched(story, {"docs/note.md": "fine\n"})
    push(story, pinned(BETWEEN))
    merged = story.bump()
    story.lose_ledger()

    assert story.bump().sha == merged.sha


def test_without_its_ledger_a_merge_that_adds_anything_is_foreign(story):
    first = story.bump()
    base = push(story, pinned(BETWEEN))
    git = story.lab.world.repository(REPOSITORY).git
    pins = [it for it in git.tree(first.sha, recursive=True) if it.path in {PIN, BUILD}]
    entries = [(it.path, it.mode, it.sha) for it in pins]
    entries.append(("setup.py", "100644", git.write_blob(b"import os\n")))
    author = git.commit(first.sha).author
    tree = git.write_tree(f"{base}^{{tree}}", entries)
    planted = git.write_commit(tree, [first.sha, base], "Merge", author, author)
    git.set_ref(story.lab.world.repository(REPOSITORY).ref(f"refs/heads/{BRANCH}"), planted)

    with pytest.raises(Refused, match=planted):
        story.bump()


def test_a_conflict_that_github_has_not_found_out_yet_is_no_conflict_yet(story):
    first = story.bump()
    push(story, pinned(BETWEEN))
    story.lab.world.computes_mergeability_later = True

    early = story.bump()
    later = story.bump()

    assert (early.sha, early.conflict_unknown) == (first.sha, True)
    assert (later.sha != first.sha, later.conflict_unknown) == (True, False)


def test_what_github_says_of_an_older_head_is_not_taken_for_the_new_one(story):
    story.bump()
    vouched(story, {"README.md": "ours\n"})
    push(story, {"README.md": "theirs\n"})
    story.lab.world.lag = 50
    last = vouched(story, {"README.md": "theirs\n"})

    outcome = story.bump()

    assert (outcome.sha, outcome.conflict_unknown) == (last, True)


def test_a_base_that_is_at_the_release_by_another_way_is_told_to_the_pull_request(story):
    story.bump()
    push(story, {**pinned(NEW), **pinned(NEW, BUILD)})

    assert story.bump().written == ("status",)

    [pull] = story.pulls
    assert pull.state == "open"
    assert "`main` is at this release already" in status(story)
    assert story.bump().written == ()


def test_a_base_that_is_at_a_newer_release_ends_the_bump(story):
    story.bump()
    push(story, {**pinned("26.09-py3"), **pinned("26.09-py3", BUILD)})

    with pytest.raises(Refused, match="never moves a pin back"):
        story.bump()


def test_a_branch_that_was_forced_to_something_else_is_foreign(story):
    story.bump()
    repository = story.lab.world.repository(REPOSITORY)
    other = push(story, {"setup.py": "import os\n"}, "elsewhere", "contributor")
    repository.git.set_ref(repository.ref(f"refs/heads/{BRANCH}"), other)

    with pytest.raises(Refused, match=other):
        story.bump()


def test_a_closed_pull_request_stays_closed_when_the_base_moves(story):
    first = story.bump()
    story.lab.world.close(REPOSITORY, 1)
    push(story, pinned(BETWEEN))

    with pytest.raises(Refused, match="stays closed"):
        story.bump()

    assert story.lab.world.repository(REPOSITORY).branch(BRANCH) == first.sha


WRITES_OF_A_MERGE = 6


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(1, WRITES_OF_A_MERGE + 1))
def test_a_merge_that_is_killed_at_any_write_is_made_once(story, number, when):
    first = story.bump()
    base = push(story, pinned(BETWEEN))
    with pytest.raises(Killed), killed(number, when, writes):
        story.bump()

    outcome = story.bump()

    assert commit(story, outcome.sha).parents == (first.sha, base)
    assert approvals(story) == [first.sha, outcome.sha]
    assert outcome.sha in status(story)


def test_the_kill_table_reaches_the_last_write_of_a_merge(story):
    story.bump()
    push(story, pinned(BETWEEN))

    with killed(None, "after", writes) as count:
        story.bump()

    assert count.begun == WRITES_OF_A_MERGE
