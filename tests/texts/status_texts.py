"""A sticky comment about a run in which much went wrong."""

from dataclasses import replace

from bot.core.components import Component
from bot.core.rounds import State
from bot.core.testrecipes.tracking import Listed
from bot.core.triage.jobs import Subject
from bot.core.triage.summary import Judged
from bot.core.triage.verdict import Evidence, Verdict, VerdictKind
from bot.flows.rounds import RoundReport
from tests.core.triage.world import job
from tests.texts.quarantine_texts import ENTRY

RUN = "https://github.com/NVIDIA/Megatron-LM/actions/runs/7"


def judged(kind: VerdictKind, name: str, why: str, proof: str) -> Judged:
    subject = Subject("functional", "gpt", name, "dgx_h100")
    return Judged(subject, job(), Verdict(kind, why, (Evidence("job log", 3, proof),)))


def big(name: str = "gpt3_tp2", text: str = "no memory left", count: int = 7) -> RoundReport:
    """Return a report in which each kind of verdict has `count` tests, all of them saying `text`."""
    rows = tuple(
        (kind, tuple(judged(kind, f"{name}{at or ''}", text, text) for at in range(count)))
        for kind in VerdictKind
    )
    return RoundReport(
        State.ASKING,
        tuple(f"`{it.subject.name}`: {text}" for _, found in rows for it in found),
        RUN,
        7,
        rows,
        101,
        ((f"is of platform `dgx_a100`, {text}", 40), ("is of a test that did not run", 12)),
        (f"bot retry --recipe megatron-lm --pr 12 # {text}",) * count,
        tuple(Listed(replace(ENTRY, test=name), 12, RUN, "open", 3, 57) for _ in range(count)),
    )


COMPONENTS = [Component(f"C{at}", "all", f"{at}.1", f"{at}.2", "changed") for at in range(8)]
