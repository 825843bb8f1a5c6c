"""Error rates at a threshold."""

from __future__ import annotations

from reporting.contents import parameter
from reporting.measures.measure import Measure
from reporting.stats import rates

FAR = Measure(
    key="far",
    label="FAR",
    name="false acceptance rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.far,
    weights=lambda: (1.0, 0.0),
    synonyms=("FPR", "FMR", "false alarm rate", "fall-out", "1 - specificity"),
    definition="false alarms / non-targets",
    source="Bengio, Mariethoz, Keller, eq. (2)",
)
FRR = Measure(
    key="frr",
    label="FRR",
    name="false rejection rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.frr,
    weights=lambda: (0.0, 1.0),
    synonyms=("FNR", "FNMR", "miss rate", "1 - recall"),
    definition="misses / targets",
    source="Bengio, Mariethoz, Keller, eq. (2)",
)
HTER = Measure(
    key="hter",
    label="HTER",
    name="half total error rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.hter,
    weights=lambda: (0.5, 0.5),
    synonyms=("balanced error rate", "1 - balanced accuracy"),
    definition="(FAR + FRR) / 2",
    source="Bengio, Mariethoz, Keller, eq. (3)",
)
WEIGHTED_ERROR = Measure(
    key="weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    label="weighted error",
    name="weighted error rate",
    over="threshold",
    better="lower",
    bounds=(0.0, 1.0),
    formula=rates.weighted_error,
    weights=lambda alpha: (alpha, 1.0 - alpha),
    swept="alpha",
    definition="alpha FAR + (1 - alpha) FRR",
    source="Bengio, Mariethoz, Keller, eq. (10)",
)
