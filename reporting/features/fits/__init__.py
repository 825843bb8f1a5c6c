"""Smooth curves of few trials: binormal and ordinal fits, with their numbers."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="fits",
    sections=(
        SectionSpec(key="fits", title="Smooth curves", writer=f"{__name__}.section:fits", folded=True),
    ),
    frames=(f"{__name__}.frame",),
)
