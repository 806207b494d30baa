"""What every `ImageRegistry` does: the fake and the client on a real registry, by the same tests."""

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

import pytest

from bot.core.errors import ServiceError
from bot.ports import ImageRegistry
from bot.registry.client import RegistryClient
from tests.adapters.registry.docker_registry import push, running_registry
from tests.adapters.registry.layout import Layout
from tests.fakes.images import RELEASE_25_10, RELEASE_26_07, on_both_platforms
from tests.fakes.registry import Environments, FakeRegistry


class Publisher(Protocol):
    """A registry, and the way to put an image of the test's own repository there."""

    registry: ImageRegistry
    name: str

    def push(self, tag: str, environments: Environments) -> None: ...


@dataclass
class InMemory:
    name: str
    registry: FakeRegistry = field(default_factory=FakeRegistry)

    def push(self, tag: str, environments: Environments) -> None:
        self.registry.push(self.name, tag, environments)


@dataclass
class OnDisk:
    name: str
    url: str

    @property
    def registry(self) -> ImageRegistry:
        return RegistryClient({"nvcr.io": self.url})

    def push(self, tag: str, environments: Environments) -> None:
        layout = Layout()
        layout.index(tag, [layout.image(*item) for item in environments.items()])
        push(self.url, self.name.removeprefix("nvcr.io/"), layout)


@pytest.fixture(
    scope="module",
    params=["fake", pytest.param("real", marks=pytest.mark.component("docker-registry"))],
)
def url(request, tmp_path_factory) -> Iterator[str | None]:
    """The address of a real registry, or None for the fake."""
    real = request.param == "real"
    with running_registry(tmp_path_factory.mktemp("registry")) if real else nullcontext() as url:
        yield url


_numbers = count()


@pytest.fixture
def there(url) -> Publisher:
    name = f"nvcr.io/contract/image-{next(_numbers)}"
    return OnDisk(name, url) if url else InMemory(name)


def test_every_tag_is_listed_once(there):
    for tag in ("26.07-py3", "25.10-py3", "26.07-py3-igpu", "26.07-py3"):
        there.push(tag, on_both_platforms(RELEASE_26_07))

    assert sorted(there.registry.tags(there.name)) == ["25.10-py3", "26.07-py3", "26.07-py3-igpu"]


def test_a_repository_that_is_not_there_has_no_list(there):
    with pytest.raises(ServiceError):
        there.registry.tags(there.name)


def test_a_manifest_names_its_platforms_and_digests(there):
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07, CUDA_ARCH_LIST="9.0"))

    manifest = there.registry.manifest(there.name, "26.07-py3")

    assert manifest is not None
    assert manifest.tag == "26.07-py3"
    assert list(manifest.platforms) == ["linux/amd64", "linux/arm64"]
    digests = [manifest.digest, *manifest.platforms.values()]
    assert len(set(digests)) == 3
    assert all(len(digest) == len("sha256:") + 64 and digest.startswith("sha256:") for digest in digests)


def test_a_tag_that_is_not_there_is_none(there):
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07))

    assert there.registry.manifest(there.name, "26.08-py3") is None


def test_several_manifests_come_in_the_order_asked_for(there):
    there.push("25.10-py3", on_both_platforms(RELEASE_25_10))
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07))

    found = there.registry.manifests(there.name, ["26.07-py3", "26.08-py3", "25.10-py3"])

    assert [manifest and manifest.tag for manifest in found] == ["26.07-py3", None, "25.10-py3"]
    assert there.registry.manifests(there.name, []) == ()


def test_the_same_content_has_the_same_digest_and_other_content_another(there):
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07))
    first = there.registry.manifest(there.name, "26.07-py3")
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07))
    same = there.registry.manifest(there.name, "26.07-py3")
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07 | {"NVIDIA_BUILD_ID": "340000002"}))
    other = there.registry.manifest(there.name, "26.07-py3")

    assert first == same
    assert other.digest != first.digest


def test_configs_come_in_the_order_of_the_platforms_with_the_environment_as_written(there):
    environments = on_both_platforms(RELEASE_26_07, EMPTY_VERSION="", EQUATION="a=b=c", BLANKS=" 7.5 8.0 ")
    there.push("26.07-py3", environments)

    configs = there.registry.configs(there.name, there.registry.manifest(there.name, "26.07-py3"))

    assert [(config.platform, config.environment) for config in configs] == list(environments.items())


def test_the_configs_of_an_earlier_push_can_still_be_read(there):
    there.push("26.07-py3", on_both_platforms(RELEASE_25_10))
    earlier = there.registry.manifest(there.name, "26.07-py3")
    there.push("26.07-py3", on_both_platforms(RELEASE_26_07))

    configs = there.registry.configs(there.name, earlier)

    assert configs[0].environment == RELEASE_25_10


def test_the_configs_of_an_image_that_is_not_there_are_an_error(there):
    there.push("26.07-py3", {"linux/amd64": RELEASE_26_07})
    manifest = there.registry.manifest(there.name, "26.07-py3")
    manifest.platforms["linux/arm64"] = "sha256:" + "0" * 64

    with pytest.raises(ServiceError):
        there.registry.configs(there.name, manifest)
