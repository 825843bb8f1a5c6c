"""What lies near the threshold, and for which prevalence an acceptance still means much."""

from __future__ import annotations

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.engine.curves import Curve
from reporting.core.measures.measure import Measure
from reporting.core.stats.confusion import Cells, of_counts
from reporting.core.stats.rates import ratio
from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, THRESHOLDS
from reporting.document.sections import SectionSpec


@of_counts
def prevalence_threshold(c: Cells) -> FloatArray:
    """sqrt(FPR) / (sqrt(TPR) + sqrt(FPR)), in [0, 1], lower is better; undefined where TPR = FPR = 0."""
    root_tpr, root_fpr = np.sqrt(ratio(c.tp, c.target)), np.sqrt(ratio(c.fp, c.nontarget))
    return ratio(root_fpr, root_tpr + root_fpr)


PREVALENCE_THRESHOLD = Measure(
    key="prevalence_threshold",
    label="prevalence threshold",
    name="prevalence threshold",
    over="threshold",
    better="lower",
    formula=prevalence_threshold,
    synonyms=("screening threshold",),
    definition="sqrt(FPR) / (sqrt(TPR) + sqrt(FPR)): with fewer targets precision falls steeply",
    source="Balayla 2020, doi:10.1371/journal.pone.0240215",
)

FEATURE = Feature(
    key="near_threshold",
    measures=(PREVALENCE_THRESHOLD,),
    frames=(f"{__name__}.frame",),
    sections=(
        SectionSpec(
            key="near-threshold",
            title="Trials near the threshold",
            writer=f"{__name__}.section:near_threshold",
            on_request=lambda results: True,
        ),
    ),
    curves=(Curve(key="predictive_value", frame="roc", drawn_in=f"{__name__}.chart"),),
    cautions=(f"{__name__}.section:rare_targets",),
    words=__name__,
    asks="How many trials lie near the threshold?",
    needs=(BOTH_CLASSES, THRESHOLDS),
)
