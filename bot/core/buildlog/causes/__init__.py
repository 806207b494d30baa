"""The families of causes by name; a new one is a module here and a line below."""

from collections.abc import Mapping

from bot.core.buildlog.causes import (
    cluster,
    dockerfile,
    images,
    locks,
    machine,
    network,
    pins,
    sources,
    tools,
)
from bot.core.buildlog.signs import Cause

FAMILIES: Mapping[str, tuple[Cause, ...]] = {
    "dockerfile": dockerfile.CAUSES,
    "images": images.CAUSES,
    "locks": locks.CAUSES,
    "pins": pins.CAUSES,
    "sources": sources.CAUSES,
    "tools": tools.CAUSES,
    "machine": machine.CAUSES,
    "network": network.CAUSES,
    "cluster": cluster.CAUSES,
}
