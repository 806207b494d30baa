"""Why a package that is built from source does not build: compiler, CUDA, headers, tools, revision.

The texts are those of gcc, nvcc, ld, CMake, git, setuptools and `torch.utils.cpp_extension`.
"""

from bot.core.buildlog.signs import Cause, Rank, Sign

_NAME = r"(?P<package>[A-Za-z0-9][\w.-]*)"

CAUSES = (
    Cause(
        "compiler-killed",
        "the compiler for `{package}` was killed, mostly for want of memory: fewer jobs "
        "(`MAX_JOBS`), or a larger machine",
        (
            Sign(
                "Killed signal terminated program",
                r"fatal error: Killed signal terminated program (?P<subject>\w+)",
            ),
            Sign("died due to signal 9", r"'(?P<subject>[^']+)' died due to signal 9"),
        ),
        of_build=True,
    ),
    Cause(
        "compiler-crashed",
        "the compiler crashed on `{package}`: fewer jobs (`MAX_JOBS`) if memory is short, else "
        "another compiler or revision",
        (
            Sign(
                "internal compiler error",
                r"internal compiler error: (?:.* terminated program (?P<subject>\w+))?",
            ),
            Sign("died due to signal", r"'(?P<subject>[^']+)' died due to signal (?:4|6|7|8|11)\b"),
        ),
        of_build=True,
    ),
    Cause(
        "cuda-architecture",
        "the new CUDA does not know `{subject}`: take it out of the architectures that "
        "`{package}` is built for",
        (
            Sign(
                "Unsupported gpu architecture",
                r"nvcc fatal\s*: Unsupported gpu architecture '(?P<subject>\w+)'",
            ),
            Sign(
                "Unknown CUDA arch",
                r"ValueError: Unknown CUDA arch \((?P<subject>[^)]+)\) or GPU not supported",
            ),
        ),
        of_build=True,
    ),
    Cause(
        "compiler-unsupported",
        "the new CUDA does not take this host compiler for `{package}`: use one that it names",
        (
            Sign(
                "unsupported GNU version",
                r"#error -- unsupported GNU version! gcc versions later than (?P<subject>\d+) are not",
            ),
        ),
        of_build=True,
    ),
    Cause(
        "cuda-mismatch",
        "`{package}` is built with another CUDA than PyTorch: use the image's own toolkit and "
        "its own PyTorch",
        (
            Sign(
                "The detected CUDA version",
                r"RuntimeError: The detected CUDA version \((?P<subject>[\d.]+)\) mismatches the version",
            ),
        ),
        of_build=True,
    ),
    Cause(
        "cuda-missing",
        "no CUDA toolkit is found while `{package}` is built: set `CUDA_HOME`, or start from the NGC image",
        (
            Sign(
                "CUDA_HOME environment variable is not set",
                r"(?:OSError|EnvironmentError): CUDA_HOME environment variable is not set",
            ),
            Sign("nvcc' failed: No such file", r"command '\S*nvcc' failed: No such file or directory"),
            Sign("nvcc'", r"\[Errno 2\] No such file or directory: '(?P<subject>\S*nvcc)'"),
            Sign("nvcc: ", r"nvcc: (?:command )?not found"),
        ),
        of_build=True,
    ),
    Cause(
        "cuda-minor-mismatch",
        "the toolkit and PyTorch differ in CUDA's minor version; it is said here because the "
        "build broke beside it",
        (
            Sign(
                "has a minor version mismatch",
                r"The detected CUDA version \((?P<subject>[\d.]+)\) has a minor version mismatch",
            ),
        ),
        rank=Rank.WARNING,
        of_build=True,
    ),
    Cause(
        "ninja-missing",
        "`{package}` needs ninja: put it among the packages of the build group",
        (
            Sign("Ninja is required", r"RuntimeError: Ninja is required to load C\+\+ extensions"),
            Sign('corresponding to "Ninja"', r"unable to find a build program corresponding to \"Ninja\""),
            Sign("Could not detect Ninja", r"ERROR: Could not detect Ninja"),
        ),
        of_build=True,
    ),
    Cause(
        "ninja-absent",
        "without ninja `{package}` is compiled one file after another, by another way than "
        "usual: add it to the build group",
        (
            Sign("could not find ninja", r"UserWarning: .*could\s+not find ninja"),
            Sign("not find ninja", r"^\s*not find ninja\.\. Falling back"),
        ),
        rank=Rank.WARNING,
        of_build=True,
    ),
    Cause(
        "header-missing",
        "`{subject}` is not there while `{package}` is built: install what brings it, or add its "
        "folder to `CPATH`",
        (Sign("fatal error: ", r"fatal error: (?P<subject>[\w./+-]+):(?: No such file or|$)"),),
        of_build=True,
    ),
    Cause(
        "library-missing",
        "`{subject}` is not there when `{package}` is linked: install what brings it, or add its "
        "folder to `LIBRARY_PATH`",
        (Sign(": cannot find -l", r"ld: cannot find -l(?P<subject>[\w.+-]+)"),),
        of_build=True,
    ),
    Cause(
        "cmake-package-missing",
        "CMake does not find `{subject}` for `{package}`: install it, or add its folder to "
        "`CMAKE_PREFIX_PATH`",
        (
            Sign(
                "Could not find a package configuration",
                r"Could not find a package configuration file provided by \"(?P<subject>[^\"]+)\"",
            ),
            Sign('By not providing "Find', r"By not providing \"Find(?P<subject>\w+)\.cmake\""),
            Sign("Could NOT find", r"^\s*Could NOT find (?P<subject>\w+) \(missing:"),
        ),
        of_build=True,
    ),
    Cause(
        "compiler-missing",
        "no compiler `{subject}` for `{package}`: the image has none, or `CC` and `CXX` name another",
        (
            Sign(
                "No such file or directory: '",
                r"\[Errno 2\] No such file or directory: "
                r"'(?P<subject>\S*(?:g\+\+|gcc|cc|c\+\+|clang|clang\+\+))'",
            ),
            Sign(
                "' failed: No such file",
                r"command '(?P<subject>\S*(?:g\+\+|gcc|cc|c\+\+|clang|clang\+\+))' failed: No such file",
            ),
        ),
        of_build=True,
    ),
    Cause(
        "git-revision-gone",
        "the revision `{subject}` of `{package}` is not in its repository any more: pin another "
        "one, then `uv lock`",
        (
            Sign("not our ref ", r"upload-pack: not our ref (?P<subject>[0-9a-f]{7,64})"),
            Sign(
                "couldn't find remote ref ",
                r"couldn't find remote ref (?:refs/(?:heads|tags)/)?(?P<subject>\S+)",
            ),
            Sign("fatal: Remote branch ", r"fatal: Remote branch (?P<subject>\S+) not found in upstream"),
            Sign(
                "did not match any file(s) known to git",
                r"pathspec '(?P<subject>[^']+)' did not match any file\(s\) known to git",
            ),
            Sign("fatal: ambiguous argument '", r"fatal: ambiguous argument '(?P<subject>[^'^]+)(?:\^0)?'"),
            Sign("fatal: reference is not a tree", r"fatal: reference is not a tree: (?P<subject>\S+)"),
            Sign("fatal: bad object ", r"fatal: bad object (?P<subject>[0-9a-f]{7,64})"),
        ),
        of_build=True,
    ),
    Cause(
        "patch-fails",
        "a patch of ours does not fit the new revision: make it anew",
        (
            Sign(" FAILED", r"^\d+ out of \d+ hunks? FAILED(?: -- saving rejects to file (?P<subject>\S+))?"),
            Sign("patch does not apply", r"error: (?P<subject>\S+): patch does not apply"),
        ),
        of_build=True,
    ),
    Cause(
        "download-failed",
        "`{package}` could not be fetched whole: read the lines below it",
        (Sign("Failed to download `", rf"(?:error:|\u00d7) Failed to download `{_NAME}"),),
        rank=Rank.CONSEQUENCE,
    ),
    Cause(
        "source-build-failed",
        "`{package}` does not build here: read the lines of its build above",
        (
            Sign("Failed to build `", rf"Failed to build `{_NAME}"),
            Sign("Failed to download and build `", rf"Failed to download and build `{_NAME}"),
            Sign("Failed to generate package metadata", rf"Failed to generate package metadata for `{_NAME}"),
            Sign("Building wheel for ", rf"\u00d7 Building wheel for {_NAME} .*did not run successfully"),
            Sign(
                "Building editable for ", rf"\u00d7 Building editable for {_NAME} .*did not run successfully"
            ),
            Sign("Failed building wheel for ", rf"ERROR: Failed building wheel for {_NAME}"),
            Sign(
                "did not run successfully",
                r"\u00d7 (?:Getting requirements to build \w+|Preparing metadata .*) did not run",
            ),
            Sign("Failed to prepare distributions", r"error: Failed to prepare distributions"),
        ),
        rank=Rank.CONSEQUENCE,
    ),
)
