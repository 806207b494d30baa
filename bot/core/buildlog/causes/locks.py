"""What uv says of a lock file, a dependency group, an extra or a requirement that it cannot satisfy.

uv wraps its messages at the width of a terminal, so each sign is short. Texts: https://github.com/astral-sh/uv.
"""

from bot.core.buildlog.signs import Cause, Rank, Sign

_NAME = r"[A-Za-z0-9][\w.-]*"
# Where repositories keep what they take from others.
_SUBMODULE = r"\S{0,200}(?:3rdparty|third_party|third-party|submodules?)/"

CAUSES = (
    Cause(
        "lock-conflict",
        "`uv.lock` holds a merge conflict: take the base branch's, and run `uv lock` in the container",
        (
            Sign("<<<<<<<", r"^\s*\d+ \| <{7} "),
            Sign("=======", r"^\s*\d+ \| ={7}$"),
            Sign(">>>>>>>", r"^\s*\d+ \| >{7} "),
        ),
        leads_to=frozenset({"lock-unreadable"}),
    ),
    Cause(
        "lock-unreadable",
        "`uv.lock` is damaged: take the base branch's, and run `uv lock` in the container",
        (
            Sign("Failed to parse `uv.lock`", r"error: Failed to parse `uv\.lock`"),
            Sign("Failed to parse lockfile", r"error: Failed to parse lockfile"),
        ),
    ),
    Cause(
        "lock-version",
        "another uv wrote `uv.lock`: use the version that the Dockerfile names, or lock again with it",
        (
            Sign(
                "uses an unsupported schema version",
                r"uses an unsupported schema version \((?P<subject>v\d+)",
            ),
        ),
    ),
    Cause(
        "lock-stale",
        "`uv.lock` does not fit `pyproject.toml`, or the context lacks a workspace member: check the full "
        "checkout with `uv lock --check`, then run `uv lock` in the new container",
        (
            Sign(
                "needs to be updated, but `--locked`",
                r"The lockfile at `\S+` needs to be updated, but `--locked`",
            ),
        ),
    ),
    Cause(
        "lock-missing",
        "`uv.lock` is not there: copy it into the image beside `pyproject.toml`",
        (Sign("Unable to find lockfile", r"error: Unable to find lockfile"),),
    ),
    Cause(
        "extra-unknown",
        "`pyproject.toml` has no extra `{subject}`: it may be a dependency group now, or have another name",
        (Sign("is not defined in the", r"Extra `(?P<subject>[^`]+)` is not defined in the"),),
    ),
    Cause(
        "group-unknown",
        "`pyproject.toml` has no dependency group `{subject}`: it may be an extra now, or have another name",
        (Sign("is not defined in the", r"Group `(?P<subject>[^`]+)` is not defined in the"),),
    ),
    Cause(
        "project-missing",
        "copy `pyproject.toml` into the image, or run uv where it is",
        (Sign("No `pyproject.toml` found", r"error: No `pyproject\.toml` found in current directory"),),
    ),
    Cause(
        "submodule-missing",
        "a source of `{package}` is empty or has no `pyproject.toml`: "
        "`git submodule update --init --recursive`, and see .dockerignore",
        (
            Sign(
                "does not appear to be a Python",
                r"(?<!\S)`?(?P<subject>/[^\s`]{1,400})`? does not appear to be a Python",
            ),
            Sign("Distribution not found at: ", r"Distribution not found at: file://(?P<subject>\S+)"),
            Sign("Workspace member", r"Workspace member `(?P<subject>[^`]+)` is missing a `pyproject\.toml`"),
            Sign(
                "fatal error: ",
                rf"fatal error:\s+(?P<subject>{_SUBMODULE}\S+?):(?: No such|$)",
            ),
            # uv wraps a long path onto a line of its own.
            Sign(
                "No such file or directory",
                rf"^\s+(?P<subject>{_SUBMODULE}\S+\.\w+): No such file "
                r"or directory$",
            ),
            Sign("No url found for submodule", r"No url found for submodule path '(?P<subject>[^']+)'"),
        ),
        leads_to=frozenset({"header-missing"}),
        of_build=True,
    ),
    Cause(
        "requirements-conflict",
        "two requirements exclude each other: read the chain that uv names, and move the pin that is ours",
        (Sign(" depends on ", rf"Because .*depends on (?P<subject>{_NAME}[<>=!~]\S+) and {_NAME}[<>=!~]"),),
        leads_to=frozenset({"resolution-failed"}),
    ),
    Cause(
        "resolution-failed",
        "uv finds no set of versions: read the chain that it names",
        (Sign("No solution found when resolving", r"No solution found when resolving dependencies"),),
        rank=Rank.CONSEQUENCE,
    ),
)
