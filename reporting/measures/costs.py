"""Detection costs."""

from __future__ import annotations

from reporting.contents import parameter
from reporting.measures.measure import Measure
from reporting.stats import sweep

COST_PARAMETERS = (
    parameter("p_target", 0.5, 1e-12, 1 - 1e-12),
    parameter("c_miss", 1.0, 1e-12, 1e12),
    parameter("c_fa", 1.0, 1e-12, 1e12),
    parameter("normalised", True),
)

MINDCF = Measure(
    key="mindcf",
    parameters=COST_PARAMETERS,
    label="minDCF",
    name="minimum detection cost",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, float("inf")),
    printed_in="number",
    formula=sweep.mindcf,
    synonyms=("minimum Cdet",),
    definition="min over cuts of c_miss p_target FRR + c_fa (1 - p_target) FAR,"
    " normalised: over the smaller of the two weights",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, de Villiers",
)
