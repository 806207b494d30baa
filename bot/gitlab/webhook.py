"""A delivery of a GitLab webhook → what happened; pure, and nothing is parsed before its sender is proved.

https://docs.gitlab.com/user/project/integrations/webhook_events/#pipeline-events
"""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.core.events import Delivery, Ignored, PipelineFinished, Unauthentic, Unreadable
from bot.core.signatures import SIGNING_PREFIX, is_signed_by_gitlab, is_token

EVENT = "Pipeline Hook"
"""What a webhook has to be subscribed to."""

# https://docs.gitlab.com/api/pipelines/: of the statuses, those after which nothing runs any more.
_FINISHED = frozenset({"success", "failed", "canceled", "skipped"})


class _Model(BaseModel):
    model_config = ConfigDict(strict=True)


class _Pipeline(_Model):
    id: int
    ref: str
    sha: str
    status: str
    tag: bool = False


class _Project(_Model):
    path_with_namespace: str


class _Payload(_Model):
    object_attributes: _Pipeline
    project: _Project


def gitlab_delivery(headers: Mapping[str, str], body: bytes, secrets: Sequence[str]) -> Delivery:
    """Return what a delivery says. `headers` have lower-case names, `body` is as it came.

    A signature decides where there are a signature and a signing key (`whsec_…`); else the secret token
    does. Without a secret every delivery is `Unauthentic`.
    """
    doubt = _doubt(headers, body, secrets)
    if doubt is not None:
        return doubt
    if headers.get("x-gitlab-event") != EVENT:
        return Ignored("no event that concerns the bot")
    try:
        it = _Payload.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Unreadable(f"a pipeline's body at fault: `{place}`: {first['type']}")
    pipeline = it.object_attributes
    if pipeline.status not in _FINISHED or pipeline.tag:
        return Ignored("a pipeline that has not ended, or of a tag")
    return PipelineFinished(
        it.project.path_with_namespace, pipeline.id, pipeline.ref, pipeline.sha, pipeline.status
    )


def _doubt(headers: Mapping[str, str], body: bytes, secrets: Sequence[str]) -> Unauthentic | None:
    """Return why the sender is not believed, None where it is."""
    signature, token = headers.get("webhook-signature"), headers.get("x-gitlab-token")
    if signature is not None and any(secret.startswith(SIGNING_PREFIX) for secret in secrets):
        message, moment = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        fits = is_signed_by_gitlab(body, message, moment, signature, secrets)
        return None if fits else Unauthentic("the signature does not fit the body and the signing key")
    if token is None:
        return Unauthentic("the delivery has no `X-Gitlab-Token`: give the webhook a secret token")
    return None if is_token(token, secrets) else Unauthentic("the token is not the configured one")
