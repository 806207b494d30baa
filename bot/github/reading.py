"""Branches, files and folders, and who proposes to change them: read exactly or not at all."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from github.Repository import Repository

from bot.core.errors import ServiceError
from bot.core.host import Node, Proposal
from bot.github import answers, files, folders, proposals, trees
from bot.github.errors import NotFound, understood
from bot.github.session import Session
from bot.github.trees import Listing

PROPOSAL_PAGES = 10

T = TypeVar("T")


def read_files(
    session: Session, places: Mapping[str, Repository], sha: str, paths: Sequence[str]
) -> dict[str, bytes | None]:
    """Return each file's exact bytes at a commit of one of the `places` (by `owner/name`), None for no file.

    A request for each hundred files, and one for each file whose text GraphQL cannot give exactly.
    Raises NotFound when no place knows the commit.
    """
    found: dict[str, bytes | None] = {}
    for at in range(0, len(paths), files.FILES_PER_QUERY):
        found |= _some(session, places, sha, paths[at : at + files.FILES_PER_QUERY])
    return found


def _some(
    session: Session, places: Mapping[str, Repository], sha: str, paths: Sequence[str]
) -> dict[str, bytes | None]:
    names = tuple(places)
    asked = files.question(names, sha, paths)
    found = _ask(session, asked, lambda data: files.answer(data, sha, paths))
    if found is None:
        raise NotFound(f"there is no commit `{sha[:40]}` in {' or '.join(names)}")
    place, contents = found
    repository = places[names[place]]
    return {path: _exact(repository, path, it) for path, it in contents.items()}


def read_blobs(session: Session, repository: Repository, name: str, ids: Sequence[str]) -> dict[str, bytes]:
    """Return the exact bytes of files of the repository `name` by their ids; what is no file is left out.

    A request for each hundred, and one for each file whose text GraphQL cannot give exactly.
    """
    found: dict[str, bytes] = {}
    for at in range(0, len(ids), files.FILES_PER_QUERY):
        some = ids[at : at + files.FILES_PER_QUERY]
        asked = files.blobs_question(name, some)
        shown = _ask(session, asked, partial(files.blobs_answer, ids=some))
        found |= {oid: _exact(repository, oid, it) or b"" for oid, it in shown.items()}
    return found


def list_proposals(session: Session, name: str, base: str, paths: Sequence[str]) -> tuple[Proposal, ...]:
    """Return the newest thousand open pull requests of the repository `name` onto `base`."""
    found: list[Proposal] = []
    after = None
    for _ in range(PROPOSAL_PAGES):
        asked = proposals.question(name, base, paths, after)
        page, after = _ask(session, asked, lambda data: proposals.answer(data, paths))
        found += page
        if after is None:
            break
    return tuple(found)


def list_touching(
    session: Session, name: str, numbers: Sequence[int], paths: Sequence[str]
) -> frozenset[int]:
    """Return which pull requests of the repository `name` change one of `paths`; one request."""
    asked = proposals.changes_question(name, numbers)
    return _ask(session, asked, lambda data: proposals.touching(data, numbers, paths))


def _ask(session: Session, asked: files.Question, read: Callable[[Mapping[str, Any]], T]) -> T:
    _, document = session.graphql_query(asked.text, dict(asked.variables))
    with understood("files and pull requests"):
        return read(document["data"])


@understood("a file")
def _exact(repository: Repository, path: str, found: bytes | files.Unproven | None) -> bytes | None:
    if not isinstance(found, files.Unproven):
        return found
    data = files.proved(repository.get_git_blob(found.oid).raw_data, found.oid)
    if data is None:
        raise ServiceError("GitHub's bytes do not have the hash that GitHub names for them", path=path)
    return data


def list_tree(
    session: Session, repository: Repository, name: str, tree: str, paths: Sequence[str]
) -> Listing:
    """Return everything that stands in the folders on the way to `paths`, in a tree of the repository `name`.

    A request for each fifty folders, and one for each folder whose list does not hash to the folder's id.
    The recursive list would take one request, and a megabyte of answer in a large repository.
    """
    wanted = ("", *trees.folders(paths))
    shown: dict[str, dict[str, Node]] = {}
    for at in range(0, len(wanted), folders.FOLDERS_PER_QUERY):
        some = wanted[at : at + folders.FOLDERS_PER_QUERY]
        asked = folders.question(name, tree, some)
        shown |= _ask(session, asked, partial(folders.answer, folders=some))
    found = {"": Node(trees.FOLDER, tree)}
    for folder in wanted:
        if folder in found and found[folder].mode == trees.FOLDER:
            inside = _proved(repository, folder, found[folder].sha, shown.get(folder, {}))
            found |= {f"{folder}/{name}".lstrip("/"): node for name, node in inside.items()}
    return found


def list_folder(
    session: Session, repository: Repository, name: str, tree: str, folder: str
) -> tuple[str, ...]:
    """Return the paths of all files below a folder, sorted; none where there is no such folder.

    Raises ServiceError where GitHub lists only a part of them.
    """
    inside = list_tree(session, repository, name, tree, [folder]).get(folder)
    if inside is None or inside.mode != trees.FOLDER:
        return ()
    found = repository.get_git_tree(inside.sha, recursive=True)
    if found.raw_data.get("truncated"):
        raise ServiceError("GitHub lists only a part of the files", path=folder)
    return tuple(sorted(f"{folder}/{it.path}" for it in found.tree if it.type == "blob"))


@understood("a folder")
def _proved(repository: Repository, folder: str, sha: str, shown: dict[str, Node]) -> dict[str, Node]:
    """Return what stands in a folder: as it was shown, or read alone where that is not all of it."""
    if trees.tree_sha(shown) == sha:
        return shown
    inside = {it.path: Node(it.mode, it.sha) for it in repository.get_git_tree(sha).tree}
    if trees.tree_sha(inside) != sha:
        raise ServiceError("GitHub's list of this folder does not have the folder's hash", path=folder or "/")
    return inside


@understood("a branch")
def branch_sha(repository: Repository, branch: str) -> str | None:
    """Return the sha of a branch's head, or None if there is no such branch."""
    ref = f"heads/{branch}"
    try:
        found = repository.get_git_ref(ref).complete()
    except NotFound:
        return None
    return answers.sha(found.object.raw_data) if found.ref.removeprefix("refs/") == ref else None
