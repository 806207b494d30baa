"""How often a test is repeated, set in its `model_config.yaml`."""

import pytest

from bot.core.pins.errors import PinError
from bot.core.testrecipes.hunk import apply
from bot.core.testrecipes.n_repeat import n_repeat

# https://github.com/NVIDIA/Megatron-LM/pull/4611 added the line at the end of the block.
CONFIG = """\
# The proxy model is small.
ENV_VARS:
  CUDA_DEVICE_MAX_CONNECTIONS: 1
  CUBLAS_WORKSPACE_CONFIG: :4096:8
TEST_TYPE: frozen-start
"""
SET = CONFIG.replace("TEST_TYPE", "  N_REPEAT: 1\nTEST_TYPE")


def repeated(text, count=1, comment=()):
    hunk = n_repeat(text, count, comment)
    return apply(text, [hunk]) if hunk else text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(CONFIG, SET, id="added last in the block"),
        pytest.param(CONFIG.replace("\n", "\r\n"), SET.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("ENV_VARS:\n  A: 1", "ENV_VARS:\n  A: 1\n  N_REPEAT: 1", id="no line feed at the end"),
        pytest.param(
            "ENV_VARS:\r\n  A: 1", "ENV_VARS:\r\n  A: 1\r\n  N_REPEAT: 1", id="CRLF, no line end at the end"
        ),
        pytest.param(
            CONFIG.replace(":8\n", ":8 # why\n\n"),
            SET.replace(":8\n  N", ":8 # why\n  N").replace("1\nTEST", "1\n\nTEST"),
            id="behind a trailing comment, before an empty line",
        ),
        pytest.param(
            SET.replace("REPEAT: 1", "REPEAT: 5 # was"), SET.replace(": 1\nT", ": 1 # was\nT"), id="changed"
        ),
        pytest.param(SET.replace("REPEAT: 1", "REPEAT: '5'"), SET, id="changed in quotes"),
        pytest.param(SET, SET, id="is that already"),
        pytest.param(
            CONFIG.replace("  CUBLAS", "  N_REPEATS: 10\n  CUBLAS"),
            SET.replace("  CUBLAS", "  N_REPEATS: 10\n  CUBLAS"),
            id="beside a misspelt one",
        ),
    ],
)
def test_the_number_of_repeats_is_set(before, after):
    assert repeated(before) == after


def test_a_comment_comes_above():
    assert "\n  # why\n  N_REPEAT: 2\n" in repeated(CONFIG, 2, ["# why"])
    assert "\n  # why\n  N_REPEAT: 2\n" in repeated(SET, 2, ["# why"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("A: 1\n", "has no `ENV_VARS`", id="no section"),
        pytest.param("", "has no `ENV_VARS`", id="empty"),
        pytest.param("- 1\n", "has no `ENV_VARS`", id="a list"),
        pytest.param("ENV_VARS: x\n", "no block", id="a word"),
        pytest.param("ENV_VARS: {A: 1}\n", "no block", id="braces"),
        pytest.param("ENV_VARS: {}\n", "no block", id="empty braces"),
        pytest.param("ENV_VARS: &e\n  A: 1\n", "anchor", id="an anchor"),
        pytest.param("ENV_VARS: &e\n  A: 1\nB: *e\n", "anchor", id="an alias of it"),
        pytest.param("X: &x\n  A: 1\nENV_VARS:\n  <<: *x\n", "merge key", id="a merge key"),
        pytest.param("ENV_VARS:\n  N_REPEAT: [1]\n", "no number", id="a list of repeats"),
        pytest.param("ENV_VARS:\n  N_REPEAT: |\n    5\n", "no number", id="a block scalar"),
        pytest.param("ENV_VARS:\n\tA: 1\n", "not valid YAML", id="a tab"),
    ],
)
def test_a_file_that_is_not_as_expected_is_refused(text, says):
    with pytest.raises(PinError, match=says):
        repeated(text)


def test_what_does_not_read_back_is_refused():
    with pytest.raises(PinError, match="does not read back"):
        repeated(CONFIG, comment=["OTHER: 1"])
