"""Which model is better, and how sure one may be: the first screen."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="answer",
    asks="Which model errs least, and how sure may one be?",
    needs=(BOTH_CLASSES,),
    sections=(
        SectionSpec(
            key="summary", title="Summary", writer="reporting.features.cautions:summary", answer=True
        ),
    ),
)
