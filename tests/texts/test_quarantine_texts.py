"""What is said of a test that is out of the gate, whole."""

from bot.texts import Texts
from tests.texts.quarantine_texts import BACK, ENTRY, QUARANTINE_MESSAGES, UNIT, URL


def render(template, **changed):
    return Texts().render(template, **{**QUARANTINE_MESSAGES[template], **changed})


def test_a_tracking_issue():
    body = render("quarantine_issue.md.j2", ledger="THE LEDGER")

    assert (
        body
        == f"""\
<!-- ngc-bump-bot:quarantine -->
`gpt3_mcore_tp1` on `dgx_h100` is out of the gate: `hang`.

no line of log for 20 minutes

| | |
| --- | --- |
| remedy | its scope words were replaced: the test runs nowhere |
| failing run | {URL} |
| owner | @octocat |
| since | 2026-07-01 |
| expires | 2026-08-30; it is announced here, once |

### Evidence

job 7, line 12

```
E  Watchdog caught
```

### The way back

`{BACK}` restores exactly the text that was there before; the block below remembers it. Close this issue \
when that is merged.

<details><summary>What was done</summary>

THE LEDGER

</details>
"""
    )


def test_a_tracking_issue_of_which_little_is_known():
    body = render("quarantine_issue.md.j2", entry=UNIT, why="", run_url=None, evidence=[])

    assert "`tests/unit_tests/a.py::test_y` is out of the gate: `hang`.\n\n| | |\n" in body
    assert "| failing run | \N{EN DASH} |\n| owner | nobody is named in the bump recipe |" in body
    assert "Evidence" not in body


def test_an_umbrella():
    body = render("quarantine_umbrella.md.j2", ledger="THE LEDGER")

    assert (
        body
        == """\
<!-- ngc-bump-bot:quarantine:umbrella -->
So many tests of `gpt` are out of the gate that further ones share this issue.

| test | platform | failure | owner | since | expires |
| --- | --- | --- | --- | --- | --- |
| `gpt3_mcore_tp1` | dgx_h100 | hang | @octocat | 2026-07-01 | 2026-08-30 |
| `tests/unit_tests/a.py::test_y` | all | hang | \N{EN DASH} | 2026-07-01 | 2026-08-30 |

### The way back

`bot unquarantine TEST` restores exactly the text that a test had before; the block below remembers it. \
Close this issue when all of them are back.

<details><summary>What was done</summary>

THE LEDGER

</details>
"""
    )


def test_an_expired_quarantine():
    assert (
        render("quarantine_expired.md.j2")
        == f"""\
<!-- ngc-bump-bot:quarantine:expired gpt gpt3_mcore_tp1 dgx_h100 2026-08-30 -->
`gpt3_mcore_tp1` on `dgx_h100` has been out of the gate since 2026-07-01, and was meant to be back \
by 2026-08-30.

@octocat, is it still broken?

`{BACK}` puts it back with exactly the text that it had before. This is said once.
"""
    )


def test_an_expired_quarantine_that_nobody_owns_asks_nobody():
    assert "@" not in render("quarantine_expired.md.j2", entry=UNIT)


def test_an_umbrella_of_many_tests_is_short_enough():
    body = render("quarantine_umbrella.md.j2", entries=[ENTRY] * 2000, ledger="THE LEDGER")

    assert len(body) < 14_000
    assert "more: the block below has them all" in body


def test_an_issue_about_a_bad_image():
    assert (
        render("bad_image_issue.md.j2")
        == f"""\
<!-- ngc-bump-bot:bad-image bot/base-image/main/dev-26.06-py3 -->
With `nvcr.io/nvidia/pytorch:26.06-py3` so many tests hang that the image is at fault: 2, more than 1. \
None of them was taken out of the gate for that.

| | |
| --- | --- |
| pull request | https://github.com/NVIDIA/Megatron-LM/pull/12 |
| run | {URL} |
| commit | `60db1d253f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f` |

| test that hangs | platform |
| --- | --- |
| `gpt/gpt3_mcore_tp1` | dgx_h100 |
| `moe/moe_ep4` | unknown |

Another image, or a fix on the base branch, is the way on; this issue is opened once and is yours to close.
"""
    )


def test_an_issue_about_a_bad_image_has_room_for_every_test():
    body = render("bad_image_issue.md.j2", tests=[("x" * 250, "dgx_h100")] * 1000)

    assert len(body) < 60_000
    assert "the run has them all" in body
