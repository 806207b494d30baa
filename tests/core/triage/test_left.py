"""What a job left behind."""

import pytest

from bot.core.ci import Contents, Entry, Unreadable
from bot.core.triage.jobs import Candidates
from bot.core.triage.left import LARGEST, Left, own
from bot.core.triage.verdict import GoldenFound
from tests.core.triage.world import GOLDEN, artifact

A, B = artifact("logs-gpt_x-7-a", id=1), artifact("logs-gpt_x-7-b", id=2)
OTHER = GOLDEN.replace("h100", "gb200")


def holds(*names):
    return Contents(tuple(Entry(name, 10) for name in names))


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        pytest.param({1: holds(GOLDEN), 2: holds(GOLDEN)}, 1, id="the first, which is the newest"),
        pytest.param({1: holds(OTHER), 2: holds(GOLDEN)}, 2, id="that of its own platform"),
        pytest.param({1: holds("logs/x"), 2: holds(GOLDEN)}, 2, id="that with a golden"),
        pytest.param({1: holds(OTHER), 2: holds("logs/x")}, 2, id="that which is nobody else's"),
        pytest.param({1: holds(OTHER), 2: holds(OTHER)}, "it left no artifact", id="only another's"),
        pytest.param(
            {1: Unreadable("truncated"), 2: holds(OTHER)},
            "its artifact cannot be read: truncated",
            id="unreadable",
        ),
        pytest.param({1: Unreadable("truncated"), 2: holds(GOLDEN)}, 2, id="one unreadable, one not"),
        pytest.param({}, "its artifact cannot be read: it was not read", id="not answered"),
    ],
)
def test_a_test_has_one_artifact_or_a_reason(contents, expected):
    found = own(Candidates((A, B), ()), contents, GOLDEN)

    assert (found.artifact.id if isinstance(found, Left) else found) == expected


def test_an_expired_artifact_and_none_at_all_are_told_apart():
    assert own(Candidates((), (A,)), {}, GOLDEN) == "its artifact has expired"
    assert own(Candidates((), ()), {}, GOLDEN) == "it left no artifact"


def left(*entries):
    return Left(A, tuple(Entry(name, size) for name, size in entries))


def test_the_golden_counts_at_the_top_alone():
    assert left((GOLDEN, 5)).golden(GOLDEN) == GoldenFound("logs-gpt_x-7-a", GOLDEN, True, False)
    assert left((f"1/{GOLDEN}", 5)).golden(GOLDEN) == GoldenFound("logs-gpt_x-7-a", GOLDEN, False, False)
    second = "golden_values_dev_dgx_h100_2nd.json"
    assert left((GOLDEN, 5), (second, 5)).golden(GOLDEN).second_is_there


def rank(repeat, number, stream="stderr"):
    return f"logs/{repeat}/none_x/attempt_0/{number}/{stream}.log"


def test_ranks_are_asked_for_their_newest_repeat_errors_first():
    found = left((rank(2, 0), 9), (rank(10, 1), 9), (rank(10, 0, "stdout"), 9), (rank(10, 0), 9))

    assert found.rank_logs() == (rank(10, 0), rank(10, 1), rank(10, 0, "stdout"))


@pytest.mark.parametrize(
    "entry",
    [
        (rank(1, 0), 0),
        (rank(1, 0), LARGEST + 1),
        ("logs/nccl_debug.log", 9),
        ("stderr.log", 9),
        ("logs/1/x/attempt_0/0/error.json", 9),
    ],
)
def test_what_is_empty_huge_or_something_else_is_not_read(entry):
    assert left(entry).rank_logs() == ()


def test_only_so_many_ranks_are_asked():
    assert len(left(*((rank(1, at), 9) for at in range(100))).rank_logs()) == 16
