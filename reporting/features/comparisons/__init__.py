"""Differences of two models, and the models that may be best."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, TWO_MODELS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="comparisons",
    asks="How large is the difference of two models?",
    needs=(BOTH_CLASSES, TWO_MODELS),
    sections=(
        SectionSpec(
            key="comparisons", title="Comparisons", writer=f"{__name__}.section:comparisons", folded=True
        ),
    ),
    frames=(f"{__name__}.frame", f"{__name__}.differences", f"{__name__}.best_set"),
)
