"""The messages of a round's commits, whole."""

import pytest

from bot.texts import Texts
from tests.texts.round_texts import ROUND_MESSAGES, URL

SIGNED = "Signed-off-by: ngc-bump-bot[bot] <1+ngc-bump-bot[bot]@users.noreply.github.com>"


@pytest.mark.parametrize(
    ("template", "body"),
    [
        (
            "round_goldens.txt.j2",
            f"""\
The golden values of 2 tests, as CI produced them with the new image.
Only exact comparisons had failed, or a person has accepted the new values.

Golden-Values-From: {URL}
Golden-Values-Of: 60db1d25{"3f" * 16}
""",
        ),
        (
            "round_quarantine.txt.j2",
            f"""\
gpt/gpt3_mcore_tp1 on dgx_h100: #12
tests/unit_tests/a.py::test_y

What stays out of the gate does so until `bot unquarantine` puts it back.

Failing-Run: {URL}
""",
        ),
        (
            "round_back.txt.j2",
            f"""\
gpt/gpt3_mcore_tp1 on dgx_h100
tests/unit_tests/a.py::test_y

Each has exactly the text again that it had before this pull request.

Last-Run: {URL}
""",
        ),
    ],
)
def test_the_message_of_a_rounds_commit(template, body):
    values = ROUND_MESSAGES[template]

    assert Texts().render(template, **values) == f"{values['title']}\n\n{body}{SIGNED}\n"
