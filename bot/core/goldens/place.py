"""A path ↔ the test, environment and platform of a golden, by the template in the bump recipe."""

import re
from dataclasses import dataclass

_PARTS = {
    "model": r"(?!\.{1,2}/)[^/]+",
    "test": r"(?!\.{1,2}/)[^/]+",
    "environment": r"[a-z0-9]+",
    "platform": r"[a-z0-9]+(?:_[a-z0-9]+)*",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Whose golden a file is. A part that the template does not name is empty."""

    model: str
    test: str
    environment: str
    platform: str


def place_of(path: str, template: str) -> Place | None:
    """Return whose golden the file at `path` is, None where the path is none of the template's."""
    found = _pattern(template).fullmatch(path)
    if found is None:
        return None
    parts = found.groupdict()
    return Place(**{name: parts.get(name, "") for name in _PARTS})


def may_be_golden(path: str, template: str) -> bool:
    """Return whether `path` lies where the template puts goldens and is named like one."""
    folder, _, name = template.rpartition("/")
    begin, end = name.partition("{")[0], name.rpartition("}")[2]
    inside = path.startswith(folder.partition("{")[0])
    found = path.rpartition("/")[2]
    return inside and found.startswith(begin) and found.endswith(end) and len(found) >= len(begin + end)


def _pattern(template: str) -> re.Pattern[str]:
    seen: set[str] = set()

    def part(found: re.Match[str]) -> str:
        name = found[1]
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>{_PARTS.get(name, '[^/]+')})"

    pieces = re.split(r"(\{\w+\})", template)
    return re.compile(
        "".join(re.sub(r"\{(\w+)\}", part, it) if "{" in it else re.escape(it) for it in pieces)
    )


def folder_of(template: str) -> str:
    """Return the folder below which the template puts every golden."""
    return template.partition("{")[0].rpartition("/")[0]
