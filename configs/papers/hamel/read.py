"""What the page on Hamel's paper reads off the frames: corners, errors at a threshold, values with limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from configs.papers.paper import read_claims
from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.criteria.criterion import Criterion
from reporting.core.stats.staircase import Staircase
from reporting.document import Cell, numbers
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.roc import ROC
from reporting.document.words.view import DatasetView

CLAIMS = read_claims(Path(__file__).parent)


@dataclass(frozen=True, eq=False)
class Corners:
    """The corners of a model's staircase, from accept all to reject all, both classes there."""

    threshold: FloatArray
    misses: IntArray
    false_alarms: IntArray
    on_hull: BoolArray

    @property
    def staircase(self) -> Staircase:
        """The corners as a staircase of their own: what lies between two of them is straight."""
        return Staircase(self.misses, self.false_alarms, np.flatnonzero(self.on_hull).astype(np.int64))

    @property
    def fpr(self) -> FloatArray:
        """False positive rate."""
        return np.asarray(self.false_alarms / self.false_alarms[0])

    @property
    def tpr(self) -> FloatArray:
        """True positive rate."""
        return np.asarray(1 - self.misses / self.misses[-1])


def corners(view: DatasetView, model: str, split: str = "test") -> Corners | None:
    """Return a model's corners, on dev those of the dataset whose dev chooses. None without both classes."""
    wanted = view.dataset if split == "test" else view.results.dev_of.get(view.dataset, view.dataset)
    rows = view.results.frame(ROC).filter(model=model, dataset=wanted, split=split, run=view.run, group="")
    rows = rows.sort("threshold")
    if not len(rows) or rows["p_fa"].null_count() or rows["p_miss"].null_count():
        return None
    names = ("threshold", "misses", "false_alarms", "on_hull")
    return Corners(*(rows[name].to_numpy() for name in names))


class Errors(NamedTuple):
    """The errors of a model on test at a threshold."""

    misses: int
    false_alarms: int
    n_target: int
    n_nontarget: int
    threshold: float | None


def at_threshold(view: DatasetView, model: str, criterion: Criterion) -> Errors | None:
    """Return a model's error counts on test at the threshold that dev chose; None without both classes."""
    row = view.operating_point(model, criterion)
    if row is None or row.misses is None or row.false_alarms is None:
        return None
    if not row.n_target or not row.n_nontarget:
        return None
    return Errors(row.misses, row.false_alarms, row.n_target, row.n_nontarget, row.threshold)


def value(
    view: DatasetView, model: str, measure: str, criterion: Criterion | None = None
) -> MetricRow | None:
    """Return the row of a measure on test, by its name in the frame; None where it was not asked for."""
    at = None if criterion is None else str(criterion)
    for row in view.metrics:
        if (row.model, row.split, row.measure, row.criterion) == (model, "test", measure, at):
            return row if row.value is not None else None
    return None


def fixed(number: float | None, decimals: int = 3) -> Cell:
    """A number that sorts; an em rule where there is none."""
    if number is None or np.isnan(number):
        return Cell("—", reason="not to be had from these trials")
    return Cell(numbers.fixed(number, decimals), float(number))


def of(row: MetricRow | None, decimals: int = 3) -> Cell:
    """The value of a row."""
    return fixed(None if row is None else row.value, decimals)


def with_limits(row: MetricRow | None, decimals: int = 3) -> Cell:
    """The value of a row with its limits."""
    if row is None or row.ci_low is None:
        return of(row, decimals)
    limits = numbers.bracket(row.ci_low, row.ci_high, decimals)
    return Cell(f"{numbers.fixed(row.value, decimals)} {limits}", row.value)


def frame_of_test(frame: pl.DataFrame, view: DatasetView) -> pl.DataFrame:
    """The rows of an optional frame on a view's test; an empty frame where nobody asked for it."""
    return view.part(frame).filter(pl.col("split") == "test")
