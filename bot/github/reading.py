"""Files and folders of a commit, read exactly or not at all."""

from collections.abc import Mapping, Sequence

from github.Repository import Repository

from bot.core.errors import ServiceError
from bot.github import files, trees
from bot.github.errors import NotFound
from bot.github.session import Session


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
    _, document = session.graphql_query(asked.text, dict(asked.variables))
    found = files.answer(document["data"], sha, paths)
    if found is None:
        raise NotFound(f"there is no commit `{sha[:40]}` in {' or '.join(names)}")
    place, contents = found
    repository = places[names[place]]
    return {path: _exact(repository, path, it) for path, it in contents.items()}


def _exact(repository: Repository, path: str, found: bytes | files.Unproven | None) -> bytes | None:
    if not isinstance(found, files.Unproven):
        return found
    data = files.proved(repository.get_git_blob(found.oid).raw_data, found.oid)
    if data is None:
        raise ServiceError("GitHub's bytes do not have the hash that GitHub names for them", path=path)
    return data


def list_tree(repository: Repository, tree: str, paths: Sequence[str]) -> trees.Listing:
    """Return everything that stands in the folders on the way to `paths`, with a request for each folder.

    The recursive list would take one request, and a megabyte of answer in a large repository.
    """
    found = _folder(repository, tree, "")
    for folder in trees.folders(paths):
        if folder in found:
            found |= _folder(repository, found[folder].sha, f"{folder}/")
    return found


def list_folder(repository: Repository, tree: str, folder: str) -> tuple[str, ...]:
    """Return the paths of all files below a folder, sorted; none where there is no such folder.

    Raises ServiceError where GitHub lists only a part of them.
    """
    inside = list_tree(repository, tree, [f"{folder}/"]).get(folder)
    if inside is None:
        return ()
    found = repository.get_git_tree(inside.sha, recursive=True)
    if found.raw_data.get("truncated"):
        raise ServiceError("GitHub lists only a part of the files", path=folder)
    return tuple(sorted(f"{folder}/{it.path}" for it in found.tree if it.type == "blob"))


def _folder(repository: Repository, tree: str, prefix: str) -> dict[str, trees.Node]:
    inside = repository.get_git_tree(tree).tree
    return {f"{prefix}{it.path}": trees.Node(it.mode, it.sha) for it in inside}
