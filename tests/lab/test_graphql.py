"""Many files in one request over GraphQL."""

from typing import Any

import pytest
from github import UnknownObjectException

from bot.lab.server import GitHubLab
from tests.lab.client import send_wrong, user_client
from tests.lab.conftest import REPOSITORY

BLOB = "... on Blob { oid text isBinary isTruncated byteSize }"
QUERY = f"""
query($owner: String!, $name: String!, $e0: String!, $e1: String!) {{
  repository(owner: $owner, name: $name) {{
    f0: object(expression: $e0) {{ {BLOB} }}
    f1: object(expression: $e1) {{ {BLOB} }}
  }}
}}"""


def ask(lab: GitHubLab, *paths: str, **variables: str) -> list[dict[str, Any]]:
    """Return what GitHub says of two paths at the head of main."""
    sha = lab.world.repository(REPOSITORY).branch("main")
    given = {
        "owner": "NVIDIA",
        "name": "Megatron-LM",
        "e0": f"{sha}:{paths[0]}",
        "e1": f"{sha}:{paths[1]}",
        **variables,
    }
    with user_client(lab, "ann") as client:
        _, document = client.requester.graphql_query(QUERY, given)
    return list(document["data"]["repository"].values())


def test_files_come_with_text_and_id(megatron: GitHubLab):
    pin, missing = ask(megatron, "docker/pin", "docker/none")
    git = megatron.world.repository(REPOSITORY).git
    assert pin == {
        "oid": git.write_blob(b"26.04\n"),
        "text": "26.04\n",
        "isBinary": False,
        "isTruncated": False,
        "byteSize": 6,
    }
    assert missing is None


def test_a_folder_is_no_blob(megatron: GitHubLab):
    assert ask(megatron, "docker", "data")[0] == {}


def test_a_folder_lists_what_stands_in_it_with_modes_as_plain_numbers(megatron: GitHubLab):
    tree = 'object(expression: "main:docker") { oid ... on Tree { entries { name mode oid type } } }'
    query = f'{{ repository(owner: "NVIDIA", name: "Megatron-LM") {{ folder: {tree} }} }}'
    with user_client(megatron, "ann") as client:
        _, document = client.requester.graphql_query(query, {})
    git = megatron.world.repository(REPOSITORY).git
    assert document["data"]["repository"]["folder"] == {
        "oid": git.resolve(f"{megatron.world.repository(REPOSITORY).branch('main')}:docker"),
        "entries": [{"name": "pin", "mode": 0o100644, "oid": git.write_blob(b"26.04\n"), "type": "blob"}],
    }


def test_a_binary_file_has_no_text(megatron: GitHubLab):
    blob = ask(megatron, "data/blob.bin", "docker/pin")[0]
    assert (blob["isBinary"], blob["text"], blob["byteSize"]) == (True, None, 3)


def test_what_is_not_utf_8_comes_with_loss(megatron: GitHubLab):
    megatron.world.push(REPOSITORY, "main", {"latin": b"caf\xe9\r\n", "mark": b"\xef\xbb\xbfa"}, author="ann")
    latin, mark = ask(megatron, "latin", "mark")
    assert (latin["text"], latin["isBinary"], latin["byteSize"]) == ("caf\ufffd\r\n", False, 6)
    assert mark["text"] == "\ufeffa"


def test_a_long_file_is_cut_and_says_so(megatron: GitHubLab):
    megatron.world.push(REPOSITORY, "main", {"long": "x" * 600_000, "short": "y"}, author="ann")
    long, short = ask(megatron, "long", "short")
    assert (long["isTruncated"], long["byteSize"], len(long["text"])) == (True, 600_000, 512_000)
    assert short["isTruncated"] is False


def test_values_may_stand_in_the_query_itself(megatron: GitHubLab):
    blob = 'object(expression: "main:docker/pin") { ... on Blob { text } }'
    query = f'{{ repository(owner: "NVIDIA", name: "Megatron-LM") {{ pin: {blob} }} }}'
    with user_client(megatron, "ann") as client:
        _, document = client.requester.graphql_query(query, {})
    assert document["data"]["repository"]["pin"] == {"text": "26.04\n"}


@pytest.mark.parametrize("name", ["none", "secret"])
def test_a_repository_that_one_cannot_see_is_not_found(megatron: GitHubLab, name: str):
    megatron.world.add_repository("NVIDIA/secret", {"a": "1"}, private=True)
    with pytest.raises(UnknownObjectException, match="Could not resolve to a Repository with the name"):
        ask(megatron, "a", "b", name=name)


def test_a_field_that_is_not_there_is_an_error_beside_a_200(megatron: GitHubLab):
    body = {"query": '{ repository(owner: "NVIDIA", name: "Megatron-LM") { stars } }'}
    answer = send_wrong(megatron, megatron.user_token("ann"), "POST", "/graphql", body)
    assert answer.status_code == 200
    assert "Cannot query field 'stars'" in answer.json()["errors"][0]["message"]


def test_nobody_asks_without_a_token(megatron: GitHubLab):
    assert send_wrong(megatron, "unknown", "POST", "/graphql", {"query": "{ x }"}).status_code == 401
