"""The pages of the papers whose tables and figures a report can rebuild."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from reporting.frames.results import Results
from reporting.report.blocks import Block, Section
from reporting.sections.papers.brodersen import brodersen
from reporting.sections.papers.epc_authentication import epc_authentication
from reporting.sections.papers.epc_general import epc_general
from reporting.sections.papers.hamel import hamel
from reporting.sections.papers.rocanalysis import rocanalysis

PAGES: Mapping[str, Callable[[Results], tuple[Block, ...]]] = {
    "epc_authentication": epc_authentication,
    "epc_general": epc_general,
    "rocanalysis": rocanalysis,
    "hamel": hamel,
    "brodersen": brodersen,
}


def paper_page(results: Results) -> Section | None:
    """Return the page of the paper that the config names: its claims, tables and figures."""
    if results.study.paper is None:
        return None
    return Section("The paper", "paper", PAGES[results.study.paper](results))
