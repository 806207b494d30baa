"""Artifacts of CI behind the port `ArtifactReader`: many at once, each for itself."""

import asyncio
import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import httpx

from bot.artifacts.blob import Address, Blob, Download, Locate
from bot.artifacts.directory import read_zip
from bot.artifacts.egress import STORES, Egress
from bot.artifacts.transport import NoRangesError, Patience, Transport
from bot.core.ci import Artifact, Contents, Unreadable
from bot.core.errors import Refused, ServiceError
from bot.core.zip_rules import BadZipError, ZipLimits

Wanted = Callable[[Artifact, str], bool]

_DOWNLOADS = 2


class ZipReader:
    """Reads artifacts from where `locate` says they are: an address on one of `origins`, or on a store.

    `origins` are the addresses of the servers that are configured. At most `concurrency` addresses and
    as many parts are asked for at once. An error that concerns all artifacts, such as a UsageError of
    `locate`, is raised.
    """

    def __init__(
        self,
        locate: Locate,
        origins: Sequence[str] = (),
        *,
        stores: Sequence[str] = STORES,
        limits: ZipLimits | None = None,
        patience: Patience | None = None,
        concurrency: int = 16,
    ) -> None:
        self._locate = locate
        self._egress = Egress(tuple(httpx.URL(origin) for origin in origins), stores)
        self._limits = limits or ZipLimits()
        self._patience = patience or Patience()
        self._concurrency = concurrency
        _keep_addresses_out_of_logs()

    def read(self, artifacts: Sequence[Artifact], wanted: Wanted) -> Mapping[int, Contents | Unreadable]:
        """Return, by artifact id, all entry names and the bytes of the entries that are `wanted`."""
        return asyncio.run(self._read(artifacts, wanted))

    async def _read(self, artifacts: Sequence[Artifact], wanted: Wanted) -> dict[int, Contents | Unreadable]:
        # By default there are a few threads for each core: fewer than artifacts that wait for an address.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._concurrency))
        # While some wait for their addresses, others are read.
        places, downloads = asyncio.Semaphore(2 * self._concurrency), asyncio.Semaphore(_DOWNLOADS)
        client = httpx.AsyncClient(
            headers={"User-Agent": f"ngc-bump-bot/{version('ngc-bump-bot')}"},
            # A wait for one of our own connections is no fault of the store.
            timeout=httpx.Timeout(self._patience.timeout, pool=None),
            limits=httpx.Limits(
                max_connections=self._concurrency, max_keepalive_connections=self._concurrency
            ),
            # This machine is never reached through a proxy.
            trust_env=not self._egress.is_local,
        )
        async with client:
            transport = Transport(client, self._egress, self._patience)

            async def read_in_turn(artifact: Artifact) -> Contents | Unreadable:
                async with places:
                    return await self._read_one(transport, downloads, artifact, wanted)

            try:
                async with asyncio.TaskGroup() as group:
                    tasks = {it.id: group.create_task(read_in_turn(it)) for it in artifacts}
            except BaseExceptionGroup as errors:
                raise errors.exceptions[0] from None
        return {number: task.result() for number, task in tasks.items()}

    async def _read_one(
        self, transport: Transport, downloads: asyncio.Semaphore, artifact: Artifact, wanted: Wanted
    ) -> Contents | Unreadable:
        if artifact.expired:
            return Unreadable("the artifact has expired")
        try:
            return await self._contents(transport, downloads, artifact, wanted)
        except TimeoutError:
            return Unreadable(f"the artifact was not read within {self._patience.deadline:g} s")
        except BadZipError as error:
            return Unreadable(f"the artifact {error}")
        except (ServiceError, Refused) as error:
            return Unreadable(error.message)

    async def _contents(
        self, transport: Transport, downloads: asyncio.Semaphore, artifact: Artifact, wanted: Wanted
    ) -> Contents:
        def wanted_here(name: str) -> bool:
            return wanted(artifact, name)

        address = Address(self._locate, artifact.id)
        try:
            async with asyncio.timeout(self._patience.deadline):
                blob = await Blob.open(transport, address, artifact.size)
                return await read_zip(blob, wanted_here, self._limits)
        except NoRangesError:
            pass  # What waits for its turn below has to keep no deadline meanwhile.
        async with downloads, asyncio.timeout(self._patience.deadline):
            with tempfile.TemporaryFile() as file:
                whole = await Download.make(transport, address, file, self._limits.download)
                return await read_zip(whole, wanted_here, self._limits)


def _keep_addresses_out_of_logs() -> None:
    # The query of a signed address is a secret, and both libraries log whole addresses.
    for library in ("httpx", "httpcore"):
        logging.getLogger(library).setLevel(logging.WARNING)
