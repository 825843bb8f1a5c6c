"""What the drawings of FAR and FRR share: the same cuts on other axes, with the chosen points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import ndtri

from reporting.charts.curve import Picture, Vertices, drawn
from reporting.charts.draw import Words
from reporting.charts.smooth import smooth_rates
from reporting.charts.tell import Told, pointed, rates_told
from reporting.criteria.criterion import Criterion
from reporting.frames import BANDS, ROC
from reporting.report.blocks import Axis, Figure, Series, Window
from reporting.stats.staircase import FloatArray
from reporting.wording.view import View

Transform = Callable[[FloatArray], FloatArray]

SAMPLES = 400
"""Points along a line of equal cost, which is straight on linear axes only."""

UNIT = Axis("", 0.0, 1.0, ())
ENDS = (1e-5, 1 - 1e-3)
PROBITS = Axis("", float(ndtri(ENDS[0])), float(ndtri(ENDS[1])), ())

MOST_BANDS = 3
"""With more models the bands cannot be told apart: those of two are drawn."""


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
    windows: Sequence[Window] = ()

    def place(self, far: FloatArray, frr: FloatArray) -> Vertices:
        """Return where rates lie."""
        return self.x_of(far), self.y_of(frr)


@dataclass(frozen=True)
class Chosen:
    """One model's error rates on test at the threshold a criterion chose; ``oracle``: chosen on test."""

    model: str
    far: float
    frr: float
    oracle: bool
    criterion: Criterion


def rates_drawn(view: View, drawing: Drawing, words: Words) -> Figure:
    """Draw every model's cuts on test, with dots at the primary criterion's thresholds."""
    found = curves(view)
    chosen = [point for point in chosen_points(view) if point.model in found]
    dots = [
        (point.oracle, point.model, drawing.place(np.array([point.far]), np.array([point.frr])))
        for point in chosen
    ]
    picture = Picture(
        name=drawing.name,
        x_axis=drawing.x_axis,
        y_axis=drawing.y_axis,
        lines=[(model, drawing.place(*rates)) for model, rates in found.items()],
        guides=[drawing.guide],
        thin=list(_equal_costs(view, drawing, chosen)),
        bands=[(model, _band(rows, drawing)) for model, rows in bands(view).items()],
        smooth=[(model, drawing.place(*rates)) for model, rates in smooth_rates(view).items()],
        points=[(model, place) for is_oracle, model, place in dots if not is_oracle],
        rings=[(model, place) for is_oracle, model, place in dots if is_oracle and drawing.rings],
        told=[*curves_told(view, drawing), *_points_told(view, drawing, chosen)],
        windows=drawing.windows,
        on_dev=[(model, drawing.place(*rates)) for model, rates in curves(view, "dev").items()],
    )
    return drawn(view, picture, words)


def curves(view: View, split: str = "test") -> dict[str, tuple[FloatArray, FloatArray]]:
    """FAR and FRR at the corners by model, from accept all to reject all; defined ones only."""
    rows = _corners(view, split)
    return {model: (one["p_fa"].to_numpy(), one["p_miss"].to_numpy()) for model, one in rows.items()}


def _corners(view: View, split: str) -> dict[str, pl.DataFrame]:
    found = {}
    rows = view.part(view.results.frame(ROC)).filter(pl.col("split") == split)
    for model in view.results.models:
        one = rows.filter(pl.col("model") == model).sort("threshold")
        if len(one) and one["p_fa"].null_count() + one["p_miss"].null_count() == 0:
            found[model] = one
    return found


def curves_told(view: View, drawing: Drawing) -> Iterator[Told]:
    """What is told along the curves on test: the same rows in every drawing, which pages store once."""
    for model, rows in _corners(view, "test").items():
        far, frr = rows["p_fa"].to_numpy(), rows["p_miss"].to_numpy()
        x, y = (ndtri(np.clip(rate, *ENDS)) for rate in (far, frr))
        kept = np.union1d(pointed(far, frr, UNIT, UNIT), pointed(x, y, PROBITS, PROBITS))
        totals = {"n_target": rows["misses"].max(), "n_nontarget": rows["false_alarms"].max()}
        texts = rates_told(view, rows.with_columns(**{name: pl.lit(n) for name, n in totals.items()})[kept])
        yield Told(model, drawing.x_of(far[kept]), drawing.y_of(frr[kept]), texts)


def _points_told(view: View, drawing: Drawing, chosen: list[Chosen]) -> Iterator[Told]:
    """What is told of dots and rings."""
    for point in chosen:
        row = view.operating_point(point.model, point.criterion)
        if row is None or (point.oracle and not drawing.rings):
            continue
        columns = ("threshold", "misses", "false_alarms", "n_target", "n_nontarget")
        values = {name: getattr(row, name) for name in columns} | {"p_fa": point.far, "p_miss": point.frr}
        how = "a posteriori" if point.oracle else "a priori"
        texts = {"Chosen": [f"{view.terms.criterion(point.criterion)}, {how}"]}
        x, y = drawing.x_of(np.array([point.far])), drawing.y_of(np.array([point.frr]))
        yield Told(point.model, x, y, texts | rates_told(view, pl.DataFrame([values])))


def bands(view: View) -> dict[str, pl.DataFrame]:
    """The bands over FAR that are drawn, by model: of all models while they can be told apart.

    Else of the two of which the verdict speaks; limits at thresholds are no band over FAR.
    """
    if view.results.frame(BANDS).is_empty():
        return {}
    models = list(view.results.models)
    if len(models) > MOST_BANDS:
        baseline = [view.study.baseline] if view.study.baseline is not None else []
        models = list(dict.fromkeys([*baseline, *view.ranked]))[:2]
    rows = view.part(view.results.frame(BANDS)).filter(
        pl.col("kind") != "threshold", pl.col("status").is_null()
    )
    by_model = {model: rows.filter(pl.col("model") == model).sort("p_fa") for model in models}
    return {model: one for model, one in by_model.items() if len(one)}


def _band(rows: pl.DataFrame, drawing: Drawing) -> Vertices:
    far, low, high = (rows[name].to_numpy() for name in ("p_fa", "p_miss_low", "p_miss_high"))
    limits = drawing.y_of(low), drawing.y_of(high)
    return drawing.x_of(far), np.minimum(*limits), np.maximum(*limits)


def chosen_points(view: View) -> Iterator[Chosen]:
    """The points of the primary criterion on test, a priori and a posteriori, where both rates exist."""
    for criterion, is_oracle in view.point_criteria():
        for model in view.results.models:
            far, frr = view.rates_at(model, criterion)
            if far is not None and frr is not None:
                yield Chosen(model, far, frr, is_oracle, criterion)


def equal_cost_models(view: View) -> list[str]:
    """The models through whose chosen points a line of equal cost is drawn: the baseline and the best.

    None where the primary measure is no weighted sum of FAR and FRR: it has no such line.
    """
    if view.study.primary.measure.linear() is None:
        return []
    found = {point.model for point in chosen_points(view) if not point.oracle}
    baseline = [view.study.baseline] if view.study.baseline is not None else []
    asked = dict.fromkeys([*baseline, *view.ranked[:1]])
    return [model for model in asked if model in found]


def _equal_costs(view: View, drawing: Drawing, chosen: list[Chosen]) -> Iterator[tuple[str, Vertices]]:
    """Lines w_far FAR + w_frr FRR = constant; what lies on one is as good as its dot."""
    weights = view.study.primary.measure.linear()
    for point in chosen:
        if weights is None or point.oracle or point.model not in equal_cost_models(view):
            continue
        w_far, w_frr = weights
        cost = w_far * point.far + w_frr * point.frr
        if cost > 0:
            yield point.model, drawing.place(*_at_cost(w_far, w_frr, cost))


def _at_cost(w_far: float, w_frr: float, cost: float) -> tuple[FloatArray, FloatArray]:
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
