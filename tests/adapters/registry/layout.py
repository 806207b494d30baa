"""Images as a registry stores them: blobs and manifests, in the order in which they have to be pushed."""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from bot.registry.protocol import digest_of
from tests.fakes.images import LABELS, RELEASE_25_10, RELEASE_26_07, on_both_platforms

OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_IMAGE = "application/vnd.oci.image.manifest.v1+json"
DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
DOCKER_IMAGE = "application/vnd.docker.distribution.manifest.v2+json"

_CONFIG_TYPES = {
    OCI_IMAGE: "application/vnd.oci.image.config.v1+json",
    DOCKER_IMAGE: "application/vnd.docker.container.image.v1+json",
}
_LAYER_TYPES = {
    OCI_IMAGE: "application/vnd.oci.image.layer.v1.tar+gzip",
    DOCKER_IMAGE: "application/vnd.docker.image.rootfs.diff.tar.gzip",
}
_LAYER = gzip.compress(bytes(1024), mtime=0)

Json = dict[str, Any]


class Layout:
    """The content of one repository. `manifests` maps a tag or digest to media type and bytes."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[str, tuple[str, bytes]] = {}

    def image(
        self,
        platform: str,
        environment: Mapping[str, str],
        *,
        media_type: str = OCI_IMAGE,
        tag: str | None = None,
    ) -> Json:
        """Store the image of one platform, under its digest or a tag, and return its descriptor."""
        os, architecture = platform.split("/")
        config = {
            "os": os,
            "architecture": architecture,
            "config": {"Env": [f"{key}={value}" for key, value in environment.items()], "Labels": LABELS},
            "rootfs": {"type": "layers", "diff_ids": [digest_of(bytes(1024))]},
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": media_type,
            "config": self._blob(_json(config), _CONFIG_TYPES[media_type]),
            "layers": [self._blob(_LAYER, _LAYER_TYPES[media_type])],
        }
        descriptor = self._manifest(manifest, tag)
        return descriptor | {"platform": {"os": os, "architecture": architecture}}

    def attestation(self, subject: Json) -> Json:
        """Store what BuildKit stores beside an image, and return its descriptor."""
        statement = self._blob(_json({"subject": subject["digest"]}), "application/vnd.in-toto+json")
        config = _json({"os": "unknown", "architecture": "unknown", "config": {}})
        manifest = {
            "schemaVersion": 2,
            "mediaType": OCI_IMAGE,
            "config": self._blob(config, _CONFIG_TYPES[OCI_IMAGE]),
            "layers": [statement],
        }
        return self._manifest(manifest, None) | {
            "platform": {"os": "unknown", "architecture": "unknown"},
            "annotations": {
                "vnd.docker.reference.type": "attestation-manifest",
                "vnd.docker.reference.digest": subject["digest"],
            },
        }

    def index(self, tag: str, children: list[Json], media_type: str = OCI_INDEX) -> str:
        """Store an index under a tag, and return its digest."""
        manifest = {"schemaVersion": 2, "mediaType": media_type, "manifests": children}
        return str(self._manifest(manifest, tag)["digest"])

    def _manifest(self, manifest: Json, tag: str | None) -> Json:
        body, media_type = _json(manifest), str(manifest["mediaType"])
        self.manifests[tag or digest_of(body)] = (media_type, body)
        return {"mediaType": media_type, "digest": digest_of(body), "size": len(body)}

    def _blob(self, body: bytes, media_type: str) -> Json:
        self.blobs[digest_of(body)] = body
        return {"mediaType": media_type, "digest": digest_of(body), "size": len(body)}


def _json(document: Json) -> bytes:
    return json.dumps(document, indent=3).encode()


def ngc_layout() -> Layout:
    """Return the three shapes that `nvidia/pytorch` has: a Docker list, an OCI index, one platform alone."""
    layout = Layout()
    docker = [
        layout.image(platform, environment, media_type=DOCKER_IMAGE)
        for platform, environment in on_both_platforms(RELEASE_25_10).items()
    ]
    layout.index("25.10-py3", docker, DOCKER_LIST)
    oci = [layout.image(*item) for item in on_both_platforms(RELEASE_26_07, CUDA_ARCH_LIST="9.0").items()]
    layout.index("26.07-py3", [*oci, *(layout.attestation(child) for child in oci)])
    layout.image("linux/arm64", RELEASE_25_10, media_type=DOCKER_IMAGE, tag="25.10-py3-igpu")
    return layout
