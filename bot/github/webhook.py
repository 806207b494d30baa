"""A delivery of a GitHub webhook → what happened; pure, and nothing is parsed before its signature fits.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from collections.abc import Callable, Mapping, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.core.events import (
    BranchPushed,
    CheckRequested,
    CommentCreated,
    Delivery,
    Event,
    Ignored,
    IssueChanged,
    PullRequestChanged,
    RunCompleted,
    Unauthentic,
    Unreadable,
)
from bot.core.host import Actor
from bot.core.signatures import is_signed_by_github

_PULL_REQUEST_ACTIONS = frozenset(
    {
        "opened", "closed", "reopened", "edited", "synchronize", "labeled", "unlabeled",
        "ready_for_review", "converted_to_draft", "enqueued", "dequeued",
    }
)  # fmt: skip


class _Model(BaseModel):
    model_config = ConfigDict(strict=True)


class _Repository(_Model):
    full_name: str


class _User(_Model):
    id: int
    login: str
    type: str


class _PullRequestLink(_Model):
    number: int


class _Payload(_Model):
    repository: _Repository


class _Acted(_Payload):
    action: str


class _Comment(_Model):
    id: int
    body: str | None
    user: _User | None


class _CommentedIssue(_Model):
    number: int
    pull_request: dict[str, object] | None = None


class _IssueComment(_Acted):
    issue: _CommentedIssue
    comment: _Comment


class _WorkflowRun(_Model):
    id: int
    head_branch: str | None
    head_sha: str
    conclusion: str | None
    pull_requests: list[_PullRequestLink] = []


class _RunPayload(_Acted):
    workflow_run: _WorkflowRun


class _PullRequestHead(_Model):
    ref: str


class _PullRequest(_Model):
    number: int
    head: _PullRequestHead


class _PullRequestPayload(_Acted):
    pull_request: _PullRequest


class _IssuePayload(_Acted):
    issue: _PullRequestLink


class _Check(_Model):
    head_sha: str
    pull_requests: list[_PullRequestLink] = []


class _CheckRunPayload(_Acted):
    check_run: _Check


class _CheckSuitePayload(_Acted):
    check_suite: _Check


class _Push(_Payload):
    ref: str
    after: str
    deleted: bool = False


def github_delivery(headers: Mapping[str, str], body: bytes, secrets: Sequence[str]) -> Delivery:
    """Return what a delivery says. `headers` have lower-case names, `body` is as it came.

    Without a secret every delivery is `Unauthentic`.
    """
    signature = headers.get("x-hub-signature-256")
    if signature is None:
        return Unauthentic("the delivery has no `X-Hub-Signature-256`: give the webhook a secret")
    if not is_signed_by_github(body, signature, secrets):
        return Unauthentic("the signature does not fit the body and the secret")
    name = headers.get("x-github-event", "")
    read = _READERS.get(name)
    if read is None:
        return Ignored("no event that concerns the bot")
    if not headers.get("content-type", "").startswith("application/json"):
        return Unreadable("the webhook has to send `application/json`")
    try:
        return read(body)
    except ValidationError as error:
        return Unreadable(f"a `{name}` body at fault: {_explained(error)}")


def _explained(error: ValidationError) -> str:
    # The places of the schema and the library's words: nothing of the body is repeated.
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"`{place}`: {first['type']}" if place else first["type"]


def _comment(body: bytes) -> Event | Ignored:
    it = _IssueComment.model_validate_json(body)
    if it.action != "created":
        return Ignored("only new comments are read")
    user = it.comment.user
    if user is None:
        return Ignored("a comment whose author is gone")
    return CommentCreated(
        repository=it.repository.full_name,
        number=it.issue.number,
        comment=it.comment.id,
        author=Actor(user.id, user.login, is_app=user.type != "User"),
        body=it.comment.body or "",
        on_pull_request=it.issue.pull_request is not None,
    )


def _run(body: bytes) -> Event | Ignored:
    it = _RunPayload.model_validate_json(body)
    if it.action != "completed":
        return Ignored("a run that has not ended")
    run = it.workflow_run
    return RunCompleted(
        repository=it.repository.full_name,
        run=run.id,
        branch=run.head_branch or "",
        sha=run.head_sha,
        conclusion=run.conclusion,
        pull_requests=tuple(link.number for link in run.pull_requests),
    )


def _pull_request(body: bytes) -> Event | Ignored:
    it = _PullRequestPayload.model_validate_json(body)
    if it.action not in _PULL_REQUEST_ACTIONS:
        return Ignored("a change of a pull request that changes no bump")
    pull_request = it.pull_request
    return PullRequestChanged(it.repository.full_name, pull_request.number, it.action, pull_request.head.ref)


def _issue(body: bytes) -> Event | Ignored:
    it = _IssuePayload.model_validate_json(body)
    if it.action not in {"closed", "reopened"}:
        return Ignored("a change of an issue that changes no bump")
    return IssueChanged(it.repository.full_name, it.issue.number, it.action)


def _check_run(body: bytes) -> Event | Ignored:
    it = _CheckRunPayload.model_validate_json(body)
    return _requested(it, it.check_run)


def _check_suite(body: bytes) -> Event | Ignored:
    it = _CheckSuitePayload.model_validate_json(body)
    return _requested(it, it.check_suite)


def _requested(it: _Acted, check: _Check) -> Event | Ignored:
    if it.action != "rerequested":
        return Ignored("a check that nobody asked for again")
    numbers = tuple(link.number for link in check.pull_requests)
    return CheckRequested(it.repository.full_name, check.head_sha, numbers)


def _push(body: bytes) -> Event | Ignored:
    it = _Push.model_validate_json(body)
    branch = it.ref.removeprefix("refs/heads/")
    if branch == it.ref or it.deleted:
        return Ignored("a push that leaves no branch behind")
    return BranchPushed(it.repository.full_name, branch, it.after)


_READERS: Mapping[str, Callable[[bytes], Event | Ignored]] = {
    "issue_comment": _comment,
    "workflow_run": _run,
    "pull_request": _pull_request,
    "issues": _issue,
    "check_run": _check_run,
    "check_suite": _check_suite,
    "push": _push,
}

EVENTS: tuple[str, ...] = tuple(_READERS)
"""What a webhook has to be subscribed to."""
