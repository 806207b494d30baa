"""The question for many files, and the proof of what is answered."""

import json

import pytest

from bot.core.blob import blob_id
from bot.github.files import Unproven, answer, proved, question
from tests.judges.graphql import judge_query

SHA = "0123456789" * 4
TEXT = b"nvcr.io/nvidia/pytorch:26.04-py3\n"


@pytest.mark.parametrize("places", [("acme/widgets",), ("acme/widgets", "bump-bot/widgets")])
@pytest.mark.parametrize("paths", [("a",), tuple(f"folder/{n}.json" for n in range(100))])
def test_the_question_is_one_that_github_understands(places, paths):
    asked = question(places, SHA, paths)

    body = json.dumps({"query": asked.text, "variables": dict(asked.variables)})
    assert judge_query(body.encode()) == ()


def test_nothing_that_is_asked_for_is_part_of_the_query():
    path = 'x") { id } evil: repository(owner: "a'

    asked = question(("acme/widgets",), SHA, (path,))

    assert "evil" not in asked.text
    assert asked.variables["f0"] == f"{SHA}:{path}"


def test_the_query_stays_the_same_whatever_is_asked_for():
    assert question(("a/b",), SHA, ("x",)).text == question(("c/d",), "f" * 40, ("y",)).text


def blob(text, data=None, **more):
    oid = blob_id(text.encode() if data is None else data)
    size = len(text.encode() if data is None else data)
    return {"oid": oid, "text": text, "isBinary": False, "isTruncated": False, "byteSize": size, **more}


def known(**files):
    return {"commit": {"oid": SHA}, **files}


@pytest.mark.parametrize(
    ("document", "found"),
    [
        pytest.param(blob(TEXT.decode()), TEXT, id="text"),
        pytest.param(blob(""), b"", id="an empty file"),
        pytest.param(blob("\ufeffa\r\n"), b"\xef\xbb\xbfa\r\n", id="byte order mark and carriage return"),
        pytest.param(None, None, id="no such file"),
        pytest.param({}, None, id="a folder"),
        pytest.param(blob(None, b"\x00", isBinary=True), Unproven(blob_id(b"\x00")), id="binary"),
        pytest.param(blob("caf\ufffd", b"caf\xe9"), Unproven(blob_id(b"caf\xe9")), id="transcoded"),
        pytest.param(blob("aa", b"aaaa", isTruncated=True), Unproven(blob_id(b"aaaa")), id="cut off"),
        pytest.param(blob("a\n", b"a\r\n"), Unproven(blob_id(b"a\r\n")), id="line ends made nicer"),
        pytest.param(blob("\ud800", b"?"), Unproven(blob_id(b"?")), id="half a character"),
    ],
)
def test_a_file_is_what_its_hash_proves(document, found):
    assert answer({"r0": known(f0=document)}, SHA, ("path",)) == (0, {"path": found})


@pytest.mark.parametrize(
    ("data", "place"),
    [
        pytest.param({"r0": known(f0=None), "r1": known(f0=None)}, 0, id="the first that knows the commit"),
        pytest.param({"r0": {"commit": None, "f0": None}, "r1": known(f0=None)}, 1, id="the fork alone"),
        pytest.param({"r0": None, "r1": known(f0=None)}, 1, id="a repository that cannot be seen"),
    ],
)
def test_the_answer_is_of_the_repository_that_knows_the_commit(data, place):
    assert answer(data, SHA, ("path",)) == (place, {"path": None})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"r0": {"commit": None, "f0": None}}, id="nobody knows it"),
        pytest.param({"r0": {"commit": {"oid": "f" * 40}, "f0": None}}, id="another commit"),
        pytest.param({"r0": {"commit": {}, "f0": None}}, id="an object without an id"),
    ],
)
def test_files_of_an_unknown_commit_are_not_missing_but_unknown(data):
    assert answer(data, SHA, ("path",)) is None


def test_a_blob_is_proved_by_its_hash_as_well():
    wrapped = "bnZj\nci5p\nbw==\n"

    assert proved({"content": wrapped}, blob_id(b"nvcr.io")) == b"nvcr.io"
    assert proved({"content": wrapped}, blob_id(b"other")) is None
