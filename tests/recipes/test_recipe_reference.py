"""`recipes/README.md` is what the schema says, and says all of it."""

import re
from pathlib import Path

import pytest

from bot.core.pins.formats import FORMATS
from bot.core.recipe import BumpRecipe, parse_recipe
from bot.core.recipe_problems import nested_model
from bot.core.recipe_reference import reference

FOLDER = Path(__file__).parents[2] / "recipes"
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")
REMAKE = "uv run python -c \"from bot.core.recipe_reference import reference; print(reference(), end='')\""


def schema_keys(model=BumpRecipe):
    """Yield every key of the schema with its description; the name of a recipe is not written."""
    for key, field in model.model_fields.items():
        if (model, key) != (BumpRecipe, "name"):
            yield key, field.description
        nested = nested_model(field.annotation)
        if nested:
            yield from schema_keys(nested)


def test_the_page_is_made_from_the_schema():
    assert reference() == PAGE, f"make it anew with: {REMAKE} > recipes/README.md"


@pytest.mark.parametrize(("key", "description"), sorted(set(schema_keys())))
def test_every_key_has_a_row_that_says_what_it_is_for(key, description):
    assert description
    assert re.search(rf"^\| `{key}` \| [^|]+ \| [^|]+ \| {re.escape(description)} \|$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_section_with_its_keys(name):
    section = PAGE.split(f"### `{name}`\n")[1].split("\n### ")[0]

    assert len(section.split("\n")[1]) > 20, "what it finds, in a sentence"
    for key in FORMATS[name].KEYS | FORMATS[name].OPTIONAL_KEYS:
        assert f"`{key}`" in section


@pytest.mark.parametrize(
    "row",
    [
        "| `repository` | text | **required** | `OWNER/NAME` on GitHub. |",
        "| `base` | text | `main` | The branch to bump unless another is named. |",
        "| `count` | whole number | `1` | How many pins there have to be; anything else is refused. |",
        "| `gitlab` | mapping | none | The mirror on GitLab, if there is one. |",
        "| `labels` | list of texts | none | Labels of the pull request, set before anything can start CI. |",
        "| `approval` | `none` or `copy-pr-bot` | `none` |",
        "| `platforms` | list of texts | `[linux/amd64, linux/arm64]` |",
        "| `against` | mapping of names to texts | **required** |",
        "### `tracks.NAME.pins[].older_shapes[]`",
        "Keys of `where`: `image` (may be left out), `stage` (may be left out).",
    ],
)
def test_types_and_defaults_are_in_peoples_words(row):
    assert f"\n{row}" in PAGE


def test_a_recipes_own_name_is_no_key():
    assert "| `name` |" not in PAGE.split("### `tracks.NAME`")[0]


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)]+)\)", PAGE)

    assert links
    assert all((FOLDER / link).is_file() for link in links)


def test_the_commented_example_shows_every_part():
    text = (FOLDER / "megatron-lm.yaml").read_text(encoding="utf-8")
    recipe = parse_recipe(text, name="megatron-lm", path="megatron-lm.yaml")
    used = {key for key in BumpRecipe.model_fields if key in recipe.model_fields_set}

    assert used == set(BumpRecipe.model_fields)
    assert sum(line.lstrip().startswith("#") for line in text.splitlines()) >= 10
