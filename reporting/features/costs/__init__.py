"""Detection costs at declared priors, and cost curves."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="costs",
    sections=(
        SectionSpec(key="costs", title="Detection costs", writer=f"{__name__}.section:costs", folded=True),
    ),
    frames=(f"{__name__}.dcf",),
)
