"""What moved farther than a person need not see."""

import pytest

from bot.core.errors import UsageError
from bot.core.goldens.compare import compare
from bot.core.goldens.limits import exceeded
from bot.core.recipe import parse_recipe
from bot.core.recipe_results import Outliers
from tests.core.goldens.made import GOLDENS, answer, inference, read, training
from tests.core.recipe_texts import SMALL

VANISHED = "2 of them missing, without a number or no longer 0"


def beyond(old: bytes, new: bytes, goldens=GOLDENS) -> dict[str, str]:
    return exceeded(compare(read(old), read(new)), goldens)


def losses(*values: object, steps: int = 50) -> bytes:
    """Return a golden whose loss is 10 but at the first steps, where it is as given."""
    return training(lm_loss=[*values, *[10.0] * (steps - len(values))])


@pytest.mark.parametrize(
    ("new", "is_beyond"),
    [
        pytest.param(losses(), False, id="nothing moved"),
        pytest.param(losses(10.4, 9.6, 10.4, 9.6), False, id="all within five per cent"),
        pytest.param(losses(20.0), False, id="one outlier of fifty steps"),
        pytest.param(losses(10.6, 9.4), True, id="two outliers"),
        pytest.param(losses("nan"), False, id="one step lost its value"),
        pytest.param(losses("nan", "nan"), True, id="two steps lost their values"),
        pytest.param(losses(steps=49), False, id="one step is missing"),
        pytest.param(losses(steps=48), True, id="two steps are missing"),
        pytest.param(losses(10.6, "nan"), True, id="one outlier and one step without value"),
        pytest.param(training(num_zeros=[1.0]), True, id="the metric is missing"),
    ],
)
def test_a_training_metric_may_have_outliers(new, is_beyond):
    assert bool(beyond(losses(), new)) == is_beyond


def test_a_metric_that_left_zero_counts_each_step():
    old, new = training(lm_loss=[0.0, 0.0, 5.0]), training(lm_loss=[1.0, 1.0, 5.0])

    assert beyond(old, new) == {
        "lm loss": f"`lm loss`: 2 of 3 moved by more than 5 %, {VANISHED}, where 1 may"
    }


def test_a_metric_of_zeros_that_are_zeros_no_more_is_beyond():
    old, new = training(lm_loss=[0.0, 0.0]), training(lm_loss=[1.0, 1.0])

    assert beyond(old, new) == {
        "lm loss": f"`lm loss`: 2 of 2 moved by more than 5 %, {VANISHED}, where 1 may"
    }


def test_what_has_no_limit_moves_freely():
    old, new = training(iteration_time=[1.0]), training(iteration_time=[99.0])

    assert beyond(old, new) == {}


def test_the_sentence_says_how_many_how_far_and_where():
    found = beyond(losses(), losses(10.6, 5.0))

    assert found == {
        "lm loss": "`lm loss`: 2 of 50 moved by more than 5 %, farthest by 50 % at step 2, where 1 may"
    }


def test_a_move_without_measure_is_said():
    found = beyond(training(lm_loss=[-1e308, 1.0, 1.0]), training(lm_loss=[1e308, 2.0, 1.0]))

    assert "farthest by more than can be said at step 1" in found["lm loss"]


@pytest.mark.parametrize(
    ("steps", "allowed"),
    [
        pytest.param(1, 0, id="a lone step may not be an outlier"),
        pytest.param(2, 1, id="at least one"),
        pytest.param(199, 1, id="whole steps only"),
        pytest.param(200, 2, id="one in a hundred"),
        pytest.param(9_000, 50, id="never more than fifty"),
    ],
)
def test_outliers_are_those_of_megatrons_approximate_check(steps, allowed):
    assert GOLDENS.outliers.of(steps) == allowed


def test_no_outlier_is_allowed_unless_the_recipe_says_so():
    assert Outliers().of(1_000) == 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"generated_tokens": [11, 22, 34]}, "`generated_tokens`: 1 of 3 differ", id="tokens"),
        pytest.param({"generated_text": "No."}, "`generated_text`: 1 of 1 differ", id="text"),
        pytest.param(
            {"logprobs": [-1.0, -0.502, -0.25]},
            "`logprobs`: 1 of 3 moved by more than 0.001, farthest by 0.002 at position 1 of request `0`",
            id="log-probabilities",
        ),
        pytest.param(
            {"logprobs": [-1.0, -0.5]}, "`logprobs`: 1 of 3 moved", id="log-probabilities end early"
        ),
        pytest.param({"logprobs": [-1.0, -0.5, -0.2505]}, None, id="log-probabilities within"),
        pytest.param({"latency": 99.0}, None, id="no limit"),
    ],
)
def test_answers_have_no_outliers(change, says):
    found = beyond(inference(r0=answer()), inference(r0=answer(**change)))

    assert [it.startswith(says) for it in found.values()] == ([True] if says else [])


@pytest.mark.parametrize(
    ("now", "is_beyond"),
    [(10.0, False), (9.1, False), (8.9, True), (11.9, False), (12.1, True)],
)
def test_a_figure_may_rise_farther_than_it_falls(now, is_beyond):
    old, new = (inference({"throughput": [1.0, it]}, r0=answer()) for it in (10.0, now))

    assert ("throughput" in beyond(old, new)) == is_beyond


def limited(text: str) -> str:
    return f"{SMALL}goldens:\n  file: 't/{{model}}/{{test}}.json'\n  artifact: a\n{text}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        pytest.param("  limits: {lm loss: much}", "`goldens.limits.lm loss` has to be a number", id="word"),
        pytest.param("  limits: {lm loss: '0.1'}", "`goldens.limits.lm loss` has to be a number", id="text"),
        pytest.param(
            "  limits: {lm loss: true}", "`goldens.limits.lm loss` has to be a number", id="truth value"
        ),
        pytest.param(
            "  limits: {lm loss: -0.1}", "`goldens.limits.lm loss` has to be at least 0", id="below 0"
        ),
        pytest.param(
            "  limits: {lm loss: .inf}", "`goldens.limits.lm loss` has to be a finite number", id="endless"
        ),
        pytest.param("  limits: {lm loss: .nan}", "`goldens.limits.lm loss` has to be", id="no number"),
        pytest.param("  limits: 0.05", "`goldens.limits` has to be a mapping", id="one for all"),
        pytest.param(
            "  outliers: {percent: 0.5}",
            "`goldens.outliers.percent` has to be a whole number",
            id="half a percent",
        ),
        pytest.param(
            "  inference: {lm loss: 1}", "`goldens.inference.lm loss` is no key of a recipe", id="a key"
        ),
    ],
)
def test_a_limit_that_is_none_is_said_with_its_line(text, sentence):
    with pytest.raises(UsageError) as failure:
        parse_recipe(limited(text), name="mine", path="mine.yaml")

    assert failure.value.message.startswith(sentence)
    assert failure.value.line == len(limited(text).splitlines())


def test_limits_of_a_recipe_may_be_whole_numbers():
    recipe = parse_recipe(limited("  limits: {lm loss: 0}"), name="mine", path="mine.yaml")

    assert recipe.goldens.limits == {"lm loss": 0.0}
