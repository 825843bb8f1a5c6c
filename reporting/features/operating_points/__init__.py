"""Every measure of every model at the thresholds that criteria choose."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, THRESHOLDS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="operating_points",
    asks="What does each model do at a threshold chosen before the test?",
    needs=(BOTH_CLASSES, THRESHOLDS),
    sections=(
        SectionSpec(
            key="operating-points", title="Operating points", writer=f"{__name__}.section:operating_points"
        ),
        SectionSpec(
            key="other-measures",
            title="Other measures",
            writer=f"{__name__}.other_measures:other_measures",
            folded=True,
        ),
    ),
    frames=(f"{__name__}.frame",),
    below=(f"{__name__}.limits_asked:limits_asked",),
    cautions=(f"{__name__}.optimism:optimism_between",),
    words=__name__,
)
