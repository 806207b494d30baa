"""Pins that the new base does not have: NCCL and NVSHMEM first, then any package of apt, uv or pip."""

from bot.core.buildlog.signs import Cause, Sign

_COUPLED = r"(?P<package>libnccl2|libnccl-dev|libnvshmem[\w-]*|nvidia-(?:nccl|nvshmem)-cu\d+)"
_NAME = r"(?P<package>[A-Za-z0-9][\w.+-]*?)"
_VERSION = r"(?P<subject>[^\s'`,]+)"

CAUSES = (
    Cause(
        "cuda-pin-unavailable",
        "`{package}` has no such build for the new CUDA: move the pin in the Dockerfile to one "
        "that its repository lists",
        (
            Sign("' was not found", rf"E: Version '{_VERSION}' for '{_COUPLED}' was not found"),
            Sign("E: Unable to locate package", rf"E: Unable to locate package {_COUPLED}"),
            Sign(
                "is no version of ",
                rf"there is no version of {_COUPLED}(?:\[\w+\])?==(?P<subject>[\w.+]+)",
            ),
            Sign(
                "satisfies the requirement ", rf"satisfies the requirement {_COUPLED}==(?P<subject>[\w.+]+)"
            ),
            Sign(
                "No matching distribution",
                rf"No matching distribution found for {_COUPLED}(?:==(?P<subject>[\w.+]+))?",
            ),
        ),
        leads_to=frozenset({"resolution-failed", "package-unavailable"}),
    ),
    Cause(
        "package-unavailable",
        "`{package}` is not to be had in this version: see the pin, and the index or repository "
        "that is asked",
        (
            Sign("' was not found", rf"E: Version '{_VERSION}' for '{_NAME}' was not found"),
            Sign("E: Unable to locate package", r"E: Unable to locate package (?P<package>\S+)"),
            Sign(
                "has no installation candidate",
                r"E: Package '(?P<package>[^']+)' has no installation candidate",
            ),
            Sign("is no version of ", rf"there is no version of {_NAME}(?:\[\w+\])?(?:[=<>!~]|\s|$)"),
            Sign("Because only ", rf"Because only {_NAME}[<>=]\S+(?: is available|$)"),
            Sign("are no versions of ", rf"there are no versions of {_NAME}(?:\[\w+\])?(?:[=<>!~]|\s|$)"),
            Sign(
                "was not found in the package registry",
                rf"[Bb]ecause {_NAME} was not found in the package registry",
            ),
            Sign("No matching distribution", rf"No matching distribution found for {_NAME}(?:[=<>!~ ]|$)"),
        ),
        leads_to=frozenset({"resolution-failed"}),
    ),
    Cause(
        "file-checksum",
        "a download is not what its checksum says: see whether the pin and its checksum moved together",
        (
            Sign("WARNING: 1 computed checksum", r"sha256sum: WARNING: 1 computed checksum did NOT match"),
            Sign("Hash mismatch for", rf"Hash mismatch for `{_NAME}(?:==|`| )"),
        ),
    ),
)
