"""May a new golden take the old one's place? Every rule, and what a person's word changes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.goldens.refresh import NeedsPerson, Policy, Rejected, Unchanged, Written, judge
from bot.core.recipe_results import Goldens
from tests.core.goldens.made import (
    FOLDER,
    GOLDENS,
    PATH,
    answer,
    block,
    document,
    inference,
    training,
    written,
)

OLD = training(lm_loss=[10.0] * 10, num_zeros=[5.0] * 10)
POLICY = Policy(GOLDENS, has_linter=False)
ACCEPTED = Policy(GOLDENS, has_linter=False, accept=True)
LINTED = Policy(GOLDENS, has_linter=True)


def losses(*values: object) -> bytes:
    """Return a golden with other losses at the first steps."""
    return training(lm_loss=[*values, *[10.0] * (10 - len(values))], num_zeros=[5.0] * 10)


def kept(**changes: object) -> Policy:
    return Policy(GOLDENS.model_copy(update={"format": "keep", **changes}), has_linter=False)


@pytest.mark.parametrize("policy", [POLICY, LINTED, ACCEPTED])
def test_a_small_drift_is_written_with_the_artifacts_own_bytes(policy):
    new = losses(10.1) + b"\r\n"

    decision = judge(PATH, OLD, new, policy)

    assert isinstance(decision, Written)
    assert decision.content == new
    assert decision.comparison.rows[0].max_abs == pytest.approx(0.01)


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(OLD, id="the same bytes"),
        pytest.param(json.dumps(json.loads(OLD)).encode(), id="another layout"),
    ],
)
def test_a_golden_that_says_the_same_is_not_written(new):
    assert judge(PATH, OLD, new, POLICY) == Unchanged()


@pytest.mark.parametrize(
    ("path", "says"),
    [
        pytest.param(f"{FOLDER}/golden_values_dev_dgx_h100_2nd.json", "second run", id="second run"),
        pytest.param(f"{FOLDER}/golden_values_lts_dgx_h100.json", "another environment than `dev`", id="lts"),
        pytest.param(f"{FOLDER}/model_config.yaml", "is not where goldens lie", id="another file"),
        pytest.param("golden_values_dev_dgx_h100.json", "is not where goldens lie", id="another folder"),
        pytest.param(PATH.replace("/gpt/", "/../"), "is not where goldens lie", id="a way up"),
    ],
)
def test_only_the_golden_of_a_test_is_written(path, says):
    for policy in (POLICY, ACCEPTED):
        decision = judge(path, OLD, losses(10.1), policy)

        assert isinstance(decision, Rejected)
        assert says in decision.reason


def test_a_golden_that_the_branch_does_not_have_is_not_made():
    assert judge(PATH, None, OLD, ACCEPTED) == Rejected("has no old golden whose place it could take")


NAN_LITERAL = OLD.replace(b"10.0", b"NaN", 1)


@pytest.mark.parametrize(
    ("new", "says"),
    [
        pytest.param(b"", "the new golden is empty", id="empty file"),
        pytest.param(b"{}", "the new golden holds nothing", id="empty object"),
        pytest.param(OLD[:-30], "the new golden is no JSON", id="cut off"),
        pytest.param(NAN_LITERAL, "holds NaN at `lm loss` `values` `1`", id="NaN"),
        pytest.param(OLD.replace(b"10.0", b"-1e999", 1), "holds -Infinity at", id="too large"),
        pytest.param(losses("inf"), 'holds "inf" at `lm loss` `values` `1`', id="inf in quotes"),
        pytest.param(losses("nan"), 'holds "nan" at `lm loss` `values` `1`, where the old', id="new padding"),
        pytest.param(
            training(lm_loss=[10.0] * 9, num_zeros=[5.0] * 10), "`lm loss` lacks step 10", id="a step less"
        ),
        pytest.param(
            training(lm_loss=[10.0] * 3, num_zeros=[5.0] * 3), "`lm loss` lacks steps 4-10", id="truncated"
        ),
        pytest.param(training(lm_loss=[10.1] * 10), "num zeros is not in the new golden", id="a metric less"),
        pytest.param(
            inference(r0=answer()), "the old golden holds metrics of a training run", id="another kind"
        ),
        pytest.param(
            written({"lm loss": {"values": {"1": 1.0}}}),
            "`lm loss` lacks one of `start_step`, `end_step` and `step_interval`",
            id="no bounds",
        ),
        pytest.param(
            written(document(lm_loss=[10.0] * 10) | {"num zeros": {**block([1.0]), "values": {}}}),
            "`num zeros` has no step",
            id="no step",
        ),
        pytest.param(
            written(json.loads(losses(10.1)) | {"more": ["nan"]}), 'holds "nan" at `more` `0`', id="in a list"
        ),
    ],
)
def test_a_loss_is_refused_whoever_asks(new, says):
    for policy in (POLICY, ACCEPTED):
        decision = judge(PATH, OLD, new, policy)

        assert isinstance(decision, Rejected)
        assert says in decision.reason


PADDED = training(lm_loss=[10.0, "nan", 10.0], num_zeros=[1.0, "nan", 2.0])


@pytest.mark.parametrize(
    ("new", "policy", "expected"),
    [
        pytest.param(PADDED.replace(b"10.0", b"10.1"), POLICY, Written, id="padding stays"),
        pytest.param(PADDED.replace(b"10.0", b"10.1"), LINTED, Rejected, id="a linter would block it"),
        pytest.param(
            training(lm_loss={"1": 10.1, "3": 10.0}, num_zeros={"1": 1.0, "3": 2.0}),
            LINTED,
            Written,
            id="padding goes",
        ),
        pytest.param(
            training(lm_loss=[10.0, "nan", "nan"], num_zeros=[1.0, "nan", 2.0]),
            POLICY,
            Rejected,
            id="more of it",
        ),
        pytest.param(
            training(lm_loss=[10.0, "NaN", 10.0], num_zeros=[1.0, "nan", 2.0]),
            POLICY,
            Rejected,
            id="spelled otherwise",
        ),
        pytest.param(
            training(lm_loss=[10.0, 10.0, 10.0], num_zeros=[1.0, "nan", 2.0]),
            POLICY,
            NeedsPerson,
            id="a value in its place",
        ),
    ],
)
def test_padding_is_allowed_where_it_was_and_no_linter_objects(new, policy, expected):
    assert isinstance(judge(PATH, PADDED, new, policy), expected)


@pytest.mark.parametrize(
    ("new", "says"),
    [
        pytest.param(losses(11.0, 9.0), "`lm loss`: 2 of 10 moved by more than 5 %", id="beyond a limit"),
        pytest.param(
            training(lm_loss=[10.1] * 11, num_zeros=[5.0] * 10),
            "`lm loss` has a number at step 11, where the old golden has none",
            id="a step more",
        ),
        pytest.param(
            training(lm_loss=[10.1] * 10, num_zeros=[5.0] * 10, total_loss=[1.0]),
            "total loss is new",
            id="a metric",
        ),
    ],
)
def test_a_change_is_taken_when_a_person_accepts_it(new, says):
    decision = judge(PATH, OLD, new, POLICY)

    assert isinstance(decision, NeedsPerson)
    assert says in decision.reason
    assert decision.comparison.rows
    assert judge(PATH, OLD, new, ACCEPTED) == Written(new, decision.comparison)


def test_every_reason_is_said():
    decision = judge(PATH, OLD, training(lm_loss=[20.0] * 11, num_zeros=[9.0] * 10), POLICY)

    assert isinstance(decision, NeedsPerson)
    assert decision.reason.count("; ") == 1


@pytest.mark.parametrize(
    ("old", "says"),
    [
        pytest.param(b"", "the old golden is empty", id="empty"),
        pytest.param(b"{", "the old golden is no JSON", id="broken"),
        pytest.param(b"\xff", "the old golden is not UTF-8", id="no text"),
        pytest.param(b"{}", "the old golden holds nothing", id="nothing"),
    ],
)
def test_an_old_golden_without_values_is_for_a_person_to_replace(old, says):
    decision = judge(PATH, old, OLD, POLICY)

    assert isinstance(decision, NeedsPerson)
    assert says in decision.reason
    for policy in (ACCEPTED, Policy(kept().goldens, has_linter=False, accept=True)):
        assert isinstance(judge(PATH, old, OLD, policy), Written)


def test_a_recipe_without_limits_lets_nothing_pass_unasked():
    free = Policy(Goldens(file=GOLDENS.file, artifact="a"), has_linter=False)

    for old, new in ((OLD, losses(10.1)), (inference(r0=answer()), inference(r0=answer(latency=0.6)))):
        decision = judge(PATH, old, new, free)

        assert isinstance(decision, NeedsPerson)
        assert "the recipe sets no limits" in decision.reason


ANSWERS = inference({"throughput": [1.0, 10.0]}, r0=answer(), r1=answer())


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(ANSWERS, Unchanged, id="the same"),
        pytest.param(ANSWERS.replace(b"0.5", b"0.6", 1), Written, id="another latency"),
        pytest.param(inference({"throughput": [1.0, 9.5]}, r0=answer(), r1=answer()), Written, id="slower"),
        pytest.param(
            inference({"throughput": [1.0, 8.5]}, r0=answer(), r1=answer()), NeedsPerson, id="too slow"
        ),
        pytest.param(
            inference({"throughput": [1.0, 10.0]}, r0=answer(), r1=answer(generated_tokens=[1])),
            NeedsPerson,
            id="other tokens",
        ),
        pytest.param(
            inference({"throughput": [1.0, 10.0]}, r0=answer(), r1=answer(), r2=answer()),
            NeedsPerson,
            id="more",
        ),
        pytest.param(inference({"throughput": [1.0, 10.0]}, r0=answer()), Rejected, id="a request less"),
        pytest.param(inference(r0=answer(), r1=answer()), Rejected, id="a figure less"),
        pytest.param(
            inference({"throughput": [1.0, 10.0]}, r0=answer(), r1=answer(logprobs=None)),
            Rejected,
            id="a part less",
        ),
        pytest.param(
            inference({"throughput": [1.0, "nan"]}, r0=answer(), r1=answer()), Rejected, id="no number"
        ),
        pytest.param(
            inference({"throughput": [1.0, 10.0]}, r0=answer(), r1=answer(logprobs=[-1, -1, float("-inf")])),
            Rejected,
            id="an infinite log-probability",
        ),
    ],
)
def test_goldens_of_inference_runs_go_by_their_own_limits(new, expected):
    assert isinstance(judge(PATH, ANSWERS, new, POLICY), expected)


@pytest.mark.parametrize(
    ("model", "last"),
    [
        pytest.param({"indent": 1}, "\n", id="indented by one, with a final newline"),
        pytest.param({}, "", id="on one line"),
    ],
)
def test_the_layout_of_the_old_golden_is_kept_on_request(model, last):
    old = (json.dumps(json.loads(OLD), **model) + last).encode()
    new = losses(10.1).replace(b"10.1", b"10.100")

    decision = judge(PATH, old, new, kept())

    assert isinstance(decision, Written)
    expected = json.dumps(json.loads(losses(10.1)), **model) + last
    assert decision.content == expected.replace("10.1,", "10.100,").encode()


@settings(deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60), st.booleans(), st.booleans())
def test_no_bytes_make_judging_fail(old, new, has_linter, accept):
    decision = judge(PATH, old, new, Policy(GOLDENS, has_linter, accept))

    assert isinstance(decision, Rejected | NeedsPerson | Written | Unchanged)
