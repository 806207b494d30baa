"""What a pin says: a full reference, a tag or a release, read as and written from an image reference."""

import re
from typing import Literal

from bot.core.errors import UsageError
from bot.core.image import ImageRef, TagScheme, parse_image, parse_release
from bot.core.pins.errors import PinError

PinForm = Literal["reference", "tag", "release"]
"""`nvcr.io/nvidia/pytorch:26.06-py3`, with enroot's `#` or a digest too; `26.06-py3`; `26.06`."""

_EXPECTED = {"reference": "an image reference", "tag": "a tag", "release": "a release of the form `YY.MM`"}


def read_value(text: str, form: PinForm, image_name: str, scheme: TagScheme) -> ImageRef:
    """Return the reference that the value of a pin stands for, in the form in which it is written.

    `image_name` is the recipe's `host/repository`. Raises PinError, without a line, for a value that
    is not a reference, or of another registry, repository or flavour, or without a tag; UsageError
    for the form `release` where the rest of the tag cannot be computed.
    """
    image = _image(text, form, image_name, scheme)
    if image is None:
        raise PinError(f"{_shown(text)} is not {_EXPECTED[form]}", hint=_other_form(text, form))
    if image.name != image_name:
        raise PinError(
            f"{_shown(text)} is not an image of `{image_name}`",
            hint="name the recipe's image, or mend the recipe",
        )
    if image.tag is None:
        raise PinError(f"{_shown(text)} has no tag", hint="name the release beside the digest")
    if image.tag == "latest":
        raise PinError(
            f"{_shown(text)} names no release: `latest` moves by itself",
            hint=f"name a tag `{scheme.pattern}`",
        )
    if scheme.release(image.tag) is None:
        raise PinError(
            f"the tag of {_shown(text)} is not of the form `{scheme.pattern}`",
            hint="name a tag of that form, or mend the recipe",
        )
    return image


def _other_form(text: str, form: PinForm) -> str | None:
    if form != "reference" or not re.fullmatch(r"[\w.-]+", text):
        return None
    said = "release" if parse_release(text) else "tag"
    return f"for a {said} alone the recipe says `value: {said}`"


def _image(text: str, form: PinForm, image_name: str, scheme: TagScheme) -> ImageRef | None:
    if form == "reference":
        return parse_image(text)
    if form == "tag":
        return parse_image(f"{image_name}:{text}")
    if not scheme.is_computed:
        raise UsageError(f"a pin of the form `release` cannot be read as `{scheme.pattern}`")
    release = parse_release(text)
    return parse_image(f"{image_name}:{scheme.tag(release)}") if release else None


def stands_at(image: ImageRef, new: ImageRef) -> bool:
    """Whether a pin says `new`, as far as it says it: digests count only where both have one."""
    is_same_digest = not image.digest or not new.digest or image.digest == new.digest
    return image.tag == new.tag and is_same_digest


def write_value(old_text: str, form: PinForm, new: ImageRef, scheme: TagScheme) -> str:
    """Return the value that names `new` in the form in which `old_text` is written.

    Host, port and separator stay; a digest moves with the tag, and none is added. Raises PinError
    where `old_text` has a digest and that of `new` is unknown, or `new` has no tag of the scheme.
    """
    release = scheme.release(new.tag or "")
    if new.tag is None or release is None:
        raise PinError(f"the tag of `{new}` is not of the form `{scheme.pattern}`")
    if form == "release":
        return str(release)
    head, has_digest, _ = old_text.partition("@")
    if has_digest and new.digest is None:
        raise PinError(
            f"{_shown(old_text)} carries a digest, and that of `{new.tag}` is unknown without the registry",
            hint="let the bot ask the registry",
        )
    written = new.tag if form == "tag" else f"{_without_tag(head)}:{new.tag}"
    return f"{written}@{new.digest}" if has_digest else written


def _without_tag(reference: str) -> str:
    # A colon before the last `/` belongs to a port.
    name, colon, tag = reference.rpartition(":")
    return name if colon and "/" not in tag else reference


def _shown(text: str) -> str:
    return f"`{repr(text[:80])[1:-1]}`"
