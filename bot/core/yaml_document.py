"""YAML of our own making → plain values that remember the line of each key and item."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from bot.core.pins.span import line_of


class YamlProblem(Exception):
    """What is wrong with a text as YAML; `line` counts from 1."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True)
class Document:
    """Plain values (`dict`, `list`, `str`, `int`, …) and the nodes they came from."""

    value: Any
    root: Node | None

    def line(self, place: Sequence[str | int]) -> int:
        """Return the line of the value at `place`, or of the nearest thing around it that exists."""
        line, node = 1, self.root
        for part in place:
            found = dict(_children(node)).get(str(part))
            if found is None:
                break
            line, node = found
        return line


def _children(node: Node | None) -> Iterator[tuple[str, tuple[int, Node]]]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if isinstance(key, ScalarNode):
                yield str(key.value), (key.start_mark.line + 1, value)
    elif isinstance(node, SequenceNode):
        for number, item in enumerate(node.value):
            yield str(number), (item.start_mark.line + 1, item)


class _Constructor(SafeConstructor):
    """Says which line holds a value that is not of its type, such as the date `2026-13-45`."""

    def construct_object(self, node: Node, deep: bool = False) -> Any:  # noqa: FBT001, FBT002 - ruamel.yaml's
        try:
            return super().construct_object(node, deep=deep)
        except (AssertionError, LookupError, TypeError, ValueError) as error:
            shown = f"`{node.value}`" if isinstance(node, ScalarNode) else "the mapping or list"
            raise YamlProblem(f"{shown} cannot be read", node.start_mark.line + 1) from error


def read_document(text: str) -> Document:
    """Return the one document in `text`.

    Raises YamlProblem for what is no YAML, for a duplicate key and for a second document.
    """
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False
    try:
        root = yaml.compose(text)
        value = None if root is None else _Constructor(loader=yaml).construct_object(root, deep=True)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # ruamel.yaml names a repeated key together with both values, a whole section of the file at times.
        problem = re.sub(r" with value .*", " twice", error.problem or "", flags=re.DOTALL)
        said = ", ".join(part for part in (error.context, problem) if part)
        raise YamlProblem(_first_line(said), mark.line + 1 if mark else 1) from error
    except ReaderError as error:
        raise YamlProblem("a control character stands in the text", line_of(text, error.position)) from error
    except RecursionError as error:
        raise YamlProblem("nested too deeply", 1) from error
    except (AssertionError, OverflowError, ValueError, YAMLError) as error:
        # What ruamel.yaml lets through for odd `%YAML` versions, ordered maps and escapes beyond Unicode.
        raise YamlProblem(f"not valid YAML: {_first_line(str(error))}", 1) from error
    return Document(value, root)


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0]
