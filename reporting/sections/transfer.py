"""Thresholds moved between datasets: what they cost, and how much of a value is the data's doing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from reporting.charts.captions import MOST_NUMBERS, left_out
from reporting.charts.picture import Words
from reporting.charts.transfer import (
    MOST,
    MOST_DATASETS,
    Matrix,
    matrices,
    question,
    transfer_figure,
)
from reporting.criteria import rates as criteria
from reporting.frames import TRANSFER, Results, TransferRow
from reporting.measures.measure import Measure
from reporting.measures.threshold import WEIGHTED_ERROR
from reporting.report.blocks import UNDEFINED, Block, Figure, Prose, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.wording.phrases import sense, threshold_phrase
from reporting.wording.printing import Printing
from reporting.wording.tables import ByRow, ColumnOf, TableOf
from reporting.wording.view import View, views

CHAPTER = SECTIONS["transfer"]
ADDS_UP = (
    "Cost: the value less that at the judged dataset's own thresholds. A value is what is reached a"
    " posteriori on the test of the dataset that chose, plus the discrimination, by which the two tests"
    " differ a posteriori, plus the threshold shift, what the threshold loses to one chosen on the judged"
    " test itself."
)
CALIBRATION = (
    "Of the weighted error a posteriori only the refinement part is left, and the threshold shift is the"
    " calibration loss, never below 0: together the Brier score of thresholds as posteriors, both classes"
    " weighing the same."
)
NO_OWN = "the value at the judged dataset's own thresholds is undefined"
NO_ORACLE = "nothing is chosen a posteriori on the judged test"
NO_ORACLES = "nothing is chosen a posteriori on one of the two tests"
WORSE = {"lower": "above 0", "higher": "below 0"}

Printed = Mapping[str, Printing]
"""How a measure is printed on each judged dataset: as everywhere else that shows it there."""


def transfer(results: Results) -> Section | None:
    """Return the costs of moved thresholds, run by run; nothing without two datasets with their own dev."""
    frame = results.frame(TRANSFER)
    by_run: dict[str, list[View]] = {}
    for view in views(results):
        by_run.setdefault(view.run, []).append(view)
    blocks_of = {run: blocks for run, of_run in by_run.items() if (blocks := _blocks(of_run, frame))}
    if len(by_run) == 1:
        return next((CHAPTER.of(blocks, beside=True) for blocks in blocks_of.values()), None)
    runs = tuple(
        CHAPTER.part(f"run {run}", place, blocks, beside=True)
        for place, (run, blocks) in enumerate(blocks_of.items(), start=1)
    )
    return CHAPTER.of(runs)


def _blocks(of_run: list[View], frame: pl.DataFrame) -> tuple[Block, ...]:
    """One run: in a sentence, in pictures, in numbers, and over all thresholds."""
    of_this_run = frame.filter(run=of_run[0].run)
    return (*_at_thresholds(of_run, of_this_run), *_over_all(of_run, of_this_run))


def _at_thresholds(of_run: list[View], frame: pl.DataFrame) -> tuple[Block, ...]:
    view, judged = of_run[0], question(of_run[0].study, frame)
    if judged is None:
        return ()
    measure, criterion = judged
    printed = {each.dataset: each.printing(measure) for each in of_run}
    of_models = matrices(view, frame, measure, criterion)
    what = f"{view.terms.measure(measure)} at {threshold_phrase(criterion, view.study)}"
    rows = [
        matrix.rows[dev, test]
        for matrix in of_models
        for dev in matrix.datasets
        for test in matrix.datasets
        if (dev, test) in matrix.rows
    ]
    caption = f"Test {what}, and what it costs to take those of another dataset."
    table = _table(view, "transfer_thresholds", caption, measure, printed, rows, (ADDS_UP,))
    pictures: tuple[Block, ...] = tuple(_figure(view, matrix, what, printed) for matrix in of_models[:MOST])
    if of_models and len(of_models[0].datasets) > MOST_DATASETS:
        pictures = (left_out("The matrix of costs", f"is drawn for at most {MOST_DATASETS} datasets."),)
    return (*_dearest(view, of_models, printed), *pictures, table)


def _dearest(view: View, of_models: list[Matrix], printed: Printed) -> tuple[Prose, ...]:
    """Return which move costs most."""
    moves = [
        (matrix.loss((dev, test)), matrix, row)
        for matrix in of_models
        for (dev, test), row in matrix.rows.items()
        if dev != test and row.cost is not None
    ]
    if not moves:
        return ()
    loss, matrix, row = max(moves, key=lambda move: move[0])
    name = view.terms.measure(matrix.measure)
    if loss <= 0:
        return (Prose(f"No threshold of another dataset makes the {name} worse than the own one."),)
    printing = printed[row.test_dataset]
    value, own = (printing.value_with_unit(number or 0.0) for number in (row.value, row.value_own))
    return (
        Prose(
            f"The dearest move: at thresholds of {row.dev_dataset}, {view.names[matrix.model]} has {name}"
            f" {value} on test of {row.test_dataset}, and {own} at that dataset's own."
        ),
    )


def _table(
    view: View,
    name: str,
    caption: str,
    measure: Measure,
    printed: Printed,
    rows: list[TransferRow],
    notes: tuple[str, ...],
) -> Table:
    table, usual = TableOf[TransferRow](view), next(iter(printed.values()))
    worse = "" if measure.ideal is not None else sense(measure)

    def printing(row: TransferRow) -> Printing:
        return printed[row.test_dataset]

    def difference(title: str, of: Callable[[TransferRow], float | None], why: str) -> ColumnOf[TransferRow]:
        return table.number(
            title,
            of,
            ByRow(printing),
            unit=usual.difference_unit,
            sense=worse if title == "cost" else "",
            why=lambda row: table.reason(row) if row.value is None else why,
        )

    return table.build(
        name,
        caption,
        rows,
        (
            table.model(lambda row: row.model),
            table.text("thresholds of", lambda row: row.dev_dataset),
            table.text("test of", lambda row: row.test_dataset),
            table.number(
                view.terms.measure(measure),
                lambda row: row.value,
                ByRow(printing),
                unit=usual.unit,
                sense=sense(measure),
            ),
            difference("cost", lambda row: row.cost, NO_OWN),
            difference("threshold shift", lambda row: row.threshold_shift, NO_ORACLE),
            difference("discrimination", lambda row: row.discrimination, NO_ORACLES),
        ),
        notes,
    )


def _figure(view: View, matrix: Matrix, what: str, printed: Printed) -> Figure:
    def cost(row: TransferRow) -> str:
        return UNDEFINED if row.cost is None else printed[row.test_dataset].value(row.cost)

    unit = next(iter(printed.values())).difference_unit
    model = view.names[matrix.model]
    where = "" if matrix.measure.ideal is not None else f" ({WORSE[matrix.measure.better]})"
    shared = " The colours of all models are on one scale." if len(view.results.models) > 1 else ""
    caption = (
        f"{model}, cost of moving a threshold{f' ({unit})' if unit else ''}: test {what} of the row's"
        " dataset, less that at the own ones of the column's, which are framed. Orange where that is worse"
        f"{where}, blue where it is better.{shared}"
    )
    moves = [
        f"thresholds of {dev} on test of {test} {cost(matrix.rows[dev, test])}"
        for dev in matrix.datasets
        for test in matrix.datasets
        if dev != test and (dev, test) in matrix.rows
    ]
    more = [f"and {len(moves) - MOST_NUMBERS} more"] if len(moves) > MOST_NUMBERS else []
    alt = f"Matrix of the cost in {what}, of {model}: {'; '.join(moves[:MOST_NUMBERS] + more)}."
    return transfer_figure(view, matrix, cost, Words(caption, alt))


def _over_all(of_run: list[View], frame: pl.DataFrame) -> tuple[Block, ...]:
    """Return the weighted error averaged over its weight: what is refinement, and what calibration (7.5)."""
    view, judged = of_run[0], {"criterion": str(criteria.WEIGHTED_ERROR), "measure": str(WEIGHTED_ERROR)}
    areas = frame.filter(over="area", **judged)
    rows = [row for model in view.results.models for row in TRANSFER.rows(areas.filter(model=model))]
    if not rows:
        return ()
    printed = {each.dataset: each.printing(WEIGHTED_ERROR) for each in of_run}
    caption = f"{WEIGHTED_ERROR.label.capitalize()} on test, averaged over its weight α from 0 to 1."
    notes = (ADDS_UP, CALIBRATION)
    return (_table(view, "transfer_areas", caption, WEIGHTED_ERROR, printed, rows, notes),)
