"""Where a log or an artifact may be fetched from: a redirect of the API is outside text.

Source: https://docs.github.com/actions/reference/runners/self-hosted-runners (the hosts of Actions)
"""

from urllib.parse import SplitResult, urlsplit

from bot.core.errors import ServiceError
from bot.core.loopback import is_loopback

_STORES = (".blob.core.windows.net", ".actions.githubusercontent.com")


def checked_target(url: str, api_url: str) -> str:
    """Return `url` if something may be fetched from there, on behalf of the API at `api_url`.

    That is https to a store of GitHub Actions or to the API's own host, and any port of this machine
    where the API is on this machine too. Raises ServiceError for anything else.
    """
    target, api = _split(url), _split(api_url)
    if target is not None and api is not None and _is_allowed(target, api):
        return url
    # Only the origin: the query of a signed address is a secret.
    place = f"{target.scheme}://{target.hostname}" if target else "nowhere"
    raise ServiceError(
        f"GitHub redirects a download to `{ascii(place)[1:-1][:120]}`, where nothing is fetched from",
        hint="report it if GitHub has moved its store",
    )


def _is_allowed(target: SplitResult, api: SplitResult) -> bool:
    host, own = target.hostname or "", api.hostname or ""
    if target.username is not None or target.password is not None:
        return False
    if is_loopback(host):
        return is_loopback(own) and target.scheme in {"http", "https"}
    is_known = host.endswith(_STORES) or host == own
    return is_known and target.scheme == "https" and target.port in {None, 443}


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL; None where parsers would not agree on them."""
    if not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        return None
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_whole else None
