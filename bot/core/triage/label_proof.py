"""The log of the job that reads the labels → whether CI saw the label of a bump.

A label that is added later has no effect, and another label may win over it, so only what the job printed
proves it (https://github.com/NVIDIA/Megatron-LM/blob/main/.github/workflows/cicd-main.yml, job `configure`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bot.core.recipe_results import LabelProof
from bot.core.triage.lines import numbered, shortened
from bot.core.triage.verdict import Evidence

_SETTING = re.compile(r"(?P<key>\w+)=(?P<value>.*)")
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class LabelSeen:
    """Whether the label was seen: `silent` where the log says nothing of what the recipe asks for."""

    state: Literal["proved", "contradicted", "silent"]
    evidence: tuple[Evidence, ...] = ()


def label_seen(proof: LabelProof, log: Iterable[bytes]) -> LabelSeen:
    """Return what a log says of the label, with the lines; one wrong value outweighs every right one."""
    right: list[Evidence] = []
    for number, text in numbered(log):
        setting = _SETTING.fullmatch(text)
        if setting is None or setting["key"] not in proof.says:
            continue
        line = Evidence(proof.job, number, shortened(text))
        if setting["value"].strip() not in proof.says[setting["key"]]:
            return LabelSeen("contradicted", (line,))
        right.append(line)
    return LabelSeen("proved", tuple(right[:_SHOWN])) if right else LabelSeen("silent")
