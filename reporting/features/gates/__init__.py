"""Gates: what must hold, and whether it does.

- ``keys``: a gate as configured, and the models and datasets that it names.
- ``collect``: the evidence of every gate, gathered while its resamples are there.
- ``past``: what gates remember of earlier runs.
- ``verdict``: pass, fail or undecided, over all gates of a run; ``judge``: what a run has of them.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="gates",
    asks="Does a model meet the limits that were agreed?",
    needs=(BOTH_CLASSES,),
    sections=(SectionSpec(key="gates", title="Gates", writer=f"{__name__}.section:gates", answer=True),),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
    judge=f"{__name__}.judge:GateJudge",
    verdicts=(f"{__name__}.section:gate_results",),
    held=(f"{__name__}.section:held_back",),
    lines=(f"{__name__}.section:gate_line",),
    cautions=(f"{__name__}.section:bets_without_clusters",),
    words=__name__,
)
