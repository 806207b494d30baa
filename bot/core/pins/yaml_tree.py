"""YAML as positions: composed nodes with offsets into the text, for files that every loader reads alike."""

from collections.abc import Iterator

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from bot.core.pins.errors import PinError
from bot.core.pins.span import line_of

Entry = tuple[Node, Node]
"""A key and its value."""


def compose(text: str) -> tuple[Node, ...]:
    """Return the root node of each document of `text`; `start_mark.index` counts characters of `text`.

    Raises PinError with the line for text that is not YAML, and for a key that stands twice in one
    mapping: some loaders refuse it, others keep the first or the last value.
    """
    roots = _parsed(text)
    twice = [pair for root in roots for pair in _duplicates(root)]
    if twice:
        first, second = min(twice, key=lambda pair: start_of(pair[1]))
        lines = f"{line_of(text, start_of(first))} and {line_of(text, start_of(second))}"
        raise PinError(
            f"the key `{second.value}` stands twice in one mapping, in lines {lines}",
            line=line_of(text, start_of(second)),
            hint="loaders differ in which one counts: remove one of them",
        )
    return roots


_MEND = "mend the file: the bot edits only what every loader reads alike"


def _parsed(text: str) -> tuple[Node, ...]:
    # The round-trip parser keeps comments, which no position needs, and fails on some valid files.
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False
    try:
        return tuple(yaml.compose_all(text))
    except MarkedYAMLError as error:
        line = line_of(text, error.problem_mark.index) if error.problem_mark else None
        raise PinError(f"not valid YAML: {error.problem or error.context}", line=line, hint=_MEND) from error
    except ReaderError as error:
        raise PinError("not valid YAML: control character", line=line_of(text, error.position)) from error
    except RecursionError as error:
        raise PinError("not readable as YAML: nested too deeply") from error
    except (AssertionError, OverflowError, ValueError) as error:
        # What ruamel.yaml lets through for odd `%YAML` versions and escapes beyond Unicode.
        raise PinError(f"not valid YAML: {error}") from error


def _duplicates(root: Node) -> Iterator[Entry]:
    """Yield each key that is there already, after the one it repeats. Aliases may form cycles."""
    todo, seen = [root], {id(root)}
    while todo:
        node = todo.pop()
        if isinstance(node, MappingNode):
            yield from _repeated_keys(node)
        for child in children(node):
            if id(child) not in seen:
                seen.add(id(child))
                todo.append(child)


def _repeated_keys(mapping: MappingNode) -> Iterator[Entry]:
    first: dict[tuple[str | None, str], Node] = {}
    for key, _ in mapping.value:
        if isinstance(key, ScalarNode):
            name = (key.tag, key.value)
            if name in first:
                yield first[name], key
            first[name] = key


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly inside `node`, keys included."""
    if isinstance(node, MappingNode):
        return tuple(child for entry in node.value for child in entry)
    return tuple(node.value) if isinstance(node, SequenceNode) else ()


def shared(roots: tuple[Node, ...]) -> frozenset[int]:
    """Return the `id()` of each node that stands in several places, by aliases or merge keys."""
    todo, seen, twice = list(roots), {id(root) for root in roots}, set()
    while todo:
        for child in children(todo.pop()):
            if id(child) in seen:
                twice.add(id(child))
            else:
                seen.add(id(child))
                todo.append(child)
    return frozenset(twice)


def entry(mapping: MappingNode, name: str) -> Entry | None:
    """Return the key `name` of the mapping itself with its value, or None; merge keys are not followed."""
    return next(
        ((key, value) for key, value in mapping.value if isinstance(key, ScalarNode) and key.value == name),
        None,
    )


def merge_key(mapping: MappingNode) -> Node | None:
    """Return the `<<` of the mapping, by which keys come in from elsewhere, or None."""
    keys = (key for key, _ in mapping.value if isinstance(key, ScalarNode))
    return next((key for key in keys if key.value == "<<" and not key.style), None)


def text_of(node: Node) -> str | None:
    """Return a scalar's text, whatever its type or quotes, or None for a list or mapping."""
    return str(node.value) if isinstance(node, ScalarNode) else None


def start_of(node: Node) -> int:
    """Return the offset at which the node begins, with its anchor or tag."""
    return int(node.start_mark.index)


def end_of(node: Node) -> int:
    """Return the offset at which the content of the node ends, trailing blanks of a block scalar included.

    The mark of a block collection is no use for that: it lies behind the comments that follow.
    """
    if isinstance(node, ScalarNode) or (isinstance(node, CollectionNode) and node.flow_style):
        return int(node.end_mark.index)
    ends = (end_of(child) for child in children(node) if _is_written_inside(child, node))
    return max(ends, default=start_of(node))


def _is_written_inside(child: Node, parent: Node) -> bool:
    # An alias gives a node that stands elsewhere, further up; an empty value is placed at the next key.
    is_empty = child.start_mark.index == child.end_mark.index
    return child is not parent and start_of(child) >= start_of(parent) and not is_empty
