"""Clients of a lab: plain requests that are judged, raw ones that are wrong on purpose, and PyGithub."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import requests
from github import Auth, Github, GithubIntegration

from bot.lab.server import AppKeys, GitHubLab

PROMPT: dict[str, Any] = {"retry": None, "seconds_between_requests": 0, "seconds_between_writes": 0}
"""Options with which PyGithub neither waits nor repeats."""


class Api:
    """Requests with one token; `path` begins with a slash, answers come as they are."""

    def __init__(self, url: str, token: str, session: requests.Session) -> None:
        self._url = url
        self._session = session
        self._session.headers["Authorization"] = f"token {token}"

    def get(self, path: str, **headers: str) -> requests.Response:
        return self._session.get(self._url + path, headers=headers, timeout=10)

    def post(self, path: str, body: Any = None) -> requests.Response:
        return self._session.post(self._url + path, json=body, timeout=10)

    def patch(self, path: str, body: Any) -> requests.Response:
        return self._session.patch(self._url + path, json=body, timeout=10)


@contextmanager
def api(lab: GitHubLab, login: str) -> Iterator[Api]:
    """Requests of a user, each of them judged."""
    with requests.Session() as session:
        yield Api(lab.url, lab.user_token(login), session)


def send_wrong(lab: GitHubLab, token: str, method: str, path: str, body: Any) -> httpx.Response:
    """Send what no client should: past the judge, which only hears `requests`."""
    headers = {"Authorization": f"token {token}"}
    return httpx.request(method, lab.url + path, json=body, headers=headers, timeout=10)


@contextmanager
def user_client(lab: GitHubLab, login: str) -> Iterator[Github]:
    """PyGithub with a user's token."""
    client = Github(auth=Auth.Token(lab.user_token(login)), base_url=lab.url, **PROMPT)
    try:
        yield client
    finally:
        client.close()


@contextmanager
def app_client(lab: GitHubLab, keys: AppKeys) -> Iterator[Github]:
    """PyGithub with an App's installation."""
    integration = GithubIntegration(auth=Auth.AppAuth(keys.id, keys.private_key), base_url=lab.url, **PROMPT)
    client = integration.get_github_for_installation(keys.installation_id)
    try:
        yield client
    finally:
        client.close()
        integration.close()
