"""Thresholds moved between datasets: what they cost, and how much of a value is the data's doing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import polars as pl

from reporting.core.criteria import rates as criteria
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.study import Study
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.document.blocks import Block, Prose, Section, Table
from reporting.document.frames.results import Results
from reporting.document.frames.transfer import TRANSFER, TransferRow
from reporting.document.words.phrases import sense, threshold_phrase
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ByRow, ColumnOf, TableOf
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.transfer import FEATURE

CHAPTER = FEATURE.section("transfer")
ADDS_UP = (
    "Cost: the value minus that with the judged dataset's own thresholds. Threshold shift: what the moved"
    " threshold loses to one tuned on the judged test set. Discrimination: by how much the two test sets"
    " differ with thresholds tuned on each."
)
CALIBRATION = (
    "With thresholds tuned on test, only the refinement part of the weighted error is left, and the threshold"
    " shift is the calibration loss, never below 0: together the Brier score of thresholds as posteriors,"
    " with both classes weighted equally."
)
NO_OWN = "the value with the judged dataset's own thresholds is undefined"
NO_ORACLE = "no threshold is tuned on the judged test set"
NO_ORACLES = "no threshold is tuned on one of the two test sets"

Printed = Mapping[str, Printing]
"""How a measure is printed on each judged dataset: as everywhere else that shows it there."""


def transfer(results: Results) -> Section | None:
    """Return the costs of moved thresholds, run by run; nothing without two datasets with their own dev."""
    frame = results.frame(TRANSFER).filter(pl.col("dev_dataset") != pl.col("test_dataset"))
    by_run: dict[str, list[DatasetView]] = {}
    for view in views(results):
        by_run.setdefault(view.run, []).append(view)
    frames = {run: frame.filter(run=run) for run in by_run}
    blocks_of = {
        run: blocks
        for run, of_run in by_run.items()
        if (blocks := (*_at_thresholds(of_run, frames[run]), *_over_all(of_run, frames[run])))
    }
    if len(by_run) == 1:
        return next((CHAPTER.of(blocks) for blocks in blocks_of.values()), None)
    runs = (
        CHAPTER.part(f"run {run}", place, blocks)
        for place, (run, blocks) in enumerate(blocks_of.items(), start=1)
    )
    return CHAPTER.of(runs)


def _at_thresholds(of_run: list[DatasetView], frame: pl.DataFrame) -> tuple[Block, ...]:
    view, judged = of_run[0], _question(of_run[0].study, frame)
    if judged is None:
        return ()
    measure, criterion = judged
    printed = {each.dataset: each.printing(measure) for each in of_run}
    kind = {"over": "threshold", "measure": str(measure), "criterion": str(criterion)}
    rows = _in_order(view, TRANSFER.rows(frame.filter(**kind)))
    what = f"{view.terms.measure(measure)} at {threshold_phrase(criterion, view.study)}"
    caption = f"{capitalised(what)} of another dataset, judged on the test set."
    table = _table(view, "transfer_thresholds", caption, measure, printed, rows, (ADDS_UP,))
    return (*_costliest(view, rows, measure, printed), table)


def _question(study: Study, frame: pl.DataFrame) -> tuple[Measure, Criterion] | None:
    """Return the report's first question about development thresholds: its own, else the next that has rows.

    None where the frame has no row at a threshold.
    """
    at = frame.filter(over="threshold")
    measures = [m for m in (study.primary.measure, HTER, *study.measures) if str(m) in set(at["measure"])]
    criteria = [c for c in (study.primary.criterion, *study.criteria) if str(c) in set(at["criterion"])]
    return (measures[0], criteria[0]) if measures and criteria else None


def _in_order(view: DatasetView, rows: Iterable[TransferRow]) -> list[TransferRow]:
    """Return the rows by move, the best model of the report first."""
    known = [row for row in rows if row.model in view.ranked]
    return sorted(
        known,
        key=lambda row: (row.dev_dataset.encode(), row.test_dataset.encode(), view.ranked.index(row.model)),
    )


def _costliest(
    view: DatasetView, rows: list[TransferRow], measure: Measure, printed: Printed
) -> tuple[Prose, ...]:
    """Return which move costs most."""

    def loss(row: TransferRow) -> float:
        return measure.loss(row.value or 0.0) - measure.loss(row.value_own or 0.0)

    known = [row for row in rows if row.value is not None and row.value_own is not None]
    if not known:
        return ()
    row, name = max(known, key=loss), view.terms.measure(measure)
    printing = printed[row.test_dataset]
    if printing.value(loss(row)) == printing.value(0.0) or loss(row) < 0:
        return (Prose(f"No threshold of another dataset makes the {name} worse."),)
    value, own = (printing.value_with_unit(number or 0.0) for number in (row.value, row.value_own))
    return (
        Prose(
            f"Costliest transfer: with thresholds from {row.dev_dataset}, the {name} of"
            f" {view.names[row.model]} on {row.test_dataset} is {value}, against {own} with thresholds from"
            f" {row.test_dataset}."
        ),
    )


def _table(
    view: DatasetView,
    name: str,
    caption: str,
    measure: Measure,
    printed: Printed,
    rows: list[TransferRow],
    notes: tuple[str, ...],
) -> Table:
    """One row per model under each move."""
    table, usual = TableOf[TransferRow](view), next(iter(printed.values()))
    show = ByRow[TransferRow](lambda row: printed[row.test_dataset])
    worse = "" if measure.ideal is not None else sense(measure)

    def value(title: str, of: Callable[[TransferRow], float | None]) -> ColumnOf[TransferRow]:
        return table.number(title, of, show, unit=usual.unit, sense=sense(measure))

    def difference(title: str, of: Callable[[TransferRow], float | None], why: str) -> ColumnOf[TransferRow]:
        return table.number(
            title,
            of,
            show,
            unit=usual.difference_unit,
            sense=worse if title == "cost" else "",
            why=lambda row: table.reason(row) if row.value is None else why,
        )

    whole = table.build(
        name,
        caption,
        rows,
        (
            table.model(lambda row: row.model),
            value(f"{view.terms.measure(measure)}, moved thresholds", lambda row: row.value),
            value("own thresholds", lambda row: row.value_own),
            difference("cost", lambda row: row.cost, NO_OWN),
            difference("threshold shift", lambda row: row.threshold_shift, NO_ORACLE),
            difference("discrimination", lambda row: row.discrimination, NO_ORACLES),
        ),
        notes,
        group=lambda row: f"Thresholds from {row.dev_dataset}, tested on {row.test_dataset}",
    )
    return replace(whole, name=view.across_datasets(name))


def _over_all(of_run: list[DatasetView], frame: pl.DataFrame) -> tuple[Block, ...]:
    """Return the weighted error averaged over its weight: refinement and calibration (methods 7.5)."""
    view, judged = of_run[0], {"criterion": str(criteria.WEIGHTED_ERROR), "measure": str(WEIGHTED_ERROR)}
    rows = _in_order(view, TRANSFER.rows(frame.filter(over="area", **judged)))
    if not rows:
        return ()
    printed = {each.dataset: each.printing(WEIGHTED_ERROR) for each in of_run}
    caption = "Weighted error on the test set, averaged over its weight α from 0 to 1."
    notes = (ADDS_UP, CALIBRATION)
    return (_table(view, "transfer_areas", caption, WEIGHTED_ERROR, printed, rows, notes),)
