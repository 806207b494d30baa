"""A line without what was put around it."""

from datetime import UTC, datetime

import pytest

from bot.core.triage.lines import said, shortened, time_of

STAMP = b"2026-08-22T10:11:12.1234567Z "


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (STAMP + b"plain", "plain"),
        (b"\xef\xbb\xbf" + STAMP + b"first line of the file", "first line of the file"),
        (b"2026-08-22T10:11:12Z short", "short"),
        (STAMP, ""),
        (b"", ""),
        (STAMP + b"  indented  ", "  indented"),
        (STAMP + b"\x1b[32mtask-1/0\x1b[0m said", "said"),
        (STAMP + b"[default3]:[rank3]: said", "said"),
        (STAMP + b"[rank0]:     source", "    source"),
        (STAMP + b"\x1b[1m\x1b[31mE       AssertionError: no\x1b[0m", "E       AssertionError: no"),
        (STAMP + b"\x1b]0;a title\x07after", "after"),
        (STAMP + b"\x1b]8;;https://x.example\x1b\\link", "link"),
        (STAMP + b"\x1b[38;5;196;1mred\x1b[K\x1bM", "red"),
        (STAMP + b"caf\xc3\xa9 \xff\xfe", "café \ufffd\ufffd"),
        (b"no time at all", "no time at all"),
    ],
)
def test_only_what_the_program_wrote_is_left(line, expected):
    assert said(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (STAMP, datetime(2026, 8, 22, 10, 11, 12, tzinfo=UTC)),
        (b"\xef\xbb\xbf" + STAMP, datetime(2026, 8, 22, 10, 11, 12, tzinfo=UTC)),
        (b"2026-06-31T10:11:12.0Z no such day", None),
        (b"said at 2026-08-22T10:11:12.1Z", None),
        (b"", None),
    ],
)
def test_the_time_is_the_runners(line, expected):
    assert time_of(line) == expected


def test_a_long_text_is_cut_for_evidence():
    assert shortened("x" * 400) == "x" * 400
    assert shortened("x" * 401) == "x" * 399 + "…"
