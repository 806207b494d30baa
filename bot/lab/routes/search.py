"""Search of issues and pull requests, as far as the bump flow asks."""

import re
from collections.abc import Callable

from bot.lab.answers import ApiError, validation_failed
from bot.lab.call import Answer, Call
from bot.lab.documents.issues import issue_document
from bot.lab.model import Issue, Repository

_PARTS = re.compile(r'(?P<key>[a-z-]+):(?P<value>"[^"]*"|\S+)|"(?P<phrase>[^"]*)"|(?P<word>\S+)')
_PULLS = {"pr", "pull-request"}
_STATES: dict[str, Callable[[Issue], bool]] = {
    "pr": lambda issue: issue.pull is not None,
    "pull-request": lambda issue: issue.pull is not None,
    "issue": lambda issue: issue.pull is None,
    "open": lambda issue: issue.state == "open",
    "closed": lambda issue: issue.state == "closed",
    "merged": lambda issue: issue.pull is not None and issue.pull.merged_at is not None,
    "draft": lambda issue: issue.pull is not None and issue.pull.draft,
}
_QUALIFIERS: dict[str, Callable[[Repository, Issue, str], bool]] = {
    "repo": lambda repository, _issue, value: repository.full_name.lower() == value.lower(),
    "base": lambda _repository, issue, value: issue.pull is not None and issue.pull.base_branch == value,
    "head": lambda _repository, issue, value: issue.pull is not None and issue.pull.head_branch == value,
    "author": lambda _repository, issue, value: issue.author.login.lower() == value.lower(),
    # Where words are looked for, not which issues are meant.
    "in": lambda _repository, _issue, _value: True,
}


def search_issues(call: Call) -> Answer:
    """Answer `q` with qualifiers `repo`, `is`, `type`, `state`, `base`, `head`, `author` and words."""
    text = call.query.get("q", "")
    if not text.strip():
        raise validation_failed({"resource": "Search", "field": "q", "code": "missing"})
    qualifiers, words = _parse(text)
    kinds = {value for key, value in qualifiers if key in {"is", "type"}}
    if not kinds & (_PULLS | {"issue"}):
        message = "Query must include 'is:issue' or 'is:pull-request'"
        raise validation_failed({"message": message, "resource": "Search", "field": "q", "code": "invalid"})
    fields = {value for key, value in qualifiers if key == "in"} or {"title", "body", "comments"}
    found = [
        (repository, issue)
        for repository in call.records.repositories.values()
        if call.can_see(repository)
        for issue in reversed(repository.issues.values())
        if issue.id not in call.records.unindexed
        and all(_holds(repository, issue, key, value) for key, value in qualifiers)
        and all(_mentions(issue, word, fields) for word in words)
    ]
    shown, headers = call.cut(found)
    items = [issue_document(call.site, *item) | {"score": 1.0} for item in shown]
    document = {
        "total_count": len(found),
        "incomplete_results": False,
        "items": items,
        "search_type": "lexical",
    }
    return Answer(document, headers=headers)


def _parse(text: str) -> tuple[list[tuple[str, str]], list[str]]:
    parts = list(_PARTS.finditer(text))
    qualifiers = [(part["key"], part["value"].strip('"')) for part in parts if part["key"]]
    words = [part["phrase"] or part["word"] for part in parts if part["phrase"] or part["word"]]
    return qualifiers, words


def _holds(repository: Repository, issue: Issue, key: str, value: str) -> bool:
    if key in {"is", "type", "state"} and value in _STATES:
        return _STATES[value](issue)
    if key in _QUALIFIERS:
        return _QUALIFIERS[key](repository, issue, value)
    raise ApiError(501, f"the lab does not know the qualifier {key}:{value}")


def _mentions(issue: Issue, words: str, fields: set[str]) -> bool:
    """Whether one of the fields holds the words as whole tokens, in this order."""
    wanted = f" {' '.join(_tokens(words))} "
    texts = {
        "title": issue.title,
        "body": issue.body or "",
        "comments": "\n".join(comment.body for comment in issue.comments),
    }
    return any(wanted in f" {' '.join(_tokens(text))} " for name, text in texts.items() if name in fields)


def _tokens(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_]+", text.lower())
