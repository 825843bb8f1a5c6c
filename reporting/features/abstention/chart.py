"""Errors among confident decisions: the risk-coverage curve, the error-versus-discard curve of each class."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from reporting.core.measures.threshold import FAR, FRR
from reporting.document.blocks import Axis, Figure
from reporting.document.charts.axes import PERCENT, nice_axis
from reporting.document.charts.captions import by_model, how_many, percent, test_set
from reporting.document.charts.limits import shading, shading_in_words
from reporting.document.charts.picture import Strokes, Words, models_chart, per_model, render, rows_on_test
from reporting.document.words.phrases import threshold_phrase
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView
from reporting.features.abstention.frame import ABSTENTION, RISK_COVERAGE

ByModel = Mapping[str, pl.DataFrame]
"""The points of the models that have a curve."""

HALF = 0.5
"""The coverage of which a curve's title gives the error."""


def risk_figures(view: DatasetView) -> tuple[Figure, ...]:
    """Return the risk-coverage curve of all trials and the error-versus-discard curve of each class."""
    rows = rows_on_test(view, RISK_COVERAGE).drop_nulls("value")
    curves = {
        measure: per_model(view, rows.filter(measure=measure).sort("coverage", maintain_order=True))
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
    chart = models_chart(
        view,
        name="risk_coverage",
        x_axis=Axis(capitalised(view.terms.title("coverage")), 0.0, 100.0, PERCENT),
        y_axis=_errors_axis(view, "risk", curves),
        lines=[
            (m, (100 * rows["coverage"].to_numpy(), 100 * rows["value"].to_numpy()))
            for m, rows in curves.items()
        ],
        bands=shading(view, curves, "coverage"),
        points=points,
    )
    trials = view.terms.trials
    caption = (
        f"{capitalised(f'share of wrong decisions among the {trials} decided')}, the most confident first,"
        f" against the share that is decided. {_confidence(view)} Dots: at the two thresholds."
        f"{shading_in_words(view, curves)}"
    )
    first, whole, half = _halved(view, curves)
    wrong = f"{percent(whole)} of all decisions are wrong, {percent(half)} of the surest half"
    halves = {model: percent(_value_at(rows, HALF)) for model, rows in curves.items()}
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
    chart = models_chart(
        view,
        name=f"{measure}_discard",
        x_axis=Axis(capitalised(view.terms.title(f"discarded_{measure}")), 0.0, 100.0, PERCENT),
        y_axis=_errors_axis(view, f"short_{measure}", curves),
        lines=[
            (m, (100 * rows["discarded"].to_numpy(), 100 * rows["value"].to_numpy()))
            for m, rows in curves.items()
        ],
        bands=shading(view, curves, "discarded"),
    )
    caption = (
        f"{name} of the {of_class} that are left where the least confident are discarded."
        f" {_confidence(view)}{shading_in_words(view, curves)}"
    )
    first, whole, half = _halved(view, curves)
    title = (
        f"{view.names[first]}: {name} {percent(whole)}, {percent(half)} with half of the {of_class} discarded"
    )
    halves = {model: percent(_value_at(rows, HALF)) for model, rows in curves.items()}
    alt = (
        f"Error-versus-discard curves of {how_many(curves)} on the test set. {name} with half of the"
        f" {of_class} discarded: {by_model(view, halves)}."
    )
    return render(chart, Words(caption, alt, title, f"Error-versus-discard curves, {test_set(view)}"))


def _errors_axis(view: DatasetView, title: str, curves: ByModel) -> Axis:
    """Return the axis of errors: what few trials decide at low coverage does not stretch it."""
    sure = [rows.filter(pl.col("coverage") >= SETTLED) for rows in curves.values()]
    ends = [rows[name].drop_nulls().to_numpy().max(initial=0.0) for rows in sure for name in ENDS]
    return nice_axis(capitalised(view.terms.title(title)), 0.0, min(100.0, 100 * float(max(ends))) or 1.0)


ENDS = ("value", "band_high")
SETTLED = 0.2
"""From this coverage on curves and bands are drawn whole."""


def _confidence(view: DatasetView) -> str:
    criterion = view.point_criterion
    assert criterion is not None
    chosen = threshold_phrase(criterion, view.study)
    return f"Confidence is the distance of a score from the {view.terms.threshold} ({chosen})."


def _value_at(rows: pl.DataFrame, coverage: float) -> float:
    return float(rows.filter(pl.col("coverage") == coverage)["value"][0])


def _halved(view: DatasetView, curves: ByModel) -> tuple[str, float, float]:
    """Return the first model in rank with its error among all trials, and among the surest half."""
    first = next(model for model in view.ranked if model in curves)
    return first, _value_at(curves[first], 1.0), _value_at(curves[first], HALF)


def _at_two_thresholds(view: DatasetView) -> dict[str, tuple[float, float]]:
    """Return the share that is reviewed and the error of the rest, by model."""
    values: dict[str, dict[str, float]] = {}
    for row in view.rows(ABSTENTION, "test"):
        if row.rule == "dev" and row.value is not None:
            values.setdefault(row.model, {})[row.quantity] = row.value
    return {model: (at["reviewed"], at["error"]) for model, at in values.items() if "error" in at}
