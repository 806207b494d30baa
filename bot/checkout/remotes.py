"""Remote URL → the name of the repository it leads to (https://git-scm.com/docs/git-clone#_git_urls)."""

import re

_URL = re.compile(r"(?:https?|ssh|git|git\+ssh|ssh\+git)://[^/]+/(?P<path>.+)")
_SCP = re.compile(r"(?:[^@/:]+@)?[^/:@]+:(?P<path>[^:].*)")


def repository_of(url: str) -> str | None:
    """Return `owner/name`, with all groups as on GitLab, of a remote URL; None for a path on this machine."""
    found = _URL.fullmatch(url) or ("://" not in url and _SCP.fullmatch(url)) or None
    if found is None:
        return None
    name = found["path"].strip("/").removesuffix(".git")
    return name if re.fullmatch(r"[\w.-]+(?:/[\w.-]+)+", name) else None
