"""The section about goldens in the text of a pull request: complete, short enough, known by its commit."""

import pytest

from bot.core.goldens.report import Pair
from bot.core.goldens.summary import golden_summary, summary_of, without_summary
from tests.core.goldens.made import GOLDENS, answer, inference, training
from tests.texts.judge import HOSTILE, notifying, obeyed, rendered

SHA, OTHER = "a" * 40, "b" * 40


def moved(name: str, by: float) -> Pair:
    return Pair(name, training(lm_loss=[10.0, 8.0]), training(lm_loss=[10.0 + by, 8.0]))


ANSWERS = Pair("z.json", inference(r0=answer()), inference(r0=answer(generated_tokens=[1, 22, 33])))


def test_it_has_the_table_and_charts_of_what_moved_farthest():
    pairs = [moved("a.json", 1.0), moved("b.json", 4.0), moved("c.json", 3.0), moved("d.json", 2.0)]

    text = golden_summary(pairs, GOLDENS, SHA, 30_000)

    assert "4 golden files, 4 metrics compared." in text
    assert [line for line in text.splitlines() if line.endswith(".json`")] == [
        "`b.json`",
        "`c.json`",
        "`d.json`",
    ]
    assert text.count("```mermaid") == 3
    assert len(text) <= 30_000


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(ANSWERS, id="answers have no steps"),
        pytest.param(Pair("new.json", None, training(lm_loss=[1.0])), id="a new golden"),
        pytest.param(Pair("bad.json", b"{", training(lm_loss=[1.0])), id="no golden before"),
        pytest.param(Pair("short.json", training(lm_loss=[1.0]), training(lm_loss=[2.0])), id="one step"),
    ],
)
def test_what_cannot_be_drawn_is_in_the_table_alone(pair):
    text = golden_summary([pair], GOLDENS, SHA, 30_000)

    assert "1 golden files" in text
    assert "mermaid" not in text


def test_without_a_golden_or_without_room_it_says_nothing():
    assert golden_summary([], GOLDENS, SHA, 30_000) == ""
    assert golden_summary([moved("a.json", 1.0)], GOLDENS, SHA, 1_500) == ""


@pytest.mark.parametrize("limit", [3_000, 5_000, 12_000, 20_000, 60_000])
def test_it_keeps_to_its_room_whatever_there_is_to_say(limit):
    pairs = [moved(f"{'gpt/a_long_name_of_a_test' * 4}_{at}.json", 5.0) for at in range(400)]

    text = golden_summary(pairs, GOLDENS, SHA, limit)

    assert 0 < len(text) <= limit


def test_a_text_tells_of_which_commit_its_section_is():
    section = golden_summary([moved("a.json", 1.0)], GOLDENS, SHA, 30_000)
    body = f"before\n\n{section}\nafter"

    assert summary_of(body, SHA) == section
    assert summary_of(body, OTHER) is None
    assert summary_of("nothing", SHA) is None
    assert without_summary(body) == "before\nafter"


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()], ids=repr)
def test_no_name_does_anything(text):
    old = training(**{text.replace("\ud83d", "x"): [10.0, 8.0]})
    new = training(**{text.replace("\ud83d", "x"): [12.0, 8.0]})

    section = golden_summary([Pair(text, old, new)], GOLDENS, SHA, 30_000)

    assert obeyed(section) == []
    assert notifying(section) == []
    assert len(rendered(section).comments) == 2
