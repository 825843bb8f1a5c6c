"""Whether development thresholds still fit the test set."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, DEV

FEATURE = Feature(
    key="drift",
    asks="Does a threshold of the development set still fit the test set?",
    needs=(BOTH_CLASSES, DEV),
    frames=(f"{__name__}.frame",),
    cautions=(f"{__name__}.section:drift",),
    words=__name__,
)
