"""Whether development thresholds still fit the test set."""

from __future__ import annotations

from reporting.document.feature import Feature

FEATURE = Feature(
    key="drift",
    frames=(f"{__name__}.frame",),
    cautions=(f"{__name__}.section:drift",),
)
