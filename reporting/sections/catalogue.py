"""The sections of a report, in the order in which they are read."""

from __future__ import annotations

from collections.abc import Callable

from reporting.frames.results import Results
from reporting.report.blocks import Section
from reporting.sections.areas import areas
from reporting.sections.breakdowns import breakdowns
from reporting.sections.comparisons import comparisons
from reporting.sections.costs import costs
from reporting.sections.curves import curve_figures
from reporting.sections.data import data
from reporting.sections.fits import fits
from reporting.sections.further_tests import further_tests
from reporting.sections.methods import methods
from reporting.sections.operating_points import operating_points
from reporting.sections.other_measures import other_measures
from reporting.sections.papers.catalogue import paper_page
from reporting.sections.provenance import provenance
from reporting.sections.summary import summary
from reporting.sections.transfer import transfer

SECTIONS: tuple[Callable[[Results], Section | None], ...] = (
    paper_page,
    summary,
    curve_figures,
    operating_points,
    areas,
    transfer,
    costs,
    other_measures,
    fits,
    comparisons,
    further_tests,
    breakdowns,
    data,
    methods,
    provenance,
)
