"""The sections of a page, in the order in which they are read."""

from __future__ import annotations

from reporting.base.contents import Contents
from reporting.document.sections import CORE_SET, HOW, REST, SectionSpec
from reporting.features.catalogue import FEATURES

READ_IN_ORDER = (
    "summary",
    "readers",
    "attempts",
    "learning",
    "ranking",
    "groups",
    "gates",
    "since-last",
    CORE_SET,
    "curves",
    "cost-choice",
    "operating-points",
    "handover",
    "what-if",
    "alerts",
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
    "breakdowns",
    "trends",
    "passport",
    "methods",
    "data",
    "glossary",
    "crosswalk",
    "provenance",
)
"""Anchors of sections; one that is not named here is read before those on how the report was made."""


SUMMARY = SectionSpec(
    key="summary", title="Summary", writer="reporting.features.cautions:summary", answer=True
)
"""The first screen: the cautions, which are of all questions, and what sums up a dataset."""

SECTIONS = Contents(
    "section",
    sorted(
        (SUMMARY, *(section for feature in FEATURES.values() for section in feature.sections)),
        key=lambda section: READ_IN_ORDER.index(section.key if section.key in READ_IN_ORDER else "methods"),
    ),
)

WITHIN_HOW = tuple(key for key, section in SECTIONS.items() if section.within == HOW)
"""The sections on how the report was made."""

NAMES = (*(key for key in SECTIONS if key != "crosswalk"), "crosswalk", REST)
"""What ``report.sections`` may name, apart from the user's own."""
