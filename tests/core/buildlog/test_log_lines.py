"""A log in pieces of any size: which lines tell something, and which number they have."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.buildlog.lines import LONGEST, LineReader, said, shortened


def read(*pieces: bytes) -> tuple[list[tuple[int, str]], int]:
    reader = LineReader(re.compile(b"KEY"))
    found = [it for piece in pieces for it in reader.feed(piece)]
    return [*found, *reader.close()], reader.count


@pytest.mark.parametrize(
    ("log", "found", "count"),
    [
        pytest.param(b"", [], 0, id="empty"),
        pytest.param(b"\n", [], 1, id="an empty line"),
        pytest.param(b"a KEY\n", [(1, "a KEY")], 1, id="one line"),
        pytest.param(b"a\nb\nc KEY", [(3, "c KEY")], 3, id="a last line without its end"),
        pytest.param(
            b"KEY 1\nx\nKEY 2\nKEY 3\n", [(1, "KEY 1"), (3, "KEY 2"), (4, "KEY 3")], 4, id="several"
        ),
        pytest.param(b"KEY a KEY b\n", [(1, "KEY a KEY b")], 1, id="a line is told once"),
        pytest.param(b"x\r\nKEY\r\n", [(2, "KEY")], 2, id="Windows"),
        pytest.param(b" 1%\r 2%\rKEY 3%\r 4%\nKEY\n", [(1, "KEY 3%"), (2, "KEY")], 2, id="a progress bar"),
        pytest.param(b"\x00\xff KEY \xfe\n", [(1, "\x00\ufffd KEY \ufffd")], 1, id="binary"),
        pytest.param(
            b"x" * LONGEST + b"KEY\nKEY\n", [(2, "KEY")], 2, id="what stands too far out is not seen"
        ),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 4096, 10**7])
def test_telling_lines_and_their_numbers(log, found, count, size):
    pieces = [log[at : at + size] for at in range(0, len(log), size)]

    assert read(*pieces) == (found, count)


def test_a_text_that_never_ends_is_not_kept():
    reader = LineReader(re.compile(b"KEY"))
    for _ in range(100):
        assert list(reader.feed(b"x" * 100_000)) == []

    assert len(reader._pending) <= LONGEST
    assert list(reader.feed(b"KEY\nKEY after\n")) == [(2, "KEY after")]


@given(
    parts=st.lists(
        st.sampled_from(
            [b"KEY", b"KE", b"Y", b"x", b"\n", b"\r", b" ", b"x" * LONGEST, b"\xff", b"y" * 300_000]
        ),
        max_size=12,
    ),
    sizes=st.lists(st.integers(1, 100_000), min_size=1, max_size=5),
)
def test_however_a_log_is_cut_its_lines_are_the_same(parts, sizes):
    log, pieces, at = b"".join(parts), [], 0
    while at < len(log):
        size = max(sizes[len(pieces) % len(sizes)], len(log) // 200)
        pieces.append(log[at : at + size])
        at += size

    assert read(*pieces) == read(log)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(b"2026-07-01T10:00:00.1234567Z text ", "text", id="GitHub's time"),
        pytest.param(b"\xef\xbb\xbf2026-07-01T10:00:00.1234567Z text", "text", id="with a byte order mark"),
        pytest.param(b"2026-07-01T10:00:00.123456Z 00O text", "text", id="GitLab's time and stream"),
        pytest.param(b"2026-07-01T10:00:00.123456Z 01E+text", "text", id="GitLab's continued line"),
        pytest.param(b"2026-07-01T10:00:00.123456Z 0aO  > [main]", " > [main]", id="indented on GitLab"),
        pytest.param(b"\x1b[31;1mERROR: \x1b[0;mtext", "ERROR: text", id="colours"),
        pytest.param(b"\x1b]8;;http://x\x07text", "text", id="a link"),
        pytest.param(b"  indented", "  indented", id="indented"),
        pytest.param(b"2026-07-01 10:00:00 text", "2026-07-01 10:00:00 text", id="a program's own time"),
    ],
)
def test_what_a_line_says(line, expected):
    assert said(line) == expected


def test_of_a_very_long_line_beginning_and_end_are_kept():
    text = said(b"process " + b"x" * 50_000 + b" exit code: 137")

    assert text.startswith("process xxx")
    assert text.endswith("x exit code: 137")
    assert len(text) < 10_000


def test_evidence_is_short():
    assert shortened("  a line ") == "a line"
    assert len(shortened("x" * 401)) == 400
    assert shortened("b" + "x" * 800 + "e").startswith("bx")
    assert shortened("b" + "x" * 800 + "e").endswith("xe")
