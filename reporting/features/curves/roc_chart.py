"""The ROC in percent: hit rate against false acceptance on a square, errors alone, or a logarithmic axis.

For one model it is coloured by threshold as well: which scores cause which errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.core.measures.sweep import AUC
from reporting.document.blocks import Axis, Series, Window
from reporting.document.charts.axes import PAGE_PIXELS, PERCENT, places, reduce
from reporting.document.charts.beyond import plain
from reporting.document.charts.captions import empty_class, models
from reporting.document.charts.chart_spec import ChartSpec, Shades
from reporting.document.charts.picture import CurvePicture, models_chart, rows_on_test
from reporting.document.charts.rates import RatePlane, Rates, chosen_points, curves, from_accept_all
from reporting.document.charts.shares import shares_above
from reporting.document.frames.roc import ROC as ROC_FRAME
from reporting.document.numbers import significant
from reporting.document.words.phrases import listing
from reporting.document.words.terms import Terms
from reporting.document.words.view import DatasetView
from reporting.features.curves.histogram_chart import bins
from reporting.features.curves.rates import (
    averaged,
    curve_tooltips,
    lead_in_words,
    points_in_numbers,
    rates_chart,
    with_dots,
)

CHANCE = Series("chance", "guide", 0, (0.0, 60.0, 100.0), (0.0, 60.0, 100.0))
FALLING_CHANCE = Series("chance", "guide", 0, (0.0, 40.0, 100.0), (100.0, 60.0, 0.0))
STRONG, CORNER = 0.95, 0.2
"""Where all areas are larger, errors up to this rate are drawn."""
MOST_DECADES = 7
"""The logarithmic axis reaches at most this far below 100%."""
STEPS = 128
"""Colours along the whole curve of a ROC coloured by threshold."""


def _roc_curve(
    plane: Callable[[DatasetView], RatePlane],
    caption: Callable[[Terms], str],
    shows: Callable[[Terms], str],
    finding: Callable[[DatasetView, Mapping[str, Rates]], str],
    name: str = "",
) -> CurvePicture[Mapping[str, Rates]]:
    """Return a drawing of FAR and FRR, whose number is the area; ``name`` begins why it is missing."""
    return CurvePicture(
        cases=lambda view: list(filter(None, [curves(view)])),
        draw=lambda view, rates: rates_chart(view, plane(view), rates),
        caption=lambda view, rates: with_dots(view, caption(view.terms), averaged(view)),
        shows=lambda view, rates: f"{shows(view.terms)} of {models(view)} on the test set",
        number=lambda view, rates: _areas_in_words(view) or points_in_numbers(view),
        # That no model has both classes the cautions say already of the usual curves.
        missing=lambda view: f"{name} {empty_class(view)}" if name else "",
        drawn=lambda view, rates: shows(view.terms),
        finding=finding,
    )


def _largest_area(view: DatasetView) -> str:
    """Return which model has the largest area under the curve, where one has, as it is printed."""
    areas = _areas(view)
    if len(areas) < max(2, len(view.ranked)):
        return ""
    printed = {key: view.printing(AUC).value(area) for key, area in areas.items()}
    first = max(areas, key=areas.__getitem__)
    if list(printed.values()).count(printed[first]) > 1:
        return ""
    return f"{view.names[first]} has the largest observed area under the ROC curve, {printed[first]}"


def _hits_in_front(
    plane: Callable[[DatasetView], RatePlane],
) -> Callable[[DatasetView, Mapping[str, Rates]], str]:
    """Return what finds over which rates of false acceptance one model has the highest hit rate."""
    return lambda view, rates: lead_in_words(
        view, rates, plane(view), f"highest observed {view.terms.hit_rate}", view.terms.roc_far
    )


def _areas(view: DatasetView) -> dict[str, float]:
    rows = {key: view.metric(key, AUC, None) for key in view.ranked}
    return {key: row.value for key, row in rows.items() if row is not None and row.value is not None}


def _areas_in_words(view: DatasetView) -> str:
    printed = view.printing(AUC)
    areas = [f"{view.names[key]} {printed.value(area)}" for key, area in _areas(view).items()]
    return f"Area under the curve: {listing(areas)}." if areas else ""


def square(view: DatasetView, name: str) -> RatePlane:
    """Return the axes of the ROC."""
    far, hit = false_acceptance(view), hits(view)
    whole = Window("whole", far, hit)
    window = _corner(view) or whole
    return RatePlane(
        name,
        window.x_axis,
        window.y_axis,
        percent,
        _hits,
        CHANCE,
        rings=False,
        windows=(window, whole) if window != whole else (),
    )


def _corner(view: DatasetView) -> Window | None:
    """Return the corner of the square that holds all there is to see; None where an area is small."""
    rates = curves(view)
    areas = [float(np.trapezoid(frr, 1 - far)) for far, frr in rates.values()]
    points = [error for point in chosen_points(view) for error in (point.far, point.frr)]
    if not areas or max(areas) > 1 - STRONG or max(points, default=0.0) > CORNER:
        return None
    ticks = tuple((float(tick), str(tick)) for tick in range(0, 101, 5))
    low, high = 100 * CORNER, 100 * (1 - CORNER)
    return Window(
        "corner",
        Axis(view.terms.title("roc_far"), 0.0, low, tuple(t for t in ticks if t[0] <= low)),
        Axis(view.terms.title("hits"), high, 100.0, tuple(t for t in ticks if t[0] >= high)),
    )


def false_acceptance(view: DatasetView) -> Axis:
    """Return the axis of false acceptance."""
    return Axis(view.terms.title("roc_far"), 0.0, 100.0, PERCENT)


def hits(view: DatasetView) -> Axis:
    """Return the axis of the hit rate."""
    return Axis(view.terms.title("hits"), 0.0, 100.0, PERCENT)


def percent(rate: FloatArray) -> FloatArray:
    """Return a rate in percent."""
    return 100 * rate


def _hits(frr: FloatArray) -> FloatArray:
    return 100 * (1 - frr)


ROC = _roc_curve(
    plane=lambda view: square(view, "roc"),
    caption=lambda spoken: f"{spoken.hit_rate} against {spoken.roc_far}.",
    shows=lambda spoken: "ROC curves",
    finding=lambda view, rates: _largest_area(view),
)


def _errors_alone(view: DatasetView) -> RatePlane:
    """False rejection against false acceptance: the ROC upside down, the origin perfect."""
    misses = Axis(view.terms.title("frr"), 0.0, 100.0, PERCENT)
    return RatePlane(
        "roc_error", false_acceptance(view), misses, percent, percent, FALLING_CHANCE, rings=False
    )


ROC_ERROR = _roc_curve(
    name="The ROC of errors",
    plane=_errors_alone,
    caption=lambda spoken: (
        f"{spoken.frr_name} against {spoken.far_name}; curves nearer to the origin have fewer errors."
    ),
    shows=lambda spoken: "ROC curves with errors on both axes",
    finding=_hits_in_front(_errors_alone),
)


def _logarithmic(view: DatasetView) -> RatePlane:
    """Hit rate over the logarithm of false acceptance, down to what the non-targets resolve."""
    low = 2.0 - decades(view)
    ticks = tuple((float(k), f"{10.0**k:.10g}") for k in range(int(low), 3))
    far = Axis(view.terms.title("roc_far"), low, 2.0, ticks)
    named = 1.5
    at = np.concatenate((np.linspace(low, named, 100), np.linspace(named, 2.0, 101)))
    chance = Series("chance", "guide", 0, places(at), places(10.0**at))

    def logarithm(rate: FloatArray) -> FloatArray:
        """A rate of 0 lies a decade beyond the frame."""
        return np.asarray(np.log10(np.maximum(100 * rate, 10.0 ** (low - 1))))

    def number(place: float) -> str:
        return plain(0.0 if place < low - 1 + 1e-9 else 10.0**place)

    numbers = number, plain
    return RatePlane("roc_log", far, hits(view), logarithm, _hits, chance, rings=False, numbers=numbers)


def decades(view: DatasetView) -> int:
    """Return how many powers of ten below 100% a single false acceptance lies, at least 2."""
    most = view.most_nontargets or 100
    return min(MOST_DECADES, max(2, math.ceil(math.log10(most))))


ROC_LOG = _roc_curve(
    name="The ROC with a logarithmic axis",
    plane=_logarithmic,
    caption=lambda spoken: f"{spoken.hit_rate} against {spoken.roc_far} on a logarithmic axis.",
    shows=lambda spoken: "ROC curves with a logarithmic axis",
    finding=_hits_in_front(_logarithmic),
)


def _draw_coloured(view: DatasetView, model: str) -> ChartSpec:
    """Draw one model's ROC with the quantile of the threshold as colour, blue-violet low and yellow high.

    Thresholds are ranked by the share of trials they reject: equal steps of colour are equal numbers of
    trials, whatever the scale.
    """
    rows = coloured(view, model)
    rejected = rows["rejected"].to_numpy()
    x, y = 100 * rows["p_fa"].to_numpy(), 100 - 100 * rows["p_miss"].to_numpy()
    # Between two corners the counts run straight: so does the colour.
    steps = np.arange(STEPS + 1) / STEPS
    at = np.union1d(rejected, steps)
    along, up = np.interp(at, rejected, x), np.interp(at, rejected, y)
    plane = square(view, "roc_threshold")
    axes = plane.x_axis, plane.y_axis
    # Where the curve runs straight, the steps of the colour are corners enough.
    kept = np.union1d(reduce(along, (up,), *axes, PAGE_PIXELS), np.searchsorted(at, steps))
    shades = Shades(
        "Threshold",
        places(along[kept]),
        places(up[kept]),
        places((at[kept][1:] + at[kept][:-1]) / 2),
        tuple(significant(value, 3) for value in quartiles(view, model)),
    )
    tooltips = [tooltip for tooltip in curve_tooltips(view, plane) if tooltip.model == model]
    lines = [(model, (x, y))]
    return models_chart(view, plane.name, *axes, lines, [CHANCE], shades=shades, tooltips=tooltips)


def coloured(view: DatasetView, model: str) -> pl.DataFrame:
    """Return the corners of a model on test with the share of trials each threshold rejects.

    None of them where a class is empty, or where there are not two finite thresholds to distinguish.
    """
    rows = rows_on_test(view, ROC_FRAME).filter(pl.col("model") == model)
    trials = pl.col("misses").max() + pl.col("false_alarms").max()
    rejected = (pl.col("misses") + pl.col("false_alarms").max() - pl.col("false_alarms")) / trials
    drawable = (
        rows["threshold"].is_finite().sum() > 1
        and not rows["p_miss", "p_fa"].null_count().sum_horizontal()[0]
    )
    return from_accept_all(rows).with_columns(rejected=rejected) if drawable else rows.clear()


def quartiles(view: DatasetView, model: str) -> tuple[float, ...]:
    """The least finite score, the quartiles of all trials, and the greatest, as far as the frames show."""
    score, targets, nontargets = shares_above(view)[model]
    rows, sign = coloured(view, model), view.sign(model)
    n_target, n_nontarget = (float(rows[name].to_numpy().max()) for name in ("misses", "false_alarms"))
    accepted = (n_target * targets + n_nontarget * nontargets) / (n_target + n_nontarget)
    inner = np.interp((0.25, 0.5, 0.75), 1 - accepted / 100, score)
    edges = bins(view, model)
    least, greatest = (edges["low"][0], edges["high"][-1]) if len(edges) else sorted(sign * score[[0, -1]])
    return (float(least), *sorted(float(sign * at) for at in inner), float(greatest))


def _quartile_texts(view: DatasetView, model: str) -> tuple[str, str, str]:
    least, *inner, most = (significant(value, 3) for value in quartiles(view, model))
    return least, listing(inner), most


def _coloured_number(view: DatasetView, model: str) -> str:
    least, inner, most = _quartile_texts(view, model)
    return (
        f"Scores run from {least} to {most};"
        f" a quarter, half and three quarters of the {view.terms.trials} are below {inner}."
    )


ROC_THRESHOLD = CurvePicture(
    # The baseline, or the best that can be drawn.
    cases=lambda view: [
        model
        for model in ([view.study.baseline] if view.study.baseline is not None else view.ranked)
        if len(coloured(view, model))
    ][:1],
    draw=_draw_coloured,
    caption=lambda view, model: (
        "where the curve is coloured, the colour is the threshold, in equal steps of the share of"
        f" {view.terms.trials} it rejects. A quarter, half and three quarters are rejected at"
        f" {_quartile_texts(view, model)[1]}."
    ),
    shows=lambda view, model: f"ROC curve of {view.names[model]} on the test set, coloured by threshold",
    drawn=lambda view, model: "ROC curve coloured by threshold",
    number=_coloured_number,
    missing=lambda view: f"The ROC coloured by threshold {empty_class(view)[:-1]}, and scores that differ.",
)
