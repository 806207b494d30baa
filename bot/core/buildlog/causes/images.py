"""Why a base image could not be had: unknown, refused, of another platform, or misnamed.

The texts are those of dockerd's and containerd's resolvers; GitLab's registry adds its own words.
"""

from bot.core.buildlog.signs import Cause, Sign

# A log is outside text: with bounds, and no search from the middle of a word, a hostile line takes no time.
_IMAGE = (
    r"(?<![\w./-])(?P<subject>[\w.-]{1,200}(?::\d{1,5})?/[\w./-]{1,200}"
    r"(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{64})?)"
)
_PORTED = r"(?<![\w.-])(?P<subject>[\w.-]{1,200}:\d{1,5})"
_URL = r"https?://(?P<subject>[^\s\"]{1,300})"

CAUSES = (
    Cause(
        "registry-port",
        "the registry is named with its port (`{subject}`), under which it lets you in nowhere: "
        "leave the port out, else log in",
        (
            Sign("access forbidden", rf"{_PORTED}/.*access forbidden"),
            Sign("403 Forbidden", rf"from host {_PORTED} failed with status code .*403 Forbidden"),
            Sign("403 Forbidden", rf"https?://{_PORTED}/v2/.*403 Forbidden"),
        ),
    ),
    Cause(
        "image-unauthorised",
        "log in where `{subject}` is kept (for nvcr.io the user is `$oauthtoken`), and see that "
        "the account may read it",
        (
            Sign("401 Unauthorized", rf"unexpected status from \w+ request to {_URL}: 401 Unauthorized"),
            Sign("403 Forbidden", rf"unexpected status from \w+ request to {_URL}: 403 Forbidden"),
            Sign(
                "401 Unauthorized", r"from host (?P<subject>\S+) failed with status code .*: 401 Unauthorized"
            ),
            Sign("403 Forbidden", r"from host (?P<subject>\S+) failed with status code .*: 403 Forbidden"),
            Sign("no basic auth credentials", rf"{_URL}\": no basic auth credentials"),
            Sign(
                "pull access denied",
                r"pull access denied for (?P<subject>[\w./:-]+), repository does not exist or may",
            ),
            Sign(
                "pull access denied, ",
                r"pull access denied, repository does not exist or may require authorization",
            ),
            Sign("denied: ", r"denied: (?:access forbidden|requested access to the resource is denied)"),
            Sign(
                "unauthorized: ",
                r"unauthorized: (?:authentication required|access token has insufficient|HTTP Basic)",
            ),
            Sign("failed to fetch anonymous token", rf"failed to fetch anonymous token: .*{_URL}: 40[13] "),
        ),
        of_image=True,
    ),
    Cause(
        "image-platform",
        "`{subject}` has no such platform: build for one that it has, or take another tag",
        (
            Sign("no match for platform", rf"{_IMAGE}: no match for platform in manifest"),
            Sign("no match for platform", r"no match for platform in manifest"),
            Sign("no matching manifest for", r"no matching manifest for \S+ in the manifest list"),
            Sign("does not match the specified platform", rf"image with reference {_IMAGE} was found but "),
        ),
        of_image=True,
    ),
    Cause(
        "image-unknown",
        "`{subject}` is not in the registry: see the tag, and whether it is out for each platform",
        (
            Sign(": not found", rf"^{_IMAGE}: not found$"),
            Sign(": not found", rf"failed to resolve source metadata for {_IMAGE}: .*: not found$"),
            Sign("manifest unknown", r"manifest for (?P<subject>\S+) not found: manifest unknown"),
            Sign("manifest unknown", r"reading manifest (?P<subject>\S+ in \S+): manifest unknown"),
        ),
        of_image=True,
    ),
    Cause(
        "image-name-invalid",
        "write the image in lower case, as `registry/repository:tag`",
        (Sign("invalid reference format", r"invalid reference format"),),
    ),
    Cause(
        "registry-rate-limit",
        "the registry takes no more requests for now: log in, or wait and try again",
        (
            Sign("toomanyrequests", r"toomanyrequests: "),
            Sign("429 Too Many Requests", r"429 Too Many Requests"),
        ),
        of_image=True,
    ),
    Cause(
        "registry-broken",
        "the registry answers with an error of its own: try again later",
        (
            Sign("failed with status code", r"from host (?P<subject>\S+) failed with status code .*: 5\d\d "),
            Sign("received unexpected HTTP status", r"received unexpected HTTP status: 5\d\d "),
            Sign("unexpected status from", rf"unexpected status from \w+ request to {_URL}: 5\d\d "),
        ),
        of_image=True,
    ),
    Cause(
        "registry-without-tls",
        "the registry speaks plain HTTP where HTTPS is asked for: list it among the daemon's "
        "insecure registries",
        (
            Sign(
                "does not look like a TLS handshake",
                rf"{_URL}\": tls: first record does not look like a TLS",
            ),
            Sign("server gave HTTP response to HTTPS client", r"server gave HTTP response to HTTPS client"),
        ),
        of_image=True,
    ),
)
