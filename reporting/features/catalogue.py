"""The questions that a report can answer, and the sections of a page in the order in which they are read.

To add a question, write its folder and add its name here.
"""

from __future__ import annotations

from importlib import import_module

from reporting.base.contents import Contents
from reporting.base.extensions import extensions
from reporting.document.feature import Feature
from reporting.document.sections import CORE_SET, HOW, REST

FEATURES: Contents[Feature] = Contents(
    "feature",
    [
        *(
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
        ),
        *extensions(),
    ],
)

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
