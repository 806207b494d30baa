"""Every scalar of every YAML file of the tree: cutting at its position changes its line and nothing else."""

from collections.abc import Iterator

from ruamel.yaml.nodes import Node, ScalarNode

from bot.core.pins.errors import PinError
from bot.core.pins.span import Span, line_of, splice
from bot.core.pins.yaml_tree import children, compose, end_of, start_of

NEW = "nvcr.io/nvidia/pytorch:27.01-py3"

# The other files of the tree repeat a key, so loaders differ in what they say and the bot refuses them.
FILES_EXPECTED = 400
SCALARS_EXPECTED = 50_000


def scalars(text: str) -> Iterator[Span]:
    """Yield the place of each plain or quoted scalar that stands on one line."""
    todo, seen = list(compose(text)), set()
    while todo:
        node: Node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        todo.extend(children(node))
        if isinstance(node, ScalarNode) and node.style not in ("|", ">"):
            quote = 1 if node.style else 0
            span = Span(start_of(node) + quote, end_of(node) - quote)
            if span.of(text) == node.value and node.value:
                yield span


def test_splicing_any_scalar_changes_only_its_line(megatron):
    names = megatron.git("ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    paths = [name for name in names if name.endswith((".yml", ".yaml"))]
    files, swept, refused = megatron.files("HEAD", paths), 0, {}

    for path, raw in files.items():
        text = raw.decode()
        try:
            spans = list(scalars(text))
        except PinError as error:
            refused[path] = str(error)
            continue
        for span in spans:
            before, after = text.split("\n"), splice(text, [(span, NEW)]).split("\n")
            line = line_of(text, span.start)
            assert before[: line - 1] == after[: line - 1], (path, line)
            assert before[line:] == after[line:], (path, line)
            assert NEW in after[line - 1]
            swept += 1

    assert all("stands twice in one mapping" in reason for reason in refused.values()), refused
    assert len(files) - len(refused) > FILES_EXPECTED
    assert swept > SCALARS_EXPECTED
