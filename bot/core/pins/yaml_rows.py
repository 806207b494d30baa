"""The pin format `yaml-rows`: a value in those rows of a list of mappings whose siblings have a given text.

So a row is chosen by its role, never by the value it has: `rows` is the way from the root of the
document to the list, `match` the siblings, `key` the pin, `platform` the sibling that names a platform.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bot.core.pins import where as keys
from bot.core.pins.errors import PinError
from bot.core.pins.pin import Pin
from bot.core.pins.span import Span, line_end, line_of, line_start
from bot.core.pins.yaml_tree import Entry, compose, end_of, entry, merge_key, shared, start_of, text_of

KEYS: frozenset[str] = frozenset({"rows", "match", "key"})
OPTIONAL_KEYS: frozenset[str] = frozenset({"platform"})

_WRITE_OUT = "write the value out in the row"
_LINES_ABOVE = 3


@dataclass(frozen=True, slots=True)
class _Wanted:
    path: tuple[str, ...]
    match: Mapping[str, str]
    key: str
    platform: str | None

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.match, self.key, *([self.platform] if self.platform else []))


def locate(text: str, where: Mapping[str, object]) -> tuple[Pin, ...]:
    """Return a pin for each matching row that has the key.

    The context of a pin is its row with the comments before it and behind its lines.

    Raises UsageError for a bad `where`. Raises PinError with the line for text that is not sound
    YAML, for a list that two documents have, and for a value that a cut could damage or move
    somewhere else: aliases, anchors, merge keys, block and multi-line scalars, escapes, numbers.
    """
    wanted = _Wanted(
        path=keys.texts(where, "rows"),
        match=keys.text_map(where, "match"),
        key=keys.text(where, "key"),
        platform=keys.optional_text(where, "platform"),
    )
    roots = compose(text)
    elsewhere = shared(roots)
    lists = [found for root in roots if (found := _list_at(text, root, wanted.path, elsewhere))]
    if len(lists) > 1:
        line = line_of(text, start_of(lists[1]))
        raise PinError(f"two documents of the file have the list `{' / '.join(wanted.path)}`", line=line)
    return tuple(pin for rows in lists for pin in _pins(text, rows, wanted, elsewhere))


def _list_at(text: str, root: Node, path: tuple[str, ...], elsewhere: frozenset[int]) -> SequenceNode | None:
    node = root
    for name in path:
        found = _entry_on_the_way(text, node, name)
        if found is None:
            return None
        node = found[1]
        _refuse_shared(text, node, f"`{name}`", elsewhere)
    return node if isinstance(node, SequenceNode) else None


def _entry_on_the_way(text: str, node: Node, name: str) -> Entry | None:
    if not isinstance(node, MappingNode):
        return None
    found = entry(node, name)
    if found is None:
        _refuse_merge(text, node, [name])
    elif _came_by_alias(*found):
        raise PinError(f"`{name}` is an alias", line=_line(text, found[0]), hint="write the list out")
    return found


def _refuse_shared(text: str, node: Node, what: str, elsewhere: frozenset[int]) -> None:
    """Refuse what other places take over by an alias or a merge key: they would move along unseen."""
    if id(node) in elsewhere:
        raise PinError(
            f"{what} has an anchor that other places use",
            line=_line(text, node),
            hint="write those places out",
        )


def _came_by_alias(key: Node, value: Node) -> bool:
    return start_of(value) < start_of(key)


def _refuse_merge(text: str, mapping: MappingNode, missing: list[str]) -> None:
    merge = merge_key(mapping)
    if merge and missing:
        names = ", ".join(f"`{name}`" for name in missing)
        raise PinError(f"{names} may come in by the merge key `<<`", line=_line(text, merge), hint=_WRITE_OUT)


def _pins(text: str, rows: SequenceNode, wanted: _Wanted, elsewhere: frozenset[int]) -> Iterator[Pin]:
    floor = start_of(rows)
    previous_end = None
    for row in rows.value:
        is_alias = start_of(row) < floor
        if isinstance(row, MappingNode) and _matches(text, row, wanted):
            if is_alias:
                raise PinError("the row is an alias", line=_line(text, row), hint="write the row out")
            _refuse_shared(text, row, "the row", elsewhere)
            if found := entry(row, wanted.key):
                span = _value_span(text, *found)
                yield Pin(span, _platform(text, row, wanted.platform), _context(text, row, previous_end))
        if not is_alias:
            floor = previous_end = _content_end(text, row)


def _matches(text: str, row: MappingNode, wanted: _Wanted) -> bool:
    """Whether the siblings are as wanted; a row that inherits what decides that is refused."""
    siblings = {name: entry(row, name) for name in wanted.match}
    if any(found and text_of(found[1]) != wanted.match[name] for name, found in siblings.items()):
        return False
    _refuse_merge(text, row, [name for name in wanted.needed if entry(row, name) is None])
    return all(siblings.values())


def _platform(text: str, row: MappingNode, key: str | None) -> str | None:
    found = entry(row, key) if key else None
    if found is None:
        return None
    platform = text_of(found[1])
    if platform is None:
        raise PinError(f"`{key}` names no single platform", line=_line(text, found[0]))
    return platform


def _value_span(text: str, key: Node, value: Node) -> Span:
    """Return the place of the bare value; what stands there is what every loader reads."""
    name, line = f"`{text_of(key)}`", _line(text, key)
    if _came_by_alias(key, value):
        raise PinError(f"{name} is an alias", line=line, hint=_WRITE_OUT)
    if value.anchor is not None:
        raise PinError(f"{name} has an anchor, so other places use its value", line=line, hint=_WRITE_OUT)
    if not isinstance(value, ScalarNode):
        raise PinError(f"{name} is a list or mapping, not a single value", line=line)
    if value.style in ("|", ">"):
        raise PinError(f"{name} is a block scalar", line=line, hint="write it on one line")
    quote = 1 if value.style else 0
    span = Span(start_of(value) + quote, end_of(value) - quote)
    if span.of(text) != value.value:
        hint = "write it on one line, plain or in quotes"
        raise PinError(f"{name} goes over several lines or has escapes or a tag", line=line, hint=hint)
    if value.tag != "tag:yaml.org,2002:str":
        raise PinError(f"{name} is not read as text", line=line, hint="put the value in quotes")
    return span


def _context(text: str, row: Node, previous_end: int | None) -> Span:
    start = line_start(text, start_of(row), _LINES_ABOVE)
    if previous_end is not None:
        start = max(start, min(line_end(text, previous_end), start_of(row)))
    return Span(start, line_end(text, _content_end(text, row)))


def _content_end(text: str, node: Node) -> int:
    return len(text[: end_of(node)].rstrip())


def _line(text: str, node: Node) -> int:
    return line_of(text, start_of(node))
