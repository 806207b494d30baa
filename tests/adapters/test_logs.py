"""Logs of the service: a JSON object a line, and no secret in any of them."""

import io
import json
import logging

import pytest

from bot.logs import JsonFormatter, write_logs

KEY = "-----BEGIN KEY-----\nfirst line of it\nsecond line of it\n-----END KEY-----"


def line(message="looked", secrets=("hunter22", KEY), *, error=None, **fields):
    exc_info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("bot", logging.INFO, "", 0, message, (), exc_info)
    record.fields = fields
    return JsonFormatter(secrets).format(record)


def test_an_entry_has_its_moment_level_event_and_fields():
    entry = json.loads(line(key="acme/widgets resync", seconds=0.25, ok=True, left=None))

    assert entry.pop("at").endswith("+00:00")
    assert entry == {
        "level": "info",
        "event": "looked",
        "key": "acme/widgets resync",
        "seconds": 0.25,
        "ok": True,
        "left": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "the token hunter22 was refused",
        "second line of it",
        "Authorization: Bearer abcdefghijklmnopqrstuvwxyz",
        "token ghs_" + "a1B2" * 9,
        "glpat-" + "x" * 20,
        "postgresql://me:hunter23@db/bot",
    ],
)
def test_no_secret_is_in_a_line_wherever_it_stood(text):
    written = line(text, error=ValueError(text), why=text, many=[text])

    for secret in ("hunter2", "second line of it", "abcdefghijklm", "a1B2a1B2", "xxxxxxx"):
        assert secret not in written
    assert written.count("[hidden]") >= 4


def test_text_from_outside_cannot_begin_a_line_of_its_own():
    assert "\n" not in line("one\ntwo", why="a\r\nb\x1b[31m")


def test_the_logs_of_the_service_and_its_server_go_to_one_stream():
    stream = io.StringIO()
    loggers = [logging.getLogger(name) for name in ("bot", "uvicorn")]
    before = [(it.handlers, it.level, it.propagate) for it in loggers]
    try:
        write_logs(stream, ["hunter22"])
        logging.getLogger("bot").info("begun", extra={"fields": {"why": "hunter22"}})
        logging.getLogger("uvicorn").info("chatter")
        logging.getLogger("uvicorn").warning("trouble")
    finally:
        for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
            logger.handlers, logger.level, logger.propagate = handlers, level, propagate

    events = [json.loads(it)["event"] for it in stream.getvalue().splitlines()]
    assert events == ["begun", "trouble"]
    assert "hunter22" not in stream.getvalue()
