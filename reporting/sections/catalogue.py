"""The sections of a report, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.frames.results import Results
from reporting.report.blocks import Section
from reporting.sections.areas import areas
from reporting.sections.breakdowns import breakdowns
from reporting.sections.comparisons import comparisons
from reporting.sections.cost_choice import cost_choice
from reporting.sections.costs import costs
from reporting.sections.crosswalk import ANCHOR as CROSSWALK
from reporting.sections.crosswalk import crosswalk, medical_crosswalk
from reporting.sections.curves import curve_figures
from reporting.sections.data import data
from reporting.sections.fits import fits
from reporting.sections.further_tests import further_tests
from reporting.sections.gates import gates
from reporting.sections.glossary import glossary
from reporting.sections.methods import methods
from reporting.sections.operating_points import operating_points
from reporting.sections.other_measures import other_measures
from reporting.sections.provenance import provenance
from reporting.sections.since_last import since_last
from reporting.sections.summary import summary
from reporting.sections.transfer import transfer
from reporting.sections.trends import trends

Writer = Callable[[Results], Section | None]

ANSWER: tuple[Writer, ...] = (summary, gates, since_last)
"""What a reader looks for first; sections that a caller hands in follow it."""

EVIDENCE: tuple[Writer, ...] = (
    curve_figures,
    cost_choice,
    operating_points,
    areas,
    transfer,
    costs,
    other_measures,
    fits,
    comparisons,
    further_tests,
    breakdowns,
    trends,
    data,
    glossary,
    methods,
    medical_crosswalk,
    provenance,
)

ON_REQUEST: Mapping[str, Writer] = {CROSSWALK: crosswalk}
"""Sections that are written only where ``report.sections`` names them, by anchor."""
