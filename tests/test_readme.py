"""What the README promises is what the project has."""

import re
from pathlib import Path

import pytest

from bot.core.commands import VERBS
from bot.settings import settings_reference

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
CI = (ROOT / ".ci" / "run").read_text()


def test_the_settings_are_those_of_the_code():
    [block] = re.findall(r"<!-- settings:begin -->\n(.*)<!-- settings:end -->", README, re.DOTALL)

    assert block.strip() == settings_reference().strip()


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_command_is_in_its_table(verb):
    assert re.search(rf"^\| `bot {verb}\b", README, re.MULTILINE)


def test_every_flag_that_it_shows_exists():
    known = {flag.name for verb in VERBS for flag in verb.all_flags} | {"--help", "--quiet", "--prefix"}

    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README)) <= known


def test_ci_runs_the_test_command_of_the_readme():
    [command] = re.findall(r"&& \.uv/bin/(uv run pytest)$", README, re.MULTILINE)

    assert f"\n{command}\n" in CI


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_every_local_link_leads_somewhere(document):
    text = (ROOT / document).read_text()

    for target in re.findall(r"\]\((?!https?://|#)([^)#]+)\)", text):
        assert (ROOT / target).exists(), target
