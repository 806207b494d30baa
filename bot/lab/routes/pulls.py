"""Pull requests: list, open, read, edit, and what they change."""

from bot.lab import conversations
from bot.lab.answers import invalid_field, not_found
from bot.lab.call import Answer, Call
from bot.lab.documents.git_data import commit_document, file_document
from bot.lab.documents.pulls import full_pull_document, pull_document
from bot.lab.model import Issue, PullRequest, Repository
from bot.lab.routes.access import READ_PULLS, WRITE_PULLS


def list_pulls(call: Call) -> Answer:
    """List pull requests, the newest first; `head` without an owner filters nothing, as GitHub has it."""
    repository = call.repository(READ_PULLS)
    state = call.query.get("state", "open")
    head, base = call.query.get("head", ""), call.query.get("base")
    found = [
        (issue, issue.pull)
        for issue in reversed(repository.issues.values())
        if issue.pull
        and state in {issue.state, "all"}
        and (":" not in head or _label(issue.pull).lower() == head.lower())
        and base in {None, "", issue.pull.base_branch}
    ]
    if call.query.get("direction") == "asc":
        found.reverse()
    return call.page(found, lambda item: pull_document(call.site, repository, *item))


def _label(pull: PullRequest) -> str:
    return f"{pull.head_repository.owner.login}:{pull.head_branch}"


def create_pull(call: Call) -> Answer:
    repository = call.repository(WRITE_PULLS)
    body = call.body
    head, base = body.text("head"), body.text("base")
    if not body.optional_text("title"):
        raise invalid_field("PullRequest", "title", "missing_field")
    issue = conversations.open_pull_request(
        call.records,
        repository,
        author=call.caller.user,
        head=head,
        base=base,
        title=body.text("title"),
        body=body.optional_text("body"),
        draft=body.flag("draft"),
        maintainer_can_modify=body.flag("maintainer_can_modify", default=True),
    )
    return Answer(_full(call, repository, issue), 201)


def get_pull(call: Call) -> Answer:
    repository = call.repository(READ_PULLS)
    return Answer(_full(call, repository, call.pull(repository)))


def edit_pull(call: Call) -> Answer:
    repository = call.repository(WRITE_PULLS)
    issue = call.pull(repository)
    if call.caller.user is not issue.author and not call.has_role(repository, "write"):
        raise not_found()
    body = call.body
    title, state = body.optional_text("title"), body.choice("state", ("open", "closed"))
    if "body" in body:
        conversations.edit_body(call.records, issue, body.optional_text("body"))
    if title:
        issue.title = title
    if state == "open":
        conversations.set_state(call.records, repository, issue, "open")
    elif state == "closed":
        conversations.set_state(call.records, repository, issue, "closed")
    return Answer(_full(call, repository, issue))


def list_files(call: Call) -> Answer:
    repository = call.repository(READ_PULLS)
    pull, base = _sides(call, repository)
    changes = repository.git.diff(repository.git.merge_base(base, pull.head_sha) or base, pull.head_sha)
    return call.page(changes, lambda change: file_document(call.site, repository, change, pull.head_sha))


def list_commits(call: Call) -> Answer:
    repository = call.repository(READ_PULLS)
    pull, base = _sides(call, repository)
    shas = repository.git.commits(pull.head_sha, f"^{base}")
    return call.page(shas, lambda sha: commit_document(call.site, repository, sha))


def _full(call: Call, repository: Repository, issue: Issue) -> object:
    if issue.pull is None:
        raise not_found()
    return full_pull_document(call.site, repository, issue, issue.pull)


def _sides(call: Call, repository: Repository) -> tuple[PullRequest, str]:
    issue = call.pull(repository)
    if issue.pull is None:
        raise not_found()
    live = repository.branch(issue.pull.base_branch) if issue.state == "open" else None
    return issue.pull, live or issue.pull.base_sha
