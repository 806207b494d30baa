import base64
import hashlib
import hmac
import json
import secrets

import pytest

from bot.core.events import Ignored, PipelineFinished, Unauthentic, Unreadable
from bot.gitlab.webhook import gitlab_delivery

TOKEN = "one"
KEY = secrets.token_bytes(32)
SIGNING = "whsec_" + base64.b64encode(KEY).decode()


def pipeline(**attributes):
    """A pipeline's delivery, cut to what is documented and of use."""
    return {
        "object_kind": "pipeline",
        "object_attributes": {
            "id": 31,
            "iid": 3,
            "ref": "pull-request/12",
            "tag": False,
            "sha": "b" * 40,
            "source": "push",
            "status": "failed",
            "detailed_status": "failed",
            "stages": ["build", "test"],
            "created_at": "2026-08-12 15:23:28 UTC",
            "finished_at": "2026-08-12 15:26:29 UTC",
            "duration": 63,
            **attributes,
        },
        "project": {"id": 1, "name": "Widgets", "path_with_namespace": "adlr/widgets"},
        "builds": [],
    }


def deliver(payload, accepted=(TOKEN,), **headers):
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    given = {"x-gitlab-event": "Pipeline Hook", "x-gitlab-token": TOKEN} | headers
    return gitlab_delivery({name: value for name, value in given.items() if value}, body, accepted)


def signature(body, message="m-1", moment="1700000000"):
    digest = hmac.new(KEY, f"{message}.{moment}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": message,
        "webhook-timestamp": moment,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }


FINISHED = PipelineFinished("adlr/widgets", 31, "pull-request/12", "b" * 40, "failed")


def test_a_pipeline_that_has_ended():
    assert deliver(pipeline()) == FINISHED


@pytest.mark.parametrize("status", ["success", "failed", "canceled", "skipped"])
def test_every_end_of_a_pipeline_counts(status):
    assert deliver(pipeline(status=status)).status == status


@pytest.mark.parametrize("status", ["created", "pending", "running", "manual", "scheduled", "canceling", "?"])
def test_a_pipeline_that_goes_on_does_not(status):
    assert isinstance(deliver(pipeline(status=status)), Ignored)


def test_a_pipeline_of_a_tag_does_not():
    assert isinstance(deliver(pipeline(tag=True)), Ignored)


@pytest.mark.parametrize("event", ["Push Hook", "Note Hook", "Job Hook", ""])
def test_another_event_is_not_even_parsed(event):
    assert deliver(b"\xff", **{"x-gitlab-event": event}) == Ignored("no event that concerns the bot")


@pytest.mark.parametrize(
    ("accepted", "token"),
    [([TOKEN], "two"), ([TOKEN], ""), ([], TOKEN), ([""], ""), ([SIGNING], SIGNING), ([SIGNING], TOKEN)],
)
def test_nothing_is_parsed_unless_the_token_is_one_of_the_secrets(accepted, token):
    assert isinstance(deliver(b"\xff", accepted, **{"x-gitlab-token": token}), Unauthentic)


@pytest.mark.parametrize("accepted", [[SIGNING], [TOKEN, SIGNING], ["whsec_b25l", SIGNING]])
def test_a_signed_delivery_needs_no_token(accepted):
    body = json.dumps(pipeline()).encode()

    assert deliver(body, accepted, **signature(body), **{"x-gitlab-token": ""}) == FINISHED


def test_a_wrong_signature_is_not_mended_by_a_token():
    told = deliver(pipeline(), [TOKEN, SIGNING], **signature(b"another body"))

    assert told == Unauthentic("the signature does not fit the body and the signing key")


def test_a_signature_that_is_only_half_there_is_wrong():
    body = json.dumps(pipeline()).encode()
    given = signature(body) | {"webhook-id": "", "webhook-timestamp": ""}

    assert isinstance(deliver(body, [SIGNING], **given), Unauthentic)


def test_a_signature_is_passed_over_where_no_signing_key_is_configured():
    assert deliver(pipeline(), [TOKEN], **signature(b"whatever")) == FINISHED


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b"[" * 1_000_000, id="a million levels"),
        pytest.param(pipeline(id="x"), id="a word for a number"),
        pytest.param(pipeline(ref=None), id="no branch"),
        pytest.param(pipeline() | {"project": {}}, id="no project"),
    ],
)
def test_a_body_that_is_not_as_documented_is_refused(body):
    assert isinstance(deliver(body), Unreadable)
