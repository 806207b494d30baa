"""What a chart shows of two goldens."""

import pytest

from bot.core.goldens.trajectory import Line, Panel, panels
from tests.core.goldens.made import answer, inference, read, training, written


def shown(old: bytes, new: bytes) -> tuple[Panel, ...]:
    return panels(read(old), read(new))


def test_each_shared_metric_has_both_lines_and_the_difference():
    assert shown(training(a=[1.0, 2.0], b=[1.0]), training(a=[1.0, 3.0, 9.0])) == (
        Panel(
            "a",
            "step",
            old=Line((1, 2), (1.0, 2.0)),
            new=Line((1, 2, 3), (1.0, 3.0, 9.0)),
            difference=Line((1, 2), (0.0, -0.5)),
            measure="relative",
        ),
    )


def test_the_log_probabilities_of_some_answers_are_drawn():
    old = inference(**{f"r{at}": answer() for at in range(9)})
    new = inference(**{f"r{at}": answer(logprobs=[-1, -1]) for at in range(1, 9)})

    found = shown(old, new)

    assert [it.title for it in found] == [f"logprobs of request {at}" for at in (1, 2, 3, 4)]
    assert found[0].difference == Line((0, 1), (0.0, 0.5))
    assert (found[0].axis, found[0].measure) == ("position", "absolute")


@pytest.mark.parametrize("logprobs", [None, [], "text", [1.0, "nan"]])
def test_an_answer_without_numbers_has_no_panel(logprobs):
    assert shown(inference(r0=answer()), inference(r0=answer(logprobs=logprobs))) == ()


def test_a_lone_answer_has_no_request_in_its_title():
    lone = written(answer())

    assert [it.title for it in shown(lone, lone)] == ["logprobs"]
