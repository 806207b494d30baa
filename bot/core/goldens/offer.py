"""New goldens that a run offers, each judged against the file whose place it would take."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.goldens.comparison import Comparison
from bot.core.goldens.coverage import FileReason
from bot.core.goldens.refresh import NeedsPerson, Policy, Rejected, Unchanged, judge

EVERY_TEST = "all"
"""The name under which a person accepts whatever a run offers."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The golden that a test left: the file it belongs to, `model/test`, its platform and its bytes.

    `doubt` is why a person has to accept it whatever the values are, None where nothing speaks against it.
    """

    file: str
    test: str
    platform: str
    content: bytes
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What becomes of each golden: the bytes to write, and for all others the reason.

    `asks` are sound goldens that a person may accept, `refused` those that nobody can; `accepted` are those
    of the written that a person has named, `comparisons` are those of the written and the asked.
    """

    written: Mapping[str, bytes]
    unchanged: tuple[str, ...]
    asks: tuple[FileReason, ...]
    refused: tuple[FileReason, ...]
    comparisons: Mapping[str, Comparison]
    accepted: frozenset[str] = frozenset()


def judge_offers(
    offers: Sequence[Offer], old: Mapping[str, bytes | None], policy: Policy, accepted: Collection[str]
) -> Refreshed:
    """Return the judgement on each offer; `old` are the files on the branch.

    `accepted` are the tests that a person has named, by `model/test`, by the test's name alone, or `all`.
    """
    written: dict[str, bytes] = {}
    comparisons: dict[str, Comparison] = {}
    unchanged: list[str] = []
    asks: list[FileReason] = []
    refused: list[FileReason] = []
    for offer in sorted(offers, key=lambda it: it.file):
        is_accepted = is_named(offer.test, accepted)
        decision = judge(offer.file, old.get(offer.file), offer.content, replace(policy, accept=is_accepted))
        match decision:
            case Unchanged():
                unchanged.append(offer.file)
            case Rejected(reason):
                refused.append(FileReason(offer.file, reason))
            case NeedsPerson(reason, comparison):
                asks.append(FileReason(offer.file, reason))
                comparisons[offer.file] = comparison
            case _:
                comparisons[offer.file] = decision.comparison
                if offer.doubt and not is_accepted:
                    asks.append(FileReason(offer.file, offer.doubt))
                else:
                    written[offer.file] = decision.content
    named = frozenset(it.file for it in offers if it.file in written and is_named(it.test, accepted))
    return Refreshed(written, tuple(unchanged), tuple(asks), tuple(refused), comparisons, named)


def is_named(test: str, accepted: Collection[str]) -> bool:
    """Whether a person has accepted the test `model/test`."""
    return bool({EVERY_TEST, test, test.rpartition("/")[2]} & set(accepted))
