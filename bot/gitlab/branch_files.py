"""The files of a branch on GitLab, as `Sources`.

Only the repository files API is used, which a token with the scope `read_repository` may call
(https://docs.gitlab.com/api/repository_files/).
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import gitlab
import stamina
from gitlab.exceptions import GitlabError, GitlabParsingError

from bot.core.errors import ServiceError

_SCOPE_HINT = "set GITLAB_TOKEN to a token of that project with the scope `read_repository` or `read_api`"
_URL_HINT = "set GITLAB_URL to the address of GitLab itself, such as `https://gitlab.example.com`"
_LATER_HINT = "try again later"
_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class Patience:
    """How long GitLab is waited for: seconds for an answer, tries in all, seconds before the next try."""

    timeout: float = 10.0
    attempts: int = 3
    wait: float = 0.5


@dataclass(frozen=True, slots=True)
class _File:
    content: bytes
    commit: str


class GitLabBranch:
    """Implements `bot.ports.Sources` for a branch of a GitLab project.

    `url` is the server's address, `project` the full path such as `group/name`; without a `token`
    only public projects can be read.
    """

    def __init__(
        self, url: str, token: str | None, project: str, branch: str, patience: Patience | None = None
    ) -> None:
        self._url = url
        self._project = project
        self._branch = branch
        self._patience = patience or Patience()
        self._server = gitlab.Gitlab(url, private_token=token, timeout=self._patience.timeout)
        # requests would take the token along to wherever a redirect leads.
        self._server.session.hooks["response"].append(self._refuse_redirect)
        self._files = self._server.projects.get(project, lazy=True).files

    @property
    def label(self) -> str:
        """`gitlab:<branch>`."""
        return f"gitlab:{self._branch}"

    def read(self, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Return each file's exact bytes, None where the branch has no such file.

        All files are of one commit, the branch's head. Raises ServiceError when GitLab gives no sound answer.
        """
        files: dict[str, bytes | None] = {}
        ref = self._branch
        # Leaving closes the connections; the next call opens new ones.
        with self._server:
            for path in paths:
                file = self._read_at(ref, path)
                files[path] = file.content if file else None
                # The branch may move while it is read; the commit does not.
                ref = file.commit if file else ref
        return files

    def _read_at(self, ref: str, path: str) -> _File | None:
        try:
            return _checked(self._ask(ref, path))
        except GitlabError as error:
            # Project and branch are 404 as well; only this text says that the file alone is missing.
            if error.response_code == HTTPStatus.NOT_FOUND and "File Not Found" in str(error.error_message):
                return None
            raise self._explained(error) from error
        except OSError as error:
            # What requests raises is an OSError; its text may quote the token, its cause does not.
            cause = getattr(error.args[0], "reason", "") if error.args else ""
            reason = f"{type(error).__name__} {cause}".strip()[:_EXCERPT]
            raise ServiceError(
                f"GitLab at `{self._url}` gives no answer: {reason}", hint=_URL_HINT
            ) from error
        except (KeyError, TypeError, ValueError) as error:
            raise ServiceError(
                f"GitLab at `{self._url}` sent a file that is not whole", path=path, hint=_LATER_HINT
            ) from error

    def _ask(self, ref: str, path: str) -> dict[str, Any]:
        for attempt in stamina.retry_context(
            on=_may_pass,
            attempts=self._patience.attempts,
            timeout=None,
            wait_initial=self._patience.wait,
            wait_jitter=self._patience.wait,
        ):
            with attempt:
                # python-gitlab's own retries sleep for as long as the server says.
                return self._files.get(file_path=path, ref=ref, obey_rate_limit=False).attributes
        raise AssertionError("the last attempt returns or raises")

    def _explained(self, error: GitlabError) -> ServiceError:
        status, said = error.response_code, " ".join(str(error.error_message).split())[:_EXCERPT]
        if isinstance(error, GitlabParsingError):
            return ServiceError(f"`{self._url}` does not answer as GitLab does", hint=_URL_HINT)
        where = f"GitLab at `{self._url}`"
        if status == HTTPStatus.UNAUTHORIZED:
            return ServiceError(f"{where} does not accept the token: {said}", hint=_SCOPE_HINT)
        if status == HTTPStatus.FORBIDDEN:
            return ServiceError(f"{where} forbids to read `{self._project}`: {said}", hint=_SCOPE_HINT)
        if status == HTTPStatus.NOT_FOUND:
            return self._not_found(said)
        return ServiceError(f"{where} failed with {status}: {said}", hint=_LATER_HINT)

    def _not_found(self, said: str) -> ServiceError:
        where = f"GitLab at `{self._url}`"
        if "Commit Not Found" in said:
            return ServiceError(f"{where} has no branch `{self._branch}` in `{self._project}`")
        if "Project Not Found" in said:
            return ServiceError(f"{where} shows no project `{self._project}` to the token", hint=_SCOPE_HINT)
        return ServiceError(
            f"{where} does not know the address of a file: {said}",
            hint=f"{_URL_HINT}; a proxy before it has to pass on `%2F` as it is",
        )

    def _refuse_redirect(self, response: Any, *_: object, **__: object) -> None:
        if response.is_redirect:
            response.close()
            target = str(response.headers["location"]).partition("?")[0][:_EXCERPT]
            raise ServiceError(
                f"`{self._url}` redirects to `{target}`, which is not followed", hint=_URL_HINT
            )


def _may_pass(error: Exception) -> bool:
    if isinstance(error, GitlabError):
        status = error.response_code or 0
        return status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(error, OSError)


def _checked(attributes: dict[str, Any]) -> _File:
    """Return the file; raises KeyError, TypeError or ValueError when a part is missing or damaged."""
    content = base64.b64decode(attributes["content"], validate=True)
    if hashlib.sha256(content).hexdigest() != attributes["content_sha256"]:
        raise ValueError("the content is not the one of its checksum")
    return _File(content, str(attributes["commit_id"]))
