"""Thresholds of one dataset on another."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, DEV, TWO_DATASETS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="transfer",
    asks="Does a threshold of one dataset hold on another?",
    needs=(BOTH_CLASSES, DEV, TWO_DATASETS),
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
