"""A real `docker-registry` (https://distribution.github.io/distribution/) here, and pushes to it."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.adapters.registry.layout import Layout
from tests.components import component_missing

_CONFIG = """\
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {folder}/storage}}, delete: {{enabled: true}}}}
http: {{addr: "127.0.0.1:{port}"}}
"""
_TRIES = 200
_BETWEEN_TRIES = 0.05


@contextmanager
def running_registry(folder: Path) -> Iterator[str]:
    """Start a registry that keeps its files under `folder`, yield its address, and stop it."""
    program = shutil.which("docker-registry")
    if program is None:
        component_missing("docker-registry", "it is not installed (Debian package `docker-registry`)")
    port = _free_port()
    config = folder / "config.yml"
    config.write_text(_CONFIG.format(folder=folder, port=port))
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([program, "serve", str(config)], stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        if not _answers(url, process):
            component_missing("docker-registry", f"it did not start: {(folder / 'log').read_text()[-400:]}")
        yield url
    finally:
        process.terminate()
        process.wait(timeout=10)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    for _ in range(_TRIES):
        try:
            return httpx.get(f"{url}/v2/", trust_env=False).status_code == httpx.codes.OK
        except httpx.TransportError:
            if process.poll() is not None:
                return False
            time.sleep(_BETWEEN_TRIES)
    return False


def push(url: str, repository: str, layout: Layout) -> None:
    """Push all of `layout`: what a manifest points to has to be there before it."""
    with httpx.Client(base_url=f"{url}/v2/{repository}", trust_env=False) as client:
        for digest, body in layout.blobs.items():
            started = client.post("/blobs/uploads/").raise_for_status()
            place = httpx.URL(started.headers["location"]).copy_merge_params({"digest": digest})
            client.put(place, content=body).raise_for_status()
        for reference, (media_type, body) in layout.manifests.items():
            headers = {"Content-Type": media_type}
            client.put(f"/manifests/{reference}", content=body, headers=headers).raise_for_status()
