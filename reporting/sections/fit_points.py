"""Measures at the chosen thresholds: counted on the trials, and read off the fitted curves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from reporting.criteria.catalogue import read_criterion
from reporting.frames.fits import FIT_METRICS, FitMetricRow
from reporting.measures.catalogue import read_measure
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Table
from reporting.wording.phrases import criterion_label, reason
from reporting.wording.printing import Printing
from reporting.wording.view import View

NOTE = (
    "Fitted: at the FAR and FRR of the fitted classes at the threshold (a fit by ranks: at the likeliest"
    " place of the trials on its curve), with the fit's share of targets where a measure names none."
)


def fit_points(view: View) -> tuple[Block, ...]:
    """Return one table, a row for each measure, threshold and model; nothing without such measures."""
    rows = view.rows(FIT_METRICS, "test")
    if not rows:
        return ()
    by_question = {(row.measure, row.criterion, row.model, row.fit): row for row in rows}
    columns = (
        Column("measure"),
        Column("threshold chosen by"),
        Column("model"),
        Column("trials", "number"),
        *(Column(fit.printed, "number") for fit in view.study.fits),
    )
    return (
        Table(
            view.called("fit_points"),
            "At the thresholds chosen a priori, on test: counted, and by the fitted curves.",
            columns,
            tuple(_lines(view, by_question)),
            (view.terms.say(NOTE),),
        ),
    )


def _lines(
    view: View, rows: dict[tuple[str, str | None, str, str], FitMetricRow]
) -> Iterator[tuple[Cell, ...]]:
    answered = {key[:2] for key in rows}
    asked = product(map(str, view.study.measures), map(str, view.study.criteria))
    questions = [question for question in asked if question in answered]
    for (measure, criterion), model in product(questions, view.results.models):
        printed = view.printing(read_measure(measure))
        found = [rows[measure, criterion, model, str(fit)] for fit in view.study.fits]
        yield (
            Cell(view.terms.measure(read_measure(measure)) + (" (%)" if printed.percent else "")),
            Cell(criterion_label(read_criterion(criterion), view.terms)),
            Cell(view.names[model]),
            _cell(found[0].observed, "degenerate", printed),
            *(_cell(row.value, row.status, printed) for row in found),
        )


def _cell(value: float | None, status: str | None, printed: Printing) -> Cell:
    if value is None:
        return Cell(UNDEFINED, reason=reason(status))
    return Cell(printed.value(value), value)
