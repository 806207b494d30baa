"""A delivery of a webhook → the status of its answer, and a poke where it can change a bump."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from bot.core.errors import BotError
from bot.core.events import Delivery, Ignored, Unauthentic, Unreadable
from bot.core.watch import Watch
from bot.service_ports import WorkQueue

Reader = Callable[[Mapping[str, str], bytes, Sequence[str]], Delivery]
"""(headers in lower case, raw body, secrets) → what happened; pure."""


@dataclass(frozen=True, slots=True)
class Source:
    """A sender of webhooks: how its deliveries are read, and the secrets that it may use."""

    read: Reader
    secrets: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Source({self.read!r}, {len(self.secrets)} secrets)"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender is told; `text` holds nothing of what was sent."""

    status: HTTPStatus
    text: str


class Intake:
    """Keeps no memory of deliveries: one that comes late, twice or never makes no difference to a resync."""

    def __init__(self, sources: Mapping[str, Source], watch: Watch, queue: WorkQueue) -> None:
        self.sources = sources
        self._watch = watch
        self._queue = queue

    def receive(self, source: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Return the answer to a delivery from one of `sources`. Never waits for the work that it causes."""
        sender = self.sources[source]
        delivery = sender.read(headers, body, sender.secrets)
        match delivery:
            case Unauthentic(reason):
                return Answer(HTTPStatus.UNAUTHORIZED, reason)
            case Unreadable(reason):
                return Answer(HTTPStatus.BAD_REQUEST, reason)
            case Ignored(reason):
                return Answer(HTTPStatus.ACCEPTED, f"ignored: {reason}")
            case _:
                key = self._watch.key(delivery)
        if key is None:
            return Answer(HTTPStatus.ACCEPTED, "ignored: it changes no bump")
        # Before the answer: a queue that fails is the sender's to see, no delivery is lost in silence.
        try:
            self._queue.poke(key)
        except BotError:
            return Answer(HTTPStatus.SERVICE_UNAVAILABLE, "the work queue failed: deliver it again")
        return Answer(HTTPStatus.ACCEPTED, "accepted")
