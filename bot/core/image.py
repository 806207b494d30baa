"""Image references and the tags of a release calendar: parse, format, order."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from bot.core.errors import Refused, UsageError

# The grammar of the distribution project (https://pkg.go.dev/github.com/distribution/reference),
# with enroot's `#` between host and path (https://github.com/NVIDIA/pyxis#usage).
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:]+\])"
_PORT = r":[0-9]{1,5}"
_HTTPS_PORT = ":443"
_PART = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = r"sha256:[0-9a-f]{64}"
_REFERENCE = re.compile(
    rf"(?P<host>{_HOST}(?:{_PORT})?)(?P<separator>[/#])(?P<repository>{_PART}(?:/{_PART})*)"
    rf"(?::(?P<tag>{_TAG}))?(?:@(?P<digest>{_DIGEST}))?"
)


@dataclass(frozen=True, slots=True)
class ImageRef:
    """A reference such as `nvcr.io/nvidia/pytorch:26.06-py3@sha256:…`, in the form it was written in.

    `separator` is `/`, or `#` in enroot's form `nvcr.io#nvidia/pytorch:26.06-py3`.
    """

    host: str
    repository: str
    tag: str | None = None
    digest: str | None = None
    separator: str = "/"

    @property
    def name(self) -> str:
        """`host/repository`, without https's own port: what two references to one image share."""
        return f"{self.host.removesuffix(_HTTPS_PORT)}/{self.repository}"

    def at(self, tag: str, digest: str | None = None) -> "ImageRef":
        """Return the same image at another tag, with a digest only if one is given."""
        return replace(self, tag=tag, digest=digest)

    def plain(self) -> "ImageRef":
        """Return the reference as `name:tag`, without digest: equal for pins that say the same release."""
        return replace(self, host=self.host.removesuffix(_HTTPS_PORT), separator="/", digest=None)

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        digest = f"@{self.digest}" if self.digest else ""
        return f"{self.host}{self.separator}{self.repository}{tag}{digest}"


def parse_image(text: str) -> ImageRef | None:
    """Return the reference that `text` is, all of it, or None.

    Only references with a host are known: a pin of the bot always names its registry.
    """
    found = _REFERENCE.fullmatch(text)
    if found is None or not _is_host(found["host"]):
        return None
    return ImageRef(
        host=found["host"],
        repository=found["repository"],
        tag=found["tag"],
        digest=found["digest"],
        separator=found["separator"],
    )


def _is_host(text: str) -> bool:
    return "." in text or ":" in text or text == "localhost"


def find_images(text: str, name: str) -> tuple[tuple[int, ImageRef], ...]:
    """Return each reference to `host/repository` in `text` with its offset, tagged or with a digest.

    All written forms are found: with enroot's `#`, with https's own port, behind `docker://`. A
    longer repository name, such as `nvidia/pytorch-extra`, is another image.
    """
    host, _, repository = name.partition("/")
    pattern = re.compile(
        # Not inside another host or path; `${NAME:-` and `docker://` may stand before it.
        rf"(?:(?<![\w./])(?<!\w-)|(?<=://)){re.escape(host)}(?:{_HTTPS_PORT})?[/#]{re.escape(repository)}"
        # Possessive, so that what follows a tag is never met by a shorter tag.
        rf"(?::{_TAG})?+(?:@{_DIGEST})?+(?![\w/-])"
    )
    found = ((match.start(), parse_image(_without_full_stop(match[0]))) for match in pattern.finditer(text))
    return tuple((at, image) for at, image in found if image and _is_pinned(image))


def _is_pinned(image: ImageRef) -> bool:
    # A text that explains the form of tags, as this module does, refers to no image.
    is_form = (image.tag or "").startswith("YY.MM")
    return bool(image.tag or image.digest) and not is_form


def _without_full_stop(reference: str) -> str:
    # In prose a reference may end its sentence; a tag of the release calendar never ends in a dot.
    return reference.rstrip(".")


@dataclass(frozen=True, order=True, slots=True)
class Release:
    """A month of the release calendar; ordered as integers, so 25.11 is newer than 25.9 would be."""

    year: int
    month: int

    def __str__(self) -> str:
        return f"{self.year:02}.{self.month:02}"


@dataclass(frozen=True)
class TagScheme:
    """The form of the tags that a track follows: `YY.MM-py3`, or `YY.MM-cuda*-devel-ubuntu24.04`.

    `YY` and `MM` are two digits each, `*` is a version number that only the registry knows.
    Everything else is literal, so other flavours (`-igpu`) never match.
    """

    pattern: str

    @property
    def is_computed(self) -> bool:
        """Whether the tag of a release follows from its year and month alone."""
        return "*" not in self.pattern

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        text = re.escape(self.pattern).replace(r"\*", r"[0-9]+(?:\.[0-9]+)*")
        text = text.replace("YY", "(?P<year>[0-9]{2})", 1).replace("MM", "(?P<month>0[1-9]|1[0-2])", 1)
        return re.compile(text)

    def release(self, tag: str) -> Release | None:
        """Return the release that `tag` names, or None if it is not of this form."""
        found = self._regex.fullmatch(tag)
        return Release(int(found["year"]), int(found["month"])) if found else None

    def tag(self, release: Release) -> str:
        """Return the tag of `release`; only for a computed scheme."""
        return self.pattern.replace("YY", f"{release.year:02}", 1).replace("MM", f"{release.month:02}", 1)

    def newest_first(self, tags: "tuple[str, ...] | list[str]") -> tuple[str, ...]:
        """Return the tags of this form, the newest release first; all others are dropped."""
        known = [(release, tag) for tag in tags if (release := self.release(tag))]
        return tuple(tag for _, tag in sorted(known, reverse=True))


_RELEASE = re.compile(r"(?P<year>[0-9]{2})\.(?P<month>0[1-9]|1[0-2])")


def parse_release(text: str) -> Release | None:
    """Return the release that `YY.MM` names, or None."""
    found = _RELEASE.fullmatch(text)
    return Release(int(found["year"]), int(found["month"])) if found else None


def resolve_tag(wanted: str, scheme: TagScheme, list_tags: Callable[[], tuple[str, ...]]) -> str:
    """Return the tag that a person means by `wanted`.

    A full tag of the scheme is taken as it is. Where part of the tag cannot be computed, `YY.MM`
    is looked up among `list_tags()`.

    Raises UsageError for anything else and when the release has several tags, Refused when it has none.
    """
    if scheme.release(wanted):
        return wanted
    release = parse_release(wanted)
    if release is None or scheme.is_computed:
        raise UsageError(
            f"`{wanted[:80]}` is not a tag of the form `{scheme.pattern}`", hint=_meant(wanted, scheme)
        )
    found = [tag for tag in list_tags() if scheme.release(tag) == release]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused(
            f"no tag of the form `{scheme.pattern}` exists for {release}",
            hint="`bot releases` lists what there is",
        )
    raise UsageError(
        f"{release} has {len(found)} tags of the form `{scheme.pattern}`: {', '.join(sorted(found))}",
        hint="name one of them in full",
    )


_YEAR_AND_MONTH = re.compile(r"(?<![0-9])([0-9]{2})\.([0-9]{1,2})(?![0-9])", re.ASCII)


def _meant(wanted: str, scheme: TagScheme) -> str:
    """Return a hint that starts from what was typed."""
    typed = _YEAR_AND_MONTH.search(wanted)
    if typed is None:
        return "`YY` and `MM` are year and month, two digits each"
    release = parse_release(f"{typed[1]}.{int(typed[2]):02}")
    if release is None:
        return f"there is no month {int(typed[2])}"
    return f"write it as `{scheme.tag(release) if scheme.is_computed else release}`"
