"""Issues, labels, comments and reactions."""

from bot.lab import conversations
from bot.lab.answers import forbidden, invalid_field, not_found, unprocessable
from bot.lab.call import Answer, Call
from bot.lab.documents.issues import (
    comment_document,
    issue_document,
    label_document,
    reaction_document,
)
from bot.lab.documents.site import timestamp
from bot.lab.routes.access import READ_ISSUES, WRITE_ISSUES, WRITE_LABELS


def get_issue(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    return Answer(issue_document(call.site, repository, call.issue(repository)))


def list_issues(call: Call) -> Answer:
    """List issues and pull requests, the newest first, by `state` and `creator`."""
    repository = call.repository(READ_ISSUES)
    state, creator = call.query.get("state", "open"), call.query.get("creator", "").lower()
    found = [
        issue
        for issue in reversed(repository.issues.values())
        if state in {"all", issue.state} and creator in {"", issue.author.login.lower()}
    ]
    if call.query.get("direction") == "asc":
        found.reverse()
    return call.page(found, lambda issue: issue_document(call.site, repository, issue))


def create_issue(call: Call) -> Answer:
    """Open an issue; labels of a caller who may not write are dropped in silence, as GitHub does."""
    repository = call.repository(WRITE_ISSUES)
    title, body = call.body.text("title"), call.body.optional_text("body")
    issue = conversations.open_issue(call.records, repository, call.caller.user, title, body)
    if call.has_role(repository, "triage"):
        conversations.add_labels(call.records, repository, issue, call.body.texts("labels"))
    return Answer(issue_document(call.site, repository, issue), 201)


def edit_issue(call: Call) -> Answer:
    """Replace the text of an issue, close it or open it again; the rest of what GitHub takes is not known."""
    repository = call.repository(WRITE_ISSUES)
    issue = call.issue(repository)
    if issue.author is not call.caller.user and not call.has_role(repository, "triage"):
        raise forbidden("Must have admin rights to Repository.")
    state = call.body.optional_text("state")
    if state not in {None, "open", "closed"}:
        raise invalid_field("Issue", "state")
    if "body" in call.body:
        conversations.edit_body(call.records, issue, call.body.optional_text("body"))
    if state is not None:
        conversations.set_state(call.records, repository, issue, "closed" if state == "closed" else "open")
    return Answer(issue_document(call.site, repository, issue))


def get_label(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    label = repository.labels.get(call.path["name"].lower())
    if label is None:
        raise not_found()
    return Answer(label_document(call.site, repository, label))


def list_labels(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    issue = call.issue(repository)
    return call.page(issue.labels, lambda label: label_document(call.site, repository, label))


def add_labels(call: Call) -> Answer:
    """Add labels, given as strings or as objects with a name; unknown ones are created."""
    repository = call.repository(WRITE_LABELS)
    issue = call.issue(repository)
    names = [
        item["name"] if isinstance(item, dict) and "name" in item else item
        for item in call.body.items("labels")
    ]
    if not all(isinstance(name, str) and name for name in names):
        raise unprocessable('Invalid request.\n\nNo subschema in "oneOf" matched.')
    conversations.add_labels(call.records, repository, issue, names)
    return Answer([label_document(call.site, repository, label) for label in issue.labels])


def list_comments(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    issue = call.issue(repository)
    return call.page(issue.comments, lambda comment: comment_document(call.site, repository, issue, comment))


def list_repository_comments(call: Call) -> Answer:
    """List the comments of all conversations; of `since`, `sort` and `direction` as far as they are asked."""
    repository = call.repository(READ_ISSUES)
    since = call.query.get("since", "")
    found = [
        (issue, comment)
        for issue in repository.issues.values()
        for comment in issue.comments
        if (timestamp(comment.updated_at) or "") >= since
    ]
    by_update = call.query.get("sort") == "updated"
    found.sort(key=lambda it: it[1].updated_at if by_update else it[1].created_at)
    if call.query.get("direction") == "desc":
        found.reverse()
    return call.page(found, lambda it: comment_document(call.site, repository, *it))


def create_comment(call: Call) -> Answer:
    repository = call.repository(WRITE_ISSUES)
    issue = call.issue(repository)
    caller = call.caller
    comment = conversations.comment(
        call.records, repository, issue, call.body.text("body"), author=caller.user, app=caller.app
    )
    return Answer(comment_document(call.site, repository, issue, comment), 201)


def edit_comment(call: Call) -> Answer:
    repository = call.repository(WRITE_ISSUES)
    number = call.number("comment_id")
    issue, comment = conversations.find_comment(repository, number)
    if comment.author is not call.caller.user and not call.has_role(repository, "write"):
        raise forbidden("Must have admin rights to Repository.")
    body = call.body.text("body")
    comment = conversations.edit_comment(call.records, repository, number, body, by=call.caller.user)
    return Answer(comment_document(call.site, repository, issue, comment))


def list_reactions(call: Call) -> Answer:
    repository = call.repository(READ_ISSUES)
    _, comment = conversations.find_comment(repository, call.number("comment_id"))
    wanted = call.query.get("content")
    found = [reaction for reaction in comment.reactions if wanted in {None, reaction.content}]
    return call.page(found, lambda reaction: reaction_document(call.site, reaction))


def create_reaction(call: Call) -> Answer:
    """React to a comment: 201, or 200 where the same reaction is there already."""
    repository = call.repository(WRITE_ISSUES)
    _, comment = conversations.find_comment(repository, call.number("comment_id"))
    content = call.body.text("content")
    if content not in conversations.REACTIONS:
        raise invalid_field("Reaction", "content")
    reaction, is_new = conversations.react(call.records, comment, call.caller.user, content)
    return Answer(reaction_document(call.site, reaction), 201 if is_new else 200)
