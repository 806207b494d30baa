"""Bytes of a golden file: what is read, and the sentence for everything else."""

import json
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.goldens.golden import BadGolden, Golden, Series
from bot.core.goldens.read import LARGEST, is_number, read_golden, spelling
from tests.core.goldens.made import answer, block, inference, read, training, written


def reason(data: bytes) -> str:
    golden = read_golden(data)
    assert isinstance(golden, BadGolden), golden
    return golden.reason


def loss(values: object, **bounds: object) -> bytes:
    return json.dumps({"lm loss": {**bounds, "values": values}}).encode()


def test_a_training_golden_is_metrics_over_steps():
    golden = read(training(lm_loss=[10.5, 9.25], num_zeros=[3, 4.0]))

    assert golden.kind == "training"
    assert golden.series == {
        "lm loss": Series((1, 2), (10.5, 9.25), {}, (1, 2, 1)),
        "num zeros": Series((1, 2), (3.0, 4.0), {}, (1, 2, 1)),
    }
    assert (golden.requests, golden.figures) == ({}, {})


def test_a_step_without_a_value_keeps_how_it_is_spelled():
    series = read(loss({"1": 2.0, "2": "nan", "3": " Inf "})).series["lm loss"]

    assert series.not_finite == {2: '"nan"', 3: '" Inf "'}
    assert (series.steps, series.values[0]) == ((1, 2, 3), 2.0)
    assert all(map(isnan, series.values[1:]))


@pytest.mark.parametrize(
    ("literal", "spelled"),
    [
        pytest.param("NaN", "NaN", id="no number"),
        pytest.param("Infinity", "Infinity", id="infinite"),
        pytest.param("-Infinity", "-Infinity", id="infinitely small"),
        pytest.param("1e999", "Infinity", id="a number that no double holds"),
        pytest.param("1" + "0" * 400, "Infinity", id="a whole number that no double holds"),
        pytest.param("-1" + "0" * 400, "-Infinity", id="a whole number below all doubles"),
    ],
)
def test_a_number_that_is_not_finite_is_kept_by_its_name(literal, spelled):
    series = read(f'{{"lm loss": {{"values": {{"1": 1.5, "2": {literal}}}}}}}'.encode()).series["lm loss"]

    assert series.not_finite == {2: spelled}


def test_steps_are_put_in_order_with_their_values():
    series = read(loss({"10": 3.0, "9": 2.0, "1": 1.0})).series["lm loss"]

    assert (series.steps, series.values) == ((1, 9, 10), (1.0, 2.0, 3.0))


def test_a_list_of_values_counts_its_steps_from_the_first_by_the_interval():
    series = read(loss([4.0, 3.0, 2.0], start_step=0, end_step=50, step_interval=5)).series["lm loss"]

    assert (series.steps, series.values, series.declared) == ((0, 5, 10), (4.0, 3.0, 2.0), (0, 50, 5))


@pytest.mark.parametrize("bounds", [{}, {"start_step": 1.5, "end_step": 2, "step_interval": 1}])
def test_bounds_that_are_no_whole_numbers_are_none(bounds):
    assert read(loss({"1": 1.0}, **bounds)).series["lm loss"].declared is None


def test_a_figure_beside_the_metrics_is_no_metric():
    golden = read(written({"lm loss": block([1.0]), "iteration_timing_avg": 0.25}))

    assert (golden.kind, golden.figures["iteration_timing_avg"].values) == ("training", (0.25,))


def test_an_inference_golden_is_answers_by_request_and_figures():
    golden = read(inference({"throughput": [9.0, 10.0]}, r0=answer(), r7=answer()))

    assert (golden.kind, list(golden.requests)) == ("inference", ["0", "7"])
    assert golden.figures["throughput"] == Series((0, 1), (9.0, 10.0))


def test_one_answer_without_a_request_is_an_inference_golden():
    golden = read(written(answer(cuda_graph_request_count_map={"8": 1})))

    assert (golden.kind, golden.requests[""]["generated_tokens"]) == ("inference", [11, 22, 33])


def test_a_training_metric_may_be_called_like_a_part_of_an_answer():
    assert read(training(logprobs=[-1.0])).kind == "training"


def test_json_in_a_json_text_is_read_as_json_lines_are_written():
    assert read(written(training(lm_loss=[1.0]).decode())).series["lm loss"].values == (1.0,)


def test_an_empty_object_is_a_golden_of_nothing():
    assert read(b"{}\n").kind == "empty"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "is empty", id="no byte"),
        pytest.param(b" \n", "is empty", id="blanks"),
        pytest.param(b'{"a\xff": 1}', "is not UTF-8 at byte 3", id="not UTF-8"),
        pytest.param(b"\xef\xbb\xbf{}", "begins with a byte order mark", id="byte order mark"),
        pytest.param("{}".encode("utf-16"), "is not UTF-8 at byte 0", id="UTF-16"),
        pytest.param(b"[1, 2]", "holds a list instead of an object", id="list"),
        pytest.param(b"null", "holds null instead of an object", id="null"),
        pytest.param(b"1.5", "holds a number instead of an object", id="number"),
        pytest.param(b'"\\"{}\\""', "holds a text instead of an object", id="JSON text in a JSON text twice"),
        pytest.param(b'{"a": 1', "is no JSON: Expecting ',' delimiter in line 1, column 8", id="cut off"),
        pytest.param(b'{"lm loss": {"values": {"1": 1}}} {}', "is no JSON: Extra data", id="two documents"),
        pytest.param(b"[" * 100_000, "is nested too deeply", id="deep lists"),
        pytest.param(b'{"a":' * 100_000, "is nested too deeply", id="deep objects"),
        pytest.param(b'{"a": 1' + b"0" * 5000 + b"}", "holds a number of too many digits", id="5000 digits"),
        pytest.param(b'{"a": 1, "b": 2, "a": 3}', "has the key `a` twice", id="key twice"),
        pytest.param(loss({"1": 1.0, "01": 2.0}), "has a step of `lm loss` twice", id="step twice"),
        pytest.param(loss({"one": 1.0}), "has a step `one` of `lm loss`", id="step in words"),
        pytest.param(loss({"-1": 1.0}), "has a step `-1` of `lm loss`", id="step below zero"),
        pytest.param(loss({"": 1.0}), "has a step `` of `lm loss`", id="step without name"),
        pytest.param(loss({"1" * 30: 1.0}), "that is no number of a step", id="step of 30 digits"),
        pytest.param(loss({"1": None}), "has null at step 1 of `lm loss`", id="null for a number"),
        pytest.param(loss({"1": True}), "has a truth value at step 1", id="truth value"),
        pytest.param(loss({"1": "1.5"}), "has a text at step 1", id="number in quotes"),
        pytest.param(loss({"1": [1.5]}), "has a list at step 1", id="list for a number"),
        pytest.param(loss({"1": {}}), "has an object at step 1", id="object for a number"),
        pytest.param(
            loss([1.0]), "`values` of `lm loss` from which no steps follow", id="list without bounds"
        ),
        pytest.param(
            loss([1.0], start_step=1, end_step=1, step_interval=0), "no steps follow", id="no interval"
        ),
        pytest.param(loss("1.0"), "no steps follow", id="values are a text"),
        pytest.param(b'{"a": {"b": 1}}', "has `a`, which is neither", id="neither metric nor answer"),
        pytest.param(b'{"a": {}}', "has `a`, which is neither", id="empty object"),
        pytest.param(b'{"a": "text"}', "has a text at step 0 of `a`", id="text for a figure"),
        pytest.param(
            b'{"\\ud800": {"values": {}}}', "has a name that is no text: '\\ud800'", id="half a sign"
        ),
        pytest.param(
            written({"lm loss": block([1.0]), "0": answer()}), "mixes metrics of a training run", id="mixed"
        ),
        pytest.param(
            inference(r0=answer(extra=json.loads("[" * 50 + "]" * 50))),
            "has `0`, which is nested too deeply",
            id="deep answer",
        ),
        pytest.param(
            written(answer(extra=json.loads("[" * 50 + "]" * 50))), "nested too deeply", id="deep lone answer"
        ),
        pytest.param(
            loss({"1": 1.0}, start_step=1, end_step=1, step_interval=1, more=json.loads("[" * 50 + "]" * 50)),
            "nested too deeply",
            id="deep metric",
        ),
    ],
)
def test_what_is_no_golden_is_said_in_a_sentence(data, says):
    assert says in reason(data)


def test_a_metric_may_have_more_keys_than_are_read():
    assert read(loss({"1": 1.0}, start_step=1, end_step=1, step_interval=1, unit="nats")).series


def test_a_name_of_another_alphabet_is_a_name():
    assert list(read(loss({"1": 1.0}).replace(b"lm loss", "Verlust ß".encode())).series) == ["Verlust ß"]


def test_a_file_beyond_all_measure_is_not_parsed():
    assert reason(b" " * (LARGEST + 1)) == "is larger than 64 MiB"


@pytest.mark.parametrize("word", ["nan", "NaN", "-nan", "+inf", "Infinity", "-INFINITY", " nan "])
def test_texts_for_what_is_no_number_are_spelled_with_quotes(word):
    assert spelling(word) == f'"{word}"'


@pytest.mark.parametrize("value", [1, -2.5, 0, "nano", "", None, True, [], {}])
def test_other_values_have_no_spelling(value):
    assert spelling(value) is None


def test_a_truth_value_is_no_number():
    assert [is_number(it) for it in (1, 1.5, True, None, "1", float("nan"), 10**400)] == [True, True] + [
        False
    ] * 5


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_reading_fail(data):
    assert isinstance(read_golden(data), Golden | BadGolden)


WORD = st.sampled_from(["values", "start_step", "step_interval", "generated_text", "logprobs", "1", "2"])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5) | WORD, inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["lm loss", "0", "values"]), JSON, max_size=3))
def test_no_json_makes_reading_fail(content):
    assert isinstance(read_golden(json.dumps(content).encode()), Golden | BadGolden)
