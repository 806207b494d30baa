"""The Git database: refs, blobs, trees and commits, without a clone."""

import re
from base64 import b64decode
from binascii import Error as BadBase64
from datetime import datetime

from bot.lab import branches
from bot.lab.answers import ApiError, conflict, invalid_field, not_found, unprocessable
from bot.lab.bodies import Body
from bot.lab.call import Answer, Call
from bot.lab.documents.git_data import blob_document, git_commit_document, tree_document
from bot.lab.documents.repository import ref_document
from bot.lab.git import Git, Signature
from bot.lab.model import Repository
from bot.lab.routes.access import READ_CONTENTS, WRITE_CONTENTS
from bot.lab.routes.repositories import is_empty, revision

_SHA = re.compile(r"[0-9a-f]{40}")
_MODES = ("100644", "100755", "040000", "160000", "120000")


def get_ref(call: Call) -> Answer:
    repository, name = _filled(call), f"refs/{call.path['ref']}"
    sha = repository.git.ref(repository.ref(name))
    if sha is None:
        raise not_found()
    return Answer(ref_document(call.site, repository, name, sha))


def list_matching_refs(call: Call) -> Answer:
    repository = _filled(call)
    found = repository.git.refs(repository.ref(f"refs/{call.path['ref']}"))
    prefix = repository.ref("")
    return call.page(
        found.items(),
        lambda item: ref_document(call.site, repository, f"refs/{item[0].removeprefix(prefix)}", item[1]),
    )


def create_ref(call: Call) -> Answer:
    repository = _filled(call, write=True)
    name, sha = call.body.text("ref"), _sha(call.body, "sha")
    branch = name.removeprefix("refs/heads/")
    if branch == name or not branch:
        raise unprocessable("Reference name is not valid")
    branches.create(call.records, repository, branch, sha, call.caller.user)
    return Answer(ref_document(call.site, repository, name, sha), 201)


def update_ref(call: Call) -> Answer:
    repository = _filled(call, write=True)
    sha, force = _sha(call.body, "sha"), call.body.flag("force")
    name = f"refs/{call.path['ref']}"
    branch = name.removeprefix("refs/heads/")
    branches.move(call.records, repository, branch, sha, call.caller.user, force=force)
    return Answer(ref_document(call.site, repository, name, sha))


def delete_ref(call: Call) -> Answer:
    repository = _filled(call, write=True)
    branch = call.path["ref"].removeprefix("heads/")
    branches.delete(call.records, repository, branch, call.caller.user)
    return Answer(None, 204)


def get_blob(call: Call) -> Answer:
    repository, sha = _filled(call), call.path["file_sha"]
    if not _SHA.fullmatch(sha) or repository.git.kind(sha) != "blob":
        raise not_found()
    return Answer(blob_document(call.site, repository, sha, repository.git.read_blob(sha)))


def create_blob(call: Call) -> Answer:
    repository = _filled(call, write=True)
    text = call.body.text("content")
    encoding = call.body.choice("encoding", ("utf-8", "base64")) or "utf-8"
    try:
        content = b64decode(text) if encoding == "base64" else text.encode()
    except BadBase64 as error:
        raise unprocessable("content is not valid Base64") from error
    sha = repository.git.write_blob(content)
    return Answer({"sha": sha, "url": f"{call.url}/{sha}"}, 201)


def get_tree(call: Call) -> Answer:
    """Return a tree, named by its sha, a commit's or a branch."""
    repository, name = _filled(call), call.path["tree_sha"]
    sha = _tree(repository.git, revision(repository, name) or name)
    if sha is None:
        raise not_found()
    entries = repository.git.tree(sha, recursive="recursive" in call.query)
    return Answer(tree_document(call.site, repository, sha, entries))


def create_tree(call: Call) -> Answer:
    repository = _filled(call, write=True)
    base = call.body.optional_text("base_tree")
    base_tree = _tree(repository.git, base) if base else None
    if base and base_tree is None:
        raise unprocessable("base_tree is not a valid tree oid")
    entries = [_entry(repository.git, entry) for entry in call.body.bodies("tree")]
    if not entries:
        raise unprocessable("Invalid tree info")
    sha = repository.git.write_tree(base_tree, entries)
    return Answer(tree_document(call.site, repository, sha, repository.git.tree(sha)), 201)


def get_git_commit(call: Call) -> Answer:
    repository, sha = _filled(call), call.path["commit_sha"]
    if not _SHA.fullmatch(sha) or repository.git.kind(sha) != "commit":
        raise not_found()
    return Answer(git_commit_document(call.site, repository, sha))


def create_commit(call: Call) -> Answer:
    """Create a commit; without author and committer an App's commit is signed by GitHub itself."""
    repository = _filled(call, write=True)
    git, body = repository.git, call.body
    message, tree, parents = body.text("message"), body.text("tree"), body.texts("parents")
    if git.kind(tree) != "tree":
        raise unprocessable("Tree SHA does not exist")
    if any(git.kind(parent) != "commit" for parent in parents):
        raise unprocessable("Parent SHA does not exist or is not a commit object")
    user = call.caller.user
    default = Signature(user.login, user.email, call.records.now())
    author = _person(body, "author", default)
    is_signed = user.kind == "Bot" and "author" not in body and "committer" not in body
    web = Signature("GitHub", "noreply@github.com", default.at)
    committer = web if is_signed else _person(body, "committer", author)
    sha = git.write_commit(tree, parents, message, author, committer)
    if is_signed:
        call.records.signed.add(sha)
    return Answer(git_commit_document(call.site, repository, sha), 201)


def _filled(call: Call, *, write: bool = False) -> Repository:
    repository = call.repository(WRITE_CONTENTS if write else READ_CONTENTS)
    if is_empty(repository):
        raise conflict("Git Repository is empty.")
    return repository


def _sha(body: Body, name: str) -> str:
    sha = body.text(name)
    if not _SHA.fullmatch(sha):
        raise unprocessable(f"The {name} parameter must be exactly 40 characters and contain only [0-9a-f].")
    return sha


def _tree(git: Git, sha: str) -> str | None:
    return git.resolve(f"{sha}^{{tree}}")


def _entry(git: Git, entry: Body) -> tuple[str, str, str | None]:
    path, mode = entry.optional_text("path"), entry.choice("mode", _MODES)
    if not path or mode is None:
        raise unprocessable("tree.path or tree.mode is missing")
    if any(part in {"", ".", "..", ".git"} for part in path.split("/")):
        raise unprocessable("tree.path contains a malformed path component")
    if "content" in entry and "sha" in entry:
        raise unprocessable("Must supply either tree.sha or tree.content, not both")
    if "content" in entry:
        return path, mode, git.write_blob(entry.text("content").encode())
    sha = entry.optional_text("sha")
    wanted = {"040000": "tree", "160000": "commit"}.get(mode, "blob")
    if sha and git.kind(sha) != wanted:
        raise unprocessable(f"tree.sha {sha} is not a valid {wanted}")
    if sha is None and not entry.is_null("sha"):
        raise unprocessable("Must supply tree.sha or tree.content")
    return path, mode, sha


def _person(body: Body, name: str, default: Signature) -> Signature:
    person = body.inner(name)
    if person is None:
        return default
    for key in ("name", "email"):
        if person.optional_text(key) is None:
            raise invalid_field("Commit", f"{name}.{key}", "missing_field")
    text = person.optional_text("date")
    try:
        at = datetime.fromisoformat(text) if text else default.at
    except ValueError as error:
        raise ApiError(422, "Invalid date") from error
    return Signature(person.text("name"), person.text("email"), at)
