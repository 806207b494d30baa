"""A container registry on the lab's stage: tags, manifests and configs of images that have no layers.

https://github.com/opencontainers/distribution-spec/blob/main/spec.md
"""

import hashlib
import json
import threading
from collections.abc import Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"

PYTORCH: Mapping[str, str] = {
    "CUDA_VERSION": "13.3.1.008",
    "CUDNN_VERSION": "9.24.0.43",
    "NCCL_VERSION": "2.30.7",
    "NVIDIA_PYTORCH_VERSION": "26.06",
    "PYTORCH_VERSION": "2.13.0a0+9186a08",
    "TRANSFORMER_ENGINE_VERSION": "2.17",
}
"""A few variables of an image's environment, in the form that NVIDIA gives them:
https://docs.nvidia.com/deeplearning/frameworks/pytorch-release-notes/"""


class LabRegistry:
    """The application; stories push images into it while it serves."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tags: dict[str, dict[str, str]] = {}
        self._stored: dict[str, tuple[str, bytes]] = {}
        self.app = Starlette(
            routes=[
                Route("/v2/{name:path}/tags/list", self._list),
                Route("/v2/{name:path}/manifests/{reference}", self._manifest, methods=["GET", "HEAD"]),
                Route("/v2/{name:path}/blobs/{digest}", self._blob),
            ]
        )

    def push(self, name: str, tag: str, environments: Mapping[str, Mapping[str, str]]) -> str:
        """Put an image under a tag, `environments` by `linux/amd64` and the like; return its digest."""
        with self._lock:
            children = [self._image(platform, it) for platform, it in environments.items()]
            index = self._store({"schemaVersion": 2, "mediaType": INDEX, "manifests": children}, INDEX)
            self._tags.setdefault(name, {})[tag] = index["digest"]
            return str(index["digest"])

    def _image(self, platform: str, environment: Mapping[str, str]) -> dict[str, Any]:
        system, _, architecture = platform.partition("/")
        about = {"os": system, "architecture": architecture}
        variables = {"Env": [f"{key}={value}" for key, value in environment.items()]}
        config = self._store({**about, "config": variables, "rootfs": {"type": "layers"}}, CONFIG)
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": []}
        return self._store(manifest, MANIFEST) | {"platform": about}

    def _store(self, document: Mapping[str, Any], media_type: str) -> dict[str, Any]:
        body = json.dumps(document).encode()
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        self._stored[digest] = (media_type, body)
        return {"mediaType": media_type, "digest": digest, "size": len(body)}

    async def _list(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._tags:
            return _unknown("NAME_UNKNOWN")
        return JSONResponse({"name": name, "tags": sorted(self._tags[name])})

    async def _manifest(self, request: Request) -> Response:
        reference = request.path_params["reference"]
        digest = self._tags.get(request.path_params["name"], {}).get(reference, reference)
        return self._answer(digest, "MANIFEST_UNKNOWN")

    async def _blob(self, request: Request) -> Response:
        return self._answer(request.path_params["digest"], "BLOB_UNKNOWN")

    def _answer(self, digest: str, missing: str) -> Response:
        if digest not in self._stored:
            return _unknown(missing)
        media_type, body = self._stored[digest]
        return Response(body, media_type=media_type, headers={"Docker-Content-Digest": digest})


def _unknown(code: str) -> Response:
    return JSONResponse({"errors": [{"code": code, "message": code.lower().replace("_", " ")}]}, 404)
