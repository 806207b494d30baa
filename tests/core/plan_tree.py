"""A small repository with two tracks: every kind of place that names an image, and the recipe for it."""

from hypothesis import strategies as st

from bot.core.image import parse_image
from bot.core.recipe import parse_recipe

RECIPE = parse_recipe(
    """\
repository: owner/name
tracks:
  dev:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    title: 'move to {tag}'
    pins:
      - {path: pin.dev, format: whole-file}
      - path: ci.yml
        format: yaml-rows
        where: {rows: [build, matrix], match: {IMAGE: DEV}, key: BASE, platform: PLATFORM}
        count: 2
        platforms: [amd64, arm64]
    report:
      - {path: docs.md, why: prose}
    coupled:
      - name: NCCL
        path: Dockerfile
        pattern: 'NCCL=(?P<pin>(?P<version>[0-9.]+)\\+cuda(?P<cuda>[0-9.]+))'
        against: {version: NCCL_VERSION, cuda: CUDA_VERSION}
      - name: NVSHMEM
        path: Dockerfile
        pattern: 'nvshmem==(?P<pin>[0-9.]+)'
        against: {pin: NVSHMEM_VERSION}
  lts:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    title: 'move LTS to {tag}'
    pins:
      - {path: pin.lts, format: whole-file}
      - path: ci.yml
        format: yaml-rows
        where: {rows: [build, matrix], match: {IMAGE: LTS}, key: BASE}
  split:
    image: nvcr.io/nvidia/pytorch
    tag: YY.MM-py3
    title: 'move to {tag}'
    pins:
      - {path: Dockerfile.split, format: dockerfile-arg, where: {arg: YYMM}, value: release}
      - {path: Dockerfile.split, format: dockerfile-from}
      - {path: Dockerfile.split, format: regex, where: {pattern: 'tag=(?P<pin>\\S+)'}, value: tag}
""",
    name="small",
    path="small.yaml",
)
DEV, LTS, SPLIT = (RECIPE.track(name) for name in ("dev", "lts", "split"))


def image(tag, digest=None):
    """Return the reference to a tag of the tracks' image."""
    found = parse_image(f"nvcr.io/nvidia/pytorch:{tag}")
    assert found
    return found.at(tag, digest)


def rows(amd64="nvcr.io/nvidia/pytorch:26.04-py3", arm64=None, lts="nvcr.io/nvidia/pytorch:26.04-py3"):
    """Return `ci.yml`: the LTS row in line 3, amd64 in line 4, arm64 in line 5."""
    return (
        "build:\n  matrix:\n"
        f"  - {{IMAGE: LTS, BASE: '{lts}', PLATFORM: amd64}}\n"
        f"  - {{IMAGE: DEV, BASE: '{amd64}', PLATFORM: amd64}}\n"
        f"  - {{IMAGE: DEV, BASE: '{arm64 or amd64}', PLATFORM: arm64}}\n"
    ).encode()


def tree(**changed):
    """Return a tree with every pin at 26.04; `pin_dev` and so on replace a file, None takes it away."""
    files = {
        "pin.dev": b"nvcr.io/nvidia/pytorch:26.04-py3\n",
        "pin.lts": b"nvcr.io/nvidia/pytorch:26.04-py3",
        "ci.yml": rows(),
        "docs.md": b"# Start\n\nRun `nvcr.io/nvidia/pytorch:26.02-py3`.\n",
        "Dockerfile": b"FROM x\nARG NCCL=2.30.7+cuda13.3\nRUN pip install nvshmem==3.4.5\n",
        "Dockerfile.split": (b"ARG YYMM=26.04\nRUN tag=26.04-py3 \nFROM nvcr.io/nvidia/pytorch:26.04-py3\n"),
    }
    return files | {name.replace("_", "."): content for name, content in changed.items()}


PIECES = (
    *(
        "nvcr.io/nvidia/pytorch",
        ":26.04-py3",
        ":26.06-py3",
        "@sha256:" + "1a" * 32,
        "# pinned",
        "26.06",
        "*a",
    ),
    *("build:\n  matrix:\n", "  - {IMAGE: DEV, BASE: ", ", PLATFORM: arm64}\n", "ARG YYMM=", "FROM ", "tag="),
    *("NCCL=1+cuda2", "nvshmem==3", "}", "'", "\n", "\r", "\t", "\x00", "\ufeff", "\u2028"),
)
ODD = st.one_of(
    st.none(), st.binary(max_size=20), st.lists(st.sampled_from(PIECES)).map(lambda it: "".join(it).encode())
)


def _variants(content):
    """Return a strategy for a file: as it is, at another tag, held by a comment, or anything else."""
    other = [content.replace(b"26.04", tag) for tag in (b"26.06", b"26.08", b"25.11")]
    held = b"# do not bump\n" + content
    return st.one_of(st.sampled_from([content, *other, held, content + b"\n"]), ODD)


TREES = st.fixed_dictionaries({path: _variants(content) for path, content in tree().items()})
"""Trees of which any file may be at another tag, damaged or gone."""
