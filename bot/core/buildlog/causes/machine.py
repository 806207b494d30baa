"""What the machine ran out of: disk, memory, time; and its emulation of another one."""

from bot.core.buildlog.signs import Cause, Rank, Sign

_OF_A_FULL_DISK = frozenset(
    {"source-build-failed", "container-import-failed", "container-create-failed", "package-unavailable"}
)

# Not a disk: a network card's queue and the number of watched files say so too.
_NOT_A_DISK = r"(?!.*(?:mlx\d|file watchers))"

CAUSES = (
    Cause(
        "disk-full",
        "no space is left on the device: prune images and caches, or mount the cache from a larger disk",
        (
            Sign("No space left on device", rf"^{_NOT_A_DISK}.*No space left on device"),
            Sign("no space left on device", rf"^{_NOT_A_DISK}.*no space left on device"),
            Sign("Disk quota exceeded", r"Disk quota exceeded"),
            Sign(
                "You don't have enough free space in",
                r"E: You don't have enough free space in (?P<subject>\S+)",
            ),
        ),
        leads_to=_OF_A_FULL_DISK,
        of_build=True,
    ),
    Cause(
        "out-of-memory",
        "memory was short: fewer jobs (`MAX_JOBS`, `NVCC_THREADS`), or a larger machine",
        (
            Sign("virtual memory exhausted", r"virtual memory exhausted: Cannot allocate memory"),
            Sign("out of memory allocating", r"out of memory allocating \d+ bytes"),
            Sign(
                "Cannot allocate memory", r"\[Errno 12\] Cannot allocate memory|fork: Cannot allocate memory"
            ),
            Sign("cannot allocate memory", r": cannot allocate memory$"),
            Sign("LLVM ERROR: out of memory", r"LLVM ERROR: out of memory"),
            Sign("oom_kill event", r"Detected \d+ oom_kill event"),
            Sign("oom-kill event", r"Detected \d+ oom-kill event"),
            Sign("OOMKilled", r"\bOOMKilled\b"),
        ),
        leads_to=frozenset({"compiler-killed", "compiler-crashed"}),
        of_build=True,
    ),
    Cause(
        "time-limit",
        "the job ran into its time limit: give it more, or see which step took it",
        (
            Sign("DUE TO TIME LIMIT", r"CANCELLED AT \S+ DUE TO TIME LIMIT"),
            Sign("has exceeded the maximum execution time", r"has exceeded the maximum execution time of"),
            Sign("execution took longer than", r"Job failed: execution took longer than"),
        ),
    ),
    Cause(
        "emulation-crash",
        "a program crashed under emulation: try once more, better on a machine of that architecture",
        (Sign("qemu: uncaught target signal", r"qemu: uncaught target signal (?P<subject>\d+)"),),
    ),
    Cause(
        "emulation-missing",
        "this machine cannot run programs of that architecture: build there, or enable qemu's binfmt handler",
        (
            Sign("exec format error", r"exec format error"),
            Sign("Exec format error", r"Exec format error"),
            Sign("cannot execute binary file", r"cannot execute binary file"),
        ),
    ),
    Cause(
        "process-killed",
        "a process was killed (signal 9), mostly for want of memory: see the machine's own log",
        (
            Sign("exit code: 137", r"exit code: 137$"),
            Sign(" Killed ", r"^(?:bash|sh|\S+\.sh): (?:line \d+: +)?\d+ Killed +"),
            Sign("returned a non-zero code: 137", r"returned a non-zero code: 137$"),
        ),
        rank=Rank.SUSPECT,
    ),
    Cause(
        "process-crashed",
        "a process crashed (exit code 139, a segmentation fault)",
        (
            Sign("exit code: 139", r"exit code: 139$"),
            Sign("returned a non-zero code: 139", r"returned a non-zero code: 139$"),
        ),
        rank=Rank.SUSPECT,
    ),
)
