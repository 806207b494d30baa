"""Repositories and branches as JSON documents."""

from urllib.parse import quote

from bot.lab.documents.git_data import commit_document
from bot.lab.documents.people import user_document
from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.model import Repository, User

_ADDRESSES = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


def repository_url(site: Site, repository: Repository) -> str:
    """Return the address of a repository in the API."""
    return f"{site.api}/repos/{repository.full_name}"


def minimal_repository(site: Site, repository: Repository) -> Document:
    """A "minimal repository"."""
    url = repository_url(site, repository)
    return {
        "id": repository.id,
        "node_id": node_id("R", repository.id),
        "name": repository.name,
        "full_name": repository.full_name,
        "owner": user_document(site, repository.owner),
        "private": repository.private,
        "html_url": f"{WEB}/{repository.full_name}",
        "description": None,
        "fork": repository.parent is not None,
        "url": url,
    } | {name: url + rest for name, rest in _ADDRESSES.items()}


def repository_document(site: Site, repository: Repository) -> Document:
    """A "repository": the minimal one and its settings."""
    open_issues = sum(issue.state == "open" for issue in repository.issues.values())
    web = f"github.com/{repository.full_name}.git"
    created = timestamp(repository.created_at)
    return minimal_repository(site, repository) | {
        "clone_url": f"https://{web}",
        "git_url": f"git://{web}",
        "ssh_url": f"git@github.com:{repository.full_name}.git",
        "svn_url": f"{WEB}/{repository.full_name}",
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "default_branch": repository.default_branch,
        "visibility": "private" if repository.private else "public",
        "archived": False,
        "disabled": False,
        "is_template": False,
        "topics": [],
        "has_issues": True,
        "has_projects": False,
        "has_wiki": False,
        "has_pages": False,
        "has_downloads": True,
        "has_discussions": False,
        "forks": 0,
        "forks_count": 0,
        "stargazers_count": 0,
        "watchers": 0,
        "watchers_count": 0,
        "size": 0,
        "open_issues": open_issues,
        "open_issues_count": open_issues,
        "web_commit_signoff_required": False,
        "created_at": created,
        "pushed_at": created,
        "updated_at": created,
    }


def full_repository(site: Site, repository: Repository, viewer: User) -> Document:
    """A "full repository", with what `viewer` may do there and the repository that it was forked from."""
    levels = ("pull:read", "triage:triage", "push:write", "maintain:maintain", "admin:admin")
    document = repository_document(site, repository) | {
        "permissions": {
            name: site.records.has_role(repository, viewer, role)
            for name, role in (level.split(":") for level in levels)
        },
        "network_count": 0,
        "subscribers_count": 0,
    }
    if repository.owner.kind == "Organization":
        document["organization"] = user_document(site, repository.owner)
    if repository.parent:
        document["parent"] = repository_document(site, repository.parent)
        document["source"] = repository_document(site, repository.parent)
    return document


def branch_document(site: Site, repository: Repository, branch: str, sha: str) -> Document:
    """A "branch with protection" that is not protected."""
    url = f"{repository_url(site, repository)}/branches/{quote(branch)}"
    return {
        "name": branch,
        "commit": commit_document(site, repository, sha),
        "_links": {"self": url, "html": f"{WEB}/{repository.full_name}/tree/{quote(branch)}"},
        "protected": False,
        "protection": {
            "enabled": False,
            "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
        },
        "protection_url": f"{url}/protection",
    }


def ref_document(site: Site, repository: Repository, name: str, sha: str) -> Document:
    """A "git reference"; `name` begins with `refs/`."""
    url = f"{repository_url(site, repository)}/git"
    return {
        "ref": name,
        "node_id": node_id("REF", name),
        "url": f"{url}/{quote(name)}",
        "object": {"type": "commit", "sha": sha, "url": f"{url}/commits/{sha}"},
    }
