"""Container registries behind the port `ImageRegistry`; the only place where the bot is asynchronous."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.metadata import version
from typing import TypeVar

import httpx

from bot.core.address import is_loopback
from bot.core.errors import ServiceError, UsageError
from bot.core.image import ImageRef, parse_image
from bot.core.manifest import ImageConfig, Manifest
from bot.registry.challenge import Token
from bot.registry.egress import registry_egress
from bot.registry.reads import read_configs, read_manifest, read_tags, side_by_side
from bot.registry.session import Session
from bot.registry.transport import Patience, Transport

_T = TypeVar("_T")


class RegistryClient:
    """Container registries, each over https or at the endpoint that is configured for it.

    `endpoints` maps a registry's name to its address, such as `{"nvcr.io": "http://127.0.0.1:5055"}`.
    `api_key` is a key of NGC; without one everything is read anonymously. Every method raises
    UsageError for a name or tag that is none, and ServiceError where no sound answer can be had.
    """

    def __init__(
        self,
        endpoints: Mapping[str, str] | None = None,
        *,
        api_key: str | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._endpoints = dict(endpoints or {})
        self._api_key = api_key
        self._patience = patience or Patience()
        self._tokens: dict[tuple[str, str], Token] = {}
        _keep_addresses_out_of_logs()

    def tags(self, name: str) -> tuple[str, ...]:
        """Return every tag of `host/repository`, in the registry's order."""
        return self._ask(_repository(name), read_tags)

    def manifest(self, name: str, tag: str) -> Manifest | None:
        """Return the tag's manifest, or None if the registry says that there is no such tag."""
        return self.manifests(name, (tag,))[0]

    def manifests(self, name: str, tags: Sequence[str]) -> tuple[Manifest | None, ...]:
        """Return `manifest` for each tag, read side by side."""
        for tag in tags:
            _check_tag(name, tag)
        return self._ask(
            _repository(name),
            lambda session: side_by_side(read_manifest(session, tag) for tag in tags),
        )

    def configs(self, name: str, manifest: Manifest) -> tuple[ImageConfig, ...]:
        """Return the config of each platform of `manifest`, in the order of its platforms."""
        return self._ask(_repository(name), lambda session: read_configs(session, manifest))

    def _ask(self, image: ImageRef, read: Callable[[Session], Awaitable[_T]]) -> _T:
        # A loop for each call, in the caller's thread: nothing to close, nothing shared between
        # threads but the tokens, and Ctrl-C arrives here. A connection per call costs little at
        # some ten requests an hour.
        return asyncio.run(self._within_deadline(image, read))

    async def _within_deadline(self, image: ImageRef, read: Callable[[Session], Awaitable[_T]]) -> _T:
        egress = registry_egress(image.host, self._endpoints)
        client = httpx.AsyncClient(
            headers={"User-Agent": f"ngc-bump-bot/{version('ngc-bump-bot')}"},
            timeout=self._patience.timeout,
            # This machine is never reached through a proxy.
            trust_env=not is_loopback(egress.endpoint),
        )
        try:
            async with asyncio.timeout(self._patience.deadline), client:
                transport = Transport(client, egress, self._patience)
                return await read(Session(transport, egress, image.repository, self._tokens, self._api_key))
        except TimeoutError:
            raise ServiceError(
                f"`{egress.host}` gave no whole answer about `{image.repository}`"
                f" within {self._patience.deadline:g} s",
                hint="try again later",
            ) from None


def _keep_addresses_out_of_logs() -> None:
    # The address of a blob carries a signature in its query, and both libraries log whole addresses.
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)


def _repository(name: str) -> ImageRef:
    image = parse_image(name)
    if image is None or image.tag or image.digest:
        raise UsageError(f"`{name[:80]}` is not an image's name", hint="write it as `nvcr.io/nvidia/pytorch`")
    return image


def _check_tag(name: str, tag: str) -> None:
    # The tag becomes part of an address.
    image = parse_image(f"{name}:{tag}")
    if image is None or image.tag != tag or image.digest:
        raise UsageError(f"`{tag[:80]}` is not a tag", hint="write it as `26.04-py3`")
