"""A margin, and the numbers of a test, in print."""

from __future__ import annotations

from reporting.core.measures.catalogue import read_measure
from reporting.document.words.printing import Printing
from reporting.document.words.view import DatasetView


def margin_text(view: DatasetView, measure: str | None) -> str:
    """Print the margin with its unit, exactly as it was chosen."""
    printed = printed_of(view, measure)
    margin = f"{printed.scale * (view.study.inference.margin or 0.0):.10g}"
    unit = "point" if printed.difference_unit == "points" and margin == "1" else printed.difference_unit
    return f"{margin} {unit}".rstrip()


def printed_of(view: DatasetView, measure: str | None) -> Printing:
    """Return how a row's measure is printed: as elsewhere, or else with the digits of the primary one."""
    primary = view.study.primary.measure
    own = read_measure(measure) if measure else primary
    elsewhere = own in view.study.measures or own.printed_in != primary.printed_in
    return view.printing(own if elsewhere else primary)
