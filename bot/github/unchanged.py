"""Answers that GitHub need not send twice: kept with their entity tags, and asked for again by them.

An answer of 304 costs nothing of the rate limit
(https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate).
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_ANSWERS = 512
MOST_CHARACTERS = 256 * 1024
"""Of one answer; a longer one is not kept."""

Address = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer with its tag."""

    tag: str
    headers: Mapping[str, Any]
    body: str


class Answers:
    """The answers that one identity was given, the longest unused one forgotten first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Address, Kept] = OrderedDict()

    def find(self, address: Address) -> Kept | None:
        """Return the answer that was kept for an address, if there is one."""
        found = self._kept.get(address)
        if found is not None:
            self._kept.move_to_end(address)
        return found

    def keep(self, address: Address, headers: Mapping[str, Any], body: str) -> None:
        """Keep an answer that has a tag and is not too long."""
        tag = headers.get("etag")
        if isinstance(tag, str) and len(body) <= MOST_CHARACTERS:
            self._kept[address] = Kept(tag, headers, body)
            self._kept.move_to_end(address)
            if len(self._kept) > MOST_ANSWERS:
                self._kept.popitem(last=False)


def address_of(url: str, parameters: Mapping[str, Any] | None) -> Address:
    """Return what an answer is kept under."""
    return url, tuple(sorted((name, str(value)) for name, value in (parameters or {}).items()))
