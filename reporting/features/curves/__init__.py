"""ROC, DET and precision-recall curves, scores and errors along the threshold, and their bands."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="curves",
    sections=(SectionSpec(key="curves", title="Curves", writer="reporting.features.pictures:curve_figures"),),
    frames=(
        f"{__name__}.roc_frame",
        f"{__name__}.scores",
        f"{__name__}.bands",
        f"{__name__}.precision_bands",
    ),
)
