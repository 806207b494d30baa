"""Takes a unit test out of the gate with a pytest mark, and back; libcst finds the place, text is spliced.

Which mark CI leaves out depends on its environment:
https://github.com/NVIDIA/Megatron-LM/blob/main/tests/unit_tests/run_ci_test.sh
"""

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst
from libcst.helpers import get_full_name_for_node
from libcst.metadata import CodePosition, CodeRange, MetadataWrapper, PositionProvider

from bot.core.pins.errors import PinError
from bot.core.testrecipes.comment import came_with_quarantine
from bot.core.testrecipes.hunk import Hunk, apply, ending, indentation, way_back
from bot.core.testrecipes.target import UnitTest

_BY_HAND = "take the mark away by hand"
_DEEPEST = 200
"""Levels of Python's syntax tree."""

_Positions = Mapping[cst.CSTNode, CodeRange]
_Small = TypeVar("_Small", bound=cst.BaseSmallStatement)


@dataclass(frozen=True, slots=True)
class _Decorator:
    name: str
    line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class _Function:
    """A test function: its decorators, and the line where it begins, decorators included."""

    line: int
    decorators: tuple[_Decorator, ...]


@dataclass(frozen=True, slots=True)
class _Module:
    """What matters of a file: the test, how it calls pytest, and the marks of the test's class and file."""

    test: _Function
    pytest: str | None
    around: tuple[tuple[str, int], ...]


def mark(text: str, test: UnitTest, name: str, comment: Sequence[str]) -> Hunk:
    """Return the hunk that puts the mark `name` on top of the test's decorators, `comment` above it.

    Raises PinError with the line for a file that is no Python, that has not exactly one such test or does
    not import pytest, and where the test, its class or its file is marked already.
    """
    module = _module(text, test)
    for found, line in (*((it.name, it.line) for it in module.test.decorators), *module.around):
        if _is_mark(found, name):
            raise PinError(f"`{test.names[-1]}` is marked with `{name}` already", line=line)
    if module.pytest is None:
        hint = "add `import pytest`: the bot writes nothing but the mark"
        raise PinError("the file does not import pytest at its top", line=module.test.line, hint=hint)
    lines, at = text.split("\n"), module.test.line - 1
    indent, end = indentation(lines[at]), ending(lines, at)
    new = (*comment, f"@{module.pytest}.mark.{name}")
    hunk = Hunk(at + 1, (), tuple(f"{indent}{it}{end}" for it in new))
    again = _module(apply(text, [hunk]), test).test.decorators
    if [it.name for it in again[1:]] != [it.name for it in module.test.decorators]:
        raise PinError("the mark does not read back as planned", line=module.test.line)
    return hunk


def is_marked(text: str, test: UnitTest, name: str, comment: Sequence[str]) -> bool:
    """Whether the test carries the mark with exactly this comment above it. Raises PinError."""
    decorators = _module(text, test).test.decorators
    lines = text.split("\n")
    at = next((it.line for it in decorators if _is_mark(it.name, name)), None)
    if at is None or not comment:
        return False
    return [it.strip() for it in lines[max(at - 1 - len(comment), 0) : at - 1]] == list(comment)


def unmark_from_ledger(text: str, test: UnitTest, name: str, done: Hunk) -> Hunk | None:
    """Return the hunk that undoes what a ledger says was done; None where the file does not bear it out."""
    at = _marked(text, test, name)
    back = way_back(text, done, range(at - len(done.after) + 1, at + 1))
    return back if back and _is_way_back(text, test, name, back) else None


def unmark_from_history(text: str, test: UnitTest, name: str, earlier: Iterable[str]) -> Hunk | None:
    """Return the hunk that gives the test the lines of the newest version without the mark, or None."""
    now = _region(text, _marked(text, test, name))
    for version in earlier:
        try:
            then = _module(version, test).test
        except PinError:
            continue
        if any(_is_mark(it.name, name) for it in then.decorators):
            continue
        back = Hunk(now.line, now.after, _region(version, then.line).after[:-1])
        return back if _is_way_back(text, test, name, back) else None
    return None


def unmark_from_file(text: str, test: UnitTest, name: str) -> Hunk:
    """Return the hunk that takes the mark away, with the comment that came with it.

    Raises PinError with the line where it cannot be told whether the comment above did.
    """
    region = _region(text, _marked(text, test, name))
    above = region.after[:-1]
    taken = came_with_quarantine(above)
    if taken is None:
        problem = "the comment above does not tell whether it came with the quarantine"
        raise PinError(problem, line=region.line, hint=_BY_HAND)
    return Hunk(region.line + len(above) - taken, region.after[len(above) - taken :], ())


def _marked(text: str, test: UnitTest, name: str) -> int:
    """Return the line of the test's own mark, which stands on one line."""
    module = _module(text, test)
    found = [it for it in module.test.decorators if _is_mark(it.name, name)]
    if len(found) != 1 or found[0].line != found[0].last_line:
        problem = "carries no mark of one line" if len(found) != 1 else "carries a mark of several lines"
        raise PinError(f"`{test.names[-1]}` {problem}, `{name}`", line=module.test.line)
    return found[0].line


def _region(text: str, line: int) -> Hunk:
    """Return a line with the comment lines right above it, as a hunk that wrote them."""
    lines = text.split("\n")
    start = line - 1
    while start > 0 and lines[start - 1].lstrip().startswith("#"):
        start -= 1
    return Hunk(start + 1, (), tuple(lines[start:line]))


def _is_way_back(text: str, test: UnitTest, name: str, back: Hunk) -> bool:
    """Whether marking the test again gives the text as it is; the lines that come back are comments."""
    kept, gone = back.after, back.before
    if gone[: len(kept)] != kept or not all(it.lstrip().startswith("#") for it in gone[:-1]):
        return False
    comment = [it.strip() for it in gone[len(kept) : -1]]
    restored = apply(text, [back])
    try:
        return apply(restored, [mark(restored, test, name, comment)]) == text
    except PinError:
        return False


def _is_mark(found: str, name: str) -> bool:
    return f".{found}".endswith(f".mark.{name}")


def _module(text: str, test: UnitTest) -> _Module:
    tree, positions = _parsed(text.removeprefix("\ufeff"))
    found = [it for it in _functions(tree.body, ()) if it[0] == test.names]
    if len(found) != 1:
        raise _not_one(tree, test, [_start(positions, function).line for _, function, _ in found])
    _, function, classes = found[0]
    marks = [
        pair
        for body in (tree.body, *(it.body.body for it in classes))
        for pair in _pytestmarks(body, positions)
    ]
    marks += [(it.name, it.line) for around in classes for it in _decorators(around, positions)]
    return _Module(_function(function, positions), _pytest(tree), tuple(marks))


def _parsed(text: str) -> tuple[cst.Module, _Positions]:
    try:
        _refuse_depth(text)
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        return wrapper.module, wrapper.resolve(PositionProvider)
    except (SyntaxError, cst.ParserSyntaxError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else error.raw_line
        raise PinError("not valid Python", line=line) from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise PinError("not readable as Python: nested too deeply, or with null bytes") from error


def _refuse_depth(text: str) -> None:
    """Raise what Python's own parser raises, and RecursionError for a text deeper than `_DEEPEST`.

    libcst's parser overflows the stack on such a text, and takes the whole process with it.
    """
    with warnings.catch_warnings():
        # What a file's own literals deserve a warning for is nothing to tell whoever marks a test in it.
        warnings.simplefilter("ignore")
        level: list[ast.AST] = [ast.parse(text)]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise RecursionError


def _not_one(tree: cst.Module, test: UnitTest, lines: Sequence[int]) -> PinError:
    name = test.names[-1]
    if lines:
        where = " and ".join(map(str, lines))
        return PinError(
            f"`{'::'.join(test.names)}` stands in lines {where}", line=lines[0], hint="rename one"
        )
    others = ["::".join(names) for names, _, _ in _functions(tree.body, ()) if names[-1] == name]
    hint = f"there is {', '.join(f'`{it}`' for it in others[:5])}" if others else None
    return PinError(f"the file has no test `{'::'.join(test.names)}`", hint=hint)


_Found = tuple[tuple[str, ...], cst.FunctionDef, tuple[cst.ClassDef, ...]]


def _functions(body: Iterable[cst.CSTNode], classes: tuple[cst.ClassDef, ...]) -> Iterator[_Found]:
    """Yield each function that pytest could collect, with its names and the classes around it."""
    for node in body:
        if isinstance(node, cst.FunctionDef):
            yield (*(it.name.value for it in classes), node.name.value), node, classes
        elif isinstance(node, cst.ClassDef):
            yield from _functions(node.body.body, (*classes, node))
        elif isinstance(node, cst.BaseCompoundStatement | cst.Else | cst.ExceptHandler | cst.Finally):
            # What stands under `if`, `try` or `with` is defined all the same.
            yield from _functions(node.children, classes)
        elif isinstance(node, cst.IndentedBlock):
            yield from _functions(node.body, classes)


def _function(node: cst.FunctionDef, positions: _Positions) -> _Function:
    decorators = tuple(_decorators(node, positions))
    return _Function(min([_start(positions, node).line, *(it.line for it in decorators)]), decorators)


def _decorators(node: cst.FunctionDef | cst.ClassDef, positions: _Positions) -> Iterator[_Decorator]:
    for it in node.decorators:
        place = positions[it]
        yield _Decorator(get_full_name_for_node(it.decorator) or "", place.start.line, place.end.line)


def _start(positions: _Positions, node: cst.CSTNode) -> CodePosition:
    return positions[node].start


def _pytestmarks(body: Iterable[cst.CSTNode], positions: _Positions) -> Iterator[tuple[str, int]]:
    """Yield the marks that `pytestmark = …` gives to all tests of a file or class."""
    for assign in _small(body, cst.Assign):
        if not any(get_full_name_for_node(it.target) == "pytestmark" for it in assign.targets):
            continue
        value = assign.value
        values = [it.value for it in value.elements] if isinstance(value, cst.List | cst.Tuple) else [value]
        yield from ((get_full_name_for_node(it) or "", _start(positions, assign).line) for it in values)


def _pytest(tree: cst.Module) -> str | None:
    """Return the name under which the file knows pytest from a plain import at its top."""
    for statement in _small(tree.body, cst.Import):
        for it in statement.names:
            if get_full_name_for_node(it.name) == "pytest":
                return it.evaluated_alias or "pytest"
    return None


def _small(body: Iterable[cst.CSTNode], kind: type[_Small]) -> Iterator[_Small]:
    lines = (node for node in body if isinstance(node, cst.SimpleStatementLine))
    return (it for line in lines for it in line.body if isinstance(it, kind))
