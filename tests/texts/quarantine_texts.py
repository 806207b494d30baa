"""The messages about tests out of the gate: an example of each, and each with hostile words in it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from bot.core.bad_image import bad_image_marker
from bot.core.testrecipes.hunk import Hunk
from bot.core.testrecipes.ledger_block import Done, Entry, write_block
from bot.core.testrecipes.request import Evidence
from bot.core.testrecipes.tracking import expiry_marker

ENTRY = Entry(
    test="gpt3_mcore_tp1",
    model="gpt",
    platform="dgx_h100",
    reason="hang",
    remedy="broken",
    owner="octocat",
    since=date(2026, 7, 1),
    expires=date(2026, 8, 30),
    done=(Done("recipes/gpt.yaml", Hunk(3, ("scope: [mr]",), ("scope: [mr-broken]",))),),
)
UNIT = replace(
    ENTRY, test="tests/unit_tests/a.py::test_y", model="", platform=None, owner=None, remedy="mark"
)
BACK = "bot unquarantine gpt/gpt3_mcore_tp1 --platform dgx_h100"
URL = "https://github.com/NVIDIA/Megatron-LM/actions/runs/1"

BAD_IMAGE = {
    "marker": bad_image_marker("bot/base-image/main/dev-26.06-py3"),
    "image": "nvcr.io/nvidia/pytorch:26.06-py3",
    "pull_request": "https://github.com/NVIDIA/Megatron-LM/pull/12",
    "run_url": URL,
    "sha": "60db1d25" + "3f" * 16,
    "limit": 1,
    "tests": [("gpt/gpt3_mcore_tp1", "dgx_h100"), ("moe/moe_ep4", "")],
}

QUARANTINE_MESSAGES: Mapping[str, Mapping[str, Any]] = {
    "quarantine_issue.md.j2": {
        "entry": ENTRY,
        "why": "no line of log for 20 minutes",
        "remedy": "its scope words were replaced: the test runs nowhere",
        "run_url": URL,
        "evidence": [Evidence("job 7, line 12", "E  Watchdog caught\n")],
        "back": BACK,
        "ledger": write_block([ENTRY]),
    },
    "quarantine_umbrella.md.j2": {
        "suite": "gpt",
        "entries": [ENTRY, UNIT],
        "back": "bot unquarantine TEST",
        "ledger": write_block([ENTRY, UNIT]),
    },
    "quarantine_expired.md.j2": {"marker": expiry_marker(ENTRY), "entry": ENTRY, "back": BACK},
    "bad_image_issue.md.j2": BAD_IMAGE,
}
QUARANTINE_COMMENTS = {
    "quarantine_issue.md.j2": 3,
    "quarantine_umbrella.md.j2": 3,
    "quarantine_expired.md.j2": 1,
    "bad_image_issue.md.j2": 1,
}


def hostile_quarantines(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the values of each message with `text` wherever somebody else could have put it."""
    hunk = Hunk(1, (text,), (text,))
    entry = replace(ENTRY, test=text, platform=text, owner=None, done=(Done(text, hunk),))
    ledger = write_block([entry])
    words = dict.fromkeys(("why", "remedy", "run_url", "back"), text)
    evidence = [Evidence(text, text)] * 2
    yield "quarantine_issue.md.j2", {**words, "entry": entry, "evidence": evidence, "ledger": ledger}
    yield (
        "quarantine_umbrella.md.j2",
        {"suite": text, "entries": [entry] * 2, "back": text, "ledger": ledger},
    )
    yield "quarantine_expired.md.j2", {"marker": expiry_marker(ENTRY), "entry": entry, "back": text}
    outside = dict.fromkeys(("image", "pull_request", "run_url", "sha"), text)
    yield "bad_image_issue.md.j2", {**BAD_IMAGE, **outside, "tests": [(text, text)] * 2}
