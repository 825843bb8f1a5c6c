"""Values by group, and how far groups differ."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, GROUPS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="groups",
    asks="Are errors alike in all groups of trials?",
    needs=(BOTH_CLASSES, GROUPS),
    sections=(
        SectionSpec(key="groups", title="Groups", writer=f"{__name__}.section:groups"),
        SectionSpec(
            key="breakdowns", title="Breakdowns", writer=f"{__name__}.breakdowns:breakdowns", folded=True
        ),
    ),
    frames=(f"{__name__}.group_metrics", f"{__name__}.disparities", f"{__name__}.worst"),
    lines=(f"{__name__}.section:group_lines",),
    cautions=(f"{__name__}.section:groups_left_out",),
    words=__name__,
)
