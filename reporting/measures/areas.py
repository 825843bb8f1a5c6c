"""Areas and equal error rates over the sweep of thresholds."""

from __future__ import annotations

from reporting.measures.measure import Measure
from reporting.stats import sweep

EER_ROCCH = Measure(
    key="eer_rocch",
    label="EER",
    name="equal error rate on the ROC convex hull",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 0.5),
    formula=sweep.eer_rocch,
    synonyms=("EER", "ROCCH-EER"),
    definition="the rate at which FAR = FRR on the lower-left hull of (FAR, FRR)",
    source="Brümmer, de Villiers: The BOSARIS toolkit user guide",
)
EER_INTERP = Measure(
    key="eer_interp",
    label="EER (interpolated)",
    name="equal error rate on the staircase",
    over="sweep",
    own_cut=True,
    better="lower",
    bounds=(0.0, 1.0),
    formula=sweep.eer_interp,
    definition="the rate at which FAR = FRR on the line through all cuts",
    source="van Leeuwen: ROCAnalysis.jl",
)
AUC = Measure(
    key="auc",
    label="AUC",
    name="area under the ROC curve",
    over="sweep",
    better="higher",
    bounds=(0.0, 1.0),
    printed_in="number",
    formula=sweep.auc,
    synonyms=("c-statistic", "Mann-Whitney statistic", "A'", "AUROC"),
    definition="P(target score > non-target score) + P(equal) / 2",
    source="Hanley, McNeil 1982, doi:10.1148/radiology.143.1.7063747",
)
