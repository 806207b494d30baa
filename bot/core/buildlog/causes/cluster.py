"""What pyxis, enroot and Slurm say when a container does not come up.

Texts: https://github.com/NVIDIA/pyxis, https://github.com/NVIDIA/enroot.
"""

from bot.core.buildlog.signs import Cause, Rank, Sign

_URL = r"\[ERROR\] URL (?P<subject>\S+) returned error code:"

CAUSES = (
    Cause(
        "image-dialect",
        "pyxis takes `registry#repository:tag`; with a slash it asks Docker Hub: write `#` after "
        "the registry",
        (
            Sign(
                "registry-1.docker.io/v2/",
                r"URL (?P<subject>https://registry-1\.docker\.io/v2/[\w-]+\.[\w.-]+(?::\d+)?/\S+)",
            ),
            Sign(
                "Invalid image reference: ",
                r"\[ERROR\] Invalid image reference: (?P<subject>docker://[\w.-]+:\d+/\S+)",
            ),
        ),
        leads_to=frozenset({"container-import-failed", "image-unauthorised", "network"}),
    ),
    Cause(
        "image-name-invalid",
        "write the image in lower case, as `registry#repository:tag`",
        (Sign("Invalid image reference: ", r"\[ERROR\] Invalid image reference: (?P<subject>\S+)"),),
    ),
    Cause(
        "image-unknown",
        "`{subject}` is not in the registry: see repository and tag",
        (Sign("returned error code: 404", rf"{_URL} 404"),),
        phase="enroot import",
    ),
    Cause(
        "image-unauthorised",
        "enroot is not let in (`{subject}`): add the registry to `$ENROOT_CONFIG_PATH/.credentials`",
        (
            Sign("returned error code: 401", rf"{_URL} 401"),
            Sign("returned error code: 403", rf"{_URL} 403"),
        ),
        phase="enroot import",
    ),
    Cause(
        "registry-rate-limit",
        "the registry takes no more requests for now: log in, or wait and try again",
        (Sign("returned error code: 429", rf"{_URL} 429"),),
        phase="enroot import",
    ),
    Cause(
        "registry-broken",
        "the registry answers with an error of its own: try again later",
        (Sign("returned error code: 5", rf"{_URL} 5\d\d"),),
        phase="enroot import",
    ),
    Cause(
        "registry-without-tls",
        "the registry speaks plain HTTP: set `ENROOT_ALLOW_HTTP yes` in enroot.conf",
        (Sign("wrong version number", r"curl: \(35\) .*wrong version number"),),
        phase="enroot import",
    ),
    Cause(
        "layer-cache-unreadable",
        "the layer cache belongs to another group: set `ENROOT_CACHE_PATH` to a folder of your own",
        (
            Sign(
                "Cannot open: Permission denied",
                r"tar(?: \(child\))?: (?P<subject>\S+): Cannot open: Permission denied",
            ),
        ),
        phase="enroot import",
    ),
    Cause(
        "squashfs-missing",
        "`{subject}` is not on this node: see the path, and whether the file system is mounted there",
        (
            Sign(
                "[ERROR] No such file or directory: ",
                r"\[ERROR\] No such file or directory: (?P<subject>\S+\.sqsh)",
            ),
        ),
    ),
    Cause(
        "squashfs-exists",
        "`{subject}` is there already: remove it, or import under another name",
        (Sign("[ERROR] File already exists: ", r"\[ERROR\] File already exists: (?P<subject>\S+)"),),
    ),
    Cause(
        "docker-daemon-missing",
        "no Docker daemon runs here: import with `docker://`, or start it",
        (
            Sign(
                "Cannot connect to the Docker daemon",
                r"Cannot connect to the Docker daemon at (?P<subject>\S+?)\. Is",
            ),
        ),
    ),
    Cause(
        "mount-source-missing",
        "`{subject}` is not on this node: see `--container-mounts`",
        (
            Sign(
                "source path does not exist: ",
                r"--container-mounts: source path does not exist: (?P<subject>\S+)",
            ),
        ),
    ),
    Cause(
        "pyxis-missing",
        "this cluster has no pyxis: `--container-image` is its option",
        (
            Sign(
                "unrecognized option '--container",
                r"(?:srun|sbatch|salloc): unrecognized option '--container",
            ),
            Sign(
                "spank_pyxis.so",
                r"(?:dlopen\(\S*spank_pyxis\.so\).*|Failed to load plugin \S*spank_pyxis\.so)",
            ),
        ),
    ),
    Cause(
        "enroot-capabilities",
        "enroot's helpers lack their file capabilities: `setcap` as enroot's README says, on each node",
        (Sign("failed to set capabilities", r"enroot-\w+: failed to set capabilities"),),
    ),
    Cause(
        "image-unauthorised",
        "enroot's log ends where it logs in: add the registry to `$ENROOT_CONFIG_PATH/.credentials`",
        (
            Sign("[INFO] Authentication succeeded", r"\[INFO\] Authentication succeeded", clears=True),
            Sign(
                "[INFO] Authenticating with user: ",
                r"pyxis: .*\[INFO\] Authenticating with user: (?P<subject>.+)",
            ),
        ),
        rank=Rank.SUSPECT,
        phase="enroot import",
    ),
    Cause(
        "container-import-failed",
        "pyxis could not import the image: read enroot's log between the lines",
        (
            Sign(
                "pyxis: failed to import docker image: ",
                r"pyxis: failed to import docker image: (?P<subject>\S+)",
            ),
        ),
        rank=Rank.CONSEQUENCE,
        phase="enroot import",
    ),
    Cause(
        "container-create-failed",
        "pyxis could not unpack the image: read enroot's log between the lines",
        (
            Sign(
                "pyxis: failed to create container filesystem",
                r"pyxis: failed to create container filesystem(?: for image: (?P<subject>\S+))?",
            ),
        ),
        rank=Rank.CONSEQUENCE,
        phase="enroot create",
    ),
)
