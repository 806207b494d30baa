"""The documents of a container registry: tag lists, manifests and config blobs, from bytes to values.

The protocol is the distribution specification
(https://github.com/opencontainers/distribution-spec/blob/main/spec.md); the documents are the image
specification's (https://github.com/opencontainers/image-spec) and Docker's
(https://distribution.github.io/distribution/spec/manifest-v2-2/).
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from bot.core.manifest import ImageConfig

_INDEX_TYPES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_IMAGE_TYPES = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)

# With any of the four left out, registries answer 404 for a tag that is stored as that type
# (https://github.com/NVIDIA/dcgm-exporter/issues/676).
MANIFEST_TYPES = _INDEX_TYPES + _IMAGE_TYPES


class NotUnderstoodError(Exception):
    """A document is not what the protocol says it is; the message completes "the answer …"."""


class Document(BaseModel):
    """A JSON document of the protocol: the fields that we read, and any others."""


_Document = TypeVar("_Document", bound=Document)


def read_document(model: type[_Document], body: bytes) -> _Document:
    """Return `body` as a document of the given form, whatever content type it came with.

    Raises NotUnderstoodError.
    """
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            raise NotUnderstoodError("is not JSON") from None
        place = printable(".".join(map(str, first["loc"])), 80)
        raise NotUnderstoodError(f"has another form (`{place or 'document'}`: {first['msg']})") from None


def printable(text: str, length: int) -> str:
    """Return the first words of outside text on one line: `length` characters, none that moves a cursor."""
    words = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return words if len(words) <= length else words[: length - 1] + "…"


def is_html(content_type: str, body: bytes) -> bool:
    """Return whether an answer is a page for people, as proxies and outages send them."""
    return content_type.strip().lower().startswith("text/html") or body.lstrip()[:1] == b"<"


def digest_of(body: bytes) -> str:
    """Return the `sha256:…` digest of exact bytes."""
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


class _Tags(Document):
    # A repository whose tags were all deleted has null here.
    tags: tuple[str, ...] | None


def parse_tags(body: bytes) -> tuple[str, ...]:
    """Return one page of a tag list."""
    return read_document(_Tags, body).tags or ()


_LINK = re.compile(
    r"<(?P<target>[^<>]*)>(?P<parameters>(?:\s*;\s*[^\s=;,]+\s*=\s*(?:\"[^\"]*\"|[^\s;,\"]*))*)"
)
_RELATION = re.compile(r";\s*rel\s*=\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[^\s;,\"]*))", re.IGNORECASE)


def next_link(headers: Sequence[str]) -> str | None:
    """Return the target of the `rel="next"` link among `Link` headers (RFC 8288), exactly as written.

    It may be relative. A cursor in it is opaque: it is neither decoded nor built anew.
    """
    for link in _LINK.finditer(", ".join(headers)):
        relation = _RELATION.search(link["parameters"])
        if relation and "next" in (relation["quoted"] or relation["bare"] or "").lower().split():
            return link["target"]
    return None


_Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class _Platform(Document):
    os: str
    architecture: str
    variant: str | None = None


class _Descriptor(Document):
    digest: _Digest
    platform: _Platform | None = None
    annotations: dict[str, str] | None = None


class _Manifest(Document):
    schema_version: int = Field(alias="schemaVersion")
    media_type: str | None = Field(default=None, alias="mediaType")
    manifests: tuple[_Descriptor, ...] | None = None
    config: _Descriptor | None = None


@dataclass(frozen=True, slots=True)
class ImageIndex:
    """A manifest that points to one manifest per platform; `platforms` maps each to its digest."""

    platforms: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ImageManifest:
    """The manifest of one platform; `config` is the digest of its config blob, which names the platform."""

    config: str


def parse_manifest(body: bytes, content_type: str) -> ImageIndex | ImageManifest:
    """Return what a manifest points to, for each of the four types.

    Raises NotUnderstoodError, also for the obsolete schema 1, whose digests prove nothing.
    """
    manifest = read_document(_Manifest, body)
    media_type = manifest.media_type or content_type.partition(";")[0].strip().lower()
    if manifest.schema_version == 1:
        raise NotUnderstoodError("is a manifest of the obsolete schema 1")
    if manifest.manifests is not None and manifest.config is not None:
        # One document must not be read as an index by us and as an image by others
        # (https://github.com/opencontainers/distribution-spec/security/advisories/GHSA-mc8v-mgrf-8f4m).
        raise NotUnderstoodError("is an index and an image manifest at once")
    if media_type in _INDEX_TYPES and manifest.manifests is not None:
        return ImageIndex(_platforms(manifest.manifests))
    if media_type in _IMAGE_TYPES and manifest.config is not None:
        return ImageManifest(manifest.config.digest)
    raise NotUnderstoodError(f"is no image manifest (type `{printable(media_type, 80)}`)")


def _platforms(children: Sequence[_Descriptor]) -> dict[str, str]:
    found: dict[str, str] = {}
    for child in children:
        if child.platform and not _is_attestation(child):
            # As Docker does, the first of several manifests for one platform counts.
            found.setdefault(_platform(child.platform), child.digest)
    return found


def _is_attestation(child: _Descriptor) -> bool:
    # BuildKit stores provenance and SBOMs beside the images
    # (https://docs.docker.com/build/metadata/attestations/attestation-storage/).
    unknown = child.platform is not None and "unknown" in (child.platform.os, child.platform.architecture)
    return unknown or "vnd.docker.reference.type" in (child.annotations or {})


# What a platform is called without naming its variant
# (https://github.com/containerd/platforms/blob/main/database.go).
_PLAIN_VARIANTS = {("arm64", "v8"), ("amd64", "v1")}


def _platform(platform: _Platform) -> str:
    variant = platform.variant
    plain = not variant or (platform.architecture, variant) in _PLAIN_VARIANTS
    return f"{platform.os}/{platform.architecture}" + ("" if plain else f"/{variant}")


class _Runtime(Document):
    environment: tuple[str, ...] | None = Field(default=None, alias="Env")
    labels: dict[str, str] | None = Field(default=None, alias="Labels")


class _Config(_Platform):
    config: _Runtime | None = None


def parse_config(body: bytes) -> ImageConfig:
    """Return the platform, environment and labels of a config blob.

    A value may hold `=` and blanks, or be empty; it is kept as it is.
    """
    blob = read_document(_Config, body)
    runtime = blob.config or _Runtime()
    pairs = (item.partition("=") for item in runtime.environment or ())
    return ImageConfig(
        platform=_platform(blob),
        environment={key: value for key, _, value in pairs},
        labels=runtime.labels or {},
    )
