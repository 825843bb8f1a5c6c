"""Smooth curves of few trials: binormal and ordinal fits, with their numbers."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, SCORES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="fits",
    asks="Which smooth curve do few trials support?",
    needs=(BOTH_CLASSES, SCORES),
    sections=(
        SectionSpec(key="fits", title="Smooth curves", writer=f"{__name__}.section:fits", folded=True),
    ),
    frames=(f"{__name__}.frame",),
    fits=f"{__name__}.catalogue:FITS",
    keys=f"{__name__}.keys",
    words=__name__,
)
