"""The releases that a registry has, each with what the ledger remembers of it."""

from dataclasses import dataclass
from datetime import datetime

from bot.core.image import TagScheme
from bot.core.manifest import Manifest
from bot.ports import ImageRegistry, Ledger


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A release. `first_seen` is when the bot first saw the tag (UTC): registries have no dates.

    `repushed` holds the other digests under which the tag was seen, the first one first; it is
    empty for a tag that was never pushed again.
    """

    tag: str
    platforms: tuple[str, ...]
    digest: str
    first_seen: datetime
    repushed: tuple[str, ...] = ()


def list_releases(
    registry: ImageRegistry, ledger: Ledger, name: str, scheme: TagScheme, limit: int
) -> tuple[ReleaseRow, ...]:
    """Return the newest `limit` releases of `host/repository`, the newest first, and record them as seen.

    Raises ServiceError when the registry fails; nothing is recorded then.
    """
    tags = scheme.newest_first(registry.tags(name))[:limit]
    manifests = registry.manifests(name, tags)
    # A tag can be deleted between the two questions.
    return tuple(_row(ledger, name, manifest) for manifest in manifests if manifest)


def _row(ledger: Ledger, name: str, manifest: Manifest) -> ReleaseRow:
    first_seen = ledger.saw_tag(name, manifest.tag, manifest.digest)
    others = (digest for digest in ledger.digests(name, manifest.tag) if digest != manifest.digest)
    return ReleaseRow(manifest.tag, tuple(manifest.platforms), manifest.digest, first_seen, tuple(others))
