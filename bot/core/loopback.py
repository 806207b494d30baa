"""Which hosts are this machine: the only ones that plain http may go to."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether `host` (a name or an address, without port) is an address of this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
