"""Rules of the house that no linter checks."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BOT = sorted((ROOT / "bot").rglob("*.py"))
CORE = [path for path in BOT if (ROOT / "bot" / "core") in path.parents]
SOURCES = [*BOT, *sorted((ROOT / "tests").rglob("*.py"))]
FOLDERS = ("bot", "tests", "templates", "recipes", "docker", ".ci", ".github")
NOT_OURS = {"__pycache__", "node_modules"}

Node = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Defined(NamedTuple):
    """A function or class: where, its name with those around it, and its lines."""

    path: Path
    name: str
    node: Node

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.node.lineno}: {self.name}"

    @property
    def lines(self) -> int:
        return (self.node.end_lineno or self.node.lineno) - self.node.lineno + 1


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def named(path):
    return str(path.relative_to(ROOT))


def definitions(path: Path) -> Iterator[Defined]:
    """Yield the functions and classes of a module, methods included; not those inside functions."""
    todo = [(tree(path), "")]
    while todo:
        around, prefix = todo.pop()
        for node in ast.iter_child_nodes(around):
            if isinstance(node, Node):
                yield Defined(path, f"{prefix}{node.name}", node)
            if isinstance(node, ast.ClassDef | ast.If):
                todo.append((node, f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix))


def functions() -> list[Defined]:
    """Return every function of the bot and of its tests."""
    found = (it for path in SOURCES for it in definitions(path))
    return [it for it in found if not isinstance(it.node, ast.ClassDef)]


def test_every_module_says_what_it_is_for():
    assert [named(path) for path in BOT if not ast.get_docstring(tree(path))] == []


def test_every_public_name_of_the_core_has_a_docstring():
    found = (it for path in (*CORE, *sorted((ROOT / "bot").glob("*ports.py"))) for it in definitions(path))
    public = (it for it in found if not any(part.startswith("_") for part in it.name.split(".")))

    assert [str(it) for it in public if not ast.get_docstring(it.node)] == []


def test_files_are_short():
    lengths = {named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}

    assert {path: length for path, length in lengths.items() if length > 400} == {}


def test_functions_are_short():
    found = functions()

    assert [str(it) for it in found if it.lines > 60] == []
    assert sum(it.lines <= 30 for it in found) / len(found) >= 0.9


def test_the_core_opens_prints_and_asks_nothing():
    calls = ((path, it.func) for path in CORE for it in ast.walk(tree(path)) if isinstance(it, ast.Call))
    names = {(named(path), function.id) for path, function in calls if isinstance(function, ast.Name)}
    forbidden = {"open", "print", "input", "Path", "eval", "exec", "__import__"}

    assert [(path, name) for path, name in names if name in forbidden] == []


IGNORE = re.compile(
    r"#\s*(?:ruff: )?(?:noqa|type:\s*ignore)(?P<codes>:[A-Z0-9, ]+|\[[a-z, -]+\])?(?P<reason>.*)"
)


def unexplained(path: Path) -> Iterator[str]:
    """Yield each line that ignores a rule without its name or a reason; a reason holds for those below it."""
    lines = path.read_text(encoding="utf-8").splitlines()
    explained: set[str] = set()
    for before, line in zip(["", *lines], lines, strict=False):
        found = IGNORE.search(line)
        codes = (found["codes"] or "").strip(": ") if found else ""
        if found and (len(found["reason"].strip(" -#")) > 5 or before.strip().startswith("#")):
            explained.add(codes)
        if found and (not codes or codes not in explained):
            yield f"{named(path)}: {line.strip()}"


def test_every_ignore_names_what_it_ignores_and_why():
    assert [line for path in SOURCES if path != Path(__file__) for line in unexplained(path)] == []


def texts() -> Iterator[tuple[str, str]]:
    """Yield each text of the project with its path, but not this one and the lock files."""
    top = [path for pattern in ("*.md", "*.toml") for path in ROOT.glob(pattern)]
    for path in [*top, *(it for folder in FOLDERS for it in sorted((ROOT / folder).rglob("*")))]:
        is_ours = path.is_file() and not NOT_OURS & set(path.parts) and not path.name.endswith("-lock.json")
        if is_ours and path != Path(__file__):
            yield named(path), path.read_bytes().decode(errors="replace")


def test_no_text_names_the_place_where_it_was_written():
    common = {Path(it) for it in ("/", "/home", "/opt", "/srv", "/tmp", "/usr/src", "/workspace")}
    places = "|".join(re.escape(str(place)) for place in {ROOT, ROOT.parent} - common)
    pattern = re.compile(rf"(?<![\w.])(?:{places or '(?!)'})/")

    assert [path for path, text in texts() if pattern.search(text)] == []


def test_only_the_lock_file_names_package_registries():
    pattern = re.compile(r"(?:pypi|npmjs|pythonhosted|anaconda)\.(?:org|com)\b")

    assert [path for path, text in texts() if pattern.search(text)] == []
