"""Signatures of webhooks: whether a sender who knows one of our secrets wrote these very bytes.

Several secrets are accepted at a time, so that one can be exchanged for another without losing a delivery.
Comparisons take the same time wherever two texts differ.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator, Sequence

SIGNING_PREFIX = "whsec_"
"""How a signing key of Standard Webhooks begins; the rest is base64."""


def is_signed_by_github(body: bytes, header: str, secrets: Sequence[str]) -> bool:
    """Return whether `X-Hub-Signature-256` fits the body.

    https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    signatures = [f"sha256={_hmac(secret.encode(), body).hexdigest()}" for secret in secrets if secret]
    return _is_any(header, signatures)


def is_token(header: str, secrets: Sequence[str]) -> bool:
    """Return whether `X-Gitlab-Token` is one of the secrets; signing keys are never sent, and never match.

    https://docs.gitlab.com/user/project/integrations/webhooks/
    """
    return _is_any(header, [it for it in secrets if it and not it.startswith(SIGNING_PREFIX)])


def is_signed_by_gitlab(
    body: bytes, message: str, timestamp: str, header: str, secrets: Sequence[str]
) -> bool:
    """Return whether one of the signatures in `webhook-signature` fits id, time and body of the message.

    The age of the message is not looked at: a replayed delivery only makes the bot look again.
    https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944, after https://www.standardwebhooks.com
    """
    signed = f"{message}.{timestamp}.".encode(errors="surrogateescape") + body
    digests = [_hmac(key, signed).digest() for key in _signing_keys(secrets)]
    expected = [f"v1,{base64.b64encode(digest).decode()}" for digest in digests]
    return True in [_is_any(given, expected) for given in header.split(" ")[:_SIGNATURES]]


# A sender signs once for each of its keys, and has two while one is exchanged.
_SIGNATURES = 8


def _signing_keys(secrets: Sequence[str]) -> Iterator[bytes]:
    for secret in secrets:
        if secret.startswith(SIGNING_PREFIX):
            try:
                key = base64.b64decode(secret.removeprefix(SIGNING_PREFIX), validate=True)
            except binascii.Error:
                continue
            if key:
                yield key


def _hmac(key: bytes, body: bytes) -> hmac.HMAC:
    return hmac.new(key, body, hashlib.sha256)


def _is_any(given: str, expected: Sequence[str]) -> bool:
    # All of them are compared, so that the time does not tell which one it was.
    told = given.encode(errors="surrogateescape")
    return True in [hmac.compare_digest(told, it.encode()) for it in expected]
