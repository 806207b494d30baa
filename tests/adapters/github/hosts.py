"""Hosts of the one repository that scripted servers have."""

from bot.core.host import Role
from bot.github.auth import Accounts, Credentials, Kind
from bot.github.code_host import GitHubHost
from bot.github.session import Server

REPOSITORY = "acme/widgets"


def all_roles(kind: Kind) -> dict[Role, Kind]:
    return {"commit": kind, "pull_request": kind, "comment": kind}


def user_host(server: Server, push_repository: str = REPOSITORY) -> GitHubHost:
    credentials = Credentials(all_roles("user"), token="not-a-secret")
    return GitHubHost(REPOSITORY, push_repository, Accounts(credentials, server, REPOSITORY))
