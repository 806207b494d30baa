"""Who am I, who is that, Apps and their installations, teams, rate limits."""

from datetime import UTC, datetime

from bot.lab.answers import bad_json_web_token, forbidden, not_found, unprocessable
from bot.lab.call import Answer, Call
from bot.lab.documents.people import app_document, installation_document, public_user_document
from bot.lab.documents.repository import repository_document
from bot.lab.documents.site import timestamp
from bot.lab.model import App, Installation, Repository

_LEVELS = ("read", "write", "admin")


def get_authenticated_user(call: Call) -> Answer:
    if call.caller.kind != "user":
        raise forbidden("Resource not accessible by integration")
    return Answer(public_user_document(call.site, call.caller.user))


def get_user(call: Call) -> Answer:
    return Answer(public_user_document(call.site, call.records.find_user(call.path["username"])))


def get_user_by_id(call: Call) -> Answer:
    wanted = call.number("account_id")
    for user in call.records.users.values():
        if user.id == wanted:
            return Answer(public_user_document(call.site, user))
    raise not_found()


def get_app(call: Call) -> Answer:
    app = _app(call)
    mine = [found for found in call.records.installations.values() if found.app is app]
    return Answer(app_document(call.site, app) | {"installations_count": len(mine)})


def list_installations(call: Call) -> Answer:
    app = _app(call)
    mine = [found for found in call.records.installations.values() if found.app is app]
    return call.page(mine, lambda found: installation_document(call.site, found))


def get_installation(call: Call) -> Answer:
    return Answer(installation_document(call.site, _installation(call)))


def get_repository_installation(call: Call) -> Answer:
    app = _app(call)
    name = f"{call.path['owner']}/{call.path['repo']}".lower()
    for found in call.records.installations.values():
        if found.app is app and name in found.repositories:
            return Answer(installation_document(call.site, found))
    raise not_found()


def create_installation_token(call: Call) -> Answer:
    installation = _installation(call)
    permissions = _permissions(call, installation)
    repositories = _repositories(call, installation)
    names = frozenset(repository.full_name.lower() for repository in repositories)
    token, expires_at = call.credentials.installation_token(installation, permissions, names)
    document = {
        "token": token,
        "expires_at": timestamp(datetime.fromtimestamp(expires_at, UTC)),
        "permissions": permissions,
        "repository_selection": "selected",
        "repositories": [repository_document(call.site, repository) for repository in repositories],
    }
    return Answer(document, 201)


def get_team_membership(call: Call) -> Answer:
    team = call.records.teams.get((call.path["org"].lower(), call.path["team_slug"].lower()))
    user = call.records.find_user(call.path["username"])
    if call.caller.kind == "installation" and "members" not in (call.caller.permissions or {}):
        raise forbidden("Resource not accessible by integration")
    if team is None or user.id not in team:
        raise not_found()
    return Answer({"url": call.url, "role": team[user.id], "state": "active"})


def get_rate_limit(call: Call) -> Answer:
    limit = {"limit": 5000, "used": 0, "remaining": 5000, "reset": int(call.records.now().timestamp()) + 3600}
    search = limit | {"limit": 30, "remaining": 30}
    return Answer({"resources": {"core": limit, "search": search, "graphql": limit}, "rate": limit})


def _app(call: Call) -> App:
    if call.caller.kind != "app" or call.caller.app is None:
        raise bad_json_web_token()
    return call.caller.app


def _installation(call: Call) -> Installation:
    app = _app(call)
    found = call.records.installations.get(call.number("installation_id"))
    if found is None or found.app is not app:
        raise not_found()
    return found


def _permissions(call: Call, installation: Installation) -> dict[str, str]:
    """Return what the token may do: all that the App may, or the part that is asked for."""
    granted = installation.app.permissions
    wanted = call.body.inner("permissions")
    asked = {name: wanted.choice(name, _LEVELS) for name in wanted.names} if wanted else {}
    for name, level in asked.items():
        if level is None or name not in granted or _LEVELS.index(level) > _LEVELS.index(granted[name]):
            raise unprocessable("The permissions requested are not granted to this installation.")
    return {name: level for name, level in asked.items() if level} or dict(granted)


def _repositories(call: Call, installation: Installation) -> list[Repository]:
    known = call.records.repositories
    mine = [known[name] for name in sorted(installation.repositories) if name in known]
    names, ids = call.body.texts("repositories"), call.body.items("repository_ids")
    if not names and not ids:
        return mine
    chosen = [repository for repository in mine if repository.name in names or repository.id in ids]
    if len(chosen) != len(names) + len(ids):
        raise unprocessable(
            "There is at least one repository that does not exist or is not accessible "
            "to the parent installation."
        )
    return chosen
