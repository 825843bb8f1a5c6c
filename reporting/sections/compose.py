"""Results -> Report: the answer first, then the evidence, then how it was made."""

from __future__ import annotations

from reporting.frames.results import Results
from reporting.report.blocks import Report
from reporting.sections.catalogue import SECTIONS
from reporting.sections.data import data_line
from reporting.sections.provenance import signature
from reporting.sections.verdict import verdict


def compose(results: Results) -> Report:
    """Write the report; sections that have nothing to show are left out."""
    made = (section(results) for section in SECTIONS)
    return Report(
        title=results.study.title,
        data_line=data_line(results),
        verdict=verdict(results),
        sections=tuple(section for section in made if section is not None),
        signature=signature(results),
    )
