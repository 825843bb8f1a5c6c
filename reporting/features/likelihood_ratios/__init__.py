"""What log likelihood ratios are worth: APE, Tippett, cross-entropy."""

from __future__ import annotations

from reporting.document.feature import Feature

FEATURE = Feature(
    key="likelihood_ratios",
    frames=(f"{__name__}.frame",),
)
