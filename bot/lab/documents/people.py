"""Accounts, Apps and installations as JSON documents."""

from urllib.parse import quote

from bot.lab.documents.site import WEB, Document, Site, node_id, timestamp
from bot.lab.model import App, Installation, User


def user_document(site: Site, user: User) -> Document:
    """A "simple user"."""
    url = f"{site.api}/users/{quote(user.login)}"
    app_slug = user.login.removesuffix("[bot]")
    html = f"{WEB}/apps/{app_slug}" if user.kind == "Bot" else f"{WEB}/{user.login}"
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id("U", user.id),
        "avatar_url": f"https://avatars.githubusercontent.com/u/{user.id}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": html,
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": user.kind,
        "site_admin": False,
    }


def public_user_document(site: Site, user: User) -> Document:
    """A "public user": what a profile shows."""
    return user_document(site, user) | {
        "name": None,
        "company": None,
        "blog": "",
        "location": None,
        "email": None,
        "hireable": None,
        "bio": None,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": timestamp(user.created_at),
        "updated_at": timestamp(user.created_at),
    }


def app_document(site: Site, app: App) -> Document:
    """An "integration"."""
    return {
        "id": app.id,
        "slug": app.slug,
        "node_id": node_id("A", app.id),
        "client_id": app.client_id,
        "owner": user_document(site, app.owner),
        "name": app.slug,
        "description": None,
        "external_url": f"{WEB}/apps/{app.slug}",
        "html_url": f"{WEB}/apps/{app.slug}",
        "created_at": timestamp(app.created_at),
        "updated_at": timestamp(app.created_at),
        "permissions": dict(app.permissions),
        "events": [],
    }


def installation_document(site: Site, installation: Installation) -> Document:
    """An "installation"."""
    app, account = installation.app, installation.account
    url = f"{site.api}/app/installations/{installation.id}"
    return {
        "id": installation.id,
        "account": user_document(site, account),
        "repository_selection": "selected",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{site.api}/installation/repositories",
        "html_url": f"{WEB}/organizations/{account.login}/settings/installations/{installation.id}",
        "app_id": app.id,
        "app_slug": app.slug,
        "client_id": app.client_id,
        "target_id": account.id,
        "target_type": account.kind,
        "permissions": dict(app.permissions),
        "events": [],
        "created_at": timestamp(installation.created_at),
        "updated_at": timestamp(installation.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": None,
    }
