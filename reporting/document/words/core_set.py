"""What the core set of measures shows, so that other sections need not."""

from __future__ import annotations

from reporting.core.engine.study import Study
from reporting.core.measures.catalogue import MEASURES
from reporting.core.measures.measure import Measure
from reporting.document.sections import CORE_SET

AUC = MEASURES["auc"]
CALIBRATION_MEASURES = (
    *("oe_ratio", "calibration_intercept", "calibration_slope", "ici", "e50", "e90", "emax", "eci"),
)


UTILITY_CURVES = "decision", "benefit_difference"
CURVES_SHOWN = "calibration", *UTILITY_CURVES, "risk_distribution"


def curves_in_core_set(study: Study) -> tuple[str, ...]:
    """Return the curves that this section draws, so that others need not; none in a report without it."""
    return CURVES_SHOWN if CORE_SET in study.sections else ()


def measures_in_core_set(study: Study) -> tuple[Measure, ...]:
    """Return the measures whose values this section shows; none in a report without it."""
    if CORE_SET not in study.sections:
        return ()
    return tuple(m for m in study.measures if m == AUC or m.key in CALIBRATION_MEASURES)
