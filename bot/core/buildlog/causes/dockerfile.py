"""What is wrong with a Dockerfile, its context, its stages or its secrets.

BuildKit's texts: https://github.com/moby/buildkit, `frontend/dockerfile`.
"""

from bot.core.buildlog.signs import Cause, Sign

# Shell words that a builder without heredocs takes for instructions; real instructions have other names.
_SHELL = (
    "APT-GET|APT|ARCH=\\S*|BASH|CASE|CD|CHMOD|CURL|ECHO|EOF|ESAC|EXPORT|FI|FOR|GIT|IF|INSTALL|LN|LS|MKDIR"
    "|PATCH|PIP|POPD|PUSHD|PYTHON3?|RM|SET|TAR|TEST|UV|WGET|\\S+=\\S*"
)

CAUSES = (
    Cause(
        "heredoc-unsupported",
        "the builder does not know heredocs: build with Docker 23 or newer, or with BuildKit 0.10 or newer",
        (
            Sign("unknown instruction: ", rf"unknown instruction: (?P<subject>{_SHELL})$"),
            Sign("Unknown instruction: ", rf"Unknown instruction: \"(?P<subject>{_SHELL})\""),
        ),
    ),
    Cause(
        "dockerfile-syntax",
        "mend the Dockerfile at the line that the message names",
        (
            Sign("unknown instruction: ", r"unknown instruction: (?P<subject>\S+)"),
            Sign(
                "dockerfile parse error", r"dockerfile parse error (?:on )?line \d+: (?!unknown instruction)"
            ),
            Sign("the --mount option requires BuildKit", r"the --mount option requires BuildKit"),
        ),
    ),
    Cause(
        "secret-missing",
        "stage needs the secret `{subject}`: stop at the public stage with `--target main`, or give it "
        "with `--secret id={subject},env=…`",
        (
            Sign(": not found", r"^(?:.*: )?secret (?P<subject>[\w.-]+): not found"),
            Sign("/run/secrets/", r"/run/secrets/(?P<subject>[\w.-]+): No such file or directory"),
        ),
        leads_to=frozenset({"context-file-missing", "package-unavailable"}),
    ),
    Cause(
        "context-file-missing",
        "`{subject}` is not in the build context: prepare it before the build, and see .dockerignore",
        (
            Sign(
                "failed to calculate checksum of ref",
                r"failed to calculate checksum of ref .*: \"(?P<subject>[^\"]+)\": not found",
            ),
            Sign(
                "failed to compute cache key",
                r"failed to compute cache key: \"?(?P<subject>/[^\":]+)\"?(?: not found)?: not found",
            ),
            Sign(
                "failed: stat ",
                r"^(?:COPY|ADD) failed: .*stat (?P<subject>\S+): (?:no such file|file does not)",
            ),
        ),
    ),
    Cause(
        "stage-unknown",
        "the Dockerfile has no stage `{subject}`: see its `FROM … AS` lines",
        (
            Sign("target stage", r"target stage \"?(?P<subject>[\w.-]+)\"? could not be found"),
            Sign(
                "failed to reach build target",
                r"failed to reach build target (?P<subject>[\w.-]+) in Dockerfile",
            ),
        ),
    ),
    Cause(
        "base-image-unset",
        "no base image is named: give it with `--build-arg FROM_IMAGE_NAME=…`",
        (Sign("should not be blank", r"base name \((?P<subject>[^)]*)\) should not be blank"),),
    ),
    Cause(
        "dockerfile-missing",
        "name the Dockerfile with `-f`, relative to where the build is started",
        (
            Sign(
                "failed to read dockerfile",
                r"failed to read dockerfile: open (?P<subject>[^:]+): no such file",
            ),
            Sign(
                "unable to evaluate symlinks in Dockerfile path",
                r"unable to evaluate symlinks in Dockerfile path",
            ),
        ),
    ),
    Cause(
        "multi-platform-unsupported",
        "build one platform at a time, or with a `docker-container` builder",
        (
            Sign(
                "Multi-platform build is not supported",
                r"Multi-platform build is not supported for the docker driver",
            ),
        ),
    ),
)
