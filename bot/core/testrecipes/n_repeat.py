"""Sets how often a functional test is repeated: `ENV_VARS.N_REPEAT` in its `model_config.yaml`.

It is the one knob that both CIs obey; a recipe's own `n_repeat` is overwritten. Source:
https://github.com/NVIDIA/Megatron-LM/blob/main/tests/functional_tests/shell_test_utils/run_ci_test.sh
"""

from collections.abc import Sequence

from ruamel.yaml.nodes import MappingNode, ScalarNode

from bot.core.pins.errors import PinError
from bot.core.pins.span import Span, line_of, splice
from bot.core.pins.yaml_tree import compose, end_of, entry, merge_key, shared, start_of, text_of
from bot.core.testrecipes.hunk import Hunk, apply, ending

_SECTION, _KEY = "ENV_VARS", "N_REPEAT"


def n_repeat(text: str, count: int, comment: Sequence[str]) -> Hunk | None:
    """Return the hunk that sets the number of repeats, `comment` above it; None where it is that already.

    Raises PinError with the line unless `ENV_VARS` is a plain block and the result reads back.
    """
    section = _section(text)
    found = entry(section, _KEY)
    if found and text_of(found[1]) == str(count):
        return None
    lines = text.split("\n")
    if found:
        hunk = _replaced(text, lines, found[1], count, comment)
    else:
        hunk = _added(text, lines, section, count, comment)
    _prove(text, apply(text, [hunk]), count)
    return hunk


def _section(text: str) -> MappingNode:
    roots = compose(text)
    root = roots[0] if roots else None
    found = entry(root, _SECTION) if isinstance(root, MappingNode) else None
    if found is None:
        raise PinError(f"the file has no `{_SECTION}`", hint=f"add `{_SECTION}` with a variable in it")
    section, line = found[1], line_of(text, start_of(found[0]))
    if not isinstance(section, MappingNode) or section.flow_style or not section.value:
        raise PinError(f"`{_SECTION}` is no block of variables", line=line, hint="write one variable a line")
    if id(section) in shared(roots) or merge_key(section) or section.anchor is not None:
        raise PinError(f"`{_SECTION}` uses an anchor, an alias or a merge key", line=line)
    return section


def _above(lines: Sequence[str], at: int, column: int, comment: Sequence[str]) -> list[str]:
    return [f"{' ' * column}{it}{ending(lines, at)}" for it in comment]


def _replaced(text: str, lines: Sequence[str], value: object, count: int, comment: Sequence[str]) -> Hunk:
    if not isinstance(value, ScalarNode) or value.style in ("|", ">"):
        raise PinError(f"`{_KEY}` is no number")
    at = line_of(text, start_of(value)) - 1
    new = splice(text, [(Span(start_of(value), end_of(value)), str(count))]).split("\n")[at]
    column = len(lines[at]) - len(lines[at].lstrip())
    return Hunk(at + 1, (lines[at],), (*_above(lines, at, column, comment), new))


def _added(text: str, lines: Sequence[str], section: MappingNode, count: int, comment: Sequence[str]) -> Hunk:
    at = line_of(text, end_of(section)) - 1
    start = start_of(section)
    column, end = start - text.rfind("\n", 0, start) - 1, ending(lines, at)
    new = [*_above(lines, at, column, comment), f"{' ' * column}{_KEY}: {count}{end}"]
    if at == len(lines) - 1 and end:
        # The section ends a CRLF text without a final newline.
        return Hunk(at + 1, (lines[at],), (lines[at] + end, *new[:-1], new[-1].removesuffix(end)))
    return Hunk(at + 2, (), tuple(new))


def _prove(before: str, after: str, count: int) -> None:
    had = {text_of(key): text_of(value) for key, value in _section(before).value}
    has = {text_of(key): text_of(value) for key, value in _section(after).value}
    if has != {**had, _KEY: str(count)}:
        raise PinError(f"`{_KEY}` does not read back as {count}")
