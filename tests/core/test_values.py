"""Values of the outside world: they cannot be changed, and the same things are equal."""

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from bot.core.command_log import CommandState
from bot.core.host import Actor, Call, Gate, Head
from bot.core.manifest import ImageConfig, Manifest

VALUES = [
    Actor(1, "ada"),
    CommandState(datetime(2026, 7, 1, tzinfo=UTC)),
    Call("POST", "/repos/a/b/pulls"),
    Gate("pins", passed=True),
    Head("1a", "2b"),
    ImageConfig("linux/amd64", {}),
    Manifest("26.06-py3", "sha256:1a", {}),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_stays_what_it_was(value):
    name = next(iter(type(value).__dataclass_fields__))

    with pytest.raises(FrozenInstanceError):
        setattr(value, name, "other")


def test_a_person_is_no_app_unless_that_is_said():
    assert Actor(1, "ada").is_app is False


def test_two_images_share_no_labels_by_accident():
    first, second = ImageConfig("linux/amd64", {}), ImageConfig("linux/arm64", {})

    assert first.labels == second.labels == {}
    assert first.labels is not second.labels
