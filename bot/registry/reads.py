"""What can be read of a repository: tags, manifests, configs; each is checked before it counts."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import httpx

from bot.core.address import same_origin
from bot.core.manifest import ImageConfig, Manifest
from bot.registry.egress import parse_url
from bot.registry.protocol import (
    MANIFEST_TYPES,
    ImageIndex,
    ImageManifest,
    NotUnderstoodError,
    digest_of,
    next_link,
    parse_config,
    parse_manifest,
    parse_tags,
)
from bot.registry.session import Session
from bot.registry.transport import Answer, Request

_TAGS_LIMIT = 8 * 1024 * 1024
_MANIFEST_LIMIT = 4 * 1024 * 1024
_CONFIG_LIMIT = 4 * 1024 * 1024
_MAX_PAGES = 100
_CONCURRENCY = 4

_T = TypeVar("_T")


async def read_tags(session: Session) -> tuple[str, ...]:
    """Return all tags, following the pages to the last one: a part of the list is never returned."""
    found: dict[str, None] = {}
    page: httpx.URL | None = session.url("tags/list?n=1000")
    seen: list[httpx.URL] = []
    while page is not None:
        request = Request(page, f"the tags of `{session.repository}`", _TAGS_LIMIT)
        answer = await _ok(session, request)
        found |= dict.fromkeys(_understood(session, request, answer, parse_tags))
        seen.append(page)
        page = _next_page(session, request, answer, seen)
    return tuple(found)


def _next_page(session: Session, request: Request, answer: Answer, seen: list[httpx.URL]) -> httpx.URL | None:
    link = next_link(answer.headers.get_list("link"))
    if link is None:
        return None
    page = parse_url(link, base=answer.url)
    if page is None or not same_origin(page, session.egress.endpoint):
        raise session.complaint(request, answer, "with a next page on another host")
    if page in seen or len(seen) >= _MAX_PAGES:
        raise session.complaint(request, answer, f"with pages that do not end ({len(seen)} read)")
    return page


async def read_manifest(session: Session, tag: str) -> Manifest | None:
    """Return the manifest of a tag, or None where the registry says that there is no such tag."""
    request = _manifest_request(session, tag)
    answer = await session.get(request)
    if _says_no_such_tag(answer):
        return None
    digest, manifest = _manifest(session, request, _expect_ok(session, request, answer), None)
    if isinstance(manifest, ImageIndex):
        return Manifest(tag, digest, manifest.platforms)
    config = await _read_config(session, manifest.config)
    return Manifest(tag, digest, {config.platform: digest})


async def read_configs(session: Session, manifest: Manifest) -> tuple[ImageConfig, ...]:
    """Return the config of each platform of `manifest`, in its order."""
    configs = await side_by_side(_read_child(session, digest) for digest in manifest.platforms.values())
    # What a platform is called is for the index to say: it is what people pull by.
    named = zip(manifest.platforms, configs, strict=True)
    return tuple(replace(config, platform=platform) for platform, config in named)


async def _read_child(session: Session, digest: str) -> ImageConfig:
    request = _manifest_request(session, digest)
    answer = await _ok(session, request)
    _, manifest = _manifest(session, request, answer, digest)
    if not isinstance(manifest, ImageManifest):
        raise session.complaint(request, answer, "with an index inside an index")
    return await _read_config(session, manifest.config)


async def _read_config(session: Session, digest: str) -> ImageConfig:
    what = f"the config `{digest[:19]}` of `{session.repository}`"
    request = Request(session.url(f"blobs/{digest}"), what, _CONFIG_LIMIT)
    answer = await _ok(session, request)
    _check_digest(session, request, answer, digest)
    return _understood(session, request, answer, parse_config)


def _manifest_request(session: Session, reference: str) -> Request:
    what = f"the manifest `{reference[:64]}` of `{session.repository}`"
    return Request(session.url(f"manifests/{reference}"), what, _MANIFEST_LIMIT, MANIFEST_TYPES)


def _manifest(
    session: Session, request: Request, answer: Answer, wanted: str | None
) -> tuple[str, ImageIndex | ImageManifest]:
    digest = _check_digest(session, request, answer, wanted)
    manifest = _understood(session, request, answer, lambda body: parse_manifest(body, answer.content_type))
    return digest, manifest


def _check_digest(session: Session, request: Request, answer: Answer, wanted: str | None) -> str:
    digest = digest_of(answer.body)
    for promised in (wanted, answer.headers.get("docker-content-digest")):
        if promised and promised != digest:
            how = f"with bytes whose digest is `{digest[:19]}…` instead of `{promised[:19]}…`"
            raise session.complaint(request, answer, how)
    return digest


def _says_no_such_tag(answer: Answer) -> bool:
    # Only the registry itself can say so, and it speaks JSON or nothing. A page of an outage or a
    # proxy with status 404 is no answer.
    if answer.status != httpx.codes.NOT_FOUND:
        return False
    return not answer.body or answer.body.lstrip().startswith(b"{")


async def _ok(session: Session, request: Request) -> Answer:
    return _expect_ok(session, request, await session.get(request))


def _expect_ok(session: Session, request: Request, answer: Answer) -> Answer:
    if answer.status != httpx.codes.OK:
        raise session.complaint(request, answer)
    return answer


def _understood(session: Session, request: Request, answer: Answer, parse: Callable[[bytes], _T]) -> _T:
    try:
        return parse(answer.body)
    except NotUnderstoodError as error:
        raise session.complaint(request, answer, f"with a document that {error}") from None


async def side_by_side(reads: Iterable[Coroutine[Any, Any, _T]]) -> tuple[_T, ...]:
    """Return what each of `reads` returns, a few of them at a time; the first error ends them all."""
    places = asyncio.Semaphore(_CONCURRENCY)

    async def read_in_turn(read: Coroutine[Any, Any, _T]) -> _T:
        async with places:
            return await read

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read_in_turn(read)) for read in reads]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return tuple(task.result() for task in tasks)
