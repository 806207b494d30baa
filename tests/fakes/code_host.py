"""A code host in memory: one repository, perhaps a fork, and the people beside the bot."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal, get_args

from bot.core.blob import blob_id
from bot.core.errors import Refused
from bot.core.host import (
    Actor,
    Change,
    Comment,
    Commit,
    CommitRange,
    Differences,
    Gate,
    Head,
    Issue,
    Node,
    PermissionRole,
    Proposal,
    PullRequest,
    Reaction,
    Role,
    Standing,
)

BOT = Actor(1, "bump-bot")


def _id(*parts: object) -> str:
    return hashlib.sha1(repr(parts).encode()).hexdigest()


@dataclass
class FakeCodeHost:
    """A `CodeHost`; what people do beside the bot are the methods of the first half.

    `writes` names each write of the bot in its order.
    """

    files: Mapping[str, bytes]
    repository: str = "acme/widgets"
    push_repository: str = "acme/widgets"
    bot: Actor = BOT
    now: datetime = datetime(2026, 7, 1, tzinfo=UTC)
    roles: dict[str, str] = field(default_factory=dict)
    writes: list[str] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    thumbs: list[tuple[int, str]] = field(default_factory=list)
    reactions: dict[int, list[Reaction]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._trees: dict[str, dict[str, bytes]] = {}
        self._commits: dict[str, Commit] = {}
        self._heads: dict[tuple[str, str], str] = {}
        self._pulls: dict[int, PullRequest] = {}
        self._comments: dict[int, list[Comment]] = {}
        self._issues: dict[int, Issue] = {}
        self._gates: list[tuple[str, int, Gate]] = []
        self._people = {self.bot.login: self.bot}
        self.push("main", self.files, author="ada")

    # People

    def person(self, login: str) -> Actor:
        return self._people.setdefault(login, Actor(len(self._people) + 1, login))

    def push(
        self,
        branch: str,
        files: Mapping[str, bytes | None],
        author: str,
        message: str = "Work",
        into: str | None = None,
    ) -> str:
        place = (into or self.repository, branch)
        parent = self._heads.get(place)
        before = self._trees[self._commits[parent].tree] if parent else {}
        after = {path: data for path, data in {**before, **files}.items() if data is not None}
        tree = self._keep_tree(after)
        self._heads[place] = self._keep_commit(tree, parent, author, message)
        return self._heads[place]

    def point(self, branch: str, sha: str, into: str | None = None) -> None:
        self._heads[into or self.repository, branch] = sha

    def issue_as(self, author: str, title: str, body: str, labels: Sequence[str] = ()) -> int:
        number = self._next_number()
        self.now += timedelta(seconds=1)
        url = f"https://github.com/{self.repository}/issues/{number}"
        self._issues[number] = Issue(
            number, url, title, body, "open", self.person(author), self.now, tuple(labels)
        )
        self._comments[number] = []
        return number

    def _next_number(self) -> int:
        return len(self._pulls) + len(self._issues) + 1

    def open_as(
        self, author: str, branch: str, base: str, title: str, body: str = "", *, of: str | None = None
    ) -> int:
        number = self._next_number()
        where = of or self.repository
        self._pulls[number] = PullRequest(
            number=number,
            url=f"https://github.com/{self.repository}/pull/{number}",
            title=title,
            body=body,
            state="open",
            merged=False,
            draft=author == self.bot.login,
            author=self.person(author),
            base=base,
            head_branch=branch,
            head_sha=self._heads[where, branch],
            head_repository=where,
        )
        self._comments[number] = []
        return number

    def close(self, number: int) -> None:
        self._pulls[number] = replace(self._pull(number), state="closed")

    def comment_as(self, author: str, number: int, body: str) -> Comment:
        self.now += timedelta(seconds=1)
        ids = sum(map(len, self._comments.values())) + 1
        made = Comment(ids, self.person(author), body, self.now)
        self._comments[number].append(made)
        return made

    def gate_as(self, author: str, sha: str, gate: Gate) -> None:
        self._gates.append((sha, self.person(author).id, gate))

    # The port: reading

    def actor(self, role: Role) -> Actor:
        return self.bot

    def permission(self, login: str) -> PermissionRole:
        role = self.roles.get(login, "read" if login in self._people else "none")
        return next((name for name in get_args(PermissionRole) if name == role), "unknown")

    def base_head(self, branch: str) -> Head | None:
        sha = self._heads.get((self.repository, branch))
        return Head(sha, self._commits[sha].tree) if sha else None

    def bot_head(self, branch: str) -> str | None:
        return self._heads.get((self.push_repository, branch))

    def mirror_head(self, number: int) -> str | None:
        return self._heads.get((self.repository, f"pull-request/{number}"))

    def read(self, sha: str, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        tree = self._trees[self._commit(sha).tree]
        return {path: tree.get(path) for path in paths}

    def commits(self, base: str, head: str) -> CommitRange:
        start = self._heads.get((self.repository, base), base)
        known = set(self._ancestors(start))
        theirs = list(self._ancestors(head))
        merge_base = next(sha for sha in theirs if sha in known)
        added = tuple(self._commits[sha] for sha in reversed(theirs) if sha not in known)
        return CommitRange(Head(merge_base, self._commits[merge_base].tree), added)

    def _ancestors(self, sha: str) -> Iterator[str]:
        waiting = [sha]
        seen = set()
        while waiting:
            at = waiting.pop(0)
            if at not in seen:
                seen.add(at)
                yield at
                waiting += self._commit(at).parents

    def pull_requests(self, branch: str) -> tuple[PullRequest, ...]:
        ours = (self.push_repository, branch)
        return tuple(it for it in self._shown() if (it.head_repository, it.head_branch) == ours)

    def pull_request_head(self, number: int) -> str | None:
        return self._pull(number).head_sha if number in self._pulls else None

    def proposals(self, base: str, paths: Sequence[str]) -> tuple[Proposal, ...]:
        return tuple(
            self._proposal(it, paths) for it in self._shown() if (it.state, it.base) == ("open", base)
        )

    def _proposal(self, pull: PullRequest, paths: Sequence[str]) -> Proposal:
        found = self.read(pull.head_sha, paths)
        files = {path: data if data is None else blob_id(data) for path, data in found.items()}
        where = (pull.head_branch, pull.head_sha, pull.head_repository)
        return Proposal(pull.number, pull.url, pull.title, pull.author.login, *where, files)

    def contents(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        known = {blob_id(data): data for tree in self._trees.values() for data in tree.values()}
        return {it: known[it] for it in ids if it in known}

    def touching(self, numbers: Sequence[int], paths: Sequence[str]) -> frozenset[int]:
        return frozenset(it for it in numbers if self._changes(self._pull(it)) & set(paths))

    def _changes(self, pull: PullRequest) -> set[str]:
        found = self.commits(pull.base, pull.head_sha)
        before, after = (self._trees[it] for it in (found.merge_base.tree, self._commit(pull.head_sha).tree))
        return {path for path in before | after if before.get(path) != after.get(path)}

    def _shown(self) -> Iterator[PullRequest]:
        for pull in reversed(self._pulls.values()):
            head = self._heads.get((pull.head_repository or "", pull.head_branch), pull.head_sha)
            yield replace(pull, head_sha=head) if pull.state == "open" else pull

    def _pull(self, number: int) -> PullRequest:
        if number not in self._pulls:
            raise Refused(f"there is no pull request #{number}")
        return next(pull for pull in self._shown() if pull.number == number)

    def list_files(self, sha: str, folder: str) -> tuple[str, ...]:
        tree = self._trees[self._commit(sha).tree]
        return tuple(sorted(path for path in tree if path.startswith(f"{folder}/")))

    def issue(self, number: int) -> Issue | None:
        return self._issues.get(number)

    def bot_issues(self) -> tuple[Issue, ...]:
        return tuple(it for it in reversed(self._issues.values()) if it.author == self.bot)

    def labels_of(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in self.labels)

    def comments(self, number: int) -> tuple[Comment, ...]:
        return tuple(self._comments[number])

    def discussed_since(self, moment: datetime) -> Mapping[int, datetime]:
        newest = {
            number: max(it.created_at for it in said) for number, said in self._comments.items() if said
        }
        return {number: at for number, at in newest.items() if at >= moment}

    def thumbs_up(self, comment: int) -> tuple[Actor, ...]:
        return tuple(self._people[login] for at, login in self.thumbs if at == comment)

    def gate(self, sha: str, name: str) -> Gate | None:
        ours = (self.bot.id, sha, name)
        found = [gate for at, by, gate in self._gates if (by, at, gate.name) == ours]
        return found[-1] if found else None

    def standing(self, number: int) -> Standing | None:
        if number not in self._pulls:
            return None
        pull = self._pull(number)
        parted = self.commits(pull.base, pull.head_sha).merge_base
        base = self.base_head(pull.base) or parted
        theirs, ours = self._changed(parted, base), self._changed(parted, self._head(pull.head_sha))
        both = theirs.keys() & ours.keys()
        clash = any(theirs[path].after != ours[path].after for path in both)
        return Standing(pull, parted.sha, clash if pull.state == "open" else None)

    def _head(self, sha: str) -> Head:
        return Head(sha, self._commit(sha).tree)

    def differences(self, old: Head, new: Head) -> Differences:
        return Differences(self._changed(old, new))

    def _changed(self, old: Head, new: Head) -> dict[str, Change]:
        paths = sorted(self._trees[old.tree] | self._trees[new.tree])
        before, after = self.nodes(old.tree, paths), self.nodes(new.tree, paths)
        return {path: Change(before[path], after[path]) for path in paths if before[path] != after[path]}

    def nodes(self, tree: str, paths: Sequence[str]) -> Mapping[str, Node | None]:
        return {path: self._node(self._trees[tree], path) for path in paths}

    def _node(self, files: Mapping[str, bytes], path: str) -> Node | None:
        inside = sorted(item for item in files.items() if item[0].startswith(f"{path}/"))
        if inside:
            return Node("040000", _id(inside))
        return Node("100644", blob_id(files[path])) if path in files else None

    def tree_id(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        return _id(sorted(self._with(base_tree, files, nodes).items()))

    def _with(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None
    ) -> dict[str, bytes]:
        known = {blob_id(data): data for tree in self._trees.values() for data in tree.values()}
        moved = {path: known[node.sha] if node else None for path, node in (nodes or {}).items()}
        everything = {**self._trees[base_tree], **moved, **files}
        return {path: data for path, data in everything.items() if data is not None}

    # The port: writing

    def write_tree(
        self, base_tree: str, files: Mapping[str, bytes], nodes: Mapping[str, Node | None] | None = None
    ) -> str:
        self.writes.append("tree")
        return self._keep_tree(self._with(base_tree, files, nodes))

    def _keep_tree(self, files: dict[str, bytes]) -> str:
        sha = _id(sorted(files.items()))
        self._trees[sha] = files
        return sha

    def write_commit(self, tree: str, parent: str, message: str, merged: str | None = None) -> str:
        self.writes.append("commit")
        return self._keep_commit(tree, parent, self.bot.login, message, merged)

    def _keep_commit(
        self, tree: str, parent: str | None, author: str, message: str, merged: str | None = None
    ) -> str:
        parents = tuple(it for it in (parent, merged) if it)
        sha = _id(tree, parents, author, message, len(self._commits))
        self._commits[sha] = Commit(sha, tree, parents, author, message.partition("\n")[0])
        return sha

    def _commit(self, sha: str) -> Commit:
        if sha not in self._commits:
            raise Refused(f"there is no commit `{sha}`")
        return self._commits[sha]

    def create_branch(self, branch: str, sha: str) -> None:
        self.writes.append("branch")
        if (self.push_repository, branch) in self._heads:
            raise Refused(f"branch `{branch}` is there already")
        self._heads[self.push_repository, branch] = self._commit(sha).sha

    def advance_branch(self, branch: str, sha: str) -> None:
        self.writes.append("branch")
        old = self._heads.get((self.push_repository, branch))
        if old is None or old not in self._ancestors(sha):
            raise Refused(f"branch `{branch}` cannot be moved forward to `{sha}`")
        self._heads[self.push_repository, branch] = sha

    def open_pull_request(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        self.writes.append("pull request")
        sha = self.bot_head(branch)
        if sha is None or not self.commits(base, sha).commits:
            raise Refused(f"there is nothing to merge on `{branch}`")
        if any(it.state == "open" and it.base == base for it in self.pull_requests(branch)):
            raise Refused(f"a pull request of `{branch}` is open already")
        return self._pull(self.open_as(self.bot.login, branch, base, title, body, of=self.push_repository))

    def edit_pull_request(self, number: int, body: str) -> None:
        self.writes.append("pull request")
        self._pulls[number] = replace(self._pull(number), body=body)

    def close_pull_request(self, number: int) -> None:
        self.writes.append("pull request")
        self.close(number)

    def mark_ready(self, number: int) -> None:
        self.writes.append("ready")
        self._pulls[number] = replace(self._pull(number), draft=False)

    def add_labels(self, number: int, labels: Sequence[str]) -> None:
        self.writes.append("labels")
        pull = self._pull(number)
        self._pulls[number] = replace(pull, labels=tuple(dict.fromkeys((*pull.labels, *labels))))

    def open_issue(self, title: str, body: str, labels: Sequence[str]) -> Issue:
        self.writes.append("issue")
        return self._issues[self.issue_as(self.bot.login, title, body, labels)]

    def edit_issue(self, number: int, body: str) -> None:
        self.writes.append("issue")
        self._issues[number] = replace(self._issue(number), body=body)

    def set_issue_state(self, number: int, state: Literal["open", "closed"]) -> None:
        self.writes.append("issue")
        self._issues[number] = replace(self._issue(number), state=state)

    def _issue(self, number: int) -> Issue:
        if number not in self._issues:
            raise Refused(f"there is no issue #{number}")
        return self._issues[number]

    def write_comment(self, number: int, body: str) -> Comment:
        self.writes.append("comment")
        where = number if number in self._issues else self._pull(number).number
        return self.comment_as(self.bot.login, where, body)

    def edit_comment(self, comment: int, body: str) -> None:
        self.writes.append("comment")
        for comments in self._comments.values():
            comments[:] = [replace(it, body=body, edited=True) if it.id == comment else it for it in comments]

    def react(self, comment: int, reaction: Reaction) -> None:
        self.writes.append("reaction")
        there = self.reactions.setdefault(comment, [])
        if reaction not in there:
            there.append(reaction)

    def set_gate(self, sha: str, gate: Gate) -> None:
        self.writes.append("gate")
        self.gate_as(self.bot.login, self._commit(sha).sha, gate)
