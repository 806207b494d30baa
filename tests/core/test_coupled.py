"""Pins that follow the base image: whether they still do after a move."""

import pytest

from bot.core.coupled import compare

AGAINST = {"version": "NCCL_VERSION", "cuda": "CUDA_VERSION"}


def findings(found, environment):
    return compare("NCCL_VERSION", found, AGAINST, environment)


@pytest.mark.parametrize(
    ("pinned", "image", "verdict"),
    [
        pytest.param("2.30.7", "2.30.7", "agrees", id="equal"),
        pytest.param("13.3", "13.3.1.008", "agrees", id="as far as the pin goes"),
        pytest.param("13.3.1", "13.3", "agrees", id="as far as the image goes"),
        pytest.param("2.30.7", "2.31.2", "older", id="a downgrade"),
        pytest.param("2.9.7", "2.30.7", "older", id="compared as numbers, not as text"),
        pytest.param("2.30.7", "2.30.4", "newer", id="the pin is ahead"),
        pytest.param("13.03", "13.3.1.008", "agrees", id="leading zeros mean nothing"),
        pytest.param("2.16rc4", "2.16", "unknown", id="the pin is no number"),
        pytest.param("8.9.7", "8.9.7.29+cuda12.2", "unknown", id="the image's is no number"),
        pytest.param("2.30.7", "", "unknown", id="the image's is empty"),
        pytest.param("2.30.7", None, "unknown", id="the image does not say"),
        pytest.param("9" * 5000, "2.30.7", "unknown", id="no version is that long"),
    ],
)
def test_a_pin_is_compared_with_the_image(pinned, image, verdict):
    environment = {} if image is None else {"NCCL_VERSION": image}

    (finding,) = findings({"version": pinned}, environment)

    assert finding.verdict == verdict


@pytest.mark.parametrize(
    ("group", "pinned", "environment", "text"),
    [
        (
            "version",
            "2.30.7",
            {"NCCL_VERSION": "2.30.7"},
            "`NCCL_VERSION` pins 2.30.7, which agrees with `NCCL_VERSION` 2.30.7 of the new image",
        ),
        (
            "version",
            "2.30.7",
            {"NCCL_VERSION": "2.31.2"},
            "`NCCL_VERSION` pins 2.30.7 and would take the new image back from 2.31.2",
        ),
        (
            "version",
            "2.30.7",
            {"NCCL_VERSION": "2.30.4"},
            "`NCCL_VERSION` pins 2.30.7, newer than 2.30.4 of the new image",
        ),
        (
            "cuda",
            "13.3",
            {"CUDA_VERSION": "13.4.1"},
            "`NCCL_VERSION` is built for CUDA 13.3, the new image has CUDA 13.4.1",
        ),
        ("cuda", "13.3", {}, "`NCCL_VERSION` pins 13.3; the new image does not say its `CUDA_VERSION`"),
        (
            "version",
            "2.30.7",
            {"NCCL_VERSION": "2.31rc1"},
            "`NCCL_VERSION` pins 2.30.7, the new image has `NCCL_VERSION` 2.31rc1: compare them by hand",
        ),
    ],
)
def test_each_finding_is_one_sentence(group, pinned, environment, text):
    (finding,) = findings({group: pinned}, environment)

    assert finding.text == text


def test_the_parts_of_a_pin_are_judged_one_by_one():
    found = findings(
        {"version": "2.30.7", "cuda": "13.3"}, {"NCCL_VERSION": "2.31.2", "CUDA_VERSION": "13.3.1.008"}
    )

    assert [(it.name, it.group, it.pinned, it.key, it.image, it.verdict) for it in found] == [
        ("NCCL_VERSION", "version", "2.30.7", "NCCL_VERSION", "2.31.2", "older"),
        ("NCCL_VERSION", "cuda", "13.3", "CUDA_VERSION", "13.3.1.008", "agrees"),
    ]


def test_a_part_that_the_pattern_did_not_find_is_not_judged():
    assert findings({"other": "1"}, {"NCCL_VERSION": "2.31.2"}) == ()
