"""What the drawings of FAR and FRR share: the same cuts on other axes, chosen points, fits, bands, words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import ndtri

from reporting.charts.captions import MOST_NUMBERS
from reporting.charts.picture import (
    Picture,
    Tooltips,
    Vertices,
    per_model,
    pointed,
    printed,
    rows_on_test,
    two_to_draw,
)
from reporting.criteria.criterion import Criterion
from reporting.fits.fit import Fit
from reporting.frames import BANDS, FIT_CURVES, ROC
from reporting.measures.threshold import FAR, FRR
from reporting.report.blocks import Axis, Series, Window
from reporting.report.numbers import count
from reporting.stats.staircase import FloatArray
from reporting.wording.phrases import level_text, listing, threshold_phrase, units
from reporting.wording.view import View

Transform = Callable[[FloatArray], FloatArray]
Rates = tuple[FloatArray, FloatArray]
"""FAR and FRR along a curve."""

SAMPLES = 400
"""Points along a line of equal cost, which is straight on linear axes only."""

UNIT = Axis("", 0.0, 1.0, ())
ENDS = (1e-5, 1 - 1e-3)
PROBITS = Axis("", float(ndtri(ENDS[0])), float(ndtri(ENDS[1])), ())

MOST_BANDS = 3
"""With more models the bands cannot be told apart: those of two are drawn."""


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


def rates_picture(view: View, plane: RatePlane, rates: Mapping[str, Rates]) -> Picture:
    """Return every model's cuts on test, with dots at the primary criterion's thresholds."""
    chosen = [point for point in chosen_points(view) if point.model in rates]
    dots = [
        (point.oracle, point.model, plane.place(np.array([point.far]), np.array([point.frr])))
        for point in chosen
    ]
    return Picture(
        name=plane.name,
        x_axis=plane.x_axis,
        y_axis=plane.y_axis,
        lines=[(model, plane.place(*curve)) for model, curve in rates.items()],
        guides=[plane.guide],
        thin=list(_equal_costs(view, plane, chosen)),
        bands=[(model, _band(rows, plane)) for model, rows in bands(view).items()],
        smooth=[(model, plane.place(*curve)) for model, curve in smooth_rates(view).items()],
        points=[(model, place) for is_oracle, model, place in dots if not is_oracle],
        rings=[(model, place) for is_oracle, model, place in dots if is_oracle and plane.rings],
        tooltips=[*curve_tooltips(view, plane), *_point_tooltips(view, plane, chosen)],
        windows=plane.windows,
        on_dev=[(model, plane.place(*curve)) for model, curve in curves(view, "dev").items()],
    )


def curves(view: View, split: str = "test") -> dict[str, Rates]:
    """FAR and FRR at the corners by model, from accept all to reject all; defined ones only."""
    rows = _corners(view, split)
    return {model: (of["p_fa"].to_numpy(), of["p_miss"].to_numpy()) for model, of in rows.items()}


def from_accept_all(rows: pl.DataFrame) -> pl.DataFrame:
    """Return corners from accept all to reject all, whichever way scores speak."""
    return rows.sort("misses", pl.col("false_alarms").neg())


def _corners(view: View, split: str) -> dict[str, pl.DataFrame]:
    rows = view.part(view.results.frame(ROC)).filter(pl.col("split") == split)
    return {
        model: from_accept_all(of_model)
        for model, of_model in per_model(view, rows).items()
        if of_model["p_fa"].null_count() + of_model["p_miss"].null_count() == 0
    }


def curve_tooltips(view: View, plane: RatePlane) -> Iterator[Tooltips]:
    """Tooltips along the curves on test: the same rows in every drawing, which pages store once."""
    for model, rows in _corners(view, "test").items():
        far, frr = rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy()
        x, y = (ndtri(np.clip(rate, *ENDS)) for rate in (far, frr))
        kept = np.union1d(pointed(far, frr, UNIT, UNIT), pointed(x, y, PROBITS, PROBITS))
        totals = int(max(rows["misses"])), int(max(rows["false_alarms"]))
        texts = _rate_texts(view, rows[kept], *totals)
        yield Tooltips(model, plane.x_of(far[kept]), plane.y_of(frr[kept]), texts)


def _point_tooltips(view: View, plane: RatePlane, chosen: list[ChosenPoint]) -> Iterator[Tooltips]:
    """Tooltips of dots and rings."""
    for point in chosen:
        row = view.operating_point(point.model, point.criterion)
        if row is None or (point.oracle and not plane.rings):
            continue
        columns = ("threshold", "misses", "false_alarms")
        values = {name: getattr(row, name) for name in columns} | {"p_fa": point.far, "p_miss": point.frr}
        how = "a posteriori" if point.oracle else "a priori"
        texts = {"Chosen": [f"{view.terms.criterion(point.criterion)}, {how}"]}
        texts |= _rate_texts(view, pl.DataFrame([values]), row.n_target, row.n_nontarget)
        x, y = plane.place(np.array([point.far]), np.array([point.frr]))
        yield Tooltips(point.model, x, y, texts)


def _rate_texts(view: View, rows: pl.DataFrame, n_target: int, n_nontarget: int) -> dict[str, list[str]]:
    """Print threshold, counts and rates."""
    return {
        "Threshold": printed(rows["threshold"]),
        view.terms.title("false_alarms"): [f"{count(k)}/{count(n_nontarget)}" for k in rows["false_alarms"]],
        view.terms.title("misses"): [f"{count(k)}/{count(n_target)}" for k in rows["misses"]],
        view.terms.title("short_far"): printed(100 * rows["p_fa"]),
        view.terms.title("short_frr"): printed(100 * rows["p_miss"]),
    }


def bands(view: View) -> dict[str, pl.DataFrame]:
    """Return the bands over FAR that are drawn, by model: of all models while they can be told apart.

    Else of the two of which the verdict speaks; limits at thresholds are no band over FAR.
    """
    rows = view.part(view.results.frame(BANDS)).filter(
        pl.col("kind") != "threshold", pl.col("status").is_null()
    )
    drawn = two_to_draw(view, MOST_BANDS)
    by_model = per_model(view, rows)
    return {model: by_model[model].sort("p_fa") for model in drawn if model in by_model}


def _band(rows: pl.DataFrame, plane: RatePlane) -> Vertices:
    far, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
    limits = plane.y_of(low), plane.y_of(high)
    return plane.x_of(far), np.minimum(*limits), np.maximum(*limits)


def chosen_points(view: View) -> Iterator[ChosenPoint]:
    """The points of the primary criterion on test, a priori and a posteriori, where both rates exist."""
    for criterion, is_oracle in view.point_criteria():
        for model in view.results.models:
            far, frr = view.rates_at(model, criterion)
            if far is not None and frr is not None:
                yield ChosenPoint(model, far, frr, is_oracle, criterion)


def equal_cost_models(view: View) -> list[str]:
    """Return the models through whose chosen points a line of equal cost is drawn: the baseline and the best.

    None where the primary measure is no weighted sum of FAR and FRR: it has no such line.
    """
    if view.study.primary.measure.linear() is None:
        return []
    with_point = {point.model for point in chosen_points(view) if not point.oracle}
    baseline = [view.study.baseline] if view.study.baseline is not None else []
    return [model for model in dict.fromkeys([*baseline, *view.ranked[:1]]) if model in with_point]


def _equal_costs(view: View, plane: RatePlane, chosen: list[ChosenPoint]) -> Iterator[tuple[str, Vertices]]:
    """Lines w_far FAR + w_frr FRR = constant; what lies on one is as good as its dot."""
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


def drawn_fit(view: View) -> Fit | None:
    """Return the fit whose curves are drawn over those of the trials: the first that has one on test here."""
    return next((fit for fit in view.study.fits if len(_of_fit(view, fit))), None)


def smooth_rates(view: View) -> dict[str, Rates]:
    """FAR and FRR along the fitted curve of every model that has one."""
    fit = drawn_fit(view)
    return {} if fit is None else fitted_rates(view, fit)


def fitted_rates(view: View, fit: Fit) -> dict[str, Rates]:
    """FAR and FRR along the curves of one fit by model, in the report's order."""
    rows = per_model(view, _of_fit(view, fit))
    return {model: (of["p_fa"].to_numpy(), of["p_miss"].to_numpy()) for model, of in rows.items()}


def fitted_band(view: View, fit: Fit, model: str) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """FAR and the limits of FRR of a curve, where it has a band."""
    rows = _of_fit(view, fit).filter(pl.col("model") == model)
    far, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
    return (far, low, high) if len(far) and np.isfinite(low).all() and np.isfinite(high).all() else None


def _of_fit(view: View, fit: Fit) -> pl.DataFrame:
    return rows_on_test(view, FIT_CURVES).filter(pl.col("fit") == str(fit)).sort("p_fa", "p_miss")


def dots(view: View) -> str:
    """Return what the dots are, or nothing where there are none."""
    criterion = view.point_criterion
    if criterion is None or criterion.oracle:
        return ""
    return f"Dots: {threshold_phrase(criterion, view.study)} (a priori)"


def with_dots(view: View, caption: str) -> str:
    """Add what the dots are to a caption."""
    return f"{caption} {dots(view)}." if dots(view) else caption


def beside_curves(view: View) -> str:
    """Return what the lines of equal cost, the fitted lines and the bands are."""
    return equal_costs(view) + fitted(view, smooth_rates(view)) + _bands_in_words(view)


def equal_costs(view: View) -> str:
    """Return what the lines of equal cost are, or nothing."""
    models = equal_cost_models(view)
    if not models:
        return ""
    whose = "dot" if len(models) == 1 else "dots"
    measure = view.terms.measure(view.study.primary.measure)
    names = listing(view.names[model] for model in models)
    return f" Thin dashed lines: the same {measure} as at the {whose} of {names}."


def fitted(view: View, curves: Mapping[str, object]) -> str:
    """Return which fit the thin dark lines are, or nothing."""
    fit = drawn_fit(view)
    return f" Thin dark lines: fitted, {fit.printed}." if curves and fit is not None else ""


KINDS_OF_BANDS = {
    "fixed_width": "{level} fixed-width bands, which hold a whole curve at once",
    "sup_t": "{level} sup-t bands, which hold a whole curve at once between 1 and 99 % {false_acceptance}",
    "sjr": "{level} simultaneous joint regions, which hold a whole curve at once, of independent trials",
    "vertical": "{level} percentile intervals at each rate of {false_acceptance} by itself (pointwise)",
}


def _bands_in_words(view: View) -> str:
    """Return what the bands are, and of which models."""
    drawn = bands(view)
    if not drawn:
        return ""
    row = BANDS.rows(next(iter(drawn.values())).head(1))[0]
    every = len(drawn) == len(view.results.models)
    whose = "" if every else f" of {listing(view.names[model] for model in drawn)}"
    facts = vars(view.terms) | {"level": level_text(view.study.inference.level)}
    what = f" Bands{whose}: {KINDS_OF_BANDS[row.kind].format_map(facts)}"
    if row.replicates is None:
        return f"{what}."
    return f"{what}; {units(view.results, row.unit)} resampled, {count(row.replicates)} replicates."


def points_in_numbers(view: View) -> str:
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
