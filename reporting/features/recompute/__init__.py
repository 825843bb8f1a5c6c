"""What would follow from another threshold, prevalence, cost, level, margin or group, answered in the page.

- ``grid``: which thresholds are held; ``frame``: the counts at them, alone and of the two leading models.
- ``formulas``: the rates and their limits, from counts alone; ``templates/html/recompute.js`` has them again.
- ``held``: what the page holds, as plain data, and the first screen's numbers that follow from it.
- ``section``: the table as it is at the start, and the caution; ``keys``: who asks for it.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="recompute",
    asks="What would follow from another threshold, prevalence, cost or group?",
    needs=(BOTH_CLASSES,),
    sections=(SectionSpec(key="what-if", title="What if", writer=f"{__name__}.section:what_if"),),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
    cautions=(f"{__name__}.section:small_counts",),
    words=__name__,
)
