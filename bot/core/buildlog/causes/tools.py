"""Programs and modules that are not where they are looked for."""

from bot.core.buildlog.signs import Cause, Rank, Sign

CAUSES = (
    Cause(
        "uv-missing",
        "the image has no uv: it is not the one that Dockerfile.ci.dev builds",
        (
            Sign("uv: not found", r"(?:^|: )uv: not found$"),
            Sign("uv: command not found", r"(?:^|: )uv: command not found$"),
            Sign('exec: "uv"', r"exec: \"uv\": executable file not found in \$PATH"),
            Sign("execve(): uv", r"execve\(\): uv: No such file or directory"),
        ),
    ),
    Cause(
        "command-missing",
        "the image has no `{subject}`: install it before, or start from the image that has it",
        (
            Sign(": command not found", r"(?:line \d+: |: )(?P<subject>[\w.+-]+): command not found$"),
            Sign(": not found", r"^/bin/sh: \d+: (?P<subject>[\w./+-]+): not found$"),
            Sign(
                "executable file not found in $PATH",
                r"exec: \"(?P<subject>[^\"]+)\": executable file not found in \$PATH",
            ),
            Sign("execve(): ", r"execve\(\): (?P<subject>\S+): No such file or directory"),
            Sign("bad interpreter", r"bad interpreter\((?P<subject>[^)]+)\): No such file or directory"),
        ),
    ),
    Cause(
        "module-missing",
        "`{subject}` is in no environment that this Python sees: `uv add` and `uv sync`, never a "
        "bare `pip install`",
        (Sign("ModuleNotFoundError: ", r"^\s*ModuleNotFoundError: No module named '(?P<subject>[\w.]+)'"),),
        in_build="build-requirement-missing",
    ),
    Cause(
        "build-requirement-missing",
        "the build of `{package}` needs `{subject}` and does not say so: list the package under "
        "`no-build-isolation-package`, and sync the build group first",
        (),
        of_build=True,
    ),
    Cause(
        "binary-mismatch",
        "`{subject}` and the image do not fit, as when one was compiled for another PyTorch or CUDA: "
        "build it anew, or lock another one",
        (
            Sign("undefined symbol: ", r"ImportError: (?P<subject>\S+\.so\S*): undefined symbol: "),
            Sign(
                "cannot open shared object file",
                r"ImportError: (?P<subject>\S+\.so[\w.]*): cannot open shared object file",
            ),
        ),
    ),
    Cause(
        "pip-outside-venv",
        "pip installed `{subject}` outside of uv's environment: use `uv add` and `uv sync`",
        (Sign("Successfully installed ", r"^Successfully installed (?P<subject>.+)"),),
        rank=Rank.WARNING,
    ),
)
