"""Errors among confident decisions: the risk-coverage curve, the error-versus-discard curve of each class."""

from __future__ import annotations

import numpy as np
import polars as pl

from reporting.core.measures.threshold import FAR, FRR
from reporting.document.blocks import Axis, Figure
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.captions import by_model, how_many, percent, test_set
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.limits import shading, shading_in_words
from reporting.document.charts.picture import (
    ByModel,
    Strokes,
    Words,
    curve_rows,
    in_percent,
    models_chart,
    render,
)
from reporting.document.words.phrases import threshold_phrase
from reporting.document.words.view import DatasetView
from reporting.features.abstention.frame import ABSTENTION, RISK_COVERAGE

HALF = 0.5
"""The coverage of which a curve's title gives the error."""


def risk_figures(view: DatasetView) -> tuple[Figure, ...]:
    """Return the risk-coverage curve of all trials and the error-versus-discard curve of each class."""
    curves = {
        measure: curve_rows(view, RISK_COVERAGE, "coverage", "value", measure=measure)
        for measure in ("error_rate", "frr", "far")
    }
    if not curves["error_rate"]:
        return ()
    return _risk(view, curves["error_rate"]), *(_discarded(view, key, curves[key]) for key in ("frr", "far"))


def _risk(view: DatasetView, curves: ByModel) -> Figure:
    """Draw the error of those decided against their share, and what the two thresholds make of it."""
    points: Strokes = [
        (model, (100 * np.array([1 - reviewed]), 100 * np.array([error])))
        for model, (reviewed, error) in _at_two_thresholds(view).items()
        if model in curves
    ]
    chart = _chart(view, "risk_coverage", ("coverage", "risk"), curves, "coverage", points)
    trials = view.terms.trials
    caption = (
        f"Share of wrong decisions among the {trials} decided, the most confident first,"
        f" against the share that is decided. {_confidence(view)} Dots: at the two thresholds."
        f"{shading_in_words(view, curves)}"
    )
    first, whole, halves = _halved(view, curves)
    wrong = f"{whole} of all decisions are wrong, {halves[first]} of the surest half"
    alt = (
        f"Risk-coverage curves of {how_many(curves)} on the test set. Wrong decisions among the surest half:"
        f" {by_model(view, halves)}."
    )
    return render(
        chart, Words(caption, alt, f"{view.names[first]}: {wrong}", f"Risk-coverage curves, {test_set(view)}")
    )


def _discarded(view: DatasetView, measure: str, curves: ByModel) -> Figure:
    """Draw an error rate at the one threshold against the share of its class that is discarded."""
    rate, of_class = (FRR, view.terms.targets) if measure == "frr" else (FAR, view.terms.nontargets)
    name = view.terms.measure(rate)
    titles = f"discarded_{measure}", f"short_{measure}"
    chart = _chart(view, f"{measure}_discard", titles, curves, "discarded")
    caption = (
        f"{name} of the {of_class} that are left where the least confident are discarded."
        f" {_confidence(view)}{shading_in_words(view, curves)}"
    )
    first, whole, halves = _halved(view, curves)
    title = f"{view.names[first]}: {name} {whole}, {halves[first]} with half of the {of_class} discarded"
    alt = (
        f"Error-versus-discard curves of {how_many(curves)} on the test set. {name} with half of the"
        f" {of_class} discarded: {by_model(view, halves)}."
    )
    return render(chart, Words(caption, alt, title, f"Error-versus-discard curves, {test_set(view)}"))


def _chart(
    view: DatasetView, name: str, titles: tuple[str, str], curves: ByModel, along: str, points: Strokes = ()
) -> ChartSpec:
    """Draw errors along a share; what few trials decide at low coverage does not stretch their axis."""
    share, errors = map(view.terms.title, titles)
    sure = [rows.filter(pl.col("coverage") >= SETTLED) for rows in curves.values()]
    ends = [
        rows[end].drop_nulls().to_numpy().max(initial=0.0) for rows in sure for end in ("value", "band_high")
    ]
    return models_chart(
        view,
        name=name,
        x_axis=Axis(share, 0.0, 100.0, PERCENT),
        y_axis=nice_axis(errors, 0.0, min(100.0, 100 * float(max(ends))) or 1.0),
        lines=in_percent(curves, along, "value"),
        bands=shading(view, curves, along),
        points=points,
    )


SETTLED = 0.2
"""From this coverage on curves and bands are drawn whole."""


def _confidence(view: DatasetView) -> str:
    criterion = view.point_criterion
    assert criterion is not None
    chosen = threshold_phrase(criterion, view.study)
    return f"Confidence is the distance of a score from the {view.terms.threshold} ({chosen})."


def _halved(view: DatasetView, curves: ByModel) -> tuple[str, str, dict[str, str]]:
    """Return the first model in rank with its error among all trials, and all errors of the surest half."""

    def error(model: str, coverage: float) -> str:
        return percent(curves[model].filter(coverage=coverage)["value"][0])

    first = next(model for model in view.ranked if model in curves)
    return first, error(first, 1.0), {model: error(model, HALF) for model in curves}


def _at_two_thresholds(view: DatasetView) -> dict[str, tuple[float, float]]:
    """Return the share that is reviewed and the error of the rest, by model."""
    values: dict[str, dict[str, float]] = {}
    for row in view.rows(ABSTENTION, "test"):
        if row.rule == "dev" and row.value is not None:
            values.setdefault(row.model, {})[row.quantity] = row.value
    return {model: (at["reviewed"], at["error"]) for model, at in values.items() if "error" in at}
