r"""The schema of bump recipes → its reference for people, `recipes/README.md`.

The page is made anew by:

    uv run python -c "from bot.core.recipe_reference import reference; print(reference(), end='')" \
        > recipes/README.md
"""

import inspect
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.core.pins.formats import FORMATS, PinFormat
from bot.core.recipe import BumpRecipe
from bot.core.recipe_problems import nested_model

_HEAD = """\
# Bump recipes

A bump recipe tells the bot about one repository: which image it follows, where its files name that image,
and how a pull request is opened there. [megatron-lm.yaml](megatron-lm.yaml) is the commented example,
[megatron-bridge.yaml](megatron-bridge.yaml) a small one.

## A new repository in four steps

1. Copy `megatron-bridge.yaml` to a file of your own and name the repository, the image, the form of its tags
   and the files that name it under `pins`.
2. `bot check --recipe FILE --checkout CLONE` says whether each pin is found, with file and line, and lists
   every other place in the clone that names the image.
3. Put those places under `report`, each with the reason why it stays, and what has to follow the image, such
   as a version of NCCL, under `coupled`.
4. `bot bump TAG --recipe FILE --checkout CLONE --dry-run` shows the diff. When it is right, the file goes
   into `recipes/`, where its name is what `--recipe NAME` takes, and its repository into the table of
   `tests/recipes/test_shipped_recipes.py`.

Mistakes in a recipe are said all at once, each with its line.

`platforms` of a track are those of the registry (`linux/amd64`); `platforms` of a pin are the words that the
file itself uses (`amd64`). The variables for `against` are the image's own: NVIDIA calls them `CUDA_VERSION`,
`NCCL_VERSION`, `NVSHMEM_VERSION`, `CUDNN_VERSION` and so on.

A comment beside a pin, or in the three lines above it, keeps the bot away from that pin: `pinned`, `hold`,
`on hold`, `do not bump`, `never update` or `keep at`, as in `# Pinned to 26.05: the newer TensorRT lacks …`.

The rest of this page is made from the schema.

## Keys
"""

_FORMATS_HEAD = """\
## Formats of pins

A pin has a `format`, and the format says which keys stand in `where`.
"""


def reference() -> str:
    """Return the whole page as Markdown."""
    formats = (_format_section(name, pin_format) for name, pin_format in FORMATS.items())
    return "\n".join((_HEAD, *_sections(BumpRecipe, ""), _FORMATS_HEAD, *formats))


def _sections(model: type[BaseModel], place: str) -> Iterator[str]:
    """Yield a section for a model that stands at `place`, and one for each model inside it."""
    fields = {key: field for key, field in model.model_fields.items() if (place, key) != ("", "name")}
    title = f"`{place}`" if place else "The file"
    rows = (_row(key, field) for key, field in fields.items())
    head = (
        f"### {title}\n\n{inspect.getdoc(model)}\n\n| key | takes | default | |\n| --- | --- | --- | --- |\n"
    )
    yield head + "".join(rows)
    for key, field in fields.items():
        nested = nested_model(field.annotation)
        if nested:
            yield from _sections(nested, f"{place}{'.' if place else ''}{key}{_inside(field.annotation)}")


def _inside(annotation: Any) -> str:
    return {Mapping: ".NAME", tuple: "[]"}.get(get_origin(_bare(annotation)), "")


def _row(key: str, field: FieldInfo) -> str:
    return f"| `{key}` | {_type(field.annotation)} | {_default(field)} | {field.description} |\n"


def _type(annotation: Any) -> str:
    """Return a type in people's words."""
    bare = _bare(annotation)
    origin, arguments = get_origin(bare), get_args(bare)
    if origin is Literal:
        return " or ".join(f"`{choice}`" for choice in arguments)
    if origin is tuple:
        return f"list of {_types(arguments[0])}"
    if origin is Mapping:
        return "mapping" if arguments[1] is Any else f"mapping of names to {_types(arguments[1])}"
    return {str: "text", int: "whole number", float: "number"}.get(bare, "mapping")


def _types(annotation: Any) -> str:
    """Return several of a type in people's words."""
    one = _type(annotation)
    return one.replace("list", "lists", 1) if one.startswith("list ") else f"{one}s"


def _bare(annotation: Any) -> Any:
    """Return a type without its checks, and without the None that stands for its absence."""
    while get_origin(annotation) in (Annotated, Union, UnionType):
        annotation = get_args(annotation)[0]
    return annotation


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    if isinstance(field.default, tuple):
        return f"`[{', '.join(field.default)}]`" if field.default else "none"
    return f"`{field.default}`" if isinstance(field.default, str | int) and field.default else "none"


def _format_section(name: str, pin_format: PinFormat) -> str:
    title, _, explained = (inspect.getdoc(pin_format) or "").partition("\n\n")
    what = title.partition(": ")[2]
    keys = [f"`{key}`" for key in sorted(pin_format.KEYS)]
    keys += [f"`{key}` (may be left out)" for key in sorted(pin_format.OPTIONAL_KEYS)]
    text = f"### `{name}`\n\n{what[:1].upper()}{what[1:]}\n\nKeys of `where`: {', '.join(keys) or 'none'}.\n"
    return f"{text}\n{explained}\n" if explained else text
