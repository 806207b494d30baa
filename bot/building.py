"""Builds builders of containers, as `bot.wiring` builds everything else: from settings and a clone."""

import os
from collections.abc import Sequence
from pathlib import Path

from bot import wiring
from bot.builders.docker import DockerBuilder
from bot.checkout.clone import Checkout
from bot.core.image import ImageRef
from bot.settings import Settings


def docker_builder(
    settings: Settings, checkout: str, *, network: str | None, minutes: int | None
) -> DockerBuilder:
    """Return Docker as the builder of the clone at a path."""

    def platforms_of(image: ImageRef) -> tuple[str, ...] | None:
        manifest = wiring.registry(settings).manifest(image.name, image.tag or "")
        return tuple(manifest.platforms) if manifest else None

    return DockerBuilder(
        Checkout.open(Path(checkout)).top,
        dict(os.environ),
        platforms_of,
        network=network or "default",
        timeout=minutes * 60 if minutes else None,
    )


def secret_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the environment variables that are set; their values stay where they are."""
    return tuple(name for name in names if os.environ.get(name))
