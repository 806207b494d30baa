"""The messages of a round's commits: an example of each, and each with hostile words in it."""

from collections.abc import Iterator, Mapping
from typing import Any

URL = "https://github.com/NVIDIA/Megatron-LM/actions/runs/1"
_BOTH = {"run": URL, "name": "ngc-bump-bot[bot]", "email": "1+ngc-bump-bot[bot]@users.noreply.github.com"}

ROUND_MESSAGES: Mapping[str, Mapping[str, Any]] = {
    "round_goldens.txt.j2": {
        **_BOTH,
        "title": "chore: Refresh golden values for 26.06-py3, round 1",
        "files": ["a.json", "b.json"],
        "sha": "60db1d25" + "3f" * 16,
    },
    "round_quarantine.txt.j2": {
        **_BOTH,
        "title": "chore: Take failing tests out of the gate for 26.06-py3, round 1",
        "taken": [("gpt/gpt3_mcore_tp1", "dgx_h100", 12), ("tests/unit_tests/a.py::test_y", None, None)],
    },
    "round_back.txt.j2": {
        **_BOTH,
        "title": "chore: Put tests back into the gate for 26.06-py3, round 2",
        "back": [("gpt/gpt3_mcore_tp1", "dgx_h100"), ("tests/unit_tests/a.py::test_y", None)],
    },
}


def hostile_rounds(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the values of each message with `text` wherever somebody else could have put it."""
    words = dict.fromkeys(("title", "run", "name", "email"), text)
    yield "round_goldens.txt.j2", {**words, "files": [text] * 2, "sha": text}
    yield "round_quarantine.txt.j2", {**words, "taken": [(text, text, 12)] * 2}
    yield "round_back.txt.j2", {**words, "back": [(text, text)] * 2}
