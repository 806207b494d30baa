"""A repository, its branches, files and collaborators."""

from bot.lab import branches
from bot.lab.answers import ApiError, conflict, not_found, unprocessable
from bot.lab.call import Answer, Call
from bot.lab.documents.git_data import (
    commit_document,
    comparison_document,
    content_document,
    full_commit_document,
)
from bot.lab.documents.people import user_document
from bot.lab.documents.repository import branch_document, full_repository
from bot.lab.model import PERMISSION_OF_ROLE, Repository
from bot.lab.routes.access import METADATA, READ_CONTENTS, READ_PERMISSIONS, WRITE_CONTENTS

_MOST_COMMITS = 250


def get_repository(call: Call) -> Answer:
    return Answer(full_repository(call.site, call.repository(METADATA), call.caller.user))


def get_branch(call: Call) -> Answer:
    repository, branch = call.repository(READ_CONTENTS), call.path["branch"]
    sha = repository.branch(branch)
    if sha is None:
        raise ApiError(404, "Branch not found")
    return Answer(branch_document(call.site, repository, branch, sha))


def list_branches(call: Call) -> Answer:
    repository = call.repository(READ_CONTENTS)
    prefix = repository.ref("refs/heads/")
    found = [(name.removeprefix(prefix), sha) for name, sha in repository.git.refs(prefix).items()]
    url = f"{call.site.api}/repos/{repository.full_name}/commits"
    return call.page(
        found,
        lambda item: {
            "name": item[0],
            "commit": {"sha": item[1], "url": f"{url}/{item[1]}"},
            "protected": False,
        },
    )


def get_commit(call: Call) -> Answer:
    repository = call.repository(READ_CONTENTS)
    return Answer(full_commit_document(call.site, repository, commit_of(repository, call.path["ref"])))


def list_commits(call: Call) -> Answer:
    repository = call.repository(READ_CONTENTS)
    start = revision(repository, call.query.get("sha") or repository.default_branch)
    if start is None:
        raise conflict("Git Repository is empty.") if is_empty(repository) else not_found()
    path = call.query.get("path")
    found = repository.git.commits(start, *(("--", path) if path else ()))
    return call.page(reversed(found), lambda sha: commit_document(call.site, repository, sha))


def compare(call: Call) -> Answer:
    """Compare two commits; a side may be `owner:branch` of a fork."""
    repository = call.repository(READ_CONTENTS)
    left, dots, right = call.path["basehead"].partition("...")
    if not dots:
        raise not_found()
    base, head = _side(call, repository, left), _side(call, repository, right)
    if repository.git.merge_base(base, head) is None:
        raise ApiError(404, f"No common ancestor between {left} and {right}.")
    ahead = repository.git.commits(head, f"^{base}")
    is_paged = "page" in call.query or "per_page" in call.query
    shown, headers = call.cut(ahead) if is_paged else (ahead[-_MOST_COMMITS:], {})
    document = comparison_document(call.site, repository, base, head, shown=shown, total=len(ahead))
    return Answer(document, headers=headers)


def get_contents(call: Call) -> Answer:
    repository = call.repository(READ_CONTENTS)
    name = call.query.get("ref") or repository.default_branch
    sha = revision(repository, name)
    if sha is None:
        if is_empty(repository):
            raise ApiError(404, "This repository is empty.")
        raise ApiError(404, f"No commit found for the ref {name}")
    path = call.path.get("path", "").strip("/")
    git = repository.git
    if not path or git.kind(f"{sha}:{path}") == "tree":
        entries = git.tree(f"{sha}:{path}" if path else sha)
        names = [(f"{path}/{entry.path}" if path else entry.path, entry) for entry in entries]
        return Answer(
            [content_document(call.site, repository, entry, at, revision=name) for at, entry in names]
        )
    folder, _, leaf = path.rpartition("/")
    if git.kind(f"{sha}:{path}") is None:
        raise not_found()
    entry = next(entry for entry in git.tree(f"{sha}:{folder}") if entry.path == leaf)
    content = git.read_blob(entry.sha)
    return Answer(content_document(call.site, repository, entry, path, revision=name, content=content))


def merge_upstream(call: Call) -> Answer:
    fork = call.repository(WRITE_CONTENTS)
    branch = call.body.text("branch")
    if fork.parent is None:
        raise unprocessable("Repository is not a fork")
    message, kind = branches.follow_parent(call.records, fork, branch, call.caller.user)
    base = f"{fork.parent.owner.login}:{branch}"
    return Answer({"message": message, "merge_type": kind, "base_branch": base})


def get_permission(call: Call) -> Answer:
    repository = call.repository(READ_PERMISSIONS)
    login = call.path["username"]
    user = call.records.users.get(login.lower())
    if user is None:
        raise ApiError(404, f"{login} is not a user")
    role = call.records.role(repository, user)
    permission = PERMISSION_OF_ROLE[repository.base_of_custom_roles.get(role, role)]
    levels = {"pull": "read", "triage": "triage", "push": "write", "maintain": "maintain", "admin": "admin"}
    may = {name: call.records.has_role(repository, user, level) for name, level in levels.items()}
    person = user_document(call.site, user) | {"permissions": may, "role_name": role}
    return Answer({"permission": permission, "role_name": role, "user": person})


def revision(repository: Repository, name: str) -> str | None:
    """Return the commit that a branch, a ref or a sha (also shortened) names."""
    for prefix in ("refs/heads/", "refs/", ""):
        sha = repository.git.ref(repository.ref(prefix + name))
        if sha:
            return sha
    is_sha = len(name) >= 7 and set(name) <= set("0123456789abcdef")  # noqa: PLR2004 - git's own shortest
    return repository.git.resolve(f"{name}^{{commit}}") if is_sha else None


def commit_of(repository: Repository, name: str) -> str:
    """Return the commit that `name` means; 422 if there is none, as for `GET commits/{ref}`."""
    sha = revision(repository, name)
    if sha is None:
        if is_empty(repository):
            raise conflict("Git Repository is empty.")
        raise unprocessable(f"No commit found for SHA: {name}")
    return sha


def is_empty(repository: Repository) -> bool:
    """Whether no branch was ever pushed."""
    return not repository.git.refs(repository.ref("refs/heads/"))


def _side(call: Call, repository: Repository, name: str) -> str:
    owner, colon, branch = name.partition(":")
    if colon:
        for candidate in call.records.repositories.values():
            if candidate.git is repository.git and candidate.owner.login.lower() == owner.lower():
                sha = revision(candidate, branch)
                if sha:
                    return sha
        raise not_found()
    sha = revision(repository, name)
    if sha is None:
        raise not_found()
    return sha
