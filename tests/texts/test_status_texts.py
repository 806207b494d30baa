"""The sticky comment with the results of CI: what stands first, what is folded, and nothing in it acts."""

import pytest

from bot.flows.rounds import RoundReport
from tests.texts.judge import HOSTILE, notifying, obeyed, rendered
from tests.texts.status_texts import COMPONENTS, RUN, big
from tests.texts.test_texts import LIMIT, OUR_OWN, render

QUIET = {"conflicts": [], "concerns": [], "opened_by": None}


def test_what_a_person_has_to_decide_stands_before_the_verdicts_with_the_command_that_answers():
    body = render("status.md.j2", report=big(), components=COMPONENTS, **QUIET)

    order = [
        "| now | a person has to decide |",
        f"| CI | {RUN}: 101 jobs passed, 7 drift, 7 large-drift,",
        "| image | C0 0.1 → 0.2, C1 1.1 → 1.2,",
        "and 2 more: the description has the table |",
        "A person has to decide:",
        "To answer, with the test that is meant:",
        "```sh\nbot retry --recipe megatron-lm --pr 12",
        "**drift: 7**",
        "<details><summary>2 more</summary>",
        "Out of the gate by this pull request; such rows run nowhere:",
        "`gpt3_tp2` on `dgx_h100`: hang, tracked in #12",
        "Golden values that this run does not refresh: 52",
        "- 40: is of platform `dgx_a100`, no memory left",
    ]
    places = [body.find(it) for it in order]
    assert -1 not in places
    assert places == sorted(places)


@pytest.mark.parametrize("state", ["waiting", "ready"])
def test_where_nobody_is_asked_no_command_is_offered(state):
    report = RoundReport(type(big().state)(state), ("CI has not begun",), ways_out=("bot retry",))

    body = render("status.md.j2", report=report, **QUIET)

    assert "bot retry" not in body
    assert "Next:\n\n- CI has not begun" in body


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_a_hostile_name_or_log_does_nothing(text):
    body = render("status.md.j2", report=big(text, text, 6), **QUIET)

    page = rendered(body)
    assert obeyed(body) == []
    assert [it for it in notifying(body) if "#12" not in it] == []
    assert set(page.tags) <= {*OUR_OWN, "strong"}
    assert len(page.comments) == 1


@pytest.mark.parametrize("count", [7, 400])
def test_it_is_short_enough_whatever_went_wrong(count):
    long = "`x|" * 60

    assert len(render("status.md.j2", report=big(long, long, count), **QUIET)) <= LIMIT
