"""Cuts GitHub's published descriptions down to what the bot's requests touch: `data/` is its output.

    npm pack @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
    for f in octokit-*.tgz; do mkdir -p "${f%.tgz}" && tar xzf "$f" -C "${f%.tgz}"; done
    python -P tests/judges/trim_spec.py octokit-openapi-23.0.2/package octokit-graphql-schema-15.26.1/package

Both packages are MIT licensed; the line that says so stays in the output.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

from graphql import (
    GraphQLNamedType,
    GraphQLSchema,
    build_schema,
    get_named_type,
    is_enum_type,
    is_input_object_type,
    is_interface_type,
    is_leaf_type,
    is_specified_scalar_type,
)

DATA = Path(__file__).parent / "data"

_REPOSITORY = "/repos/{owner}/{repo}"

OPERATIONS = """
    GET /app
    GET /app/installations
    GET /app/installations/{installation_id}
    POST /app/installations/{installation_id}/access_tokens
    GET /installation/repositories
    GET /orgs/{org}/teams/{team_slug}/memberships/{username}
    GET /rate_limit
    GET /search/issues
    GET /user
    GET /user/{account_id}
    GET /users/{username}
    GET .
    GET ./installation
    GET ./actions/artifacts/{artifact_id}
    GET ./actions/artifacts/{artifact_id}/{archive_format}
    GET ./actions/jobs/{job_id}
    GET ./actions/jobs/{job_id}/logs
    POST ./actions/jobs/{job_id}/rerun
    GET ./actions/runs
    GET ./actions/runs/{run_id}
    GET ./actions/runs/{run_id}/artifacts
    GET ./actions/runs/{run_id}/attempts/{attempt_number}/jobs
    POST ./actions/runs/{run_id}/cancel
    GET ./actions/runs/{run_id}/jobs
    POST ./actions/runs/{run_id}/rerun-failed-jobs
    GET ./actions/workflows/{workflow_id}/runs
    GET ./branches
    GET ./branches/{branch}
    GET ./check-runs/{check_run_id}
    POST ./check-runs
    PATCH ./check-runs/{check_run_id}
    GET ./collaborators/{username}/permission
    GET ./commits
    GET ./commits/{ref}
    GET ./commits/{ref}/check-runs
    GET ./commits/{ref}/check-suites
    GET ./commits/{ref}/status
    GET ./commits/{ref}/statuses
    GET ./compare/{basehead}
    GET ./contents/{path}
    POST ./forks
    GET ./git/blobs/{file_sha}
    POST ./git/blobs
    GET ./git/commits/{commit_sha}
    POST ./git/commits
    GET ./git/matching-refs/{ref}
    GET ./git/ref/{ref}
    POST ./git/refs
    PATCH ./git/refs/{ref}
    DELETE ./git/refs/{ref}
    GET ./git/trees/{tree_sha}
    POST ./git/trees
    GET ./issues
    POST ./issues
    GET ./issues/{issue_number}
    PATCH ./issues/{issue_number}
    GET ./issues/{issue_number}/comments
    POST ./issues/{issue_number}/comments
    GET ./issues/comments/{comment_id}
    GET ./issues/comments
    PATCH ./issues/comments/{comment_id}
    GET ./issues/comments/{comment_id}/reactions
    POST ./issues/comments/{comment_id}/reactions
    GET ./issues/{issue_number}/labels
    POST ./issues/{issue_number}/labels
    DELETE ./issues/{issue_number}/labels/{name}
    GET ./labels
    GET ./labels/{name}
    POST ./labels
    POST ./merge-upstream
    GET ./pulls
    POST ./pulls
    GET ./pulls/{pull_number}
    PATCH ./pulls/{pull_number}
    GET ./pulls/{pull_number}/commits
    GET ./pulls/{pull_number}/files
    POST ./statuses/{sha}
"""

GRAPHQL_TYPES = frozenset(
    {
        "Actor",
        "Blob",
        "Commit",
        "GitObject",
        "IssueOrder",
        "MarkPullRequestReadyForReviewInput",
        "MarkPullRequestReadyForReviewPayload",
        "Mutation",
        "PageInfo",
        "PullRequest",
        "PullRequestChangedFile",
        "PullRequestChangedFileConnection",
        "PullRequestCommit",
        "PullRequestCommitConnection",
        "PullRequestConnection",
        "Query",
        "RateLimit",
        "Ref",
        "Repository",
        "Tree",
        "TreeEntry",
    }
)

_PROSE = frozenset({"description", "example", "examples", "externalDocs", "summary", "tags", "x-github"})


def main(openapi: Path, graphql: Path) -> None:
    """Write both cut descriptions to `data/`."""
    whole = json.loads((openapi / "generated" / "api.github.com.json").read_text())
    text = json.dumps(trim_openapi(whole), separators=(",", ":"), sort_keys=True)
    (DATA / "github-openapi.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    # The published schema defines a field of a type that is not kept twice.
    schema = build_schema((graphql / "schema.graphql").read_text(), assume_valid_sdl=True)
    note = "# From @octokit/graphql-schema@15.26.1. Copyright (c) GitHub 2025 - Licensed as MIT.\n\n"
    (DATA / "github-schema.graphql").write_text(note + trim_graphql(schema))


def trim_openapi(whole: dict[str, Any]) -> dict[str, Any]:
    """Return the named operations and the components that they reach, without prose."""
    wanted = [line.split() for line in OPERATIONS.strip().splitlines()]
    paths: dict[str, Any] = {}
    for method, short in wanted:
        path = short.replace(".", _REPOSITORY, 1) if short.startswith(".") else short
        paths.setdefault(path, {})[method.lower()] = _without_prose(whole["paths"][path][method.lower()])
    components: dict[str, Any] = {}
    _reach(whole, paths, components)
    return {"openapi": whole["openapi"], "info": whole["info"], "paths": paths, "components": components}


def _reach(whole: dict[str, Any], node: Any, components: dict[str, Any]) -> None:
    if isinstance(node, list):
        for item in node:
            _reach(whole, item, components)
    elif isinstance(node, dict):
        reference = node.get("$ref")
        if isinstance(reference, str):
            _, _, kind, name = reference.split("/")
            if name not in components.setdefault(kind, {}):
                components[kind][name] = _without_prose(whole["components"][kind][name])
                _reach(whole, components[kind][name], components)
        for value in node.values():
            _reach(whole, value, components)


def _without_prose(node: Any, *, in_properties: bool = False) -> Any:
    if isinstance(node, list):
        return [_without_prose(item) for item in node]
    if not isinstance(node, dict):
        return node
    # Below `properties` the keys are names that GitHub chose, `description` among them.
    return {
        key: _without_prose(value, in_properties=key == "properties" and not in_properties)
        for key, value in node.items()
        if in_properties or key not in _PROSE
    }


def trim_graphql(schema: GraphQLSchema) -> str:
    """Return the kept types as SDL, with those of their fields that need no other type but leaves."""
    kept = [schema.type_map[name] for name in sorted(GRAPHQL_TYPES)]
    leaves: dict[str, GraphQLNamedType] = {}
    blocks = [_object(node, leaves) for node in kept]
    blocks += [_leaf(leaf) for name, leaf in sorted(leaves.items()) if not is_specified_scalar_type(leaf)]
    return "\n\n".join(blocks) + "\n"


def _object(node: Any, leaves: dict[str, GraphQLNamedType]) -> str:
    lines = []
    for name, field in sorted(node.fields.items()):
        args = {} if is_input_object_type(node) else field.args
        used = [get_named_type(kind) for kind in (field.type, *(given.type for given in args.values()))]
        if all(is_leaf_type(kind) or kind.name in GRAPHQL_TYPES for kind in used):
            leaves |= {kind.name: kind for kind in used if is_leaf_type(kind)}
            given = ", ".join(f"{key}: {value.type}" for key, value in sorted(args.items()))
            lines.append(f"  {name}{f'({given})' if given else ''}: {field.type}")
    above = () if is_input_object_type(node) else node.interfaces
    interfaces = " & ".join(kind.name for kind in above if kind.name in GRAPHQL_TYPES)
    word = "input" if is_input_object_type(node) else "interface" if is_interface_type(node) else "type"
    head = f"{word} {node.name}{f' implements {interfaces}' if interfaces else ''}"
    return "\n".join([f"{head} {{", *lines, "}"])


def _leaf(node: Any) -> str:
    return f"enum {node.name} {{ {' '.join(node.values)} }}" if is_enum_type(node) else f"scalar {node.name}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
