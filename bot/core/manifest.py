"""What a registry knows of a tag: platforms, digests and the environment of an image."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Manifest:
    """A tag as the registry serves it.

    `digest` is the index digest (of the single manifest where there is no index);
    `platforms` maps `linux/amd64` to the digest of that platform's manifest.
    """

    tag: str
    digest: str
    platforms: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ImageConfig:
    """The config blob of one platform: environment and labels, as written."""

    platform: str
    environment: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
