"""What GitHub alone does: forks, plans without drafts, long lists, strangers with the bot's branch name."""

import pytest

from bot.core.errors import Refused, ServiceError, UsageError
from bot.core.host import Gate, Node
from bot.github.trees import tree_sha
from tests.adapters.github.hosts import user_host
from tests.adapters.github.scripted import Reply

PIN = ".ngc_version.dev"
SHA = "0123456789" * 4


def move_pin(host, content=b"new"):
    base = host.base_head("main")
    sha = host.write_commit(host.write_tree(base.tree, {PIN: content}), base.sha, "Move")
    host.create_branch("bot/bump", sha)
    return sha


def user(login, number):
    return {"login": login, "id": number, "type": "User", "url": f"https://api.github.com/users/{login}"}


def commit(number):
    sha = f"{number:040x}"
    person = {"name": "Ada", "email": "ada@example.org", "date": "2026-07-01T00:00:00Z"}
    return {
        "sha": sha,
        "url": f"https://api.github.com/repos/acme/widgets/commits/{sha}",
        "commit": {"message": f"No {number}\n\nmore", "author": person, "tree": {"sha": sha, "url": ""}},
        "author": {},
        "parents": [{"sha": f"{number - 1:040x}", "url": ""}],
    }


# Forks


def test_a_fork_is_brought_up_to_the_base_once_before_it_is_built_on(stage_of, ear):
    stage = stage_of("fork")
    stage.push("main", {"new": b"new"})
    host = stage.host

    move_pin(host)
    base = host.base_head("main")
    host.write_tree(base.tree, {PIN: b"again"})

    synced = [body for method, path, body in ear.heard if path.endswith("/merge-upstream")]
    assert synced == [{"branch": "main"}]


def test_a_fork_is_brought_up_again_when_the_base_moved(stage_of, ear):
    stage = stage_of("fork")
    move_pin(stage.host)
    stage.push("main", {"new": b"new"})

    stage.host.write_tree(stage.host.base_head("main").tree, {PIN: b"again"})

    assert sum(path.endswith("/merge-upstream") for path in (path for _, path, _ in ear.heard)) == 2


def test_a_commit_on_the_bots_own_branch_needs_no_sync(stage_of, ear):
    stage = stage_of("fork")
    sha = move_pin(stage.host)
    head = stage.host.commits("main", sha).commits[-1]
    start = len(ear.heard)

    stage.host.write_tree(head.tree, {PIN: b"again"})

    assert [path for path in ear.since(start) if "merge-upstream" in path] == []


def test_the_repository_itself_is_never_synced(stage_of, ear):
    move_pin(stage_of("user").host)

    assert not any("merge-upstream" in path for path in ear.since())


def test_a_fork_that_went_its_own_way_is_for_a_person(stage_of):
    stage = stage_of("fork")
    stage.push("main", {PIN: b"theirs"}, into=stage.push_repository)
    stage.push("main", {PIN: b"ours"})

    with pytest.raises(Refused, match="merge conflicts") as caught:
        move_pin(stage.host)

    assert "fork" in (caught.value.hint or "")


def test_files_of_both_repositories_are_read_in_one_request(stage_of, ear):
    stage = stage_of("fork")
    sha = move_pin(stage.host)
    base = stage.push("main", {"new": b"only upstream"})
    start = len(ear.heard)

    assert stage.host.read(sha, [PIN]) == {PIN: b"new"}
    assert stage.host.read(base, ["new"]) == {"new": b"only upstream"}
    assert ear.since(start) == ["POST /graphql", "POST /graphql"]


def test_a_fork_of_the_same_owner_is_refused_at_once(server):
    with pytest.raises(UsageError, match="one owner"):
        user_host(server, "Acme/widgets-fork")


def test_a_strangers_branch_of_the_same_name_is_not_the_bots(stage_of):
    stage = stage_of("user")
    world = stage.lab.world
    fork = world.fork(stage.repository, f"stranger-{stage.repository.partition('/')[0]}")
    world.create_branch(fork.full_name, "bot/bump", stage.host.base_head("main").sha, author="ada")
    world.push(fork.full_name, "bot/bump", {PIN: b"theirs"}, author="ada")
    world.open_pull_request(stage.repository, f"{fork.owner.login}:bot/bump", "main", "ada")

    assert stage.host.pull_requests("bot/bump") == ()


def test_a_branch_of_a_repository_that_is_gone_is_not_the_bots(script, server):
    script.replies = [Reply(200, [pull(1), pull(2, head={"ref": "bot/bump", "sha": SHA, "repo": None})])]

    found = user_host(server).pull_requests("bot/bump")

    assert [it.number for it in found] == [1]


def pull(number, **changes):
    head = {"ref": "bot/bump", "sha": SHA, "repo": {"full_name": "Acme/Widgets", "url": ""}}
    return {
        "number": number,
        "url": f"https://api.github.com/repos/acme/widgets/pulls/{number}",
        "html_url": f"https://github.com/acme/widgets/pull/{number}",
        "title": "Move",
        "body": None,
        "state": "closed",
        "merged_at": "2026-07-01T00:00:00Z",
        "draft": False,
        "user": None,
        "base": {"ref": "main", "sha": SHA},
        "head": head,
        "labels": [{"name": "ci", "url": ""}],
        **changes,
    }


def test_what_github_leaves_empty_is_read_as_such(script, server):
    script.replies = [Reply(200, [pull(1)])]

    (found,) = user_host(server).pull_requests("bot/bump")

    assert (found.body, found.author.login, found.state, found.merged) == ("", "ghost", "closed", True)
    assert found.labels == ("ci",)
    assert len(script.heard) == 1


# Lists


def test_more_than_250_commits_are_not_all_listed(script, server):
    pages = [[commit(n) for n in range(start, start + 100)] for start in (1, 101, 201)]
    for number, page in enumerate(pages, start=1):
        url = f"{script.url}/repos/acme/widgets/compare/main...{SHA}?per_page=100&page={number + 1}"
        document = {"total_commits": 400, "merge_base_commit": commit(0), "commits": page}
        script.replies.append(Reply(200, document, {"Link": f'<{url}>; rel="next"'}))

    found = user_host(server).commits("main", SHA)

    assert len(found.commits) == 250
    assert not found.complete
    assert found.merge_base.sha == "0" * 40
    assert len(script.heard) == 3


def test_a_list_that_github_itself_cut_is_incomplete(script, server):
    document = {"total_commits": 3, "merge_base_commit": commit(0), "commits": [commit(1)]}
    script.replies = [Reply(200, document)]

    found = user_host(server).commits("main", SHA)

    assert [it.subject for it in found.commits] == ["No 1"]
    assert [it.author for it in found.commits] == ["Ada"]
    assert not found.complete


# Files and trees


def test_an_executable_file_stays_executable(stage_of):
    stage = stage_of("user")
    stage.push("main", {"run.sh": b"echo 1"})
    base = stage.host.base_head("main")

    tree = stage.host.write_tree(base.tree, {"run.sh": b"echo 2"})

    entries = stage.lab.world.repository(stage.repository).git.tree(tree)
    assert {it.path: it.mode for it in entries}["run.sh"] == "100755"
    assert tree == stage.host.tree_id(base.tree, {"run.sh": b"echo 2"})


FILE = Node("100755", "b" * 40)
INNER = {"run.sh": FILE}
DOCKER = {"inner": Node("040000", tree_sha(INNER)), "naïve": FILE}
ROOT = {"docker": Node("040000", tree_sha(DOCKER)), "README.md": FILE}


def listed(entries):
    """Return a folder as GraphQL shows it."""
    return {
        "entries": [{"name": it, "mode": int(node.mode, 8), "oid": node.sha} for it, node in entries.items()]
    }


def tree(entries):
    """Return a folder as REST shows it."""
    found = [{"path": it, "mode": node.mode, "sha": node.sha, "type": ""} for it, node in entries.items()]
    return Reply(200, {"sha": SHA, "url": "", "tree": found, "truncated": False})


@pytest.mark.parametrize(
    ("shown", "read_alone"),
    [
        pytest.param({"d0": listed(ROOT), "d1": listed(DOCKER), "d2": listed(INNER)}, [], id="all of it"),
        pytest.param({"d0": listed(ROOT), "d1": listed(DOCKER), "d2": None}, [INNER], id="not one of them"),
        pytest.param(
            {"d0": listed(ROOT), "d1": listed({"inner": DOCKER["inner"]}), "d2": listed(INNER)},
            [DOCKER],
            id="a list that was cut off",
        ),
        pytest.param({"d0": {}, "d1": {}, "d2": {}}, [ROOT, DOCKER, INNER], id="files where folders were"),
    ],
)
def test_a_folder_that_graphql_does_not_show_whole_is_read_alone(script, server, shown, read_alone):
    root = tree_sha(ROOT)
    made = Reply(201, {"sha": SHA})
    script.replies = [Reply(200, {"data": {"repository": shown}}), *map(tree, read_alone), made]

    user_host(server).write_tree(root, {"docker/inner/run.sh": b"x", "new/file": b"y"})

    assert [it.target for it in script.heard[1:-1]] == [
        f"/repos/acme/widgets/git/trees/{tree_sha(it)}" for it in read_alone
    ]
    assert [it["mode"] for it in script.heard[-1].body["tree"]] == ["100755", "100644"]


def test_a_folder_that_hashes_to_something_else_is_not_believed(script, server):
    script.replies = [Reply(200, {"data": {"repository": {"d0": None}}}), tree({"pin": FILE})]

    with pytest.raises(ServiceError, match="hash"):
        user_host(server).write_tree(tree_sha(ROOT), {"pin": b"x"})


def test_a_blob_with_other_bytes_than_its_id_says_is_not_believed(script, server):
    oid = "f" * 40
    blob = {"oid": oid, "text": None, "isBinary": True, "isTruncated": False, "byteSize": 3}
    script.replies = [
        Reply(200, {"data": {"r0": {"commit": {"oid": SHA}, "f0": blob}}}),
        Reply(200, {"sha": oid, "content": "AAAA", "encoding": "base64", "url": ""}),
    ]

    with pytest.raises(ServiceError, match="hash") as caught:
        user_host(server).read(SHA, [PIN])

    assert caught.value.path == PIN


def test_a_ref_of_another_name_is_no_answer(script, server):
    script.replies = [
        Reply(200, {"ref": "refs/heads/bot/bump-2", "object": {"sha": SHA, "url": ""}, "url": ""})
    ]

    assert user_host(server).bot_head("bot/bump") is None


def test_a_repository_that_cannot_be_seen_is_not_a_missing_branch(script, server):
    script.replies = [Reply(404, {"message": "Not Found"}), Reply(404, {"message": "Not Found"})]

    with pytest.raises(Refused, match="`GET /repos/acme/widgets` "):
        user_host(server).base_head("main")


# Pull requests and gates


def test_where_there_are_no_drafts_an_ordinary_pull_request_is_opened(script, server):
    refusal = "Draft pull requests are not supported in this repository."
    script.replies = [
        Reply(422, {"message": "Validation Failed", "errors": [{"message": refusal}]}),
        Reply(201, pull(1, state="open", merged_at=None)),
    ]

    opened = user_host(server).open_pull_request("bot/bump", "main", "Move", "text")

    assert not opened.draft
    assert [it.body["draft"] for it in script.heard] == [True, False]
    assert script.heard[0].body | {"draft": False} == script.heard[1].body


def test_a_pull_request_from_a_fork_names_its_owner(script, server):
    script.replies = [Reply(201, pull(1))]

    user_host(server, "bump-bot/widgets").open_pull_request("bot/bump", "main", "Move", "text")

    assert script.heard[0].body["head"] == "bump-bot:bot/bump"


def test_a_commit_names_neither_author_nor_committer(stage_of, ear):
    stage = stage_of("app")

    move_pin(stage.host)

    (body,) = [body for _, path, body in ear.heard if path.endswith("/git/commits")]
    assert set(body) == {"message", "tree", "parents"}


@pytest.mark.parametrize(
    ("summary", "description"),
    [
        pytest.param("pins agree\n\n| table |", "pins agree", id="the first line"),
        pytest.param("x" * 140, "x" * 140, id="as long as it may be"),
        pytest.param("x" * 141, "x" * 139 + "…", id="cut"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_status_holds_one_line(stage_of, summary, description):
    stage = stage_of("user")
    sha = stage.host.base_head("main").sha

    stage.host.set_gate(sha, Gate("pins", passed=True, summary=summary))

    assert stage.host.gate(sha, "pins") == Gate("pins", passed=True, summary=description)


def test_a_check_run_holds_all_of_the_text_and_is_changed_in_place(stage_of):
    stage = stage_of("app")
    sha = stage.host.base_head("main").sha
    text = "pins differ\n\n| table |"

    stage.host.set_gate(sha, Gate("pins", passed=True, summary="agree"))
    stage.host.set_gate(sha, Gate("pins", passed=False, summary=text))

    assert stage.host.gate(sha, "pins") == Gate("pins", passed=False, summary=text)
    runs = stage.lab.world.repository(stage.repository).check_runs
    assert [(run.name, run.conclusion, run.output["title"]) for run in runs] == [
        ("pins", "failure", "pins differ")
    ]
