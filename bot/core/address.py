"""Which web addresses are the same place, of this machine, or under a list of ours.

A redirect is outside text: followed blindly, it sends credentials to strangers and requests into
private networks (https://github.com/devcontainers/cli/pull/1276).
"""

from collections.abc import Sequence
from typing import Protocol

from bot.core import loopback


class Address(Protocol):
    """A parsed URL as its parts; `port` is None where it is the scheme's own."""

    @property
    def scheme(self) -> str:
        """`https`, `http` or another, in lower case."""
        ...

    @property
    def host(self) -> str:
        """The host in lower case, without port and without brackets."""
        ...

    @property
    def port(self) -> int | None:
        """The port where it is not the scheme's own."""
        ...


def same_origin(one: Address, other: Address) -> bool:
    """Return whether two addresses share scheme, host and port."""
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)


def is_loopback(address: Address) -> bool:
    """Return whether `address` is a web address of this machine."""
    return address.scheme in ("http", "https") and loopback.is_loopback(address.host)


def is_https_of(address: Address, hosts: Sequence[str]) -> bool:
    """Return whether `address` is https, at https's own port, and at one of `hosts`."""
    return address.scheme == "https" and address.port is None and matches(address.host, hosts)


def matches(host: str, hosts: Sequence[str]) -> bool:
    """Return whether `host` is one of `hosts`; one that begins with a dot stands for all names under it."""
    return any(host.endswith(name) if name.startswith(".") else host == name for name in hosts)
