"""What every document needs: the address of the server, times and ids as GitHub writes them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.lab.records import Records

Document = dict[str, Any]

WEB = "https://github.com"
"""Where pages for people would be; nothing is ever fetched from there."""


@dataclass(frozen=True, slots=True)
class Site:
    """The records and the address of the server (`api`, without a slash at its end)."""

    records: Records
    api: str


def timestamp(at: datetime | None) -> str | None:
    """Return a time as GitHub writes it, in UTC."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def node_id(kind: str, number: object) -> str:
    """Return a GraphQL id; opaque, as the real ones are."""
    return f"{kind}_{number}"
