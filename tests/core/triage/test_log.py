"""A log that comes in pieces."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.triage.harness import Kind
from bot.core.triage.log import LogReader, read_log
from tests.core.triage.logs import RESUME, JobLog, started
from tests.core.triage.world import facts


def drifted() -> JobLog:
    log = started()
    for _ in range(3):
        log.train(3).check().passed().check().failed({"lm loss": "exact", "num-zeros": "fine"}).restart()
    return log.result(excerpt=["torch.OutOfMemoryError: CUDA out of memory."])


DRIFTED = drifted()
WHOLE = read_log("log", [DRIFTED.bytes()])


def kinds(attempt):
    return [fact.kind for fact in attempt]


def test_the_launchers_attempts_are_told_apart_and_its_last_words_begin_none():
    assert [len([it for it in attempt if it.kind is Kind.METRICS_FAILED]) for attempt in WHOLE.attempts] == [
        1
    ] * 3


def test_what_the_runner_shows_of_a_ranks_log_belongs_to_the_last_attempt():
    assert [Kind.OOM in kinds(attempt) for attempt in WHOLE.attempts] == [False, False, True]


def test_each_fact_has_the_number_of_its_line():
    for fact in (it for attempt in WHOLE.attempts for it in attempt):
        assert fact.text.split(" ", maxsplit=1)[-1][-20:] in DRIFTED.lines[fact.line - 1].replace(
            "\x1b[0m", ""
        )


def test_the_live_log_that_is_shown_again_counts_once():
    found = kinds(WHOLE.attempts[0])

    assert found.count(Kind.EXACT_FAILED) == 1


def test_what_an_earlier_repeat_passed_is_forgotten_but_for_that_it_passed():
    [passed] = [it for it in WHOLE.attempts[0] if it.kind is Kind.CHECK_PASSED]
    near = [it for it in WHOLE.attempts[0] if it.kind is Kind.APPROXIMATE_PASSED]

    assert passed.check == 1
    assert [(it.subject, it.check) for it in near] == [("lm loss", 2), ("num-zeros", 2)]


def test_the_second_runs_comparison_says_nothing_of_the_golden():
    log = started().check().passed().check("Running pytest 1st vs 2nd run comparison")
    found = facts(log.failed({"lm loss": "both"}, RESUME))

    assert {Kind.APPROXIMATE_FAILED, Kind.EXACT_FAILED, Kind.METRICS_FAILED} & set(
        kinds(found.attempts[0])
    ) == set()
    assert found.of(Kind.RESUME_FAILED)


@given(st.lists(st.integers(1, 4000), min_size=1, max_size=30))
def test_pieces_of_any_size_give_the_same_facts(sizes):
    text, pieces, at = DRIFTED.bytes(), [], 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size

    assert read_log("log", pieces) == WHOLE


def test_a_log_may_come_byte_by_byte_and_with_dos_line_ends():
    text = DRIFTED.bytes()

    assert read_log("log", [text[at : at + 1] for at in range(len(text))]) == WHOLE
    assert read_log("log", [text.replace(b"\n", b"\r\n")]) == WHOLE


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [((), 0), ((b"",), 0), ((b"one",), 1), ((b"one\n",), 1), ((b"one\ntwo",), 2), ((b"\n\n",), 2)],
)
def test_lines_are_counted(pieces, lines):
    found = read_log("log", pieces)

    assert (found.lines, found.attempts, found.runner, found.silence) == (lines, (), (), None)


def test_a_progress_bar_is_one_line_and_what_is_said_after_it_is_heard():
    log = JobLog().say("10%\r20%\r30%\rTraining failed. Aborting.\rdone")

    [[fact]] = facts(log).attempts
    assert (fact.kind, fact.line, fact.text) == (Kind.TRAINING_FAILED, 1, "Training failed. Aborting.")


def test_a_line_without_end_is_read_in_parts_and_what_follows_has_the_right_number():
    reader = LogReader("log")
    reader.feed(b"first\n")
    for _ in range(64):
        reader.feed(b"x" * 100_000)
    reader.feed(b"\nTraining failed. Aborting.\n")

    [[fact]] = reader.facts().attempts
    assert fact.line == 3


def test_the_rest_of_a_long_line_cannot_pose_as_a_line():
    reader = LogReader("log")
    reader.feed(b"x" * 70_000)
    reader.feed(b"E       AssertionError: The following metrics failed: lm loss\n")

    assert reader.facts().attempts == ()


def test_a_huge_log_of_one_line_is_not_held():
    tracemalloc.start()
    read_log("log", (b"\rstep 50% " * 20_000 + b"\rError" for _ in range(100)))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 10_000_000


def test_a_log_that_repeats_itself_for_ever_is_bounded():
    noise = b"".join(
        b"Detected flaky failure, attempt restart.\nRunning pytest checks against golden values\n"
        b"E       AssertionError: The following metrics failed: metric %d\n##[error]no %d\n" % (at, at)
        for at in range(5_000)
    )
    found = read_log("log", [noise, *(b"ValueError: %d\n" % at for at in range(5_000))])

    assert sum(map(len, found.attempts)) < 1_000
    assert len(found.runner) < 100
    assert found.attempts[-1][0].subject == "metric 4999"


def test_invalid_text_and_lying_times_are_only_text():
    cancelled = b"2026-99-99T00:00:00Z ##[error]The operation was canceled.\n"

    found = read_log("log", [b"\xff\xfe\x00Error\n2026-06-31T99:99:99.0Z ValueError: x\n", cancelled])
    assert [it.text for it in found.attempts[0]] == ["ValueError: x"]
    assert found.silence is None


def silence(log, ended=None):
    found = read_log("log", [log.bytes()], ended).silence
    return found and (round(found.seconds / 60), found.line)


def test_silence_ends_when_the_runner_interrupts_the_process_whose_last_words_do_not_count():
    log = started().train(3)
    last = len(log.lines)

    assert silence(log.wait(41).cancel()) == (41, last)


def test_a_process_without_last_words_was_silent_until_the_cancellation():
    log = started().train(3)
    last = len(log.lines)

    assert silence(log.wait(41).say("##[error]The operation was canceled.")) == (41, last)


def test_an_early_silence_is_none_when_lines_followed():
    assert silence(started().train(3).wait(41).train(40).cancel()) == (0, 65)


def test_the_first_silence_counts_when_a_later_step_is_cancelled_too():
    log = started().train(3).wait(20).cancel().result().say("##[error]The operation was canceled.")

    assert silence(log)[0] == 20


def test_a_log_that_breaks_off_was_silent_until_its_job_ended():
    log = started().train(3)
    last, ended = len(log.lines), log.wait(30).now

    assert silence(log, ended) == (30, last)
    assert silence(log) is None
    assert read_log("log", [b"no times\n"], ended).silence is None


def test_the_line_before_the_silence_is_found_wherever_pieces_end():
    log = started().train(3).wait(41).cancel()
    text = log.bytes()
    expected = read_log("log", [text]).silence

    for at in range(len(text) - 400, len(text)):
        assert read_log("log", [text[:at], text[at:]]).silence == expected


def test_a_cancelled_step_is_named_by_the_line_with_which_it_began():
    found = facts(JobLog().setup().cancel())

    assert [it.kind for it in found.runner] == [Kind.STEP, Kind.CANCELLED]
    assert found.runner[0].subject == 'echo "::group::Pull container"'


@pytest.mark.parametrize(
    ("log", "began"),
    [
        (JobLog().setup(), False),
        (started(), True),
        (JobLog().check(), True),
        (JobLog().restart(), True),
    ],
)
def test_a_test_has_begun_when_its_step_or_its_launcher_speaks(log, began):
    assert facts(log).began is began
