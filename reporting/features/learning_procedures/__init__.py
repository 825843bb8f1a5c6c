"""How good the procedure is that trains a model: over folds, repeats and trainings.

- ``formulas``: t intervals over folds, naive and corrected; means of curves.
- ``estimates``: a measure on the trials that one training is tested on; ``frame``: its mean with limits.
- ``section``: the tables, and to which population limits apply.
"""

from __future__ import annotations

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
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    cautions=(f"{__name__}.section:few_trainings",),
    words=__name__,
)
