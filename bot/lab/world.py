"""The simulated GitHub as stories see it: the records, and the verbs with which people change them."""

from collections.abc import Mapping

from bot.lab import actions, branches, conversations
from bot.lab.git import Git
from bot.lab.model import Comment, Issue, Label, Repository
from bot.lab.records import Records
from bot.lab.runs import Push, Script, Workflow, WorkflowRun
from bot.lab.verdict import violations

Files = Mapping[str, str | bytes | None]
"""Path to new content; None removes the file."""


class World(Records):
    """GitHub with everybody in it. Logins, `owner/name` and numbers go in; what was made comes out."""

    # Repositories

    def add_repository(
        self, full_name: str, files: Files, *, default_branch: str = "main", private: bool = False
    ) -> Repository:
        """Create a repository of an organization; without files it stays empty."""
        owner, name = full_name.split("/")
        account = self.organization(owner)
        git = Git.create(self.directory / f"{self.new_id()}.git")
        made = Repository(self.new_id(), account, name, default_branch, private, git, self.now())
        self.repositories[full_name.lower()] = made
        if files:
            self.push(full_name, default_branch, files, author=owner, message="Start")
        return made

    def fork(self, full_name: str, owner: str) -> Repository:
        """Fork a repository to an account, all branches with it; the objects are shared."""
        parent = self.repository(full_name)
        made = Repository(
            self.new_id(),
            self.user(owner),
            parent.name,
            parent.default_branch,
            parent.private,
            parent.git,
            self.now(),
            parent=parent,
        )
        for name, sha in parent.git.refs(parent.ref("refs/heads/")).items():
            made.git.set_ref(made.ref("heads/" + name.removeprefix(parent.ref("heads/"))), sha)
        self.repositories[made.full_name.lower()] = made
        return made

    def delete_repository(self, full_name: str) -> None:
        """Take a repository away; pull requests from it keep their commits."""
        self.repositories.pop(full_name.lower())

    def add_label(self, full_name: str, name: str, description: str | None = None) -> Label:
        """Create a label in a repository."""
        return conversations.make_label(self, self.repository(full_name), name, description)

    # What people do

    def push(self, full_name: str, branch: str, files: Files, author: str, message: str = "Work") -> str:
        """Commit files on top of a branch, or of the default branch where it is new; return the sha."""
        return branches.push(
            self, self.repository(full_name), branch, files, author=self.user(author), message=message
        )

    def create_branch(self, full_name: str, branch: str, sha: str, author: str) -> None:
        """Point a new branch to a commit."""
        branches.create(self, self.repository(full_name), branch, sha, self.user(author))

    def delete_branch(self, full_name: str, branch: str, author: str) -> None:
        """Delete a branch; open pull requests from it are closed, as GitHub does."""
        branches.delete(self, self.repository(full_name), branch, self.user(author))

    def open_pull_request(
        self,
        full_name: str,
        head: str,
        base: str,
        author: str,
        *,
        title: str = "Work",
        body: str | None = None,
        draft: bool = False,
    ) -> Issue:
        """Open a pull request; `head` is a branch, or `owner:branch` of a fork."""
        return conversations.open_pull_request(
            self,
            self.repository(full_name),
            author=self.user(author),
            head=head,
            base=base,
            title=title,
            body=body,
            draft=draft,
        )

    def open_issue(self, full_name: str, author: str, *, title: str, body: str | None = None) -> Issue:
        """Open an issue."""
        return conversations.open_issue(self, self.repository(full_name), self.user(author), title, body)

    def close(self, full_name: str, number: int) -> None:
        """Close an issue or pull request."""
        conversations.set_state(self, self.repository(full_name), self.issue(full_name, number), "closed")

    def merge(self, full_name: str, number: int, author: str) -> str:
        """Merge a pull request with a merge commit, and return its sha."""
        return conversations.merge(
            self, self.repository(full_name), self.issue(full_name, number), self.user(author)
        )

    def comment(self, full_name: str, number: int, author: str, body: str) -> Comment:
        """Write a comment."""
        repository, issue = self.repository(full_name), self.issue(full_name, number)
        return conversations.comment(self, repository, issue, body, author=self.user(author))

    def react(self, full_name: str, comment: int, user: str, content: str) -> None:
        """React to a comment."""
        _, found = conversations.find_comment(self.repository(full_name), comment)
        conversations.react(self, found, self.user(user), content)

    def label(self, full_name: str, number: int, *names: str) -> None:
        """Put labels on an issue or pull request."""
        conversations.add_labels(self, self.repository(full_name), self.issue(full_name, number), names)

    # What GitHub Actions does

    def on_push(
        self,
        full_name: str,
        branches: str,
        script: Script,
        *,
        path: str = ".github/workflows/ci.yml",
        name: str = "CI",
        needs_approval: bool = False,
    ) -> Workflow:
        """Run a workflow on pushes to branches like `branches` (a pattern); `script` decides its jobs."""
        workflow = Workflow(self.new_id(), path, name, branches, script, needs_approval)
        actions.add_workflow(self, self.repository(full_name), workflow)
        return workflow

    def run_workflow(
        self, full_name: str, path: str, branch: str, revision: str, event: str = "workflow_dispatch"
    ) -> WorkflowRun:
        """Run a workflow on a commit or the head of a branch as `branch`, for another reason than a push."""
        repository = self.repository(full_name)
        sha = repository.branch(revision) or revision
        push = Push(repository, branch, sha, self.github)
        return actions.begin(self, actions.find_workflow(self, repository, path), push, event)

    def workflow_runs(self, full_name: str, branch: str | None = None) -> tuple[WorkflowRun, ...]:
        """Return the runs of a repository, or of one of its branches, the oldest first."""
        repository = self.repository(full_name)
        return tuple(
            run for run in self.runs if run.repository is repository and branch in {None, run.branch}
        )

    def approve(self, run: WorkflowRun) -> None:
        """Let a run that waits for approval go on."""
        actions.approve(self, run)

    def finish(self, run: WorkflowRun) -> None:
        """End a run as its script has it, whatever time that would take."""
        actions.finish(self, run)

    def rerun_failed(self, run: WorkflowRun) -> None:
        """Run the failed jobs of a run again, as a new attempt."""
        actions.rerun_failed(self, run)

    # What stories ask

    def files(self, full_name: str, revision: str) -> dict[str, bytes]:
        """Return each file of a branch or commit with its bytes."""
        repository = self.repository(full_name)
        return repository.git.files(repository.branch(revision) or revision)

    def pull_requests(self, full_name: str) -> tuple[Issue, ...]:
        """Return the pull requests of a repository, the oldest first."""
        return tuple(issue for issue in self.repository(full_name).issues.values() if issue.pull)

    def invariants(self) -> tuple[str, ...]:
        """Return a sentence for each rule of the bump flow that was broken."""
        broken = violations(tuple(self.repositories.values()), self.ref_moves)
        return (*broken, *self.blobs.violations)
