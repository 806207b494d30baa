"""A host that reads GitHub and writes nothing: each call is kept, and answered with placeholders."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from bot.core.host import Actor, Call, Comment, Gate, Issue, Node, PullRequest
from bot.github import calls
from bot.github.auth import Accounts
from bot.github.ci import GitHubActions
from bot.github.code_host import GitHubHost
from bot.github.session import Session


class DryRunHost(GitHubHost):
    """`GitHubHost` up to the point where a write would leave; `calls` holds what would have left, in order.

    Trees get the ids that git would give them. Commits, comments and pull requests get
    placeholders: shas that count up from 1, and the number 0; further issues count down from there.
    """

    def __init__(self, repository: str, push_repository: str, accounts: Accounts) -> None:
        super().__init__(repository, push_repository, accounts)
        self.calls: list[Call] = []
        self._commits: set[str] = set()
        self._heads: dict[str, str] = {}
        self._issues: list[Issue] = []

    def _send(self, session: Session, call: Call) -> Any:  # noqa: ARG002 - nothing is sent
        self.calls.append(call)
        return {"sha": f"{len(self.calls):040x}"}

    def bot_head(self, branch: str) -> str | None:
        """Return the sha to which this run would have moved the branch, else what GitHub shows."""
        return self._heads.get(branch) or super().bot_head(branch)

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Return the comments; the pull request that this run would have opened has none."""
        return super().comments(number) if number else ()

    def thumbs_up(self, comment: int) -> tuple[Actor, ...]:
        """Return who likes a comment; nobody has seen the one that this run would have written."""
        return super().thumbs_up(comment) if comment else ()

    def write_tree(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        """Keep the calls, and return the id of the tree that they would make; reads the folders twice."""
        super().write_tree(base_tree, files, nodes)
        return self.tree_id(base_tree, files, nodes)

    def write_commit(self, tree: str, parent: str, message: str, merged: str | None = None) -> str:
        """Keep the call, and return a placeholder."""
        sha = super().write_commit(tree, parent, message, merged)
        self._commits.add(sha)
        return sha

    def create_branch(self, branch: str, sha: str) -> None:
        """Keep the call, and remember where the branch would be."""
        super().create_branch(branch, sha)
        self._heads[branch] = sha

    def advance_branch(self, branch: str, sha: str) -> None:
        """Keep the call, and remember where the branch would be."""
        super().advance_branch(branch, sha)
        self._heads[branch] = sha

    def open_pull_request(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        """Keep the call, and return the pull request that it would open, with the number 0."""
        self.calls.append(calls.open_pull_request(self.repository, self._as_head(branch), base, title, body))
        return PullRequest(
            number=0,
            url="",
            title=title,
            body=body,
            state="open",
            merged=False,
            draft=True,
            author=self.actor("pull_request"),
            base=base,
            head_branch=branch,
            head_sha=self.bot_head(branch) or "",
            head_repository=self.push_repository,
        )

    def open_issue(self, title: str, body: str, labels: Sequence[str]) -> Issue:
        """Keep the call, and return the issue that it would open, with a number that no issue has."""
        self.calls.append(calls.open_issue(self.repository, title, body, labels))
        author, now = self.actor("comment"), datetime.now(UTC)
        issue = Issue(-len(self._issues), "", title, body, "open", author, now, tuple(labels))
        self._issues.append(issue)
        return issue

    def bot_issues(self) -> tuple[Issue, ...]:
        """Return every issue of the bot's, those that this run would have opened in front."""
        return (*reversed(self._issues), *super().bot_issues())

    def write_comment(self, number: int, body: str) -> Comment:
        """Keep the call, and return the comment that it would make, with the id 0."""
        self.calls.append(calls.write_comment(self.repository, number, body))
        return Comment(0, self.actor("comment"), body, datetime.now(UTC))

    def set_gate(self, sha: str, gate: Gate) -> None:
        """Keep the call. On a commit of this run GitHub knows no older gate to look for."""
        if sha in self._commits:
            self.calls.append(self._gates.create(sha, gate))
        else:
            super().set_gate(sha, gate)


class DryRunActions(GitHubActions):
    """`GitHubActions` that runs nothing again: what it would ask for joins the `calls` of a `DryRunHost`."""

    def __init__(self, session: Session, repository: str, recorded: list[Call]) -> None:
        super().__init__(session, repository)
        self._recorded = recorded

    def retry_failed(self, run: int) -> None:
        """Keep the call."""
        self._recorded.append(calls.rerun_failed_jobs(self.repository, run))

    def retry_job(self, job: int) -> None:
        """Keep the call."""
        self._recorded.append(calls.rerun_job(self.repository, job))
