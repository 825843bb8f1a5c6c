"""Thresholds of one dataset on another."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="transfer",
    sections=(
        SectionSpec(
            key="transfer",
            title="Thresholds across datasets",
            writer=f"{__name__}.section:transfer",
            folded=True,
        ),
    ),
    frames=(f"{__name__}.frame",),
)
