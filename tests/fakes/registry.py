"""A container registry in memory."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

from bot.core.errors import ServiceError
from bot.core.manifest import ImageConfig, Manifest

Environments = Mapping[str, Mapping[str, str]]
"""The environment of each platform of an image, by `linux/amd64` and the like."""


class FakeRegistry:
    """An `ImageRegistry` whose images are pushed by the test.

    Set `failure` to make every question fail; `asked` holds the tags whose manifests were read.
    """

    def __init__(self) -> None:
        self.failure: ServiceError | None = None
        self.asked: list[str] = []
        self._tags: dict[str, dict[str, Manifest]] = {}
        self._configs: dict[str, ImageConfig] = {}

    def push(self, name: str, tag: str, environments: Environments) -> Manifest:
        """Put an image under a tag, in place of the one that was there; same content, same digest."""
        platforms = {}
        for platform, environment in environments.items():
            digest = _digest(platform, environment)
            platforms[platform] = digest
            self._configs[digest] = ImageConfig(platform, dict(environment))
        manifest = Manifest(tag, _digest("index", platforms), platforms)
        self._tags.setdefault(name, {})[tag] = manifest
        return manifest

    def delete(self, name: str, tag: str) -> None:
        """Take a tag away."""
        del self._tags[name][tag]

    def tags(self, name: str) -> tuple[str, ...]:
        self._may_fail()
        if name not in self._tags:
            raise ServiceError(f"the registry has no repository `{name}`")
        return tuple(sorted(self._tags[name]))

    def manifest(self, name: str, tag: str) -> Manifest | None:
        self._may_fail()
        self.asked.append(tag)
        return self._tags.get(name, {}).get(tag)

    def manifests(self, name: str, tags: Sequence[str]) -> tuple[Manifest | None, ...]:
        return tuple(self.manifest(name, tag) for tag in tags)

    def configs(self, name: str, manifest: Manifest) -> tuple[ImageConfig, ...]:
        self._may_fail()
        missing = [digest for digest in manifest.platforms.values() if digest not in self._configs]
        if missing:
            raise ServiceError(f"the registry has no manifest `{missing[0]}` of `{name}`")
        return tuple(self._configs[digest] for digest in manifest.platforms.values())

    def _may_fail(self) -> None:
        if self.failure:
            raise self.failure


def _digest(kind: str, content: Mapping[str, str]) -> str:
    return f"sha256:{sha256(json.dumps([kind, dict(content)]).encode()).hexdigest()}"
