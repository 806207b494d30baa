"""Whether CI saw the label."""

import pytest

from bot.core.triage.label_proof import label_seen
from tests.core.triage.logs import JobLog
from tests.core.triage.world import LABEL_PROOF

GOOD = ("scope=L1", "n_repeat=5", "lightweight=false")


def seen(*texts):
    log = JobLog().say("+ echo scope=L0", '\x1b[36;1m  echo "scope=$SCOPE" | tee -a\x1b[0m', *texts)
    return label_seen(LABEL_PROOF, [log.bytes()]), log


@pytest.mark.parametrize(
    ("texts", "state", "line"),
    [
        pytest.param(GOOD, "proved", "scope=L1", id="main"),
        pytest.param(("scope=mr-github",), "proved", "scope=mr-github", id="an older branch"),
        pytest.param(("lts=false", "dev=true"), "silent", None, id="a branch that says nothing"),
        pytest.param((), "silent", None, id="a job that broke off"),
        pytest.param(("scope=L0", *GOOD[1:]), "contradicted", " scope=L0", id="no label"),
        pytest.param(
            ("scope=L1", "n_repeat=1", "lightweight=true"), "contradicted", " n_repeat=1", id="Run tests"
        ),
        pytest.param((*GOOD, "scope=L0"), "contradicted", " scope=L0", id="said twice"),
        pytest.param(("scope=",), "contradicted", " scope=", id="empty"),
        pytest.param(("SCOPE=L0", "my scope=L0", "xscope=L0"), "silent", None, id="other keys"),
    ],
)
def test_the_log_of_the_job_decides(texts, state, line):
    found, log = seen(*texts)

    assert found.state == state
    if line:
        lines = [at for at, text in enumerate(log.lines, 1) if text.endswith(line) and "echo" not in text]
        assert (found.evidence[0].source, found.evidence[0].line) == ("configure", lines[0])
    else:
        assert found.evidence == ()


def test_all_right_values_are_evidence():
    assert [it.text for it in seen(*GOOD)[0].evidence] == list(GOOD)


def test_the_log_may_come_in_pieces_and_end_without_a_line_feed():
    whole = JobLog().say(*GOOD).bytes().rstrip(b"\n")

    assert label_seen(LABEL_PROOF, [whole[at : at + 1] for at in range(len(whole))]).state == "proved"
    assert len(label_seen(LABEL_PROOF, [whole]).evidence) == 3


def test_a_line_without_end_costs_no_memory():
    pieces = (b"x" * 1_000_000 for _ in range(50))

    assert label_seen(LABEL_PROOF, pieces).state == "silent"
