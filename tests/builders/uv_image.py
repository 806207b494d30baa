"""A stand-in for the base image with a real Python and a real uv, both copied from this machine."""

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from tests.builders.daemon import BASE, Engine
from tests.components import component_missing

# Knows every revision but the one of zeros; there is no network in these tests.
_GIT = f"""#!/bin/sh
case "$*" in *fetch*{"0" * 40}) exit 128;; esac
"""


def make_uv_image(engine: Engine, folder: Path) -> str:
    """Return the name of the image."""
    root = folder / "root"
    python = Path(sys.executable).resolve()
    library = Path(sysconfig.get_path("stdlib"))
    for file in (python, _uv(), *library.glob("lib-dynload/*.so")):
        for needed in (file, *_libraries(file)):
            _copy(needed, root)
    left_out = shutil.ignore_patterns(
        "__pycache__", "test", "tests", "site-packages", "dist-packages", "idlelib"
    )
    shutil.copytree(library, root / library.relative_to("/"), ignore=left_out, dirs_exist_ok=True)
    program = root / "usr" / "local" / "bin" / "git"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(_GIT)
    program.chmod(0o755)
    links = f"ln -sf {python} /usr/local/bin/python3 && ln -sf {_uv()} /usr/local/bin/uv"
    (folder / "Dockerfile").write_text(f"FROM {BASE}\nCOPY root/ /\nRUN mkdir -p /usr/local/bin && {links}\n")
    engine.docker("build", "--quiet", "--network=host", "--tag=uv-stand-in:1", str(folder))
    return "uv-stand-in:1"


def _uv() -> Path:
    places = [shutil.which("uv") or ""]
    if shutil.which("pyenv"):
        asked = subprocess.run(["pyenv", "which", "uv"], capture_output=True, text=True, check=False)
        places.append(asked.stdout.strip())
    programs = [Path(it).resolve() for it in places if it and Path(it).is_file()]
    found = [it for it in programs if it.read_bytes()[:4] == b"\x7fELF"]
    return found[0] if found else component_missing("docker", "there is no `uv` to put into an image")


def _libraries(file: Path) -> list[Path]:
    listed = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
    return [Path(place) for place in re.findall(r"(/\S+\.so\S*)", listed)]


def _copy(file: Path, root: Path) -> None:
    target = root / file.relative_to("/")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
