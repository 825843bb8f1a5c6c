"""Expected performance curves, the areas under them, and which model to choose at which costs."""

from __future__ import annotations

from reporting.document.feature import Feature
from reporting.document.needs import BOTH_CLASSES, SCORES, THRESHOLDS
from reporting.document.sections import SectionSpec

FEATURE = Feature(
    key="epc",
    asks="Which model is best at which costs, with thresholds from development data?",
    needs=(BOTH_CLASSES, SCORES, THRESHOLDS),
    sections=(
        SectionSpec(
            key="cost-choice",
            title="Which model for which costs?",
            writer=f"{__name__}.choice_section:cost_choice",
        ),
        SectionSpec(
            key="areas", title="Mean expected performance", writer=f"{__name__}.section:areas", folded=True
        ),
    ),
    frames=(f"{__name__}.frame", f"{__name__}.exact_frames", f"{__name__}.winners"),
    figures=(f"{__name__}.chart:epc_figures",),
)
