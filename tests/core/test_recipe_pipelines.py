"""What a bump recipe may say about the results of GitLab pipelines."""

import pytest

from bot.core.errors import UsageError
from bot.core.recipe import parse_recipe
from tests.core.recipe_texts import SMALL

FUNCTIONAL = r"run_(?P<platform>\w+) / (?P<model>\w+) / (?P<test>\w+)"
GOLDEN = "out/restart=*/{test}-{environment}-{platform}/{file}"


def parse(functional=FUNCTIONAL, golden=f"['{GOLDEN}']"):
    text = f"""{SMALL}gitlab:
  project: group/project
  branches: [main]
  results:
    functional: '{functional}'
    golden: {golden}
"""
    return parse_recipe(text, name="mine", path="recipes/mine.yaml")


def test_the_results_of_pipelines_are_read_as_the_recipe_says():
    gitlab = parse().gitlab

    assert gitlab.results.functional == FUNCTIONAL
    assert gitlab.results.golden == (GOLDEN,)


BROKEN = "`gitlab.results.functional` is no regular expression: "
PLACE = (
    "`gitlab.results.golden.0` has to be a path that ends in `/{file}`; "
    "it may hold `{test}`, `{environment}`, `{platform}`"
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"functional": r"(?P<model>\w+) / (?P<test>\w+)"},
            "`gitlab.results.functional` has to hold the named group `(?P<platform>…)`",
        ),
        ({"functional": "["}, f"{BROKEN}unterminated character set at position 0"),
        ({"golden": "[]"}, "`gitlab.results.golden` must not be empty"),
        ({"golden": "out"}, "`gitlab.results.golden` has to be a list"),
        ({"golden": "['out/golden.json']"}, PLACE),
        ({"golden": "['{file}']"}, PLACE),
        ({"golden": "['out/{model}/{file}']"}, PLACE),
        ({"golden": "['out/{file/{file}']"}, PLACE),
        ({"golden": "['../{file}']"}, PLACE),
        ({"golden": "['/out/{file}']"}, PLACE),
        ({"golden": r"['out\x/{file}']"}, PLACE),
    ],
)
def test_a_mistake_is_said(changes, sentence):
    with pytest.raises(UsageError) as refused:
        parse(**changes)

    assert refused.value.message == sentence
