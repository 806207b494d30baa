"""The pin format `dockerfile-from`: the image that a build stage begins with, written out in `FROM`.

`image` takes only that `host/repository`, `stage` only the stage of that name (`FROM … AS stage`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.core.image import parse_image
from bot.core.pins import where as keys
from bot.core.pins.dockerfile_lines import Word, instructions, value_span
from bot.core.pins.pin import Pin

KEYS: frozenset[str] = frozenset()
OPTIONAL_KEYS: frozenset[str] = frozenset({"image", "stage"})


@dataclass(frozen=True, slots=True)
class _Stage:
    image: Word
    name: str | None

    @property
    def reference(self) -> str:
        return self.image.text.strip("\"'")


def locate(text: str, where: Mapping[str, object]) -> tuple[Pin, ...]:
    """Return a pin for each `FROM` that names an image of a registry.

    `image` keeps only those of one `host/repository`, `stage` only the stage of that name. A
    `FROM` with a variable, of an earlier stage or of `scratch` names no such image.

    Raises UsageError for a bad `where`, PinError for a value that cannot be cut out safely.
    """
    image, stage = keys.optional_text(where, "image"), keys.optional_text(where, "stage")
    return tuple(
        Pin(value_span(text, found.image))
        for found in _external_stages(text)
        if (stage is None or found.name == stage.lower())
        and (image is None or _image_name(found.reference) == image)
    )


def _external_stages(text: str) -> Iterator[_Stage]:
    known = {"scratch"}
    for stage in _stages(text):
        if "$" not in stage.reference and stage.reference.lower() not in known:
            yield stage
        if stage.name:
            known.add(stage.name)


def _stages(text: str) -> Iterator[_Stage]:
    for instruction in instructions(text):
        words = [word for word in instruction.words if not word.text.startswith("--")]
        if instruction.keyword == "FROM" and words:
            named = len(words) > 2 and words[1].text.upper() == "AS"  # noqa: PLR2004 - IMAGE AS NAME
            yield _Stage(words[0], words[2].text.lower() if named else None)


def _image_name(reference: str) -> str | None:
    image = parse_image(reference)
    return image.name if image else None
