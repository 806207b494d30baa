"""Webhooks of the simulated GitHub: deliveries are made of what happens, signed, and sent from a thread.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

import hashlib
import hmac
import json
import queue
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import requests

from bot.lab.documents.actions import run_document
from bot.lab.documents.issues import comment_document, issue_document
from bot.lab.documents.people import user_document
from bot.lab.documents.repository import repository_document
from bot.lab.documents.site import Site
from bot.lab.model import CommentEvent, RefMove, Repository
from bot.lab.runs import WorkflowRun
from bot.lab.world import World

_ZERO = "0" * 40
_PATIENCE = 10


@dataclass(frozen=True, slots=True)
class Delivery:
    """A delivery and the status of its answer; 0 where nobody answered. GitHub does not try again."""

    event: str
    payload: Mapping[str, Any]
    status: int


class Webhooks:
    """Tells one address of what happens in one repository, in order, until `close`."""

    def __init__(self, world: World, full_name: str, *, api: str, address: str, secret: str) -> None:
        self.deliveries: list[Delivery] = []
        self._address = address
        self._secret = secret.encode()
        self._site = Site(world, api)
        self._repository = world.repository(full_name)
        self._waiting: queue.Queue[tuple[str, Mapping[str, Any]] | None] = queue.Queue()
        world.listeners.append(self._commented)
        world.ref_listeners.append(self._moved)
        world.run_listeners.append(self._completed)
        self._thread = threading.Thread(target=self._deliver, name="lab-webhooks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Deliver what waits, and no more."""
        self._waiting.put(None)
        self._thread.join(_PATIENCE)

    def _commented(self, event: CommentEvent) -> None:
        if event.repository is self._repository:
            document = {
                "action": event.action,
                "issue": issue_document(self._site, event.repository, event.issue),
                "comment": comment_document(self._site, event.repository, event.issue, event.comment),
                "sender": user_document(self._site, event.by),
            }
            self._send("issue_comment", event.repository, document)

    def _moved(self, move: RefMove) -> None:
        if move.repository is self._repository:
            document = {
                "ref": f"refs/heads/{move.branch}",
                "before": move.old or _ZERO,
                "after": move.new or _ZERO,
                "created": move.old is None,
                "deleted": move.new is None,
                "forced": not move.fast_forward,
                "sender": user_document(self._site, move.by),
            }
            self._send("push", move.repository, document)

    def _completed(self, run: WorkflowRun) -> None:
        if run.repository is self._repository:
            document = {
                "action": "completed",
                "workflow_run": run_document(self._site, run),
                "sender": user_document(self._site, run.actor),
            }
            self._send("workflow_run", run.repository, document)

    def _send(self, event: str, repository: Repository, document: Mapping[str, Any]) -> None:
        # Whoever made it happen does not wait for the receiver, who may be that very one.
        payload = {**document, "repository": repository_document(self._site, repository)}
        self._waiting.put((event, payload))

    def _deliver(self) -> None:
        while (item := self._waiting.get()) is not None:
            event, payload = item
            body = json.dumps(payload).encode()
            headers = {
                "Content-Type": "application/json",
                "User-Agent": "GitHub-Hookshot/lab",
                "X-GitHub-Delivery": str(uuid.uuid4()),
                "X-GitHub-Event": event,
                "X-Hub-Signature-256": f"sha256={hmac.new(self._secret, body, hashlib.sha256).hexdigest()}",
            }
            try:
                status = requests.post(
                    self._address, data=body, headers=headers, timeout=_PATIENCE
                ).status_code
            except requests.RequestException:
                status = 0
            self.deliveries.append(Delivery(event, payload, status))
