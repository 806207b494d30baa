"""Golden files of our own making, in the shape of Megatron-LM's."""

import json
from typing import Any

from bot.core.goldens.golden import Golden
from bot.core.goldens.read import read_golden
from bot.core.recipe_results import Goldens

ROOT = "tests/functional_tests/test_cases"
FOLDER = f"{ROOT}/gpt/small_tp1"
PATH = f"{FOLDER}/golden_values_dev_dgx_h100.json"

GOLDENS = Goldens.model_validate(
    {
        "file": ROOT + "/{model}/{test}/golden_values_{environment}_{platform}.json",
        "artifact": "logs-{test}-{run_id}-*",
        "limits": {"lm loss": 0.05, "num-zeros": 0.2},
        "outliers": {"percent": 1, "at_least": 1, "at_most": 50},
        "inference": {
            "limits": {"generated_tokens": 0, "generated_text": 0, "logprobs": 0.001, "throughput": 0.1},
            "rises": {"throughput": 0.2},
        },
    }
)


def block(values: list[Any] | dict[str, Any], interval: int = 1) -> dict[str, Any]:
    """Return a metric: values at steps from 1 on, or at the steps that a mapping names."""
    by_step = values if isinstance(values, dict) else {str(at + 1): it for at, it in enumerate(values)}
    steps = [int(step) for step in by_step]
    bounds = {"start_step": steps[0], "end_step": steps[-1], "step_interval": interval}
    return {**bounds, "values": by_step}


def document(**metrics: Any) -> dict[str, Any]:
    """Return the JSON of a training golden; `lm_loss` is called `lm loss`."""
    return {name.replace("_", " "): block(values) for name, values in metrics.items()}


def written(content: Any) -> bytes:
    """Return JSON as Megatron-LM writes it: indented by four, without final newline."""
    return json.dumps(content, indent=4).encode()


def training(**metrics: Any) -> bytes:
    return written(document(**metrics))


def answer(**more: Any) -> dict[str, Any]:
    """Return the answer to a request, with other parts than usual where they are named."""
    usual = {
        "input_prompt": "How far is it?",
        "generated_text": " Not far.",
        "generated_tokens": [11, 22, 33],
        "latency": 0.5,
        "logprobs": [-1.0, -0.5, -0.25],
        "top_n_logprobs": None,
    }
    return usual | more


def inference(figures: dict[str, Any] | None = None, **requests: Any) -> bytes:
    """Return an inference golden; request `r0` is called `0`."""
    answers = {name.removeprefix("r"): it for name, it in requests.items()}
    return written({**answers, **(figures or {})})


def read(data: bytes) -> Golden:
    golden = read_golden(data)
    assert isinstance(golden, Golden), golden
    return golden
