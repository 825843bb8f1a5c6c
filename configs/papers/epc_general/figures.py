"""The figures of the EPC paper: break-even points, differences along alpha, and where they are shaded."""

from __future__ import annotations

import numpy as np
import polars as pl

from configs.papers.epc_general.numbers import Along, Errors, Pair, Stretches, apart, errors_at
from reporting.base.arrays import FloatArray
from reporting.core.criteria.catalogue import oracle
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import EER
from reporting.core.measures.measure import Measure
from reporting.document import Axis, Figure, Series, numbers
from reporting.document.charts.axes import nice_axis, steps
from reporting.document.charts.captions import on_test, percent
from reporting.document.charts.chart_spec import ChartSpec, Mark, Vertices
from reporting.document.charts.picture import Words, models_chart, render
from reporting.document.charts.rates import curves
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.view import DatasetView
from reporting.features.curves.accepted_chart import corners, filled
from reporting.features.epc.chart import FIFTHS, EpcCurve, axis_title, varies_with_alpha

DIFFERENCE, TUNED = 5, 6
"""Styles of a difference and of that at given thresholds, which no model of two or three has."""
ROOM = 1.3
"""The break-even window reaches so many times as far as its outermost point."""


def break_even_figure(view: DatasetView, pair: Pair, criterion: Criterion) -> Figure | None:
    """Draw two curves with the line on which both rates agree, and both models' points on them.

    FRR over FAR for the criterion ``eer``, else precision over recall. Rings: break-even on test. Dots: the
    threshold that is break-even on dev.
    """
    errors = criterion == EER
    lines = _error_curves(view, pair) if errors else _pr_curves(view, pair)
    chosen = {m: errors_at(view, m, criterion) for m in pair}
    best = {m: errors_at(view, m, oracle(criterion)) for m in pair}
    places = {m: [_place(found, errors=errors) for found in (chosen[m], best[m]) if found] for m in pair}
    if set(lines) != set(pair) or any(len(found) < 2 for found in places.values()):
        return None
    x_axis, y_axis, diagonal = _window(
        np.concatenate([p for two in places.values() for p in two], axis=1), errors
    )
    chart = models_chart(
        view,
        name="paper_break_even",
        x_axis=x_axis,
        y_axis=y_axis,
        lines=list(lines.items()),
        guides=[Series("break-even", "guide", 0, diagonal, diagonal)],
        points=[(m, (found[0][0], found[0][1])) for m, found in places.items()],
        rings=[(m, (found[1][0], found[1][1])) for m, found in places.items()],
    )
    return render(chart, _break_even_words(view, pair, errors, (chosen, best)))


def _error_curves(view: DatasetView, pair: Pair) -> dict[str, Vertices]:
    found = curves(view)
    return {m: (100 * found[m][0], 100 * found[m][1]) for m in pair if m in found}


def _pr_curves(view: DatasetView, pair: Pair) -> dict[str, Vertices]:
    taken = {m: filled(one) for m, one in corners(view).items() if m in pair}
    return {m: (100 * one.recall, 100 * one.precision) for m, one in taken.items()}


def _place(found: Errors, *, errors: bool) -> FloatArray:
    """Where a threshold lies (shape (2, 1)), in percent."""
    at = (found.far, found.frr) if errors else (found.recall, found.precision)
    return np.array([[100 * at[0]], [100 * at[1]]])


def _window(places: FloatArray, errors: bool) -> tuple[Axis, Axis, tuple[float, ...]]:
    """Square axes around the points, and the diagonal, which is named at its second vertex."""
    if errors:
        top = min(100.0, ROOM * float(places.max()))
        x, y = (nice_axis(f"{rate} on test (%)", 0.0, top) for rate in ("FAR", "FRR"))
        return x, y, (0.0, 0.7 * x.high, x.high)
    low = max(0.0, float(places.min()) - 15)
    x, y = (nice_axis(f"{rate} on test (%)", low, 100.0) for rate in ("Recall", "Precision"))
    return x, y, (x.low, x.low + 0.05 * (x.high - x.low), x.high)


def _break_even_words(
    view: DatasetView,
    pair: Pair,
    errors: bool,
    found: tuple[dict[str, Errors | None], dict[str, Errors | None]],
) -> Words:
    rates = ("FAR", "FRR") if errors else ("recall", "precision")
    said = (
        f"{on_test(view)}: {rates[1]} over {rates[0]} of {listing(view.names[m] for m in pair)}. Rings: the"
        " break-even point, chosen on test (a posteriori). Dots: what the threshold that is break-even on dev"
        " does on test (a priori)."
    )
    told = []
    for name, points in zip(("At dev's threshold", "Break-even on test"), found, strict=True):
        each = [f"{view.names[m]} {_rates(point, rates, errors)}" for m, point in points.items() if point]
        told.append(f"{name}: {'; '.join(each)}.")
    return Words(said, f"{said} {' '.join(told)}")


def _rates(point: Errors, rates: tuple[str, str], errors: bool) -> str:
    at = (point.far, point.frr) if errors else (point.recall, point.precision)
    return ", ".join(f"{name} {percent(rate)}" for name, rate in zip(rates, at, strict=True))


def difference_figure(
    view: DatasetView, asked: tuple[Criterion, Measure], pair: Pair, found: Along, held: Along | None
) -> Figure:
    """Draw the difference along alpha with its interval and band, and beside them those at given thresholds.

    ``found`` is the comparison of the models, ``held`` that of the two tuned systems.
    """
    criterion, measure = asked
    scale = 100.0 if measure.printed_in == "percent" else 1.0
    name = f"{view.names[pair[0]]} − {view.names[pair[1]]}"
    parts = [found.low, found.high, found.band_low, found.band_high, found.difference]
    parts += [held.low, held.high] if held else []
    ends = np.concatenate(parts)
    ends = scale * ends[np.isfinite(ends)]
    unit = " (points)" if scale == 100 else ""
    y_axis = nice_axis(
        f"Difference in {view.terms.measure(measure)} on test{unit}", min(0.0, *ends), max(0.0, *ends)
    )
    x_axis = Axis(axis_title(criterion), 0.0, 1.0, FIFTHS)
    marks: list[Mark | Series] = [Series("no difference", "guide", 0, (0.0, 0.02, 1.0), (0.0, 0.0, 0.0))]
    marks += [
        Series(name, "band", DIFFERENCE, *(tuple(map(float, v)) for v in band))
        for band in _bands(found, scale)
    ]
    bars = _bars(held, scale) if held else []
    marks += [Mark.line(name, DIFFERENCE, found.alpha, scale * found.difference), *bars]
    if held:
        marks.append(Mark.points(BARS, TUNED, held.alpha, scale * held.difference))
    chart = ChartSpec(view.unique_name(f"paper_difference_{measure.key}"), x_axis, y_axis, marks)
    return render(chart, _difference_words(view, asked, name, found, held))


BARS = "two tuned systems"


def _bands(found: Along, scale: float) -> list[Vertices]:
    """The band that holds everywhere, then the intervals, each where it is defined."""
    made: list[Vertices] = []
    for low, high in ((found.band_low, found.band_high), (found.low, found.high)):
        known = np.isfinite(low) & np.isfinite(high)
        if known.sum() > 1:
            made.append((found.alpha[known], scale * low[known], scale * high[known]))
    return made


def _bars(held: Along, scale: float) -> list[Mark]:
    ends = zip(held.alpha, scale * held.low, scale * held.high, strict=True)
    return [
        Mark.line(BARS, TUNED, np.array([at, at]), np.array([low, high]))
        for at, low, high in ends
        if low < high
    ]


def _difference_words(
    view: DatasetView, asked: tuple[Criterion, Measure], name: str, found: Along, held: Along | None
) -> Words:
    criterion, measure = asked
    level = level_text(view.study.inference.level)
    whom = "the models, thresholds chosen again on resampled dev"
    if found.inference == "given_thresholds":
        whom = "thresholds fixed"
    said = (
        f"{on_test(view)}: {name} in {view.terms.measure(measure)} along α of"
        f" {view.terms.criterion(criterion)}. Shading: dark, pointwise {level} intervals; light, the {level}"
        f" simultaneous band; both for {whom}."
    )
    if held is not None:
        said += f" Bars: {level} intervals at the thresholds of dev as they stand (these two tuned systems)."
    inside = int(apart(found).sum())
    alt = f"The interval leaves 0 out at {inside} of {len(found.alpha)} α, the band at {found.shown.sum()}."
    if held is not None:
        alt += f" The bars leave it out at {apart(held).sum()} of {len(held.alpha)}."
    return Words(said, f"{said} {alt}")


def shading_figure(
    view: DatasetView, asked: tuple[Criterion, Measure], pair: Pair, shaded: Stretches, name: str, how: str
) -> Figure | None:
    """Draw two curves over grey stretches of alpha; ``how`` says what the grey means."""
    curve = EpcCurve(view, *asked, (), pair)
    rows = {m: curve.rows.filter(pl.col("model") == m) for m in pair}
    if not all(map(len, rows.values())):
        return None
    axis = curve.y_axis
    grey = [Series("", "band", 0, (low, high), (axis.low,) * 2, (axis.high,) * 2) for low, high in shaded]
    chart = models_chart(
        view,
        name=name,
        x_axis=Axis(axis_title(asked[0]), 0.0, 1.0, FIFTHS),
        y_axis=axis,
        lines=[(m, _vertices(curve, one)) for m, one in rows.items()],
        guides=grey,
    )
    spans = [f"{numbers.significant(low, 2)} to {numbers.significant(high, 2)}" for low, high in shaded]
    where = f"Grey for α from {listing(spans)}." if spans else "Grey nowhere."
    said = f"{on_test(view)}: {view.terms.measure(asked[1])} of {listing(view.names[m] for m in pair)}. {how}"
    return render(chart, Words(said, f"{said} {where}"))


def _vertices(curve: EpcCurve, rows: pl.DataFrame) -> Vertices:
    x, y = rows["alpha"].to_numpy(), curve.scale * rows["value"].to_numpy()
    if varies_with_alpha(curve.measure):
        return x, y
    x, ys = steps(x, [y])
    return x, ys[0]
