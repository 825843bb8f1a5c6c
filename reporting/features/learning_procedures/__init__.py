"""How good the procedure is that trains a model: over folds, repeats and trainings.

- ``formulas``: t intervals over folds, naive and corrected; means of curves.
- ``estimates``: a measure on the trials that one training is tested on; ``frame``: its mean with limits.
- ``mean_curves``: ROC curves of folds, averaged; ``mean_chart``: their picture.
- ``section``: the tables, and to which population limits apply.
"""

from __future__ import annotations

from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, TRAININGS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="learning_procedures",
    asks="How good is the procedure that trains a model, over trainings and training sets?",
    needs=(BOTH_CLASSES, TRAININGS),
    sections=(
        SectionSpec(key="learning", title="Learning procedure", writer=f"{__name__}.section:learning"),
    ),
    frames=(f"{__name__}.frame", f"{__name__}.mean_curves"),
    curves=(
        Curve(
            key="roc_mean",
            frame="mean_curves",
            drawn_in=f"{__name__}.mean_chart",
            synonyms=("mean_roc", "average_roc", "roc_average"),
        ),
    ),
    keys=f"{__name__}.keys",
    by_key=True,
    cautions=(f"{__name__}.section:few_trainings",),
    words=__name__,
)
