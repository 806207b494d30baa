"""The files of a branch or a pull request on a code host, as a source for the check."""

from collections.abc import Mapping, Sequence

from bot.core.errors import Refused
from bot.ports import CodeHost


class HostSource:
    """One commit of a repository; `label` says which."""

    def __init__(self, host: CodeHost, sha: str, label: str) -> None:
        self._host = host
        self._sha = sha
        self.label = label

    def read(self, paths: Sequence[str]) -> Mapping[str, bytes | None]:
        """Return each file's exact bytes, None where there is no such file."""
        return self._host.read(self._sha, paths)


def branch_source(host: CodeHost, branch: str) -> HostSource:
    """Return the head of a branch. Raises Refused when there is no such branch."""
    head = host.base_head(branch)
    if head is None:
        raise Refused(f"{host.repository} has no branch `{branch}`", hint="name another one with `--base`")
    return HostSource(host, head.sha, f"github:{branch}")


def pull_request_source(host: CodeHost, number: int) -> HostSource:
    """Return the head of a pull request. Raises Refused when there is no such pull request."""
    sha = host.pull_request_head(number)
    if sha is None:
        raise Refused(f"{host.repository} has no pull request #{number}", hint="check the number")
    return HostSource(host, sha, f"github:#{number}")
