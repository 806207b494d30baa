"""The client against a real registry: the three shapes in which `nvidia/pytorch` stores its tags."""

import httpx
import pytest

from bot.core.errors import ServiceError
from bot.core.manifest import Manifest
from bot.registry.client import RegistryClient
from bot.registry.protocol import digest_of
from tests.adapters.registry.docker_registry import push, running_registry
from tests.adapters.registry.layout import DOCKER_IMAGE, DOCKER_LIST, Layout, ngc_layout
from tests.fakes.images import IMAGE, LABELS, RELEASE_25_10, RELEASE_26_07

pytestmark = pytest.mark.component("docker-registry")

LAYOUT = ngc_layout()


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with running_registry(tmp_path_factory.mktemp("registry")) as url:
        push(url, "nvidia/pytorch", LAYOUT)
        yield url


@pytest.fixture
def registry(url):
    return RegistryClient({"nvcr.io": url})


def stored_digest(tag: str, layout: Layout = LAYOUT) -> str:
    return digest_of(layout.manifests[tag][1])


def test_every_tag_is_listed(registry):
    # In no order: this registry lists them as its file system does.
    assert sorted(registry.tags(IMAGE)) == ["25.10-py3", "25.10-py3-igpu", "26.07-py3"]


@pytest.mark.parametrize("tag", ["25.10-py3", "26.07-py3"])
def test_a_docker_list_and_an_oci_index_with_attestations_have_two_platforms(registry, tag):
    manifest = registry.manifest(IMAGE, tag)

    assert manifest.digest == stored_digest(tag)
    assert list(manifest.platforms) == ["linux/amd64", "linux/arm64"]
    assert set(manifest.platforms.values()) < set(LAYOUT.manifests)


def test_a_tag_without_index_has_the_platform_of_its_config(registry):
    digest = stored_digest("25.10-py3-igpu")

    assert registry.manifest(IMAGE, "25.10-py3-igpu") == Manifest(
        "25.10-py3-igpu", digest, {"linux/arm64": digest}
    )


@pytest.mark.parametrize(
    ("tag", "environments"),
    [
        ("25.10-py3", {"linux/amd64": RELEASE_25_10, "linux/arm64": RELEASE_25_10}),
        (
            "26.07-py3",
            {"linux/amd64": RELEASE_26_07, "linux/arm64": RELEASE_26_07 | {"CUDA_ARCH_LIST": "9.0"}},
        ),
        ("25.10-py3-igpu", {"linux/arm64": RELEASE_25_10}),
    ],
)
def test_the_environment_of_each_platform_is_read_without_pulling(registry, tag, environments):
    configs = registry.configs(IMAGE, registry.manifest(IMAGE, tag))

    assert {config.platform: config.environment for config in configs} == environments
    assert all(config.labels == LABELS for config in configs)


def test_a_tag_that_is_not_there_is_none_beside_those_that_are(registry):
    found = registry.manifests(IMAGE, ("25.10-py3", "26.08-py3", "26.07-py3"))

    assert [manifest and manifest.tag for manifest in found] == ["25.10-py3", None, "26.07-py3"]


def test_an_index_is_not_served_to_those_who_do_not_accept_it(url, registry):
    narrow = {"Accept": f"{DOCKER_LIST}, {DOCKER_IMAGE}"}
    address = f"{url}/v2/nvidia/pytorch/manifests/26.07-py3"

    assert httpx.get(address, headers=narrow, trust_env=False).status_code == 404
    assert registry.manifest(IMAGE, "26.07-py3") is not None


def test_a_child_that_is_gone_is_an_error(registry):
    gone = Manifest("26.07-py3", "sha256:" + "0" * 64, {"linux/amd64": "sha256:" + "1" * 64})

    with pytest.raises(ServiceError, match="with status 404"):
        registry.configs(IMAGE, gone)


def test_a_repository_that_is_not_there_is_an_error_and_not_an_empty_list(registry):
    with pytest.raises(ServiceError, match="the tags of `nvidia/pytorhc` with status 404"):
        registry.tags("nvcr.io/nvidia/pytorhc")
