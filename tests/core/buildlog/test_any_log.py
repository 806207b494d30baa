"""What holds for the diagnosis of any log."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.buildlog.diagnosis import Outcome
from bot.core.buildlog.reader import read_build_log
from tests.core.buildlog.logs import LOGS


@given(
    which=st.sampled_from(LOGS),
    sizes=st.lists(st.integers(1, 3_000), min_size=1, max_size=6),
)
def test_however_a_log_is_cut_the_diagnosis_is_the_same(which, sizes):
    log, pieces, at = which.read_bytes(), [], 0
    while at < len(log):
        pieces.append(log[at : at + sizes[len(pieces) % len(sizes)]])
        at += len(pieces[-1])

    assert read_build_log(pieces) == read_build_log([log])


@given(noise=st.lists(st.one_of(st.binary(max_size=300), st.text(max_size=200).map(str.encode)), max_size=20))
def test_noise_has_no_cause(noise):
    diagnosis = read_build_log(noise)

    assert (diagnosis.outcome, diagnosis.causes) == (Outcome.UNKNOWN, ())
