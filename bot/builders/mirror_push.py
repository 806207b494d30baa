"""Brings a commit to GitLab by git, from a clone without blobs: git fetches those that GitLab lacks.

Nothing is checked out and no hook runs; tokens are in the environment of git, never on its command line.
"""

import base64
import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.errors import BotError, Refused, ServiceError, UsageError

_EXCERPT = 300
_KEPT = (
    "PATH",
    "TMPDIR",
    "SSL_CERT_FILE",
    "GIT_SSL_CAINFO",
    "https_proxy",
    "HTTPS_PROXY",
    "no_proxy",
    "NO_PROXY",
)
_OPTIONS = {
    "core.hooksPath": "/dev/null",
    "credential.helper": "",
    "gc.auto": "0",
    "http.followRedirects": "false",
    "protocol.allow": "never",
    "protocol.http.allow": "always",
    "protocol.https.allow": "always",
}


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository by its address, and who reads or writes it; without a token it is asked as nobody."""

    url: str
    user: str = ""
    token: str | None = field(default=None, repr=False)

    @property
    def options(self) -> Mapping[str, str]:
        """The configuration by which git sends the token to this address only."""
        if self.token is None:
            return {}
        basic = base64.b64encode(f"{self.user}:{self.token}".encode()).decode()
        return {f"http.{self.url}.extraHeader": f"Authorization: Basic {basic}"}


class GitMirrorPush:
    """Implements `bot.build_ports.MirrorPush` with git; `seconds` is what one call of it may take."""

    def __init__(self, source: Remote, mirror: Remote, seconds: float = 900.0) -> None:
        self._source = source
        self._mirror = mirror
        self._seconds = seconds

    def push(self, sha: str, branch: str, observed: str | None) -> None:
        """Point `branch` to `sha`, only if it still is at `observed` (None: is not there)."""
        with tempfile.TemporaryDirectory(prefix="bot-mirror-") as name:
            folder = Path(name)
            self._git(folder, "init", "--quiet", "--bare", ".")
            self._git(folder, "remote", "add", "source", self._source.url)
            fetch = ("fetch", "--quiet", "--no-tags", "--filter=blob:none", "source", sha)
            complaint = self._git(folder, *fetch, may_fail=True)
            if complaint is not None:
                raise ServiceError(
                    f"commit {sha[:12]} cannot be fetched: {complaint}", hint="see the repository"
                )
            ref = f"refs/heads/{branch}"
            # An empty value is git's way to say that there must be no such branch.
            lease = f"--force-with-lease={ref}:{observed or ''}"
            push = ("push", "--porcelain", "--quiet", lease, self._mirror.url, f"{sha}:{ref}")
            complaint = self._git(folder, *push, may_fail=True)
            if complaint is not None:
                raise _refused(branch, complaint)

    def _git(self, folder: Path, *arguments: str, may_fail: bool = False) -> str | None:
        """Run git, and return what it complains of, None where it succeeds."""
        try:
            done = subprocess.run(
                ("git", *arguments),
                cwd=folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self._seconds,
                check=False,
            )
        except FileNotFoundError as error:
            raise UsageError("git was not found", hint="install git, or put it on PATH") from error
        except subprocess.TimeoutExpired as error:
            raise ServiceError(
                f"`git {arguments[0]}` takes longer than {self._seconds:.0f} seconds"
            ) from error
        if done.returncode == 0:
            return None
        said = " ".join((done.stdout + b" " + done.stderr).decode(errors="replace").split())[:_EXCERPT]
        if not may_fail:
            raise ServiceError(f"`git {arguments[0]}` failed: {said}")
        return said or "it says nothing"

    def _environment(self) -> dict[str, str]:
        options = {**_OPTIONS, **self._source.options, **self._mirror.options}
        pairs = {
            f"GIT_CONFIG_{what}_{n}": value
            for n, pair in enumerate(options.items())
            for what, value in zip(("KEY", "VALUE"), pair, strict=True)
        }
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        return {
            **kept,
            **pairs,
            "GIT_CONFIG_COUNT": str(len(options)),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "/bin/false",
            "LC_ALL": "C",
        }


def _refused(branch: str, complaint: str) -> BotError:
    if "stale info" in complaint or "reference already exists" in complaint:
        return Refused(
            f"`{branch}` on GitLab moved meanwhile and is left as it is", hint="look again, and retry"
        )
    if "protected branch" in complaint or "pre-receive hook declined" in complaint:
        return Refused(
            f"GitLab does not let `{branch}` be pushed: {complaint}", hint="see its protected branches"
        )
    if "Authentication failed" in complaint or "could not read Username" in complaint or "403" in complaint:
        return UsageError(
            f"GitLab does not take the token for a push to `{branch}`: {complaint}",
            hint="set GITLAB_TOKEN to one of the scopes `api` and `write_repository`",
        )
    return ServiceError(f"`{branch}` cannot be pushed to GitLab: {complaint}", hint="try again later")
