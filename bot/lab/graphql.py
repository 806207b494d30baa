"""GitHub's GraphQL answers: files and folders by `<commit>:<path>`, many at once, and pull requests."""

from dataclasses import dataclass
from typing import Any

from graphql import GraphQLError, GraphQLResolveInfo, build_schema, graphql_sync

from bot.lab import graphql_pulls
from bot.lab.bodies import Body
from bot.lab.call import Answer, Call
from bot.lab.documents.site import node_id
from bot.lab.git import TreeEntry
from bot.lab.model import Issue, PullRequest, Repository

SCHEMA = build_schema(f"""
    {graphql_pulls.TYPES}
    scalar GitObjectID
    type Mutation {{
        markPullRequestReadyForReview(
            input: MarkPullRequestReadyForReviewInput!
        ): MarkPullRequestReadyForReviewPayload
    }}
    input MarkPullRequestReadyForReviewInput {{ pullRequestId: ID!, clientMutationId: String }}
    type MarkPullRequestReadyForReviewPayload {{ clientMutationId: String, pullRequest: PullRequest }}
    type Query {{ repository(owner: String!, name: String!, followRenames: Boolean = true): Repository }}
    type Repository {{
        nameWithOwner: String!
        object(expression: String, oid: GitObjectID): GitObject
        pullRequest(number: Int!): PullRequest
        pullRequests(
            states: [PullRequestState!], baseRefName: String, first: Int, after: String, orderBy: IssueOrder
        ): PullRequestConnection!
    }}
    interface GitObject {{ oid: GitObjectID! }}
    type Commit implements GitObject {{ oid: GitObjectID! file(path: String!): TreeEntry }}
    type Tree implements GitObject {{ oid: GitObjectID! entries: [TreeEntry!] }}
    type TreeEntry {{ mode: Int! name: String! oid: GitObjectID! path: String type: String! }}
    type Blob implements GitObject {{
        oid: GitObjectID!
        byteSize: Int!
        isBinary: Boolean
        isTruncated: Boolean!
        text: String
    }}
""")
_LONGEST_TEXT = 512_000
_LOOKED_AT = 8_000


def answer_query(call: Call) -> Answer:
    """Run the query of the body; what is wrong with it comes as `errors` beside a 200, as GraphQL has it."""
    query, variables = call.body.text("query"), call.body.inner("variables") or Body({})
    result = graphql_sync(
        SCHEMA,
        query,
        root_value=_Root(call),
        variable_values={name: variables[name] for name in variables.names},
    )
    document: dict[str, Any] = {}
    if result.data is not None or not result.errors:
        document["data"] = result.data
    if result.errors:
        document["errors"] = [_error(error) for error in result.errors]
    return Answer(document)


def _error(error: GraphQLError) -> dict[str, Any]:
    """GitHub puts the type of an error beside its message."""
    formatted: dict[str, Any] = dict(error.formatted)
    extensions: dict[str, Any] = formatted.pop("extensions", {})
    return extensions | formatted


@dataclass(frozen=True)
class _Root:
    call: Call

    def repository(
        self, _info: GraphQLResolveInfo[Any], owner: str, name: str, **_options: bool
    ) -> "_Repository":
        found = self.call.records.repositories.get(f"{owner}/{name}".lower())
        if found is None or not self.call.can_see(found):
            raise GraphQLError(
                f"Could not resolve to a Repository with the name '{owner}/{name}'.",
                extensions={"type": "NOT_FOUND"},
            )
        return _Repository(found)

    def markPullRequestReadyForReview(  # noqa: N802 - GitHub's name
        self,
        _info: GraphQLResolveInfo[Any],
        input: dict[str, str],  # noqa: A002 - GitHub's name
    ) -> dict[str, Any]:
        wanted = input["pullRequestId"]
        for repository in self.call.records.repositories.values():
            for issue in repository.issues.values():
                if issue.pull and node_id("PR", issue.pull.id) == wanted and self.call.can_see(repository):
                    return self._mark_ready(repository, issue, issue.pull, input)
        raise GraphQLError(
            f"Could not resolve to a node with the global id of '{wanted}'", extensions={"type": "NOT_FOUND"}
        )

    def _mark_ready(
        self, repository: Repository, issue: Issue, pull: PullRequest, given: dict[str, str]
    ) -> dict[str, Any]:
        if not self.call.has_role(repository, "write") and issue.author is not self.call.caller.user:
            raise GraphQLError(
                f"{self.call.caller.user.login} does not have permission to mark the pull request as ready",
                extensions={"type": "FORBIDDEN"},
            )
        pull.draft = False
        found = graphql_pulls.node(repository, issue, _Repository)
        return {"clientMutationId": given.get("clientMutationId"), "pullRequest": found}


@dataclass(frozen=True)
class _Repository:
    repository: Repository

    @property
    def nameWithOwner(self) -> str:  # noqa: N802 - GitHub's name
        return self.repository.full_name

    # What GitHub calls its fields and arguments.
    def pullRequest(self, _info: GraphQLResolveInfo[Any], number: int) -> dict[str, Any]:  # noqa: N802
        issue = self.repository.issues.get(number)
        if issue is None:
            raise GraphQLError(f"Could not resolve to a PullRequest with the number of {number}.")
        return graphql_pulls.node(self.repository, issue, _Repository)

    def pullRequests(  # noqa: N802
        self, _info: GraphQLResolveInfo[Any], **options: Any
    ) -> dict[str, Any]:
        return graphql_pulls.connection(
            self.repository,
            _Repository,
            states=options.get("states"),
            base=options.get("baseRefName"),
            first=options.get("first"),
            after=options.get("after"),
            order=options.get("orderBy"),
        )

    def object(
        self, _info: GraphQLResolveInfo[Any], expression: str | None = None, oid: str | None = None
    ) -> dict[str, Any] | None:
        git, sha = self.repository.git, oid
        if expression is not None:
            revision, colon, path = expression.partition(":")
            start = self.repository.branch(revision) or revision
            sha = git.resolve(f"{start}{colon}{path}")
        kind = git.kind(sha) if sha else None
        if sha is None or kind is None:
            return None
        found = {"__typename": kind.capitalize(), "oid": sha}
        if kind == "tree":
            return found | {"entries": [_entry(entry) for entry in git.tree(sha)]}
        return found | (_text(git.read_blob(sha)) if kind == "blob" else {})


def _entry(entry: TreeEntry) -> dict[str, Any]:
    """GitHub gives the mode as a plain number: 33188 for 100644."""
    mode = int(entry.mode, 8)
    return {"mode": mode, "name": entry.path, "path": entry.path, "oid": entry.sha, "type": entry.kind}


def _text(content: bytes) -> dict[str, Any]:
    """Return a blob's fields: no text where it is binary, a lossy one where it is not UTF-8."""
    is_binary = b"\0" in content[:_LOOKED_AT]
    text = content[:_LONGEST_TEXT].decode(errors="replace")
    return {
        "byteSize": len(content),
        "isBinary": is_binary,
        "isTruncated": len(content) > _LONGEST_TEXT,
        "text": None if is_binary else text,
    }
