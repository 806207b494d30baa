"""The files of a branch on GitLab, as `Sources`.

Only the repository files API is used, which a token with the scope `read_repository` may call
(https://docs.gitlab.com/api/repository_files/).
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bot.core.errors import ServiceError
from bot.gitlab.server import LATER_HINT, URL_HINT, GitLabServer, NotThere, Patience


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
        self._branch = branch
        self._server = GitLabServer(
            url, token, project, scope="`read_repository` or `read_api`", patience=patience
        )

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
        with self._server.session():
            for path in paths:
                file = self._read_at(ref, path)
                files[path] = file.content if file else None
                # The branch may move while it is read; the commit does not.
                ref = file.commit if file else ref
        return files

    def _read_at(self, ref: str, path: str) -> _File | None:
        try:
            return _checked(self._server.document(f"/repository/files/{quote(path, safe='')}", ref=ref))
        except NotThere as error:
            # The branch is 404 as well; only this text says that the file alone is missing.
            if "File Not Found" in error.said:
                return None
            raise self._not_found(error.said) from error
        except (KeyError, TypeError, ValueError) as error:
            raise ServiceError(
                f"GitLab at `{self._server.url}` sent a file that is not whole", path=path, hint=LATER_HINT
            ) from error

    def _not_found(self, said: str) -> ServiceError:
        where = f"GitLab at `{self._server.url}`"
        if "Commit Not Found" in said:
            return ServiceError(f"{where} has no branch `{self._branch}` in `{self._server.project}`")
        return ServiceError(
            f"{where} does not know the address of a file: {said}",
            hint=f"{URL_HINT}; a proxy before it has to pass on `%2F` as it is",
        )


def _checked(attributes: dict[str, Any]) -> _File:
    """Return the file; raises KeyError, TypeError or ValueError when a part is missing or damaged."""
    content = base64.b64decode(attributes["content"], validate=True)
    if hashlib.sha256(content).hexdigest() != attributes["content_sha256"]:
        raise ValueError("the content is not the one of its checksum")
    return _File(content, str(attributes["commit_id"]))
