"""Issues, labels, comments and reactions as JSON documents."""

from collections import Counter
from urllib.parse import quote

from bot.lab.documents.people import app_document, user_document
from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.model import Comment, Issue, Label, Reaction, Repository, User

_REACTIONS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")


def association(repository: Repository, user: User) -> str:
    """Return an `author_association`; what it says is no proof of a permission."""
    if user is repository.owner:
        return "OWNER"
    return "COLLABORATOR" if user.id in repository.roles else "NONE"


def label_document(site: Site, repository: Repository, label: Label) -> Document:
    """A "label"."""
    return {
        "id": label.id,
        "node_id": node_id("LA", label.id),
        "url": f"{site.api}/repos/{repository.full_name}/labels/{quote(label.name)}",
        "name": label.name,
        "description": label.description,
        "color": label.color,
        "default": False,
    }


def issue_document(site: Site, repository: Repository, issue: Issue) -> Document:
    """An "issue"; one that is a pull request says where that is."""
    url = f"{site.api}/repos/{repository.full_name}/issues/{issue.number}"
    kind = "pull" if issue.pull else "issues"
    page = f"{WEB}/{repository.full_name}/{kind}/{issue.number}"
    document: Document = {
        "url": url,
        "repository_url": f"{site.api}/repos/{repository.full_name}",
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "html_url": page,
        "id": issue.id,
        "node_id": node_id("I", issue.id),
        "number": issue.number,
        "title": issue.title,
        "user": user_document(site, issue.author),
        "labels": [label_document(site, repository, label) for label in issue.labels],
        "state": issue.state,
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": len(issue.comments),
        "created_at": timestamp(issue.created_at),
        "updated_at": timestamp(issue.updated_at),
        "closed_at": timestamp(issue.closed_at),
        "author_association": association(repository, issue.author),
        "body": issue.body,
    }
    if issue.pull:
        document["draft"] = issue.pull.draft
        document["pull_request"] = {
            "url": f"{site.api}/repos/{repository.full_name}/pulls/{issue.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": timestamp(issue.pull.merged_at),
        }
    return document


def comment_document(site: Site, repository: Repository, issue: Issue, comment: Comment) -> Document:
    """An "issue comment"."""
    url = f"{site.api}/repos/{repository.full_name}/issues"
    kind = "pull" if issue.pull else "issues"
    counts = Counter(reaction.content for reaction in comment.reactions)
    return {
        "id": comment.id,
        "node_id": node_id("IC", comment.id),
        "url": f"{url}/comments/{comment.id}",
        "html_url": f"{WEB}/{repository.full_name}/{kind}/{issue.number}#issuecomment-{comment.id}",
        "issue_url": f"{url}/{issue.number}",
        "body": comment.body,
        "user": user_document(site, comment.author),
        "created_at": timestamp(comment.created_at),
        "updated_at": timestamp(comment.updated_at),
        "author_association": association(repository, comment.author),
        "performed_via_github_app": app_document(site, comment.app) if comment.app else None,
        "reactions": {"url": f"{url}/comments/{comment.id}/reactions", "total_count": counts.total()}
        | {name: counts[name] for name in _REACTIONS},
    }


def reaction_document(site: Site, reaction: Reaction) -> Document:
    """A "reaction"."""
    return {
        "id": reaction.id,
        "node_id": node_id("REA", reaction.id),
        "user": user_document(site, reaction.user),
        "content": reaction.content,
        "created_at": timestamp(reaction.created_at),
    }
