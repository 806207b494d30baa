"""Lines in the words of builders, registries, uv, pip and apt: (cause, line, package, subject)."""

PROVING: tuple[tuple[str, str, str | None, str | None], ...] = (
    ("heredoc-unsupported", 'Build error: Unknown instruction: "ECHO"', None, "ECHO"),
    ("heredoc-unsupported", "dockerfile parse error line 9: unknown instruction: APT-GET", None, "APT-GET"),
    ("dockerfile-syntax", "dockerfile parse error on line 3: FROM requires either one or three", None, None),
    ("dockerfile-syntax", "dockerfile parse error line 3: unknown instruction: COPPY", None, "COPPY"),
    ("dockerfile-syntax", "the --mount option requires BuildKit. Refer to the documentation", None, None),
    ("secret-missing", "secret LOGGER_INDEX_URL: not found", None, "LOGGER_INDEX_URL"),
    ("context-file-missing", 'failed to compute cache key: "/assets" not found: not found', None, "/assets"),
    ("context-file-missing", "failed to compute cache key: /assets: not found", None, "/assets"),
    (
        "context-file-missing",
        "COPY failed: stat /var/x/assets: no such file or directory",
        None,
        "/var/x/assets",
    ),
    ("stage-unknown", "failed to reach build target jett in Dockerfile", None, "jett"),
    (
        "dockerfile-missing",
        "failed to read dockerfile: open docker/Dockerfile.x: no such file or directory",
        None,
        "docker/Dockerfile.x",
    ),
    (
        "dockerfile-missing",
        "unable to prepare context: unable to evaluate symlinks in Dockerfile path: l",
        None,
        None,
    ),
    (
        "registry-port",
        (
            "unexpected status from HEAD request to https://gitlab.example:5005/v2/x/manifests/main: "
            "403 Forbidden"
        ),
        None,
        "gitlab.example:5005",
    ),
    (
        "image-unauthorised",
        "unexpected status from HEAD request to https://nvcr.io/v2/x/manifests/1: 403 Forbidden",
        None,
        "nvcr.io/v2/x/manifests/1",
    ),
    (
        "image-unauthorised",
        "pulling from host nvcr.io failed with status code [manifests 1]: 401 Unauthorized",
        None,
        "nvcr.io",
    ),
    (
        "image-unauthorised",
        "pulling from host nvcr.io failed with status code [manifests 1]: 403 Forbidden",
        None,
        "nvcr.io",
    ),
    (
        "image-unauthorised",
        'Error response from daemon: Head "http://r.example/v2/x/manifests/1": no basic auth credentials',
        None,
        "r.example/v2/x/manifests/1",
    ),
    (
        "image-unauthorised",
        "pull access denied for nvcr.io/x/y, repository does not exist or may require 'docker login'",
        None,
        "nvcr.io/x/y",
    ),
    ("image-unauthorised", "denied: requested access to the resource is denied", None, None),
    ("image-unauthorised", "reading manifest nope: unauthorized: authentication required", None, None),
    (
        "image-unauthorised",
        (
            "failed to fetch anonymous token: unexpected status from GET request to "
            "https://nvcr.io/proxy_auth: 401 U"
        ),
        None,
        "nvcr.io/proxy_auth",
    ),
    (
        "image-platform",
        (
            "image with reference nvcr.io/x/y:1 was found but does not match the specified platform: "
            "wanted linux/arm64"
        ),
        None,
        "nvcr.io/x/y:1",
    ),
    ("image-platform", "nvcr.io/x/y:1: no match for platform in manifest: not found", None, "nvcr.io/x/y:1"),
    (
        "image-unknown",
        "manifest for r.example/x:nope not found: manifest unknown: manifest unknown",
        None,
        "r.example/x:nope",
    ),
    (
        "image-unknown",
        "reading manifest nope in r.example/x: manifest unknown: manifest unknown",
        None,
        "nope in r.example/x",
    ),
    ("image-name-invalid", "invalid reference format: repository name (A/B) must be lowercase", None, None),
    (
        "registry-rate-limit",
        "Error response from daemon: toomanyrequests: You have reached your limit.",
        None,
        None,
    ),
    (
        "registry-broken",
        "pulling from host r.example failed with status code [manifests 1]: 502 Bad Gateway",
        None,
        "r.example",
    ),
    (
        "registry-broken",
        "Error response from daemon: received unexpected HTTP status: 500 Internal Server Error",
        None,
        None,
    ),
    (
        "registry-broken",
        "unexpected status from HEAD request to https://r.example/v2/x: 503 Service Unavailable",
        None,
        "r.example/v2/x",
    ),
    (
        "registry-without-tls",
        (
            'failed to do request: Head "https://r.example/v2/x": tls: first record does not look like '
            "a TLS handshake"
        ),
        None,
        "r.example/v2/x",
    ),
    ("registry-without-tls", "http: server gave HTTP response to HTTPS client", None, None),
    ("lock-conflict", "        33 | =======", None, None),
    ("lock-conflict", "34 | >>>>>>> origin/main", None, None),
    ("lock-unreadable", "error: Failed to parse `uv.lock`", None, None),
    ("lock-unreadable", "error: Failed to parse lockfile", None, None),
    (
        "project-missing",
        "error: No `pyproject.toml` found in current directory or any parent directory",
        None,
        None,
    ),
    (
        "submodule-missing",
        "error: Distribution not found at: file:///opt/3rdparty/NeMo",
        None,
        "/opt/3rdparty/NeMo",
    ),
    (
        "submodule-missing",
        "csrc/a.cpp:1:10: fatal error: 3rdparty/cutlass/cutlass.h: No such file or directory",
        None,
        "3rdparty/cutlass/cutlass.h",
    ),
    (
        "submodule-missing",
        "fatal: No url found for submodule path '3rdparty/x' in .gitmodules",
        None,
        "3rdparty/x",
    ),
    (
        "cuda-pin-unavailable",
        (
            "ERROR: Could not find a version that satisfies the requirement nvidia-nvshmem-cu13==3.4.99 "
            "(from versions: 3)"
        ),
        "nvidia-nvshmem-cu13",
        "3.4.99",
    ),
    (
        "cuda-pin-unavailable",
        "ERROR: No matching distribution found for nvidia-nccl-cu13==2.30.7",
        "nvidia-nccl-cu13",
        "2.30.7",
    ),
    ("package-unavailable", "E: Package 'rdma-core' has no installation candidate", "rdma-core", None),
    (
        "package-unavailable",
        "Because only click<=8.5.1 is available and you require click>=99",
        "click",
        None,
    ),
    ("package-unavailable", "Because there are no versions of click and you require click", "click", None),
    (
        "package-unavailable",
        "Because nosuch was not found in the package registry and you require",
        "nosuch",
        None,
    ),
    ("package-unavailable", "E: Version '1.0' for 'libibverbs-dev' was not found", "libibverbs-dev", "1.0"),
    ("file-checksum", "sha256sum: WARNING: 1 computed checksum did NOT match", None, None),
    ("file-checksum", "Hash mismatch for `click==8.1.8`", "click", None),
)
