"""What the ROC and the DET share: two drawings of the same cuts, with the chosen points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from reporting.charts.decimate import PAGE_PIXELS, PRINT_PIXELS, decimate
from reporting.charts.draw import Sketch, Words, figure
from reporting.charts.scope import Scope
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray

Transform = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Drawing:
    """How rates become places: one transform and axis for FAR (x), one for FRR (y)."""

    name: str
    x_axis: Axis
    y_axis: Axis
    x_of: Transform
    y_of: Transform
    guide: Series
    rings: bool
    """Whether the best points possible on test are ringed."""


@dataclass(frozen=True)
class Chosen:
    """One model's error rates on test at one chosen threshold; ``oracle``: chosen on test."""

    model: str
    far: float
    frr: float
    oracle: bool


def rates_drawn(scope: Scope, drawing: Drawing, words: Words) -> Figure:
    """Draw every model's cuts on test, with dots at the primary criterion's thresholds."""
    sketch = Sketch(
        page=_series(scope, drawing, PAGE_PIXELS),
        printed=_series(scope, drawing, PRINT_PIXELS),
        x_axis=drawing.x_axis,
        y_axis=drawing.y_axis,
        faded=scope.faded,
    )
    return figure(scope.called(drawing.name), words, sketch)


def curves(scope: Scope) -> dict[str, tuple[FloatArray, FloatArray]]:
    """FAR and FRR at the corners on test by model, from accept all to reject all; defined ones only."""
    found = {}
    rows = scope.part(scope.results.roc).filter(pl.col("split") == "test")
    for model in scope.results.models:
        one = rows.filter(pl.col("model") == model).sort("threshold")
        if len(one) and one["p_fa"].null_count() + one["p_miss"].null_count() == 0:
            found[model] = (one["p_fa"].to_numpy(), one["p_miss"].to_numpy())
    return found


def chosen_points(scope: Scope) -> Iterator[Chosen]:
    """The points of the primary criterion on test, a priori and a posteriori, where both rates exist."""
    for criterion, is_oracle in scope.point_criteria():
        for model in scope.results.models:
            row = scope.operating_point(model, criterion)
            if row is not None and row["n_target"] and row["n_nontarget"]:
                far, frr = row["false_alarms"] / row["n_nontarget"], row["misses"] / row["n_target"]
                yield Chosen(model, far, frr, is_oracle)


def _series(scope: Scope, drawing: Drawing, pixels: int) -> list[Series]:
    styles = scope.styles
    series = [drawing.guide]
    drawn = curves(scope)
    for model, (far, frr) in drawn.items():
        x, y = drawing.x_of(far), drawing.y_of(frr)
        kept = decimate(x, (y,), drawing.x_axis, drawing.y_axis, pixels)
        series.append(Series(scope.names[model], "line", styles[model], places(x[kept]), places(y[kept])))
    for point in chosen_points(scope):
        if point.model not in drawn or (point.oracle and not drawing.rings):
            continue
        kind: Literal["points", "rings"] = "rings" if point.oracle else "points"
        x, y = drawing.x_of(np.array([point.far])), drawing.y_of(np.array([point.frr]))
        x = np.clip(x, drawing.x_axis.low, drawing.x_axis.high)
        y = np.clip(y, drawing.y_axis.low, drawing.y_axis.high)
        series.append(Series(scope.names[point.model], kind, styles[point.model], places(x), places(y)))
    return series


def places(values: FloatArray) -> tuple[float, ...]:
    """Drawn coordinates as plain numbers, to a ten-thousandth of a pixel and no longer than that."""
    return tuple(float(v) for v in np.round(values, 5))
