"""How often two models decide alike."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import PAIRS, THRESHOLDS, TWO_MODELS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="agreement",
    asks="How often do two models decide alike?",
    needs=(TWO_MODELS, PAIRS, THRESHOLDS),
    sections=(
        SectionSpec(
            key="agreement",
            title="Agreement of decisions",
            writer=f"{__name__}.section:agreement",
            folded=True,
            on_request=lambda results: True,
        ),
    ),
    frames=(f"{__name__}.frame",),
)
