"""What a bump recipe may say of the place of a golden."""

import pytest

from bot.core.errors import UsageError
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import SMALL


def parse(file: str):
    text = f"{SMALL}goldens:\n  file: '{file}'\n  artifact: logs-*\n"
    return parse_recipe(text, name="mine", path="recipes/mine.yaml")


@pytest.mark.parametrize("file", ["a/{model}/{test}.json", "{test}/{model}/{test}_{cluster}.json"])
def test_the_place_of_a_golden_names_model_and_test(file):
    goldens = parse(file).goldens

    assert goldens is not None
    assert goldens.file == file


@pytest.mark.parametrize(
    "file",
    [
        pytest.param("a/{test}.json", id="no model"),
        pytest.param("a/{model}/golden.json", id="no test"),
        pytest.param("a/{model}/{test}/{.json", id="a brace too many"),
        pytest.param("a/{model}/{test}/}{.json", id="braces the wrong way"),
        pytest.param("a/{model}/{test}/{x y}.json", id="no name in braces"),
    ],
)
def test_any_other_place_is_a_mistake(file):
    with pytest.raises(UsageError) as caught:
        parse(file)

    assert caught.value.message == "`goldens.file` has to hold `{model}` and `{test}`"
