"""Thresholds moved between datasets: what they cost, and how much of a value is the data's doing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from reporting.charts.draw import Words
from reporting.charts.transfer import (
    MOST,
    MOST_DATASETS,
    Matrix,
    matrices,
    question,
    transfer_figure,
)
from reporting.criteria import rates as criteria
from reporting.frames.results import Results
from reporting.frames.transfer import TRANSFER, TransferRow
from reporting.measures.measure import Measure
from reporting.measures.rates import WEIGHTED_ERROR
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Figure, Prose, Section, Sense, Table
from reporting.sections.figure_words import MOST_NUMBERS, left_out
from reporting.sections.operating_points import value_cell
from reporting.wording.phrases import reason, sense, threshold_phrase
from reporting.wording.printing import Printing
from reporting.wording.view import View, views

FRAME, TITLE = "transfer", "Thresholds across datasets"
Printed = Mapping[str, Printing]
"""How a measure is printed on each judged dataset: as everywhere else that shows it there."""


def transfer(results: Results) -> Section | None:
    """Return the costs of moved thresholds, run by run; nothing without two datasets with their own dev."""
    frame = results.frames().get(FRAME)
    if frame is None or frame.is_empty():
        return None
    by_run: dict[str, list[View]] = {}
    for view in views(results):
        by_run.setdefault(view.run, []).append(view)
    found = {run: blocks for run, of_run in by_run.items() if (blocks := _blocks(of_run, frame))}
    if len(by_run) == 1:
        return next((Section(TITLE, FRAME, blocks, beside=True) for blocks in found.values()), None)
    runs = tuple(
        Section(f"run {run}", f"{FRAME}-{place}", blocks, beside=True)
        for place, (run, blocks) in enumerate(found.items(), start=1)
    )
    return Section(TITLE, FRAME, runs) if runs else None


def _blocks(of_run: list[View], frame: pl.DataFrame) -> tuple[Block, ...]:
    """One run: in a sentence, in pictures, in numbers, and over all thresholds."""
    view = of_run[0]
    mine = frame.filter(run=view.run)
    return (*_at_thresholds(view, of_run, mine), *_over_all(view, of_run, mine))


def _at_thresholds(view: View, of_run: list[View], frame: pl.DataFrame) -> tuple[Block, ...]:
    asked = question(view.study, frame)
    if asked is None:
        return ()
    measure, criterion = asked
    printed = _printed(of_run, measure)
    found = matrices(view, frame, measure, criterion)
    what = f"{view.terms.measure(measure)} at {threshold_phrase(criterion, view.study)}"
    table = _table(
        view,
        (f"{FRAME}_thresholds", f"Test {what}, and what it costs to take those of another dataset."),
        measure,
        printed,
        [row for one in found for row in _in_order(one)],
        (ADDS_UP,),
    )
    return (*_sentence(view, found, printed), *_pictures(view, found, what, printed), table)


def _pictures(view: View, found: list[Matrix], what: str, printed: Printed) -> tuple[Block, ...]:
    if found and len(found[0].datasets) > MOST_DATASETS:
        return (left_out("The matrix of costs", f"is drawn for at most {MOST_DATASETS} datasets."),)
    return tuple(_figure(view, one, what, printed) for one in found[:MOST])


def _printed(of_run: list[View], measure: Measure) -> Printed:
    return {view.dataset: view.printing(measure) for view in of_run}


def _in_order(matrix: Matrix) -> list[TransferRow]:
    names = matrix.datasets
    return [matrix.rows[dev, test] for dev in names for test in names if (dev, test) in matrix.rows]


def _sentence(view: View, found: list[Matrix], printed: Printed) -> tuple[Block, ...]:
    """Say which move costs most."""
    moves = [(one.loss(cell), one, cell) for one in found for cell in one.rows if cell[0] != cell[1]]
    known = [move for move in moves if move[1].rows[move[2]].cost is not None]
    if not known:
        return ()
    loss, matrix, (dev, test) = max(known, key=lambda move: move[0])
    row, how, name = matrix.rows[dev, test], printed[test], view.terms.measure(matrix.measure)
    if loss <= 0:
        return (Prose(f"No threshold of another dataset makes the {name} worse than the own one."),)
    value, own = (how.value_with_unit(number or 0.0) for number in (row.value, row.value_own))
    return (
        Prose(
            f"The dearest move: at thresholds of {dev}, {view.names[matrix.model]} has {name}"
            f" {value} on test of {test}, and {own} at that dataset's own."
        ),
    )


ADDS_UP = (
    "Cost: the value less that at the judged dataset's own thresholds. A value is what is reached a"
    " posteriori on the test of the dataset that chose, plus the discrimination, by which the two tests"
    " differ a posteriori, plus the threshold shift, what the threshold loses to one chosen on the judged"
    " test itself."
)


def _table(
    view: View,
    named: tuple[str, str],
    measure: Measure,
    printed: Printed,
    rows: list[TransferRow],
    notes: tuple[str, ...],
) -> Table:
    name, caption = named
    how = next(iter(printed.values()))
    return Table(
        name=view.called(name),
        caption=caption,
        columns=(
            Column("model"),
            Column("thresholds of"),
            Column("test of"),
            Column(view.terms.measure(measure), "number", how.unit, sense(measure)),
            Column("cost", "number", how.difference_unit, _sense_of_difference(measure)),
            Column("threshold shift", "number", how.difference_unit),
            Column("discrimination", "number", how.difference_unit),
        ),
        rows=tuple(_cells(view, row, printed[row.test_dataset]) for row in rows),
        notes=notes,
    )


def _sense_of_difference(measure: Measure) -> Sense:
    return "" if measure.ideal is not None else sense(measure)


def _cells(view: View, row: TransferRow, printed: Printing) -> tuple[Cell, ...]:
    return (
        Cell(view.names[row.model]),
        Cell(row.dev_dataset),
        Cell(row.test_dataset),
        value_cell(view, row, printed),
        *(_difference(view, row, name, why, printed) for name, why in WHY_UNDEFINED.items()),
    )


WHY_UNDEFINED = {
    "cost": "the value at the judged dataset's own thresholds is undefined",
    "threshold_shift": "nothing is chosen a posteriori on the judged test",
    "discrimination": "nothing is chosen a posteriori on one of the two tests",
}


def _difference(view: View, row: TransferRow, name: str, why: str, printed: Printing) -> Cell:
    value: float | None = getattr(row, name)
    if value is None:
        return Cell(UNDEFINED, reason=reason(row.status, view.terms) if row.value is None else why)
    return Cell(printed.value(value), value)


def _figure(view: View, matrix: Matrix, what: str, printed: Printed) -> Figure:
    def show(row: TransferRow) -> str:
        return _difference(view, row, "cost", "", printed[row.test_dataset]).text

    unit = next(iter(printed.values())).difference_unit
    model = view.names[matrix.model]
    where = "" if matrix.measure.ideal is not None else f" ({WORSE[matrix.measure.better]})"
    shared = " The colours of all models are on one scale." if len(view.results.models) > 1 else ""
    caption = (
        f"{model}, cost of moving a threshold{f' ({unit})' if unit else ''}: test {what} of the row's"
        " dataset, less that at the own ones of the column's, which are framed. Orange where that is worse"
        f"{where}, blue where it is better.{shared}"
    )
    return transfer_figure(view, matrix, show, Words(caption, _alt(model, matrix, show, what)))


WORSE = {"lower": "above 0", "higher": "below 0"}


def _alt(model: str, matrix: Matrix, show: Callable[[TransferRow], str], what: str) -> str:
    said = [
        f"thresholds of {dev} on test of {test} {show(matrix.rows[dev, test])}"
        for dev in matrix.datasets
        for test in matrix.datasets
        if dev != test and (dev, test) in matrix.rows
    ]
    more = [f"and {len(said) - MOST_NUMBERS} more"] if len(said) > MOST_NUMBERS else []
    return f"Matrix of the cost in {what}, of {model}: {'; '.join(said[:MOST_NUMBERS] + more)}."


def _over_all(view: View, of_run: list[View], frame: pl.DataFrame) -> tuple[Block, ...]:
    """The weighted error averaged over its weight: what is refinement, and what calibration (7.5)."""
    asked = {"over": "area", "criterion": str(criteria.WEIGHTED_ERROR), "measure": str(WEIGHTED_ERROR)}
    rows = frame.filter(**asked)
    found = [row for model in view.results.models for row in TRANSFER.rows(rows.filter(model=model))]
    if not found:
        return ()
    printed = _printed(of_run, WEIGHTED_ERROR)
    caption = f"{WEIGHTED_ERROR.printed.capitalize()} on test, averaged over its weight α from 0 to 1."
    named = (f"{FRAME}_areas", caption)
    return (_table(view, named, WEIGHTED_ERROR, printed, found, (ADDS_UP, CALIBRATION)),)


CALIBRATION = (
    "Of the weighted error a posteriori only the refinement part is left, and the threshold shift is the"
    " calibration loss, never below 0: together the Brier score of thresholds as posteriors, both classes"
    " weighing the same."
)
