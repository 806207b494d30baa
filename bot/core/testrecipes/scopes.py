"""Test recipes → the scope words under which each test runs, all tests at once.

It only informs: what cannot be read is left out, and nothing is refused. Rows that are to be edited are
chosen by `select`, which is strict.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from bot.core.pins.errors import PinError
from bot.core.pins.yaml_tree import compose, entry, text_of
from bot.core.plan import Files


@dataclass(frozen=True, slots=True, order=True)
class TestRow:
    """A test on one platform in one environment, as golden files spell them."""

    __test__ = False  # its name makes pytest look for tests in it

    model: str
    test: str
    environment: str
    platform: str


def scopes_of_tests(files: Files) -> Mapping[TestRow, tuple[str, ...]]:
    """Return the scope words of each test, sorted; a test whose rows hold none has no words.

    A row counts for each of its environments and platforms, by the first name of its test case, as CI reads
    it (https://github.com/NVIDIA/Megatron-LM/blob/main/tests/test_utils/python_scripts/recipe_parser.py).
    """
    found: dict[TestRow, set[str]] = {}
    for raw in files.values():
        for row, words in _rows(raw or b""):
            found.setdefault(row, set()).update(words)
    return {row: tuple(sorted(words)) for row, words in found.items()}


def _rows(raw: bytes) -> Iterator[tuple[TestRow, tuple[str, ...]]]:
    try:
        roots = compose(raw.decode())
    except (UnicodeDecodeError, PinError):
        return
    root = roots[0] if len(roots) == 1 else None
    spec = _value(root, "spec")
    model = text_of(node) if (node := _value(spec, "model")) else None
    for product in _items(_value(root, "products")):
        names = _texts(_value(product, "test_case"))
        for row in _items(_value(product, "products")):
            platforms = _texts(_value(row, "platforms") or _value(spec, "platforms"))
            words = _texts(_value(row, "scope"))
            for environment in _texts(_value(row, "environment")):
                for platform in platforms if names else ():
                    yield TestRow(model or "", names[0], environment, platform), words


def _value(node: Node | None, key: str) -> Node | None:
    found = entry(node, key) if isinstance(node, MappingNode) else None
    return found[1] if found else None


def _items(node: Node | None) -> tuple[Node, ...]:
    return tuple(node.value) if isinstance(node, SequenceNode) else ()


def _texts(node: Node | None) -> tuple[str, ...]:
    """Return the texts of a list; a bare one counts as a list of itself, as a default may be written."""
    single = text_of(node) if node is not None else None
    found = [single] if single else map(text_of, _items(node))
    return tuple(text for text in found if text)
