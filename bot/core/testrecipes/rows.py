"""A test recipe → the rows of one test, each with the places of its words.

A recipe is a mapping whose `products` list test cases, each with rows of its own; every value of a row is a
list, and CI runs each combination. `spec` holds the defaults. Source:
https://github.com/NVIDIA/Megatron-LM/blob/main/tests/test_utils/python_scripts/recipe_parser.py
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from bot.core.pins.errors import PinError
from bot.core.pins.span import Span, line_of
from bot.core.pins.yaml_tree import (
    children,
    compose,
    end_of,
    entry,
    merge_key,
    shared,
    start_of,
    text_of,
)

_WRITE_OUT = "write the row out"


@dataclass(frozen=True, slots=True)
class Word:
    """An item of a list: what it says and where, without its quotes."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a test: `tests` are all names that its test case lists, of which CI reads the first.

    Lines count from 1: the one where the row begins, its last one, and the one of its key `scope` (None
    where it has none). `column` is where its keys stand. `platforms` are those of `spec` where it names none.
    `own_line` is false for a row that does not begin and end on lines of its own, as inside `{…}`.
    """

    line: int
    last_line: int
    column: int
    own_line: bool
    tests: tuple[str, ...]
    environments: tuple[str, ...]
    platforms: tuple[str, ...]
    scopes: tuple[Word, ...]
    scope_line: int | None
    allow_failure: int | None
    """The line of its key `allow_failure`."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its scope words."""
        return tuple(word.text for word in self.scopes)

    @property
    def meaning(self) -> tuple[tuple[str, ...], ...]:
        """What CI reads in the row, wherever it stands."""
        return (self.tests, self.environments, self.platforms, self.words)


@dataclass(frozen=True, slots=True)
class RecipeOfTest:
    """What a recipe says of one test: the model folder of its goldens, and its rows in their order."""

    model: str
    rows: tuple[Row, ...]


def read_recipe(text: str, test: str) -> RecipeOfTest:
    """Return the rows of `test`; other tests of the file are not looked at closely.

    Raises PinError with the line for text that is not sound YAML, and for rows of this test that CI reads
    otherwise than they look: aliases, anchors, merge keys, values that are no lists.
    """
    roots = compose(text)
    elsewhere = shared(roots)
    found = [_recipe(text, root, test, elsewhere) for root in roots if isinstance(root, MappingNode)]
    rows = tuple(row for _, its_rows in found for row in its_rows)
    if rows and len(roots) > 1:
        raise PinError("the file holds several documents, of which CI reads none", line=rows[0].line)
    return RecipeOfTest(found[0][0] if found else "", rows)


def _recipe(
    text: str, root: MappingNode, test: str, elsewhere: frozenset[int]
) -> tuple[str, tuple[Row, ...]]:
    spec, products = entry(root, "spec"), entry(root, "products")
    defaults = spec[1] if spec and isinstance(spec[1], MappingNode) else None
    model = entry(defaults, "model") if defaults else None
    platforms = entry(defaults, "platforms") if defaults else None
    default = _default(platforms[1]) if platforms else ()
    if products is None or not isinstance(products[1], SequenceNode):
        rows: tuple[Row, ...] = ()
    else:
        rows = tuple(_rows(text, products[1], test, default, elsewhere))
    return (text_of(model[1]) or "") if model else "", rows


def _default(node: Node) -> tuple[str, ...]:
    # Only the lists of rows are combined: a default may be the bare name.
    return _items(node) or tuple(name for name in [text_of(node)] if name)


def _items(node: Node) -> tuple[str, ...]:
    found = node.value if isinstance(node, SequenceNode) else ()
    return tuple(name for name in map(text_of, found) if name is not None)


def _rows(
    text: str, products: SequenceNode, test: str, default: tuple[str, ...], elsewhere: frozenset[int]
) -> Iterator[Row]:
    for product in products.value:
        named = entry(product, "test_case") if isinstance(product, MappingNode) else None
        if named is None or not _names(text, named[1], test):
            continue
        _refuse_shared(text, product, elsewhere)
        inner = entry(product, "products")
        if inner is None or not isinstance(inner[1], SequenceNode):
            raise PinError("the test case has no list of rows, so it never runs", line=_line(text, product))
        for row in inner[1].value:
            if not isinstance(row, MappingNode):
                raise PinError("the row is no mapping", line=_line(text, row))
            yield _row(text, row, _items(named[1]), default)


def _names(text: str, node: Node, test: str) -> bool:
    if text_of(node) == test:
        # CI would read its first letter.
        raise PinError("`test_case` is no list, so the test never runs", line=_line(text, node))
    return test in _items(node)


def _refuse_shared(text: str, product: Node, elsewhere: frozenset[int]) -> None:
    """Refuse what stands in two places: one edit would move the other along unseen."""
    floor, todo = start_of(product), [product]
    while todo:
        node = todo.pop()
        merge = merge_key(node) if isinstance(node, MappingNode) else None
        if id(node) in elsewhere or start_of(node) < floor or merge or node.anchor is not None:
            line = _line(text, max(node, product, key=start_of))
            raise PinError(
                "the test's rows use an anchor, an alias or a merge key", line=line, hint=_WRITE_OUT
            )
        todo += children(node)


def _row(text: str, row: MappingNode, tests: tuple[str, ...], default: tuple[str, ...]) -> Row:
    scope, failure = entry(row, "scope"), entry(row, "allow_failure")
    lines = text.split("\n")
    start, end = _line(text, row), line_of(text, end_of(row))
    before_row = text[: start_of(row)].rpartition("\n")[2]
    platforms = _list(text, row, "platforms")
    return Row(
        line=start,
        last_line=end,
        column=len(before_row),
        own_line=not row.flow_style and not before_row.strip(" -") and _ends_line(text, lines, row, end),
        tests=tests,
        environments=_list(text, row, "environment") or (),
        platforms=default if platforms is None else platforms,
        scopes=_words(text, scope[1]) if scope else (),
        scope_line=_line(text, scope[0]) if scope else None,
        allow_failure=_line(text, failure[0]) if failure else None,
    )


def _ends_line(text: str, lines: list[str], row: Node, last: int) -> bool:
    rest = lines[last - 1][end_of(row) - text.rfind("\n", 0, end_of(row)) - 1 :].strip()
    return not rest or rest.startswith("#")


def _list(text: str, row: MappingNode, name: str) -> tuple[str, ...] | None:
    found = entry(row, name)
    if found is None:
        return None
    if not isinstance(found[1], SequenceNode):
        raise PinError(f"`{name}` is no list, so the row never runs", line=_line(text, found[0]))
    return _items(found[1])


def _words(text: str, scope: Node) -> tuple[Word, ...]:
    if not isinstance(scope, SequenceNode):
        raise PinError("`scope` is no list, so the row never runs", line=_line(text, scope))
    return tuple(_word(text, item) for item in scope.value)


def _word(text: str, item: Node) -> Word:
    quote = 1 if isinstance(item, ScalarNode) and item.style in ("'", '"') else 0
    span = Span(start_of(item) + quote, end_of(item) - quote)
    if not isinstance(item, ScalarNode) or span.of(text) != item.value:
        hint = "write each word plainly, or in quotes"
        raise PinError("`scope` holds something else than words", line=_line(text, item), hint=hint)
    return Word(item.value, span)


def _line(text: str, node: Node) -> int:
    return line_of(text, start_of(node))
