"""Where the requests of a registry may go, and where the key may go: a short list of ours.

A challenge is outside text as much as a redirect is.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from bot.core.address import is_https_of, is_loopback, matches, same_origin
from bot.core.errors import UsageError

# nvcr.io issues its tokens under its own name, and announces to move
# (https://github.com/NVIDIA/nvcf/pull/557); its blobs lie on layers.nvcr.io.
_KEY_HOSTS = ("nvcr.io", ".nvcr.io", "authn.nvidia.com")
_REDIRECT_HOSTS = ("nvcr.io", ".nvcr.io", ".nvidia.com")


@dataclass(frozen=True, slots=True)
class Egress:
    """The outgoing rules of one registry: `host` is its name in references, `endpoint` where it answers."""

    host: str
    endpoint: httpx.URL

    def allows_realm(self, url: httpx.URL) -> bool:
        """Return whether a pull token may be asked for at `url`."""
        return self._allows(url, _KEY_HOSTS)

    def allows_key(self, url: httpx.URL) -> bool:
        """Return whether the NGC key may be sent to the realm `url`."""
        own = is_loopback(self.endpoint) and same_origin(url, self.endpoint)
        return self.allows_realm(url) and (own or is_https_of(url, _KEY_HOSTS))

    def allows_redirect(self, url: httpx.URL) -> bool:
        """Return whether an answer of the registry may send us to `url`."""
        return self._allows(url, _REDIRECT_HOSTS)

    def _allows(self, url: httpx.URL, nvidia_hosts: tuple[str, ...]) -> bool:
        # httpx sends the `user:password@` of a URL as Authorization.
        return not url.userinfo and (
            same_origin(url, self.endpoint)
            or (self._is_nvidia and is_https_of(url, nvidia_hosts))
            or (is_loopback(self.endpoint) and is_loopback(url))
        )

    @property
    def _is_nvidia(self) -> bool:
        return matches(self.host, ("nvcr.io", ".nvcr.io"))


def registry_egress(host: str, endpoints: Mapping[str, str]) -> Egress:
    """Return the rules for the registry `host`, at the endpoint that a person configured or at https.

    Raises UsageError for an endpoint that is no plain origin, or plain http to another machine.
    """
    name = host.removesuffix(":443")
    if name not in endpoints:
        return Egress(name, httpx.URL(f"https://{name}"))
    endpoint = parse_url(endpoints[name])
    if endpoint is None or not _is_origin(endpoint):
        raise UsageError(
            f"the endpoint of `{name}` is no address of a registry",
            hint="write it as `https://host` or `http://127.0.0.1:5055`",
        )
    if endpoint.scheme == "http" and not is_loopback(endpoint):
        raise UsageError(
            f"the endpoint of `{name}` is plain http to another machine",
            hint="use https; http is for registries on this machine",
        )
    return Egress(name, endpoint)


def parse_url(text: str, base: httpx.URL | None = None) -> httpx.URL | None:
    """Return the URL that `text` is, relative to `base`, or None. The parser is the one that sends."""
    try:
        return base.join(text) if base else httpx.URL(text)
    except (httpx.InvalidURL, ValueError):
        return None


def _is_origin(url: httpx.URL) -> bool:
    return (
        url.scheme in ("http", "https")
        and bool(url.host)
        and url.path in ("", "/")
        and not (url.query or url.fragment or url.userinfo)
    )
