"""Where the bytes of artifacts may be asked for: the configured servers, and the stores behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from bot.core.address import is_https_of, is_loopback, same_origin

# GitHub's (https://github.blog/changelog/2026-10-22-meta-api-endpoints-updated-for-actions-blob-storage
# lists its storage accounts: their numbers grow), and the one of gitlab.com.
STORES = (".blob.core.windows.net", ".actions.githubusercontent.com", "storage.googleapis.com")


@dataclass(frozen=True, slots=True)
class Egress:
    """The outgoing rules: `origins` are configured servers, `stores` hosts that are reached by https only."""

    origins: Sequence[httpx.URL] = ()
    stores: Sequence[str] = STORES

    def allows(self, url: httpx.URL) -> bool:
        """Return whether anything may be asked of `url`; of this machine only where a server is on it."""
        # httpx sends the `user:password@` of a URL as Authorization.
        return not url.userinfo and (
            self.allows_headers(url) or is_https_of(url, self.stores) or (self.is_local and is_loopback(url))
        )

    def allows_headers(self, url: httpx.URL) -> bool:
        """Return whether `url` is on a configured server, the only place for headers of its adapter."""
        return any(same_origin(url, origin) for origin in self.origins)

    @property
    def is_local(self) -> bool:
        """Whether a configured server is on this machine."""
        return any(is_loopback(origin) for origin in self.origins)


def parse_url(text: str, base: httpx.URL | None = None) -> httpx.URL | None:
    """Return the URL that `text` is, relative to `base`, or None. The parser is the one that sends."""
    try:
        return base.join(text) if base else httpx.URL(text)
    except (httpx.InvalidURL, ValueError):
        return None
