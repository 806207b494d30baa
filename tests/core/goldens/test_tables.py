"""The report as text, CSV and Markdown: complete, short enough, and harmless whatever the names are."""

import csv
import io

import pytest

from bot.core.goldens.report import Compared, Pair, compare_files
from bot.core.goldens.tables import csv_table, markdown_table, terminal_table
from tests.core.goldens.made import GOLDENS, answer, document, inference, training, written
from tests.texts.judge import HOSTILE, notifying, obeyed, rendered

DRIFTED = compare_files(
    Pair("gpt/a.json", training(lm_loss=[10.0, 8.0]), training(lm_loss=[9.0, 10.0])), None
)
BEYOND = compare_files(
    Pair("gpt/b.json", training(lm_loss=[10.0] * 3), training(lm_loss=[20.0] * 3)), GOLDENS
)
NEW = compare_files(Pair("gpt/new.json", None, training(lm_loss=[1.0])), None)
ANSWERS = compare_files(
    Pair("gpt/i.json", inference(r0=answer()), inference(r0=answer(generated_tokens=[1, 22, 33]))), None
)
ALL = [DRIFTED, BEYOND, NEW, ANSWERS]


def many(count: int) -> list[Compared]:
    name = "gpt/a_test_with_a_name_of_usual_length_tp1_pp1/golden_values_dev_dgx_h100"
    pairs = [
        Pair(f"{name}_{at}.json", training(lm_loss=[10.0]), training(lm_loss=[20.0])) for at in range(count)
    ]
    return [compare_files(it, GOLDENS) for it in pairs] + [
        compare_files(Pair(f"{name}_{at}_new.json", None, b"{}"), None) for at in range(count)
    ]


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_begins_as_megatrons_script_and_goes_on():
    header = csv_table(ALL).splitlines()[0]

    assert header.startswith("file,metric,n_steps,avg_rel_diff,mean_abs,median_abs,max_abs,max_step,")


def test_csv_has_every_row_in_full_and_every_gap():
    found = lines(csv_table(ALL))

    assert [it["file"] for it in found].count("gpt/i.json") == 5
    drifted = next(it for it in found if it["file"] == "gpt/a.json")
    assert (drifted["metric"], drifted["n_steps"], drifted["max_step"]) == ("lm loss", "2", "2")
    assert float(drifted["avg_rel_diff"]) == ((10.0 - 9.0) / 10.0 + (8.0 - 10.0) / 8.0) / 2
    beyond = next(it for it in found if it["file"] == "gpt/b.json")
    assert beyond["exceeded"].startswith("`lm loss`: 3 of 3 moved")
    (gap,) = [it for it in found if it["not_compared"]]
    assert (gap["file"], gap["metric"], gap["not_compared"]) == ("gpt/new.json", "", "there is no old golden")


def test_csv_of_a_name_with_a_comma_a_quote_and_a_line_break_is_still_csv():
    name = 'a,"b"\nc'

    assert lines(csv_table([Compared(name, DRIFTED.comparison)]))[0]["file"] == name


def test_a_terminal_shows_how_moves_spread_what_moved_and_what_is_missing():
    text = terminal_table(ALL)

    assert text.startswith("4 goldens, 7 metrics compared\n")
    assert "signed mean" in text
    assert text.index("gpt/b.json") < text.index("gpt/a.json")
    assert "generated_tokens (share)" in text
    assert "beyond the limits of the recipe:\n  gpt/b.json: `lm loss`: 3 of 3 moved by more than 5 %" in text
    assert "not compared:\n  gpt/new.json: there is no old golden" in text


def test_nothing_to_compare_is_said():
    assert terminal_table([]) == "0 goldens, 0 metrics compared"
    assert terminal_table([DRIFTED]).startswith("1 golden, 1 metrics compared")
    assert markdown_table([]) == "0 golden files, 0 metrics compared.\n"


def test_a_terminal_shows_twenty_of_each_and_counts_the_rest():
    text = terminal_table(many(25))

    assert text.count("… and 5 more; `bot goldens compare --format csv` shows all") == 3


def test_columns_are_aligned():
    table = terminal_table(ALL).split("another measure is named:\n")[1].split("\n\n")[0].splitlines()

    assert len({line.index(" gpt/") for line in table[1:]}) == 1


def test_markdown_folds_the_rows_and_the_gaps():
    text = markdown_table(ALL)
    tags = rendered(text).tags

    assert tags.count("table") == 5
    assert tags.count("details") == 3
    assert "Beyond the limits (1)" in text
    assert "Not compared (1)" in text


def test_markdown_stays_short_and_says_where_the_rest_is():
    text = markdown_table(many(2_000), elsewhere="see the artifact")

    assert len(text) < 60_000
    assert text.count("more: see the artifact") == 3


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_gets_out_of_its_cell(name):
    metric = name.encode("utf-8", "ignore").decode()
    pair = Pair(name, written(document(x=[1.0]) | {metric: document(x=[1.0])["x"]}), training(x=[2.0]))
    text = markdown_table(
        [compare_files(pair, GOLDENS), Compared(name, DRIFTED.comparison, {"lm loss": name})]
    )

    assert obeyed(text) == []
    assert notifying(text) == []
    assert rendered(text).comments == []
    assert set(rendered(text).tags) <= {
        "p",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "details",
        "summary",
        "code",
    }


@pytest.mark.parametrize("name", HOSTILE)
def test_a_terminal_gets_no_control_sequence(name):
    text = terminal_table([Compared(name, DRIFTED.comparison, {"lm loss": name}), NEW])

    assert all(it.isprintable() or it == "\n" for it in text)
