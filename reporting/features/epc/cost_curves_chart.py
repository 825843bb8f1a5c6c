"""What each model costs on test along the cost ratio, at the development threshold of each ratio.

It is the expected performance curve of the weighted error, divided by that of the best constant decision: 1
is the cost of deciding without the scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import polars as pl

from reporting.base.arrays import FloatArray
from reporting.base.records import dataclass, replace
from reporting.core.criteria.criterion import Criterion
from reporting.core.criteria.rates import WEIGHTED_ERROR as CHOSEN_BY
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import WEIGHTED_ERROR
from reporting.document import numbers
from reporting.document.blocks import Axis, Figure, Series
from reporting.document.charts import picture
from reporting.document.charts.axes import nice_axis
from reporting.document.charts.captions import by_model, models, test_set, which_are_drawn
from reporting.document.charts.chart_spec import BarRows, Vertices
from reporting.document.frames.epc import EPC
from reporting.document.words.phrases import CHOSEN, level_text, listing, units
from reporting.document.words.view import DatasetView
from reporting.features.epc.cost_axis import along, cost_axis, place, ratio_text
from reporting.features.epc.winners import WINNERS
from reporting.features.epc.winners_chart import (
    SAME,
    CostRatioRegions,
    asked_points,
    bars_of,
    cost_ratio_regions,
    shaded_of,
)

SEEN = (0.05, 0.95)
"""The weights that the height of the frame follows: beyond, single errors make spikes."""
ROW = 28
"""Pixels of a row."""
CURVES, APART = 7.0, 0.4
"""The rows that the curves of costs take above those of the models, and the rows between them."""
MOST_TICKS = 4
HIGHEST = 1.1
"""No frame is higher: what costs more than ignoring the scores may leave it."""


def is_cost(criterion: Criterion, measure: Measure) -> bool:
    """Return whether a curve is that of the weighted error, chosen for each of its own weights."""
    return criterion == CHOSEN_BY and measure == WEIGHTED_ERROR


@dataclass(frozen=True, eq=False)
class CostCurves:
    """The weighted errors of one dataset and run along their own weight, on test and within (0, 1)."""

    view: DatasetView

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The rows, by model and alpha; those of ``winners`` where the plan has no such curve."""
        inside = pl.col("alpha").is_between(0, 1, closed="none") & pl.col("value").is_not_null()
        question = {"criterion": str(CHOSEN_BY), "measure": str(WEIGHTED_ERROR)}
        rows = picture.rows_on_test(self.view, EPC).filter(inside, **question)
        if rows.is_empty():
            values = picture.rows_on_test(self.view, WINNERS).filter(inside).select("model", "alpha", "value")
            rows = pl.concat([rows, values], how="diagonal")
        return rows.sort("model", "alpha")

    @cached_property
    def of_model(self) -> Mapping[str, pl.DataFrame]:
        """The rows of every model."""
        return picture.per_model(self.view, self.rows)

    @cached_property
    def alphas(self) -> list[float]:
        """Every alpha, ascending."""
        return sorted(set(self.rows["alpha"].to_list()))

    @cached_property
    def x_axis(self) -> Axis:
        """The cost ratios."""
        return cost_axis(self.view.terms, self.alphas)

    @cached_property
    def y_axis(self) -> Axis:
        """From 0 to the highest cost between the seen weights."""
        seen = self.rows.filter(pl.col("alpha").is_between(*SEEN))
        top = float(normalised(seen if len(seen) else self.rows, "value").max(initial=0.01))
        return nice_axis(self.view.terms.title("normalised_cost"), 0.0, min(1.02 * top, HIGHEST))

    @cached_property
    def banded(self) -> str | None:
        """The model with a band: the first in rank, where it has one."""
        first = self.view.finalists[:1]
        return next((m for m in first if m in self.of_model and len(self.band(m)[0]) > 1), None)

    def line(self, model: str) -> Vertices:
        """Return the curve of a model."""
        rows = self.of_model[model]
        return along(rows["alpha"].to_numpy()), normalised(rows, "value")

    def band(self, model: str) -> Vertices:
        """Return the simultaneous band of a model; a cost is never below 0."""
        rows = self.of_model[model].drop_nulls(["band_low", "band_high"])
        low, high = normalised(rows, "band_low"), normalised(rows, "band_high")
        return along(rows["alpha"].to_numpy()), np.maximum(low, 0.0), high


def normalised(rows: pl.DataFrame, column: str) -> FloatArray:
    """Return a weighted error divided by that of the best constant decision."""
    alpha = rows["alpha"].to_numpy()
    return np.asarray(rows[column].to_numpy() / np.minimum(alpha, 1 - alpha), dtype=np.float64)


def cost_curves_figure(curves: CostCurves, kind: str) -> Figure:
    """Draw what every model costs, with the band of the first in rank."""
    view = curves.view
    banded = curves.banded
    bands: picture.Strokes = [] if banded is None else [(banded, curves.band(banded))]
    low, high = curves.x_axis.low, curves.x_axis.high
    at = (low, low + 0.03 * (high - low), high)
    chart = picture.models_chart(
        view,
        name=kind,
        x_axis=curves.x_axis,
        y_axis=curves.y_axis,
        lines=[(model, curves.line(model)) for model in curves.of_model],
        guides=[Series("ignoring the scores", "guide", 0, at, (1.0,) * 3)] if curves.y_axis.high > 1 else [],
        bands=bands,
        tooltips=[_tooltips(curves, model) for model in curves.of_model],
    )
    relative = f"{view.terms.measure(WEIGHTED_ERROR)} relative to the best constant decision"
    subtitle = f"Expected performance curves, {test_set(view)}: {relative}"
    words = picture.Words(_caption(curves), _alt(curves), _title(curves), subtitle)
    return picture.render(chart, words)


def winners_figure(winners: CostRatioRegions, costs: CostCurves, words: picture.Words) -> Figure:
    """Draw what every model costs, and below it a row for each model in contention.

    A row is thick where the observed cost is the lowest, solid where the model is in contention, else thin.
    """
    n, view = len(winners.drawn), winners.view
    names_only = {"grid": False, "ticks": False, "domain": False, "labelLimit": 0, "labelLineHeight": 13}
    names_only["labelOverlap"] = False
    bars = BarRows(list(bars_of(winners)), list(shaded_of(winners)), ({"grid": False}, names_only))
    ticks = tuple((n - at - 0.5, label) for at, label in enumerate(winners.labels))[::-1]
    base = n + APART
    share = CURVES / costs.y_axis.high

    def above(vertices: Vertices) -> Vertices:
        x, *ys = vertices
        return (x, *(base + share * y for y in ys))

    every = costs.y_axis.ticks[:: 1 + (len(costs.y_axis.ticks) > MOST_TICKS)]
    values = tuple((base + share * at, f"{100 * at:g}%") for at, _ in every)
    chart = picture.models_chart(
        view,
        "winners",
        winners.axis,
        Axis("", 0.0, base + CURVES, (*ticks, *values)),
        [(model, above(costs.line(model))) for model in costs.of_model],
        _guides(winners, costs, base, share),
        tooltips=[
            replace(tooltip, y=base + share * tooltip.y)
            for tooltip in (_tooltips(costs, model) for model in costs.of_model)
        ],
        on_request=(
            f"{level_text(view.study.inference.level)} simultaneous band",
            [(costs.banded, above(costs.band(costs.banded)))] if costs.banded else [],
        ),
        bars=bars,
        height=round(ROW * (base + CURVES)),
        left=winners.left,
    )
    return picture.render(chart, words)


def _guides(winners: CostRatioRegions, costs: CostCurves, base: float, share: float) -> list[Series]:
    """Lines at equal costs, at the operating points, at the cost of deciding without the scores, and at 0."""
    top, low, high = base + CURVES, winners.axis.low, winners.axis.high
    series = [
        Series("", "guide", 0, (0.0, 0.0), (0.0, top)),
        Series("", "guide", 0, (low, high), (base, base)),
    ]
    for name, alpha in asked_points(winners):
        series.append(Series(name, "guide", 0, (place(alpha),) * 3, (0.0, top, top)))
    if costs.y_axis.high > 1:
        at = (low, low + 0.03 * (high - low), high)
        series.append(Series("ignoring the scores", "guide", 0, at, (base + share,) * 3))
    return series


def is_with_choice(view: DatasetView) -> bool:
    """Whether the report draws the costs of several models above who is in contention."""
    choice, sections = cost_ratio_regions(view), view.study.sections
    is_drawn = choice is not None and len(choice.models) > 1 and any(c is not None for c in choice.lowest)
    return is_drawn and (not sections or bool({"cost-choice", "rest"} & {*sections}))


def _tooltips(curves: CostCurves, model: str) -> picture.Tooltips:
    rows, view = curves.of_model[model], curves.view
    shown = view.printing(WEIGHTED_ERROR)
    alphas, cost = rows["alpha"].to_list(), normalised(rows, "value")
    texts = {
        "Cost ratio": [ratio_text(alpha) for alpha in alphas],
        "α": [f"{alpha:.4g}" for alpha in alphas],
        "Normalised cost": [numbers.fixed(value, 3) for value in cost.tolist()],
        f"{view.terms.measure(WEIGHTED_ERROR)} on test (%)": [
            shown.value(v) for v in rows["value"].to_list()
        ],
        "Threshold": picture.printed(rows["threshold"]),
    }
    return picture.Tooltips(model, along(rows["alpha"].to_numpy()), cost, texts)


def _title(curves: CostCurves) -> str:
    """Say which model costs least where, as the winner map has it."""
    counts, n = _leads(curves)
    first, most = counts[0]
    names = curves.view.names
    if len(curves.of_model) == 1:
        return f"What {names[first]} costs, against ignoring the scores"
    if most == n:
        alike = [names[model] for model, count in counts if count == n]
        if len(alike) > 1:
            return f"{listing(alike)} have the same observed cost, the lowest, at every cost ratio"
        return f"{names[first]} has the lowest observed cost at every cost ratio"
    title = f"{names[first]} has the lowest observed cost at {most} of {n} cost ratios"
    second, fewer = counts[1]
    return title if fewer < n / 5 else f"{title}, {names[second]} at {fewer}"


def _leads(curves: CostCurves) -> tuple[list[tuple[str, int]], int]:
    """Return at how many ratios each model costs least, most first, and how many there are."""
    winners = cost_ratio_regions(curves.view)
    if winners is not None and any(low is not None for low in winners.lowest):
        return winners.counts, len(winners.alphas)
    behind = pl.col("value") - pl.col("value").min().over("alpha")
    leading = curves.rows.filter(behind <= SAME)["model"].to_list()
    counts = [(model, leading.count(model)) for model in curves.view.results.models]
    return sorted(counts, key=lambda count: -count[1]), len(curves.alphas)


def _caption(curves: CostCurves) -> str:
    view = curves.view
    parts = [
        f"Thresholds minimise the {view.terms.measure(WEIGHTED_ERROR)} {CHOSEN[view.study.thresholds.policy]}"
        " for each cost ratio. 1 is the cost of deciding without the scores."
    ]
    if curves.banded is not None:
        parts.append(band_sentence(view, [view.names[curves.banded]], curves.rows))
    if any(curves.line(model)[1].max() > curves.y_axis.high for model in curves.of_model):
        parts.append(f"Values above {curves.y_axis.high:.3g} are cut off.")
    return " ".join(filter(None, [*parts, which_are_drawn(view)]))


def band_sentence(view: DatasetView, whose: Sequence[str], rows: pl.DataFrame) -> str:
    """Say what the bands of some models along a curve are."""
    inference = view.study.inference
    how = "re-selected in each resample" if "procedure" in rows["inference"].to_list() else "fixed"
    return (
        f"Shading: {level_text(inference.level)} simultaneous band of {listing(whose)} (thresholds {how},"
        f" {numbers.count(inference.replicates)} resamples of {units(view.results, inference.unit)})."
    )


def _alt(curves: CostCurves) -> str:
    view, shown = curves.view, (0.1, 0.5, 0.9)
    parts = []
    for wanted in shown:
        alpha = min(curves.alphas, key=lambda alpha: abs(place(alpha) - place(wanted)))
        at = curves.rows.filter(pl.col("alpha") == alpha)
        costs = dict(zip(at["model"], normalised(at, "value").tolist(), strict=True))
        texts = {model: numbers.fixed(cost, 2) for model, cost in costs.items()}
        parts.append(f"{ratio_text(alpha)}: {by_model(view, texts)}")
    return (
        f"Costs of {models(view)} on the {test_set(view)} along the cost ratio, relative to ignoring the"
        f" scores. At {'; at '.join(parts)}."
    )
