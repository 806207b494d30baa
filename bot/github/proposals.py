"""Open pull requests of a base branch, and what they change, as questions to GraphQL and its answers.

A question names files at each head by their ids alone: a diff of each would take GitHub longer than the
ten seconds that it gives a query. Source: https://docs.github.com/graphql/reference/objects#pullrequest
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.core.host import Proposal
from bot.github.files import Question

PAGE = 100

_LIST = """query($owner: String!, $name: String!, $base: String!, $after: String{declared}) {{
  repository(owner: $owner, name: $name) {{
    pullRequests(
      states: OPEN, baseRefName: $base, first: {page}, after: $after
      orderBy: {{ field: CREATED_AT, direction: DESC }}
    ) {{
      pageInfo {{ hasNextPage endCursor }}
      nodes {{ ...proposal }}
    }}
  }}
}}
fragment proposal on PullRequest {{
  number url title author {{ login }} headRefName headRefOid headRepository {{ nameWithOwner }}
  commits(last: 1) {{ nodes {{ commit {{ oid {files} }} }} }}
}}
"""
_FILE = "f{f}: file(path: $f{f}) {{ oid type }}"

_CHANGES = """query($owner: String!, $name: String!, {declared}) {{
  repository(owner: $owner, name: $name) {{
{pulls}
  }}
}}
fragment changes on PullRequest {{
  files(first: 100) {{ nodes {{ path }} pageInfo {{ hasNextPage }} }}
}}
"""
_PULL = "    p{p}: pullRequest(number: $p{p}) {{ ...changes }}"


def question(repository: str, base: str, paths: Sequence[str], after: str | None) -> Question:
    """Ask for a page of the open pull requests onto `base`, newest first; `after` is where a page ended."""
    owner, _, name = repository.partition("/")
    variables = {"owner": owner, "name": name, "base": base}
    variables |= {f"f{f}": path for f, path in enumerate(paths)}
    variables |= {"after": after} if after else {}
    declared = "".join(f", $f{f}: String!" for f in range(len(paths)))
    files = " ".join(_FILE.format(f=f) for f in range(len(paths)))
    return Question(_LIST.format(declared=declared, page=PAGE, files=files), variables)


def answer(data: Mapping[str, Any], paths: Sequence[str]) -> tuple[tuple[Proposal, ...], str | None]:
    """Read the answer's `data`: the pull requests, and where the next page begins, None on the last one."""
    found = data["repository"]["pullRequests"]
    page = found["pageInfo"]
    # What these credentials may not see is listed as null.
    pulls = tuple(_proposal(node, paths) for node in found["nodes"] if node)
    return pulls, page["endCursor"] if page["hasNextPage"] else None


def _proposal(node: Mapping[str, Any], paths: Sequence[str]) -> Proposal:
    # Accounts and forks that are gone are null.
    author, repository = node["author"] or {"login": "ghost"}, node["headRepository"]
    newest: Mapping[str, Any] = next((it["commit"] for it in node["commits"]["nodes"]), {})
    return Proposal(
        number=node["number"],
        url=node["url"],
        title=node["title"],
        author=author["login"],
        head_branch=node["headRefName"],
        head_sha=node["headRefOid"],
        head_repository=repository["nameWithOwner"] if repository else None,
        files={path: _blob(newest.get(f"f{f}")) for f, path in enumerate(paths)},
    )


def _blob(entry: Mapping[str, Any] | None) -> str | None:
    return entry["oid"] if entry and entry["type"] == "blob" else None


def changes_question(repository: str, numbers: Sequence[int]) -> Question:
    """Ask which files each of the pull requests changes."""
    owner, _, name = repository.partition("/")
    variables: dict[str, str | int] = {"owner": owner, "name": name}
    variables |= {f"p{p}": number for p, number in enumerate(numbers)}
    declared = ", ".join(f"$p{p}: Int!" for p in range(len(numbers)))
    pulls = "\n".join(_PULL.format(p=p) for p in range(len(numbers)))
    return Question(_CHANGES.format(declared=declared, pulls=pulls), variables)


def touching(data: Mapping[str, Any], numbers: Sequence[int], paths: Sequence[str]) -> frozenset[int]:
    """Read the answer's `data`: which pull requests change one of `paths`, or more files than are listed."""
    return frozenset(_touching(data["repository"], numbers, frozenset(paths)))


def _touching(found: Mapping[str, Any], numbers: Sequence[int], paths: frozenset[str]) -> Iterator[int]:
    for p, number in enumerate(numbers):
        files = (found[f"p{p}"] or {}).get("files")
        if files and (files["pageInfo"]["hasNextPage"] or any(it["path"] in paths for it in files["nodes"])):
            yield number
