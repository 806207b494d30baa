"""Logs of the service: one JSON object a line, from which secrets are taken out before it is written."""

import json
import logging
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TextIO

LOGGER = "bot"
"""The logger of the service; its records carry their fields in `extra={"fields": …}`."""

_SHORTEST = 6
_HIDDEN = "[hidden]"
# Tokens that the process is handed while it runs: https://github.blog/engineering/platform-security/
# behind-githubs-new-authentication-token-formats/ and https://docs.gitlab.com/security/tokens/
_TOKENS = re.compile(
    r"gh[pousr]_[A-Za-z0-9]{10,}|github_pat_\w{10,}|glpat-[\w-]{10,}|eyJ[\w-]{8,}\.[\w.-]+"
    r"|(?i:bearer|basic|token) [\w.~+/=-]{16,}|whsec_[\w+/=-]{8,}|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)


class JsonFormatter(logging.Formatter):
    """Formats records as JSON; none of `secrets` is ever part of a line, wherever it stood."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__()
        # Of a key of several lines each line is a secret. What is very short would hide half of the text.
        lines = (line.strip() for secret in secrets for line in [secret, *secret.splitlines()])
        self._secrets = sorted({it for it in lines if len(it) >= _SHORTEST}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        fields: Mapping[str, object] = getattr(record, "fields", {})
        entry: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **fields,
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps({key: self._hidden(value) for key, value in entry.items()}, ensure_ascii=False)

    def _hidden(self, value: object) -> object:
        if value is None or isinstance(value, bool | int | float):
            return value
        text = value if isinstance(value, str) else str(value)
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        return _TOKENS.sub(_HIDDEN, text)


def write_logs(stream: TextIO, secrets: Iterable[str]) -> None:
    """Let the service and its server write their logs to a stream."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter(secrets))
    for name, level in ((LOGGER, logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False
