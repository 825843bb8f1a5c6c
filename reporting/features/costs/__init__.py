"""Detection costs at declared priors, and cost curves."""

from __future__ import annotations

from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, THRESHOLDS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="costs",
    asks="What do decisions cost at given priors and costs?",
    needs=(BOTH_CLASSES, THRESHOLDS),
    sections=(
        SectionSpec(key="costs", title="Detection costs", writer=f"{__name__}.section:costs", folded=True),
    ),
    frames=(f"{__name__}.dcf",),
    curves=(
        Curve(
            key="cost",
            frame="cost",
            drawn_in=f"{__name__}.cost_chart",
            synonyms=("cost_curve", "drummond_holte"),
        ),
    ),
)
