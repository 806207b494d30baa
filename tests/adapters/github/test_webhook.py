import json

import pytest

from bot.core.events import (
    BranchPushed,
    CheckRequested,
    CommentCreated,
    Ignored,
    IssueChanged,
    PullRequestChanged,
    RunCompleted,
    Unauthentic,
    Unreadable,
)
from bot.core.host import Actor
from bot.github.webhook import EVENTS, github_delivery
from tests.adapters.github.deliveries import corpus, example, signed

SECRET = "one"


def deliver(event, payload, **headers):
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return github_delivery(signed(event, body, SECRET) | headers, body, [SECRET])


PAYLOADS = [
    pytest.param(event, payload, id=f"{event} {number} {payload.get('action', '')}")
    for event, payloads in corpus().items()
    for number, payload in enumerate(payloads)
]
HAPPENS = {
    "check_run": {"rerequested": CheckRequested},
    "check_suite": {"rerequested": CheckRequested},
    "issue_comment": {"created": CommentCreated},
    "issues": {"closed": IssueChanged, "reopened": IssueChanged},
    "ping": {},
    "pull_request": dict.fromkeys(
        [
            "closed",
            "converted_to_draft",
            "labeled",
            "opened",
            "ready_for_review",
            "reopened",
            "synchronize",
            "unlabeled",
        ],
        PullRequestChanged,
    ),
    "workflow_run": {"completed": RunCompleted},
}


def expected(event, payload):
    if event == "push":
        is_branch = payload["ref"].startswith("refs/heads/") and not payload["deleted"]
        return BranchPushed if is_branch else Ignored
    return HAPPENS[event].get(payload.get("action"), Ignored)


@pytest.mark.parametrize(("event", "payload"), PAYLOADS)
def test_every_real_payload_is_what_its_event_and_action_say(event, payload):
    told = deliver(event, payload)

    assert type(told) is expected(event, payload)
    if not isinstance(told, Ignored):
        assert told.repository == payload["repository"]["full_name"]


def test_the_corpus_has_every_event_that_the_bot_reads():
    assert set(EVENTS) <= set(corpus())


def test_a_comment():
    assert deliver("issue_comment", example("issue_comment", "created")) == CommentCreated(
        repository="Codertocat/Hello-World",
        number=1,
        comment=492700400,
        author=Actor(21031067, "Codertocat"),
        body="You are totally right! I'll get this fixed right away.",
        on_pull_request=False,
    )


def test_a_comment_on_a_pull_request():
    payload = example("issue_comment", "created")
    payload["issue"]["pull_request"] = {"url": "https://api.github.com/repos/a/b/pulls/1"}

    assert deliver("issue_comment", payload).on_pull_request


@pytest.mark.parametrize(
    ("kind", "is_app"), [("User", False), ("Bot", True), ("Organization", True), ("?", True)]
)
def test_only_a_user_is_a_person(kind, is_app):
    payload = example("issue_comment", "created")
    payload["comment"]["user"]["type"] = kind

    assert deliver("issue_comment", payload).author.is_app is is_app


def test_a_comment_whose_author_is_gone_is_nobodys():
    payload = example("issue_comment", "created")
    payload["comment"]["user"] = None

    assert deliver("issue_comment", payload) == Ignored("a comment whose author is gone")


def test_a_comment_without_text_has_an_empty_one():
    payload = example("issue_comment", "created")
    payload["comment"]["body"] = None

    assert deliver("issue_comment", payload).body == ""


def test_a_run_of_a_vetted_head_that_failed():
    payload = example("workflow_run", "completed")
    payload["workflow_run"] |= {
        "head_branch": "pull-request/4611",
        "head_sha": "c" * 40,
        "conclusion": "failure",
    }

    told = deliver("workflow_run", payload)

    assert (told.branch, told.sha, told.conclusion) == ("pull-request/4611", "c" * 40, "failure")


def test_a_run_names_its_pull_requests_and_may_have_no_branch():
    payload = example("workflow_run", "completed")
    payload["workflow_run"] |= {"head_branch": None, "pull_requests": [{"number": 3}, {"number": 4}]}

    told = deliver("workflow_run", payload)

    assert (told.branch, told.pull_requests) == ("", (3, 4))


def test_a_pull_request():
    payload = example("pull_request", "synchronize")

    told = deliver("pull_request", payload)

    assert told == PullRequestChanged("Codertocat/Hello-World", 2, "synchronize", "changes")


def test_an_issue_that_is_closed():
    payload = example("issues", "reopened") | {"action": "closed"}

    assert deliver("issues", payload) == IssueChanged("Codertocat/Hello-World", 1, "closed")


def test_a_check_that_is_asked_for_again():
    payload = example("check_suite", "rerequested")

    assert deliver("check_suite", payload) == CheckRequested(
        "Codertocat/Hello-World", payload["check_suite"]["head_sha"], (2,)
    )


@pytest.mark.parametrize(
    ("ref", "deleted", "told"),
    [
        ("refs/heads/core_r0.17", False, BranchPushed("Codertocat/Hello-World", "core_r0.17", "b" * 40)),
        ("refs/heads/a/b", False, BranchPushed("Codertocat/Hello-World", "a/b", "b" * 40)),
        ("refs/heads/main", True, Ignored("a push that leaves no branch behind")),
        ("refs/tags/main", False, Ignored("a push that leaves no branch behind")),
        ("main", False, Ignored("a push that leaves no branch behind")),
    ],
)
def test_a_push(ref, deleted, told):
    payload = example("push") | {"ref": ref, "after": "b" * 40, "deleted": deleted}

    assert deliver("push", payload) == told


@pytest.mark.parametrize("event", ["", "star", "workflow_job", "ISSUE_COMMENT"])
def test_an_event_that_the_bot_does_not_read_is_not_even_parsed(event):
    assert deliver(event, b"\xff[") == Ignored("no event that concerns the bot")


@pytest.mark.parametrize("secrets", [[], [""], ["another"]])
def test_nothing_is_parsed_unless_a_secret_fits(secrets):
    body = b"\xff["

    assert isinstance(github_delivery(signed("push", body, SECRET), body, secrets), Unauthentic)


def test_a_delivery_without_a_signature_is_told_what_it_lacks():
    headers = signed("push", b"{}", SECRET)
    del headers["x-hub-signature-256"]

    told = github_delivery(headers | {"x-hub-signature": "sha1=0"}, b"{}", [SECRET])

    assert told == Unauthentic("the delivery has no `X-Hub-Signature-256`: give the webhook a secret")


def test_a_form_is_refused():
    told = deliver("push", b"payload=%7B%7D", **{"content-type": "application/x-www-form-urlencoded"})

    assert told == Unreadable("the webhook has to send `application/json`")


def changed(path, value):
    """Return a comment's payload with one value exchanged, or taken out if it is None."""
    payload = example("issue_comment", "created")
    *around, last = path.split(".")
    place = payload
    for key in around:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return payload


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'{"action": "\xff"}', id="not UTF-8"),
        pytest.param(b'\xef\xbb\xbf{"action": "created"}', id="a byte order mark"),
        pytest.param(b'{"a":' * 1_000_000, id="a million levels"),
        pytest.param(b'{"action":' + b"[" * 300 + b"]" * 300 + b"}", id="three hundred levels"),
        pytest.param(b'{"action":' + b"9" * 1_000_000 + b"}", id="a number of a million digits"),
        pytest.param(changed("action", 7), id="an action that is a number"),
        pytest.param(changed("repository", None), id="no repository"),
        pytest.param(changed("repository.full_name", ["a/b"]), id="a name that is a list"),
        pytest.param(changed("issue.number", "1"), id="a number that is a text"),
        pytest.param(changed("comment.id", 1.5), id="half a comment"),
        pytest.param(changed("comment.body", {"text": "/bot bump"}), id="a text that is an object"),
        pytest.param(changed("comment.user", []), id="an author that is a list"),
    ],
)
def test_a_body_that_is_not_as_documented_is_refused_and_not_repeated(body):
    told = deliver("issue_comment", body)

    assert isinstance(told, Unreadable)
    assert len(told.reason) < 120
    assert "/bot" not in told.reason


def test_a_lone_surrogate_is_refused_before_it_reaches_anything():
    payload = json.dumps(example("issue_comment", "created")).replace("totally", "\\ud800").encode()

    assert isinstance(deliver("issue_comment", payload), Unreadable)
