"""Two tags of an image, compared as the registry has them."""

import pytest

from bot.core.components import Component
from bot.core.errors import Refused
from bot.core.image import TagScheme
from bot.flows.images import compare_images
from tests.fakes.images import IMAGE, RELEASE_25_10, RELEASE_26_07, on_both_platforms
from tests.fakes.registry import FakeRegistry

SCHEME = TagScheme("YY.MM-py3")
OLD, NEW = "25.10-py3", "26.07-py3"


@pytest.fixture
def registry():
    registry = FakeRegistry()
    registry.push(IMAGE, OLD, on_both_platforms(RELEASE_25_10))
    registry.push(IMAGE, NEW, on_both_platforms(RELEASE_26_07))
    return registry


def test_a_move_shows_its_components_and_what_can_break(registry):
    comparison = compare_images(registry, IMAGE, OLD, NEW, SCHEME)

    assert comparison.components[0] == Component("CUDA", "all", "13.0.2.006", "13.3.1.008", "changed")
    assert comparison.breaking == (
        "TensorRT changes its major version: 10.13.3.9 to 11.1.0.106",
        "DALI changes its major version: 1.51.2 to 2.2.0",
        "OpenMPI changes its major version: 4.1.7 to 5.0.10",
        "AWS OFI NCCL is gone (was 1.14.0)",
    )
    assert comparison.warnings == ()
    assert (comparison.old.tag, comparison.new.tag) == (OLD, NEW)


def test_an_image_compared_with_itself_is_the_same_everywhere(registry):
    comparison = compare_images(registry, IMAGE, NEW, NEW, SCHEME)

    assert {row.change for row in comparison.components} == {"same"}
    assert comparison.breaking == ()


@pytest.mark.parametrize(
    ("old", "new", "missing"), [(OLD, "26.08-py3", "26.08-py3"), ("25.07-py3", NEW, "25.07-py3")]
)
def test_a_tag_that_does_not_exist_is_refused(registry, old, new, missing):
    with pytest.raises(Refused, match=f"`{IMAGE}` has no tag `{missing}`"):
        compare_images(registry, IMAGE, old, new, SCHEME)


def test_a_platform_that_only_one_tag_has_is_named(registry):
    registry.push(IMAGE, "26.06-py3", {"linux/amd64": RELEASE_26_07 | {"NVIDIA_PYTORCH_VERSION": "26.06"}})

    assert compare_images(registry, IMAGE, "26.06-py3", NEW, SCHEME).warnings == (
        "linux/arm64 is only in `26.07-py3`, so it is not compared",
    )
    assert compare_images(registry, IMAGE, NEW, "26.06-py3", SCHEME).warnings == (
        "linux/arm64 is only in `26.07-py3`, so it is not compared",
    )


def test_an_image_under_the_tag_of_another_release_is_doubted(registry):
    registry.push(IMAGE, "26.08-py3", on_both_platforms(RELEASE_26_07))

    assert compare_images(registry, IMAGE, NEW, "26.08-py3", SCHEME).warnings == (
        "the linux/amd64 image says that it is release 26.07, its tag says 26.08",
        "the linux/arm64 image says that it is release 26.07, its tag says 26.08",
    )


def test_a_tag_outside_the_calendar_is_not_doubted(registry):
    registry.push(IMAGE, "nightly", on_both_platforms(RELEASE_26_07))

    assert compare_images(registry, IMAGE, "nightly", NEW, SCHEME).warnings == ()
