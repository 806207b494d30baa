"""Pins that have to follow the base image, such as `NCCL_VERSION=2.30.7-1+cuda13.3`, and whether they do."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["agrees", "older", "newer", "unknown"]
"""How a pinned version stands to the image's; `older` means that the pin takes the image back."""

_NUMBERS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*")


@dataclass(frozen=True, slots=True)
class CoupledFinding:
    """How one part of a coupled pin stands to the new image.

    `group` is the part, such as `version` or `cuda`; `key` the environment variable that it has to
    follow; `image` that variable's value as written, or None. `text` is one sentence for people.
    """

    name: str
    group: str
    pinned: str
    key: str
    image: str | None
    verdict: Verdict
    text: str


def compare(
    name: str, found: Mapping[str, str], against: Mapping[str, str], environment: Mapping[str, str]
) -> tuple[CoupledFinding, ...]:
    """Compare each part of the pin `name` with the variable of the new image that it has to follow.

    `found` maps a group of the recipe's pattern to its text, `against` a group to an environment
    variable. Versions are compared as numbers, as far as the shorter one goes: `13.3` agrees with
    `13.3.1.008`.
    """
    return tuple(
        _finding(name, group, found[group], key, environment.get(key) or None)
        for group, key in against.items()
        if group in found
    )


def _finding(name: str, group: str, pinned: str, key: str, image: str | None) -> CoupledFinding:
    verdict = _verdict(pinned, image)
    return CoupledFinding(name, group, pinned, key, image, verdict, _text(name, pinned, key, image, verdict))


def _verdict(pinned: str, image: str | None) -> Verdict:
    ours, theirs = _numbers(pinned), _numbers(image or "")
    if not ours or not theirs:
        return "unknown"
    length = min(len(ours), len(theirs))
    ours, theirs = ours[:length], theirs[:length]
    if ours == theirs:
        return "agrees"
    return "older" if ours < theirs else "newer"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")) if _NUMBERS.fullmatch(version) else ()


def _text(name: str, pinned: str, key: str, image: str | None, verdict: Verdict) -> str:
    if image is None:
        return f"`{name}` pins {pinned}; the new image does not say its `{key}`"
    if verdict == "unknown":
        return f"`{name}` pins {pinned}, the new image has `{key}` {image}: compare them by hand"
    if verdict == "agrees":
        return f"`{name}` pins {pinned}, which agrees with `{key}` {image} of the new image"
    if key == "CUDA_VERSION":
        return f"`{name}` is built for CUDA {pinned}, the new image has CUDA {image}"
    if verdict == "older":
        return f"`{name}` pins {pinned} and would take the new image back from {image}"
    return f"`{name}` pins {pinned}, newer than {image} of the new image"
