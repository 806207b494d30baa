"""A 200 that is not what GitHub promises: a clear end, never a bug of ours."""

import pytest

from bot.core.errors import ServiceError
from bot.core.host import Gate
from tests.adapters.github.hosts import user_host
from tests.adapters.github.scripted import Reply

SHA = "0123456789" * 4

READS = {
    "base_head": lambda host: host.base_head("main"),
    "bot_head": lambda host: host.bot_head("bot/bump"),
    "commits": lambda host: host.commits("main", SHA),
    "read": lambda host: host.read(SHA, ["pin"]),
    "write_tree": lambda host: host.write_tree(SHA, {"pin": b"x"}),
    "write_commit": lambda host: host.write_commit(SHA, SHA, "Move"),
    "pull_request_head": lambda host: host.pull_request_head(7),
    "proposals": lambda host: host.proposals("main", ["pin"]),
    "contents": lambda host: host.contents([SHA]),
    "touching": lambda host: host.touching([7], ["pin"]),
    "open_pull_request": lambda host: host.open_pull_request("bot/bump", "main", "Move", ""),
    "issue": lambda host: host.issue(7),
    "write_comment": lambda host: host.write_comment(7, "text"),
    "open_issue": lambda host: host.open_issue("Hang", "", []),
    "actor": lambda host: host.actor("comment"),
}
LISTS = {
    "pull_requests": lambda host: host.pull_requests("bot/bump"),
    "comments": lambda host: host.comments(7),
}


@pytest.mark.parametrize("body", [{}, [], [1], {"data": {}}, {"data": None}, {"id": "7", "sha": 7}, "text"])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_document_of_another_form_ends_as_a_failure_of_the_service(script, server, read, body):
    script.replies = [Reply(200, body)] * 20

    with pytest.raises(ServiceError):
        read(user_host(server))


@pytest.mark.parametrize("body", [{"message": "fine"}, [1], [{"id": []}], [{"user": 7}], "text"])
@pytest.mark.parametrize("read", LISTS.values(), ids=LISTS)
def test_a_list_of_another_form_ends_as_a_failure_of_the_service(script, server, read, body):
    script.replies = [Reply(200, body)] * 20

    with pytest.raises(ServiceError):
        read(user_host(server))


def test_a_gate_is_not_read_from_what_is_no_list(script, server):
    user = {"id": 1, "login": "bump-bot"}
    script.replies = [Reply(200, user), *[Reply(200, [{"context": 7, "creator": "ada"}])] * 20]

    with pytest.raises(ServiceError, match="documented form"):
        user_host(server).gate(SHA, Gate("pins", passed=True).name)
