"""Deliveries of GitHub: payloads that others collected, headers and signatures as GitHub sends them."""

import gzip
import hashlib
import hmac
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "data" / "github-webhooks.json.gz"


@cache
def corpus() -> Mapping[str, list[dict[str, Any]]]:
    """Return real payloads by the name of their event; see NOTICE for where they come from."""
    return json.loads(gzip.decompress(DATA.read_bytes()))


def example(event: str, action: str | None = None) -> dict[str, Any]:
    """Return a fresh copy of the first payload with that action."""
    found = next(it for it in corpus()[event] if it.get("action") == action)
    return json.loads(json.dumps(found))


def signed(event: str, body: bytes, secret: str) -> dict[str, str]:
    """Return the headers of a delivery."""
    return {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/0000000",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "x-github-event": event,
        "x-hub-signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }
