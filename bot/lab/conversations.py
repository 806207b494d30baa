"""Issues and pull requests: opening, editing, labels, comments, reactions."""

from collections.abc import Iterable
from itertools import count
from typing import Literal

from bot.lab import branches
from bot.lab.answers import custom_error, invalid_field, not_found, unprocessable, validation_failed
from bot.lab.git import Signature
from bot.lab.model import App, Comment, CommentEvent, Issue, Label, PullRequest, Reaction, Repository, User
from bot.lab.records import Records

LONGEST_BODY = 65_536
"""Characters that a body may have."""

REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
"""What a reaction may be."""


def open_issue(records: Records, repository: Repository, author: User, title: str, body: str | None) -> Issue:
    """Open an issue under the next number."""
    _check_length(body, "Issue")
    number = next(number for number in count(1) if number not in repository.issues)
    issue = Issue(records.new_id(), number, author, title, body, records.now(), records.now())
    repository.issues[number] = issue
    return issue


def open_pull_request(
    records: Records,
    repository: Repository,
    *,
    author: User,
    head: str,
    base: str,
    title: str,
    body: str | None,
    draft: bool = False,
    maintainer_can_modify: bool = True,
) -> Issue:
    """Open a pull request; 422 with GitHub's reason if there is one already or nothing to merge."""
    head_repository, head_branch = _head(records, repository, head)
    head_sha, base_sha = head_repository.branch(head_branch), repository.branch(base)
    if head_sha is None:
        raise invalid_field("PullRequest", "head")
    if base_sha is None:
        raise invalid_field("PullRequest", "base")
    _refuse_twin(repository, head_repository, head_branch, base)
    if repository.git.merge_base(base_sha, head_sha) is None:
        raise custom_error("PullRequest", f"The {head_branch} branch has no history in common with {base}")
    if repository.git.is_ancestor(head_sha, base_sha):
        raise custom_error("PullRequest", f"No commits between {base} and {head_branch}")
    issue = open_issue(records, repository, author, title, body)
    issue.pull = PullRequest(
        id=records.new_id(),
        head_repository=head_repository,
        head_branch=head_branch,
        base_branch=base,
        base_sha=base_sha,
        heads=[head_sha],
        draft=draft,
        maintainer_can_modify=maintainer_can_modify and head_repository is not repository,
    )
    repository.git.set_ref(repository.ref(f"refs/pull/{issue.number}/head"), head_sha)
    return issue


def _head(records: Records, repository: Repository, head: str) -> tuple[Repository, str]:
    owner, colon, branch = head.partition(":")
    if not colon:
        return repository, head
    for candidate in records.repositories.values():
        if candidate.git is repository.git and candidate.owner.login.lower() == owner.lower():
            return candidate, branch
    raise invalid_field("PullRequest", "head")


def _refuse_twin(repository: Repository, head: Repository, branch: str, base: str) -> None:
    for issue in repository.issues.values():
        pull = issue.pull
        if pull is None or issue.state == "closed":
            continue
        if (pull.head_repository, pull.head_branch, pull.base_branch) == (head, branch, base):
            message = f"A pull request already exists for {head.owner.login}:{branch}."
            raise custom_error("PullRequest", message)


def set_state(
    records: Records, repository: Repository, issue: Issue, state: Literal["open", "closed"]
) -> None:
    """Close or reopen; a pull request comes back only while its branch is there and no other has it."""
    if state == issue.state:
        return
    if state == "open" and issue.pull:
        pull = issue.pull
        if pull.merged_at or pull.head_repository.branch(pull.head_branch) is None:
            raise custom_error("PullRequest", "state cannot be changed.")
        _refuse_twin(repository, pull.head_repository, pull.head_branch, pull.base_branch)
    issue.state = state
    issue.closed_at = records.now() if state == "closed" else None
    issue.updated_at = records.now()


def merge(records: Records, repository: Repository, issue: Issue, by: User) -> str:
    """Merge a pull request with a merge commit; 422 if the two sides conflict."""
    pull = issue.pull
    if pull is None or issue.state == "closed":
        raise not_found()
    base_sha = repository.branch(pull.base_branch)
    if base_sha is None:
        raise not_found()
    tree = repository.git.merged_tree(base_sha, pull.head_sha)
    if tree is None:
        raise unprocessable("Merge conflict")
    signature = Signature(by.login, by.email, records.now())
    message = f"Merge pull request #{issue.number}"
    sha = repository.git.write_commit(tree, [base_sha, pull.head_sha], message, signature, signature)
    branches.move(records, repository, pull.base_branch, sha, by, force=False)
    pull.merged_at, pull.merged_by, pull.merge_commit_sha = records.now(), by, sha
    set_state(records, repository, issue, "closed")
    return sha


def edit_body(records: Records, issue: Issue, body: str | None) -> None:
    """Replace the text of an issue or pull request."""
    _check_length(body, "Issue")
    issue.body = body
    issue.updated_at = records.now()


def comment(
    records: Records,
    repository: Repository,
    issue: Issue,
    body: str,
    *,
    author: User,
    app: App | None = None,
) -> Comment:
    """Write a comment and tell whoever listens."""
    _check_comment(body)
    made = Comment(records.new_id(), author, body, records.now(), records.now(), app)
    issue.comments.append(made)
    issue.updated_at = records.now()
    _tell(records, CommentEvent("created", repository, issue, made, author))
    return made


def edit_comment(
    records: Records, repository: Repository, comment_id: int, body: str, *, by: User
) -> Comment:
    """Replace the text of a comment and tell whoever listens."""
    _check_comment(body)
    issue, found = find_comment(repository, comment_id)
    found.body, found.updated_at = body, records.now()
    _tell(records, CommentEvent("edited", repository, issue, found, by))
    return found


def find_comment(repository: Repository, comment_id: int) -> tuple[Issue, Comment]:
    """Return a comment and where it stands; 404 if there is none."""
    for issue in repository.issues.values():
        for candidate in issue.comments:
            if candidate.id == comment_id:
                return issue, candidate
    raise not_found()


def react(records: Records, target: Comment, user: User, content: str) -> tuple[Reaction, bool]:
    """Add a reaction; a second one of the same person is the first one. Returns it and whether it is new."""
    if content not in REACTIONS:
        raise invalid_field("Reaction", "content")
    for reaction in target.reactions:
        if reaction.user is user and reaction.content == content:
            return reaction, False
    reaction = Reaction(records.new_id(), user, content, records.now())
    target.reactions.append(reaction)
    return reaction, True


def make_label(records: Records, repository: Repository, name: str, description: str | None = None) -> Label:
    """Return a label of the repository, made if there is none; names are compared without case."""
    return repository.labels.setdefault(name.lower(), Label(records.new_id(), name, description=description))


def add_labels(records: Records, repository: Repository, issue: Issue, names: Iterable[str]) -> None:
    """Add labels; unknown ones are created, those that are there stay."""
    for name in names:
        label = make_label(records, repository, name)
        if label not in issue.labels:
            issue.labels.append(label)
            issue.updated_at = records.now()


def _tell(records: Records, event: CommentEvent) -> None:
    for listener in list(records.listeners):
        listener(event)


def _check_comment(body: str) -> None:
    if not body.strip():
        message = "Body cannot be blank"
        raise validation_failed(
            {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": message}
        )
    _check_length(body, "IssueComment")


def _check_length(body: str | None, resource: str) -> None:
    if body and len(body) > LONGEST_BODY:
        message = f"body is too long (maximum is {LONGEST_BODY} characters)"
        raise validation_failed({"resource": resource, "code": "custom", "field": "body", "message": message})
