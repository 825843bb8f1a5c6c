"""The Expected Performance Curve: what a threshold chosen on dev at each alpha yields on test."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from reporting.charts.curve import places
from reporting.charts.decimate import PAGE_PIXELS, PRINT_PIXELS, decimate
from reporting.charts.draw import Sketch, Words, figure
from reporting.charts.scope import Scope
from reporting.charts.ticks import nice_step
from reporting.measures.measure import Measure
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.staircase import FloatArray

ALPHAS = Axis("α, the weight of false acceptance", 0.0, 1.0, tuple((k / 5, f"{k / 5:.2g}") for k in range(6)))
MOST_BANDS = 6
MOST_ORACLES = 3


def epc_figure(scope: Scope, measure: Measure, banded: Sequence[str], words: Words) -> Figure:
    """Draw the EPC of all models; ``banded`` are those whose interval is drawn as a band."""
    y_axis = _y_axis(scope, measure, banded)
    sketch = Sketch(
        page=_series(scope, measure, banded, y_axis, PAGE_PIXELS),
        printed=_series(scope, measure, banded, y_axis, PRINT_PIXELS),
        x_axis=ALPHAS,
        y_axis=y_axis,
        faded=scope.faded,
    )
    primary = _drawn_first(scope) == measure
    name = scope.called("epc" if primary else f"epc_{measure.key}")
    return figure(name, words, sketch)


def drawn_measures(scope: Scope) -> list[Measure]:
    """The measures of the EPC, the report's primary one first."""
    plan = scope.study.epc
    if plan is None:
        return []
    first = _drawn_first(scope)
    return sorted(plan.measures, key=lambda measure: measure != first)


def epc_rows(scope: Scope, measure: Measure) -> pl.DataFrame:
    """The rows of one measure along alpha under the plan's first criterion, where defined."""
    plan = scope.study.epc
    rows = scope.part(scope.results.epc).filter(
        pl.col("measure") == str(measure), pl.col("value").is_not_null()
    )
    if plan is not None:
        rows = rows.filter(pl.col("criterion").is_in([plan.criteria[0].key, str(plan.criteria[0])]))
    return rows.filter(pl.col("split") == "test").sort("model", "alpha")


def _drawn_first(scope: Scope) -> Measure | None:
    plan = scope.study.epc
    if plan is None or not plan.measures:
        return None
    primary = scope.study.primary.measure
    return primary if primary in plan.measures else plan.measures[0]


def leaves_the_frame(scope: Scope, measure: Measure, banded: Sequence[str]) -> bool:
    """Whether a curve runs beyond the drawn range, as may happen at α = 0 and 1."""
    highest = epc_rows(scope, measure)["value"].max()
    return highest is not None and 100 * float(str(highest)) > _y_axis(scope, measure, banded).high


def _series(scope: Scope, measure: Measure, banded: Sequence[str], y_axis: Axis, pixels: int) -> list[Series]:
    styles, rows = scope.styles, epc_rows(scope, measure)
    stepped = not _varies_with_alpha(measure)
    guides, bands, lines = _without_scores(measure, y_axis.high), [], []
    for model in scope.results.models:
        one = rows.filter(pl.col("model") == model)
        if not len(one):
            continue
        name, style = scope.names[model], styles[model]
        lines.append(_curve(name, style, one, ("value",), stepped, y_axis, pixels))
        limits = one.drop_nulls(["ci_low", "ci_high"])
        if model in banded and len(limits) > 1:
            bands.append(_curve(name, style, limits, ("ci_low", "ci_high"), stepped, y_axis, pixels))
        oracles = one.drop_nulls("value_oracle")
        if len(scope.results.models) <= MOST_ORACLES and len(oracles):
            guides.append(_curve("", style, oracles, ("value_oracle",), stepped, y_axis, pixels))
    return [*guides, *bands, *lines]


def _curve(
    name: str,
    style: int,
    rows: pl.DataFrame,
    columns: tuple[str, ...],
    stepped: bool,
    y_axis: Axis,
    pixels: int,
) -> Series:
    """One column is a line, two are a band; an a posteriori curve has no name and is a guide."""
    x = rows["alpha"].to_numpy()
    ys = [100 * rows[column].to_numpy() for column in columns]
    if stepped:
        x, ys = _steps(x, ys)
    kept = decimate(x, tuple(ys), ALPHAS, y_axis, pixels)
    drawn = [places(y[kept]) for y in ys]
    if len(drawn) == 2:
        return Series(name, "band", style, places(x[kept]), drawn[0], drawn[1])
    return Series(name, "line" if name else "guide", style, places(x[kept]), drawn[0])


def _steps(x: FloatArray, ys: list[FloatArray]) -> tuple[FloatArray, list[FloatArray]]:
    """Corners of the step curve that changes half-way between two alphas; flat runs keep their ends."""
    middle = (x[1:] + x[:-1]) / 2
    corners = np.concatenate((x[:1], np.repeat(middle, 2), x[-1:]))
    twice = [np.repeat(y, 2) for y in ys]
    keep = np.ones(len(corners), dtype=bool)
    keep[1:-1] = np.any([(y[1:-1] != y[:-2]) | (y[1:-1] != y[2:]) for y in twice], axis=0)
    return corners[keep], [y[keep] for y in twice]


def _varies_with_alpha(measure: Measure) -> bool:
    """Whether the measure itself takes the row's alpha, so that it moves also where no threshold does."""
    return bool(measure.swept) and "(" not in str(measure)


def _without_scores(measure: Measure, high: float) -> list[Series]:
    """What accepting all or rejecting all yields, whichever is lower; nothing where it is out of sight."""
    if not _varies_with_alpha(measure):
        flat = Series("without scores", "guide", 0, (0.0, 0.05, 1.0), (50.0, 50.0, 50.0))
        return [flat] if high > 50 else []
    named = min(0.45, 0.009 * high)
    return [
        Series(
            "without scores",
            "guide",
            0,
            (0.0, named / 2, named, 0.5, 1.0),
            (0.0, 50 * named, 100 * named, 50.0, 0.0),
        )
    ]


def _y_axis(scope: Scope, measure: Measure, banded: Sequence[str]) -> Axis:
    every = epc_rows(scope, measure)
    # At 0 and 1 one class has no weight at all: a spike there must not flatten the rest.
    inner = every.filter(pl.col("alpha").is_between(0, 1, closed="none"))
    rows = inner if len(inner) else every
    limits = rows.filter(pl.col("model").is_in(list(banded)))["ci_high"].drop_nulls().to_list()
    top = 100 * max([*rows["value"].to_list(), *limits], default=1.0)
    step = nice_step(top, 5)
    halves = max(2, math.ceil(2 * top / step * (1 - 1e-9)))
    ticks = tuple((step * k, f"{step * k:.6g}") for k in range(halves // 2 + 1))
    return Axis(f"{measure.printed} on test (%)", 0.0, step * halves / 2, ticks)
