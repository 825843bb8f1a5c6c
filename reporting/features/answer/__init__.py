"""Which model is better, and how sure one may be: what opens the first screen."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES

FEATURE = Feature(
    key="answer",
    asks="Which model errs least, and how sure may one be?",
    needs=(BOTH_CLASSES,),
    answer=f"{__name__}.verdict:in_words",
    summary=(f"{__name__}.summary:models_compared",),
    over_datasets=(f"{__name__}.datasets:matrix",),
)
