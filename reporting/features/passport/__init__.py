"""Whether the report's intervals and its test keep their promises on data like these.

- ``world``: a population with the shapes of the report's trials, and tables drawn from it.
- ``simulate``: the report's own intervals and test on such tables, and the truth that they should hold.
- ``frame``: coverage, size and power; ``section``: the table and the cautions.
- ``keys``, ``command``: who asks for it.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="passport",
    asks="Do the intervals and the test keep their promises on data like these?",
    needs=(BOTH_CLASSES,),
    sections=(SectionSpec(key="passport", title="Coverage passport", writer=f"{__name__}.section:passport"),),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
    cautions=(f"{__name__}.section:broken_promises",),
    commands=(f"{__name__}.command:passport",),
    words=__name__,
)
