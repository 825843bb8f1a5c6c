"""What ROC and DET share: one drawing of FAR and FRR with points, bands, lines of equal cost, and words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from reporting.core.engine.curves import Fit
from reporting.core.engine.model_runs import MEAN
from reporting.core.measures.threshold import FAR, FRR
from reporting.core.stats.special import ndtri
from reporting.document.blocks import Axis
from reporting.document.charts.captions import MOST_NUMBERS
from reporting.document.charts.chart_spec import SIDE, ChartSpec, Vertices
from reporting.document.charts.findings import between, lead, percent_inward
from reporting.document.charts.picture import (
    RATE_DIGITS,
    Tooltips,
    models_chart,
    per_model,
    pointed,
    printed,
)
from reporting.document.charts.rates import (
    ChosenPoint,
    RatePlane,
    Rates,
    chosen_points,
    corners,
    curves,
    fitted_rates,
    rows_of_fit,
)
from reporting.document.frames.roc import BANDS
from reporting.document.numbers import count
from reporting.document.words.phrases import level_text, listing, ratio_at, threshold_phrase
from reporting.document.words.view import DatasetView
from reporting.inputs.spec import ACROSS_FOLDS

SAMPLES = 400
"""Points along a line of equal cost, which is straight on linear axes only."""


UNIT = Axis("", 0.0, 1.0, ())


ENDS = (1e-5, 1 - 1e-3)


PROBITS = Axis("", float(ndtri(ENDS[0])), float(ndtri(ENDS[1])), ())


def rates_chart(view: DatasetView, plane: RatePlane, rates: Mapping[str, Rates]) -> ChartSpec:
    """Return every model's rates on test, with dots at the primary criterion's thresholds."""
    chosen = [point for point in chosen_points(view) if point.model in rates]
    dots = [
        (point.oracle, point.model, plane.place(np.array([point.far]), np.array([point.frr])))
        for point in chosen
    ]
    return models_chart(
        view,
        name=plane.name,
        x_axis=plane.x_axis,
        y_axis=plane.y_axis,
        lines=[(model, plane.place(*curve)) for model, curve in rates.items()],
        guides=[plane.guide, *plane.marks],
        thin=list(_equal_costs(view, plane, chosen)),
        on_request=(
            _bands_in_words(view),
            [(model, _band(rows, plane)) for model, rows in bands(view).items()],
        ),
        smooth=[
            (model, plane.place(*curve))
            for each in (smooth_rates(view), *map(curves, readers_of(view)))
            for model, curve in each.items()
        ],
        points=[(model, place) for is_oracle, model, place in dots if not is_oracle],
        rings=[(model, place) for is_oracle, model, place in dots if is_oracle and plane.rings],
        tooltips=[*curve_tooltips(view, plane), *_point_tooltips(view, plane, chosen)],
        windows=plane.windows,
        height=SIDE,
        numbers=plane.numbers,
        on_dev=[(model, plane.place(*curve)) for model, curve in curves(view, "dev").items()],
    )


def readers_of(view: DatasetView) -> list[DatasetView]:
    """Return the readers whose curves are drawn behind their mean; none where runs are no readers."""
    return view.runs if view.study.runs == "reader" else []


def curve_tooltips(view: DatasetView, plane: RatePlane) -> Iterator[Tooltips]:
    """Tooltips along the curves on test: the same rows in every drawing, which pages store once."""
    for model, rows in corners(view, "test").items():
        far, frr = rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy()
        x, y = (ndtri(np.clip(rate, *ENDS)) for rate in (far, frr))
        kept = np.union1d(pointed(far, frr, UNIT, UNIT), pointed(x, y, PROBITS, PROBITS))
        totals = int(max(rows["misses"])), int(max(rows["false_alarms"]))
        texts = _rate_texts(view, rows[kept], *totals)
        yield Tooltips(model, plane.x_of(far[kept]), plane.y_of(frr[kept]), texts)


def _point_tooltips(view: DatasetView, plane: RatePlane, chosen: list[ChosenPoint]) -> Iterator[Tooltips]:
    for point in chosen:
        row = view.operating_point(point.model, point.criterion)
        if row is None or (point.oracle and not plane.rings):
            continue
        columns = ("threshold", "misses", "false_alarms")
        values = {name: getattr(row, name) for name in columns} | {"p_fa": point.far, "p_miss": point.frr}
        how = view.terms.a_posteriori if point.oracle else view.terms.a_priori
        texts = {"Chosen": [f"{view.terms.criterion(point.criterion)}, {how}"]}
        texts |= _rate_texts(view, pl.DataFrame([values]), row.n_target, row.n_nontarget)
        x, y = plane.place(np.array([point.far]), np.array([point.frr]))
        yield Tooltips(point.model, x, y, texts)


def _rate_texts(
    view: DatasetView, rows: pl.DataFrame, n_target: int, n_nontarget: int
) -> dict[str, list[str]]:
    return {
        "Threshold": printed(rows["threshold"]),
        view.terms.title("false_alarms"): [f"{count(k)}/{count(n_nontarget)}" for k in rows["false_alarms"]],
        view.terms.title("misses"): [f"{count(k)}/{count(n_target)}" for k in rows["misses"]],
        view.terms.title("short_far"): printed(100 * rows["p_fa"], RATE_DIGITS),
        view.terms.title("short_frr"): printed(100 * rows["p_miss"], RATE_DIGITS),
    }


def bands(view: DatasetView) -> dict[str, pl.DataFrame]:
    """Return the bands over FAR of the finalists; limits at thresholds are no band over FAR."""
    rows = view.frame(BANDS).filter(pl.col("kind") != "threshold", pl.col("status").is_null())
    by_model = per_model(view, rows)
    return {model: by_model[model].sort("p_fa") for model in view.finalists if model in by_model}


def _band(rows: pl.DataFrame, plane: RatePlane) -> Vertices:
    far, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
    limits = plane.y_of(low), plane.y_of(high)
    return plane.x_of(far), np.minimum(*limits), np.maximum(*limits)


def equal_cost_models(view: DatasetView) -> list[str]:
    """Return the models through whose chosen points a line of equal cost is drawn: the baseline and the best.

    None where the primary measure is no weighted sum of FAR and FRR: it has no such line.
    """
    if view.study.primary.measure.linear() is None:
        return []
    with_point = {point.model for point in chosen_points(view) if not point.oracle}
    baseline = [view.study.baseline] if view.study.baseline is not None else []
    return [model for model in dict.fromkeys([*baseline, *view.ranked[:1]]) if model in with_point]


def _equal_costs(
    view: DatasetView, plane: RatePlane, chosen: list[ChosenPoint]
) -> Iterator[tuple[str, Vertices]]:
    """Lines w_far FAR + w_frr FRR = constant; any point on one costs the same as its dot."""
    weights = view.study.primary.measure.linear()
    for point in chosen:
        if weights is None or point.oracle or point.model not in equal_cost_models(view):
            continue
        w_far, w_frr = weights
        cost = w_far * point.far + w_frr * point.frr
        if cost > 0:
            yield point.model, plane.place(*_at_cost(w_far, w_frr, cost))


def _at_cost(w_far: float, w_frr: float, cost: float) -> Rates:
    """FAR and FRR along the line, dense towards 0 on either side for the sake of warped axes."""
    share = 1 / (1 + np.exp(np.linspace(-20.0, 20.0, SAMPLES)))
    far = share * cost / w_far if w_far else np.full(SAMPLES, np.nan)
    frr = (1 - share) * cost / w_frr if w_frr else np.full(SAMPLES, np.nan)
    if not w_far:
        far, frr = 1 - share, np.full(SAMPLES, cost / w_frr)
    elif not w_frr:
        far, frr = np.full(SAMPLES, cost / w_far), share
    inside = (far <= 1) & (frr <= 1)
    return far[inside], frr[inside]


def drawn_fit(view: DatasetView) -> Fit | None:
    """Return the fit whose curves are drawn over those of the trials: the first that has one on test here."""
    return next((fit for fit in view.study.fits if len(rows_of_fit(view, fit))), None)


def smooth_rates(view: DatasetView) -> dict[str, Rates]:
    """FAR and FRR along the fitted curve of every model that has one."""
    fit = drawn_fit(view)
    return {} if fit is None else fitted_rates(view, fit)


def dots(view: DatasetView) -> str:
    """Return what the dots are, or nothing where none is drawn."""
    point = next((point for point in chosen_points(view) if not point.oracle), None)
    if point is None:
        return ""
    off = OFF_THE_CURVE if view.study.thresholds.policy in ACROSS_FOLDS else ""
    at = f"{threshold_phrase(point.criterion, view.study)}{ratio_at(view, point.criterion)}"
    return f"Dots: {at}.{view.terms.say(off)}"


OFF_THE_CURVE = (
    " A dot may lie off its curve: each fold has a threshold of its own, a point of the curve one for all."
)


def rings(view: DatasetView) -> str:
    """Return what the rings are, or nothing where none is drawn."""
    ringed = any(point.oracle for point in chosen_points(view))
    return f"Rings: the best possible on the test set ({view.terms.hindsight})." if ringed else ""


def averaged(view: DatasetView) -> str:
    """Return how the curves of several runs became one; empty for a single run."""
    if view.run != MEAN:
        return ""
    several = view.mean_label.removeprefix("mean over ")
    single = " Thin: single readers." if readers_of(view) else ""
    return (
        f"Each curve is the mean over {several} of the {view.terms.frr_name} at equal"
        f" {view.terms.far_name}.{single}"
    )


def with_dots(view: DatasetView, what: str, *marks: str) -> str:
    """Return a caption with what the dots, other marks, and the lines over the curves are."""
    lines = equal_costs(view), fitted(view, smooth_rates(view))
    return " ".join(filter(None, [what, dots(view), *marks, *lines]))


def equal_costs(view: DatasetView) -> str:
    """Return what the lines of equal cost are, or nothing."""
    models = equal_cost_models(view)
    if not models:
        return ""
    measure = view.terms.measure(view.study.primary.measure)
    names = [f"{possessive(view.names[model])} {measure}" for model in models]
    curves = "Dashed curve" if len(names) == 1 else "Dashed curves"
    return f"{curves}: all points with {listing(names)}."


def possessive(name: str) -> str:
    """Return a name as that of an owner."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def fitted(view: DatasetView, curves: Mapping[str, object]) -> str:
    """Return which fit the thin dark lines are, or nothing."""
    fit = drawn_fit(view)
    return f"Thin dark lines: fitted curves ({fit.printed})." if curves and fit is not None else ""


KINDS_OF_BANDS = {
    "fixed_width": "{level} simultaneous bands (fixed width)",
    "sup_t": "{level} simultaneous bands (between 1% and 99% {far})",
    "sjr": "{level} simultaneous joint regions (independent {trials})",
    "vertical": "{level} pointwise bands",
}


def _bands_in_words(view: DatasetView) -> str:
    drawn = bands(view)
    if not drawn:
        return ""
    row = BANDS.rows(next(iter(drawn.values())).head(1))[0]
    facts = vars(view.terms) | {"level": level_text(view.study.inference.level)}
    return KINDS_OF_BANDS[row.kind].format_map(facts)


def lead_in_words(
    view: DatasetView, rates: Mapping[str, Rates], plane: RatePlane, what: str, along: str
) -> str:
    """Return over which rates of false acceptance one model has the fewest misses, or nothing.

    ``what`` it then has, and ``along`` which rate. Where the model in the lead makes no miss at all, others
    may have none either.
    """
    rising = {model: (far[::-1], frr[::-1]) for model, (far, frr) in rates.items()}
    axis = plane.x_axis

    def place(far: float) -> float:
        (x,) = plane.x_of(np.array([far]))
        return float(min(max(x, axis.low), axis.high))

    ahead = lead(rising, 0.0, 1.0, place, best=0.0, highest=False)
    if ahead is None:
        return ""
    where = between(ahead, 0.0, 1.0, percent_inward)
    return f"{view.names[ahead.model]} has the {what} at every {along}{where}"


def points_in_numbers(view: DatasetView) -> str:
    """Give the chosen points in numbers, a priori."""
    far, frr, spoken = view.printing(FAR), view.printing(FRR), view.terms
    points = [
        f"{view.names[point.model]} {spoken.far} {far.value_with_unit(point.far)},"
        f" {spoken.frr} {frr.value_with_unit(point.frr)}"
        for point in chosen_points(view)
        if not point.oracle
    ]
    criterion = view.point_criterion
    if not points or criterion is None:
        return ""
    more = [f"and {len(points) - MOST_NUMBERS} more"] if len(points) > MOST_NUMBERS else []
    return f"At {threshold_phrase(criterion, view.study)}: {'; '.join(points[:MOST_NUMBERS] + more)}."
