"""The questions that a report can answer, and the sections of a page in the order in which they are read.

To add a question, write its folder and add its name here.
"""

from __future__ import annotations

from importlib import import_module

from reporting.base.contents import Contents
from reporting.base.extensions import contributed, extensions
from reporting.core.engine.curves import Curve
from reporting.document.feature import Feature
from reporting.document.sections import CORE_SET, HOW, REST

_OWN = [
    import_module(f"{__package__}.{name}").FEATURE
    for name in (
        "answer",
        "operating_points",
        "comparisons",
        "further_tests",
        "agreement",
        "curves",
        "epc",
        "costs",
        "likelihood_ratios",
        "calibration_and_benefit",
        "groups",
        "ranking",
        "abstention",
        "fits",
        "drift",
        "transfer",
        "gates",
        "history",
        "paper_tables",
        "methods",
    )
]

FEATURES: Contents[Feature] = Contents("feature", [*_OWN, *extensions()])

READ_IN_ORDER = (
    "summary",
    "ranking",
    "gates",
    "since-last",
    CORE_SET,
    "curves",
    "cost-choice",
    "operating-points",
    "abstention",
    "tables",
    "areas",
    "transfer",
    "costs",
    "other-measures",
    "fits",
    "comparisons",
    "tests",
    "agreement",
    "groups",
    "breakdowns",
    "trends",
    "methods",
    "data",
    "glossary",
    "crosswalk",
    "provenance",
)
"""Anchors of sections; one that is not named here is read before those on how the report was made."""


CURVES_IN_ORDER = (
    "roc det pr ape nbe cross_entropy llr cost decision tippett histogram reliability f1 prg fdr gain"
    " lift roc_error roc_log roc_threshold pr_threshold error_threshold calibration risk_distribution"
    " standardised_benefit benefit_difference standardised_difference pr_band"
)
"""Words of ``curves:`` as messages and the handbook list them; one that is not named here comes last."""

CURVES: Contents[Curve] = Contents(
    "curve",
    sorted(
        (curve for feature in _OWN for curve in feature.curves),
        key=lambda curve: [*CURVES_IN_ORDER.split(), curve.key].index(curve.key),
    ),
    added=lambda: contributed("curves"),
)
"""The curve pictures of all questions, each declared by its own."""

SECTIONS = Contents(
    "section",
    sorted(
        (section for feature in FEATURES.values() for section in feature.sections),
        key=lambda section: READ_IN_ORDER.index(section.key if section.key in READ_IN_ORDER else "methods"),
    ),
)

WITHIN_HOW = tuple(key for key, section in SECTIONS.items() if section.within == HOW)
"""The sections on how the report was made."""

NAMES = (*(key for key in SECTIONS if key != "crosswalk"), "crosswalk", REST)
"""What ``report.sections`` may name, apart from the user's own."""
