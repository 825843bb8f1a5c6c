"""Tests of two models besides that of the headline: equivalence, permutation, fragility."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, PAIRS, TWO_MODELS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="further_tests",
    asks="Are two models equal on the same trials?",
    needs=(BOTH_CLASSES, TWO_MODELS, PAIRS),
    sections=(
        SectionSpec(
            key="tests", title="Further tests", writer=f"{__name__}.section:further_tests", folded=True
        ),
    ),
    frames=(f"{__name__}.frame",),
    words=__name__,
)
