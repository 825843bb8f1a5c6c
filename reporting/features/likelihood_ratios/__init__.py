"""What log likelihood ratios are worth: APE, Tippett, cross-entropy."""

from __future__ import annotations

from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, RATIOS

FEATURE = Feature(
    key="likelihood_ratios",
    asks="What are log likelihood ratios worth?",
    needs=(BOTH_CLASSES, RATIOS),
    frames=(f"{__name__}.frame",),
    words=__name__,
    curves=(
        Curve(key="ape", frame="cost", drawn_in=f"{__name__}.ape_chart"),
        Curve(key="nbe", frame="cost", drawn_in=f"{__name__}.ape_chart"),
        Curve(
            key="cross_entropy",
            frame="cross_entropy",
            drawn_in=f"{__name__}.cross_entropy_chart",
            synonyms=("ece", "empirical_cross_entropy"),
        ),
        Curve(key="llr", frame="roc", drawn_in=f"{__name__}.llr_chart"),
        Curve(key="tippett", frame="histogram", drawn_in=f"{__name__}.tippett_chart"),
    ),
)
