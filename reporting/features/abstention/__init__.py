"""Accept, review or reject: what leaving some decisions to people is worth.

- ``keys``: the key ``abstention`` of a config, with what errors and reviews cost.
- ``samples``, ``formulas``: two thresholds from development counts, judged on test and its resamples.
- ``frame``: the rows of the frames, each number with its interval.
- ``section``, ``chart``: the tables, sentences and cautions of the page, and its pictures.
"""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, SCORES, THRESHOLDS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="abstention",
    asks="What is gained by leaving some decisions to review?",
    needs=(BOTH_CLASSES, SCORES, THRESHOLDS),
    sections=(
        SectionSpec(
            key="abstention", title="Accept, review or reject", writer=f"{__name__}.section:abstention"
        ),
    ),
    frames=(f"{__name__}.frame",),
    keys=f"{__name__}.keys",
    by_key=True,
    cautions=(f"{__name__}.section:abstention_cautions",),
    words=__name__,
)
