"""The run whose goldens a benchmark fetches: how many artifacts, how large, and what is in them."""

import json
import random

ARTIFACTS = 78
SIZE = 20_000_000
LATENCY = 0.05
RUN = 4242
GOLDEN = "golden_values_dev_dgx_h100.json"


def name(number: int) -> str:
    return f"gpt3_mcore_te_tp{number}"


def golden(number: int) -> bytes:
    """Return about 15 kB of golden values, other ones for each test."""
    chance = random.Random(number)
    values = {str(step): round(10 - step / 100 + chance.random(), 5) for step in range(1, 101)}
    metrics = ("lm loss", "num-zeros", "iteration-time", "mem-allocated-bytes", "mem-max-allocated-bytes")
    document = {
        it: {"start_step": 1, "end_step": 100, "step_interval": 1, "values": values} for it in metrics
    }
    return json.dumps(document, indent=4).encode()
