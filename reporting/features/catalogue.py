"""The questions that a report can answer.

To add a question, write its folder and add its name here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from reporting.base.contents import Contents
from reporting.base.extensions import contributed, extensions
from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature

if TYPE_CHECKING:
    from reporting.core.engine.study import Study

FEATURES: Contents[Feature] = Contents(
    "feature",
    (
        import_module(f"{__package__}.{name}").FEATURE
        for name in (
            "answer",
            "operating_points",
            "readers",
            "attempts",
            "learning_procedures",
            "comparisons",
            "further_tests",
            "agreement",
            "curves",
            "epc",
            "costs",
            "alerts",
            "classes",
            "likelihood_ratios",
            "calibration_and_benefit",
            "groups",
            "ranking",
            "audit",
            "abstention",
            "fits",
            "drift",
            "handover",
            "transfer",
            "gates",
            "history",
            "paper_tables",
            "passport",
            "recompute",
            "reliability",
            "methods",
        )
    ),
    extensions,
)

CURVES_IN_ORDER = (
    "roc det pr ape nbe cross_entropy llr cost decision tippett histogram reliability f1 prg fdr gain"
    " lift roc_error roc_log roc_threshold pr_threshold error_threshold calibration risk_distribution"
    " standardised_benefit benefit_difference standardised_difference pr_band"
)
"""Words of ``curves:`` as messages and the handbook list them; one that is not named here comes last."""

CURVES: Contents[Curve] = Contents(
    "curve",
    sorted(
        (curve for feature in FEATURES.own.values() for curve in feature.curves),
        key=lambda curve: [*CURVES_IN_ORDER.split(), curve.key].index(curve.key),
    ),
    added=lambda: contributed("curves"),
)
"""The curve pictures of all questions, each declared by its own."""


def asked_by(study: Study) -> list[Feature]:
    """Return the questions of which a report of a study may have something, in their order."""
    return [feature for feature in FEATURES.values() if feature.is_asked(study)]
