"""FAR and FRR as drawn: axes, curves on test, chosen points, fitted curves, means over runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass
from reporting.core.criteria.criterion import Criterion
from reporting.core.engine.curves import Fit
from reporting.core.engine.model_runs import MEAN
from reporting.document.blocks import Axis, Series, Window
from reporting.document.charts.beyond import Number, plain
from reporting.document.charts.chart_spec import Vertices
from reporting.document.charts.picture import (
    per_model,
    rows_on_test,
)
from reporting.document.frames.fit_curves import FIT_CURVES
from reporting.document.frames.roc import ROC
from reporting.document.words.view import DatasetView

Transform = Callable[[FloatArray], FloatArray]


Rates = tuple[FloatArray, FloatArray]
"""FAR and FRR along a curve."""


@dataclass(frozen=True)
class RatePlane:
    """How rates become places: one transform and axis for FAR (x), one for FRR (y)."""

    name: str
    x_axis: Axis
    y_axis: Axis
    x_of: Transform
    y_of: Transform
    guide: Series
    rings: bool
    """Whether the best points possible on test are ringed."""
    windows: Sequence[Window] = ()
    marks: Sequence[Series] = ()
    """Short lines within the frame where either class has few errors."""
    numbers: tuple[Number, Number] = (plain, plain)
    """How places along the axes are printed, in percent."""

    def place(self, far: FloatArray, frr: FloatArray) -> Vertices:
        """Return where rates lie."""
        return self.x_of(far), self.y_of(frr)


@dataclass(frozen=True)
class ChosenPoint:
    """One model's error rates on test at the threshold a criterion chose; ``oracle``: chosen on test."""

    model: str
    far: float
    frr: float
    oracle: bool
    criterion: Criterion


def curves(view: DatasetView, split: str = "test") -> dict[str, Rates]:
    """FAR and FRR at the corners by model, from accept all to reject all; defined ones only.

    Those of a mean over runs are the vertical means of the runs' curves.
    """
    if view.run == MEAN:
        of_runs = [curves(run, split) for run in view.runs]
        return {
            model: vertical_mean([run[model] for run in of_runs])
            for model in view.drawn
            if of_runs and all(model in run for run in of_runs)
        }
    rows = corners(view, split)
    return {model: (of["p_fa"].to_numpy(), of["p_miss"].to_numpy()) for model, of in rows.items()}


def from_accept_all(rows: pl.DataFrame) -> pl.DataFrame:
    """Return corners from accept all to reject all, whichever way scores speak."""
    return rows.sort("misses", pl.col("false_alarms").neg())


def corners(view: DatasetView, split: str) -> dict[str, pl.DataFrame]:
    rows = view.frame(ROC).filter(pl.col("split") == split)
    return {
        model: from_accept_all(of_model)
        for model, of_model in per_model(view, rows).items()
        if of_model["p_fa"].null_count() + of_model["p_miss"].null_count() == 0
    }


def chosen_points(view: DatasetView) -> Iterator[ChosenPoint]:
    """The points of the primary criterion on test, a priori and a posteriori, where both rates exist."""
    for criterion, is_oracle in view.point_criteria():
        for model in view.drawn:
            far, frr = view.rates_at(model, criterion)
            if far is not None and frr is not None:
                yield ChosenPoint(model, far, frr, is_oracle, criterion)


def fitted_rates(view: DatasetView, fit: Fit) -> dict[str, Rates]:
    """FAR and FRR along the curves of one fit by model, in the report's order."""
    rows = per_model(view, rows_of_fit(view, fit))
    return {model: (of["p_fa"].to_numpy(), of["p_miss"].to_numpy()) for model, of in rows.items()}


def fitted_band(view: DatasetView, fit: Fit, model: str) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """FAR and the limits of FRR of a curve, where it has a band."""
    rows = rows_of_fit(view, fit).filter(pl.col("model") == model)
    far, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
    return (far, low, high) if len(far) and np.isfinite(low).all() and np.isfinite(high).all() else None


def rows_of_fit(view: DatasetView, fit: Fit) -> pl.DataFrame:
    return rows_on_test(view, FIT_CURVES).filter(pl.col("fit") == str(fit)).sort("p_fa", "p_miss")


def vertical_mean(curves: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """Return FAR and FRR of the vertical mean of polylines: at every FAR the mean of their FRR.

    From accept all to reject all, as the polylines are: their FAR falls from 1 to 0, their FRR rises from 0
    to 1. Where one is vertical the mean is, too. Fawcett 2006, section 8.1.
    """
    far = np.unique(np.concatenate([fars for fars, _ in curves]))[::-1]
    ends = np.mean([_at_far(fars, frr, far) for fars, frr in curves], axis=0)
    return np.repeat(far, 2), ends.ravel()


def _at_far(fars: FloatArray, frr: FloatArray, far: FloatArray) -> FloatArray:
    """Return the lowest and the highest FRR of a polyline at each FAR, shape (n, 2)."""
    x, y = fars[::-1], frr[::-1]
    first, past = np.searchsorted(x, far, side="left"), np.searchsorted(x, far, side="right")
    there = past > first
    between = np.interp(far, x, y)
    lowest = np.where(there, y[past - 1], between)
    return np.stack([lowest, np.where(there, y[np.minimum(first, len(y) - 1)], between)], axis=1)
