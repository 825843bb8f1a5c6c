"""What the pictures along the prior share: rows of the ``cost`` frame, and the priors asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from scipy.special import logit

from reporting.charts.curve import Strokes
from reporting.frames import COST
from reporting.report.blocks import Axis, Series
from reporting.wording.view import View

REACH = 8.0
PRIORS = Axis(
    "Log odds of the effective prior",
    -REACH,
    REACH,
    tuple((float(k), str(k).replace("-", "−")) for k in range(-8, 9, 2)),
)
MOST_THIN = 6
"""With more models the thin lines beside the curves are left out."""
CALIBRATIONS = ("none", "affine", "pav")
"""The first of these whose likelihood ratios exist is drawn."""


@dataclass(frozen=True, eq=False)
class Errors:
    """One model's Bayes errors on test; ``calibration`` is None where only the least possible exist."""

    rows: pl.DataFrame
    calibration: str | None


def bayes_errors(view: View, wanted: tuple[str, ...] = CALIBRATIONS) -> dict[str, Errors]:
    """The rows of the ``cost`` frame by model, ascending by prior, where both classes have trials.

    The first of the wanted calibrations that a model has; without any, its least possible error alone.
    """
    if view.results.frame(COST).is_empty():
        return {}
    found = {}
    rows = view.part(view.results.frame(COST)).filter(
        pl.col("split") == "test",
        pl.col("min_bayes_error").is_not_null(),
        pl.col("prior_log_odds").is_between(-REACH, REACH),
    )
    for model in view.results.models:
        one = rows.filter(pl.col("model") == model).sort("prior_log_odds")
        known = one.drop_nulls("bayes_error")["calibration"].unique().to_list()
        calibration = next((name for name in wanted if name in known), None)
        if len(one):
            kept = calibration or one["calibration"][0]
            found[model] = Errors(one.filter(pl.col("calibration") == kept), calibration)
    return found


def strokes(errors: dict[str, Errors], column: str, divided: bool) -> Strokes:
    """One column as lines, in percent; ``divided`` by the error of deciding without scores."""
    scale = pl.col("trivial") if divided else pl.lit(1.0)
    return [
        (
            model,
            (
                one.rows["prior_log_odds"].to_numpy(),
                one.rows.select(100 * pl.col(column) / scale).to_series().to_numpy(),
            ),
        )
        for model, one in errors.items()
    ]


def labels(view: View, errors: dict[str, Errors]) -> dict[str, str]:
    """Names for the legend: the full line of a model without likelihood ratios is its minimum."""
    return {
        model: f"{view.names[model]} (minimum)" for model, one in errors.items() if one.calibration is None
    }


def asked_priors(view: View) -> list[tuple[str, float]]:
    """The effective prior of every operating point, as a probability, by its name."""
    found = []
    for point in view.study.operating_points:
        for_target, for_nontarget = point.p_target * point.c_miss, (1 - point.p_target) * point.c_fa
        if for_target > 0 and for_nontarget > 0:
            found.append((point.name, for_target / (for_target + for_nontarget)))
    return found


def asked_guides(view: View, y_axis: Axis, along: Axis, log_odds: bool) -> Sequence[Series]:
    """Upright lines at the operating points, their names one below the other."""
    series = []
    for number, (name, prior) in enumerate(asked_priors(view)):
        x = float(logit(prior)) if log_odds else prior
        if along.low <= x <= along.high:
            at = y_axis.high - (y_axis.high - y_axis.low) * (0.01 + 0.05 * (number % 3))
            series.append(Series(name, "guide", 0, (x, x, x), (y_axis.low, at, y_axis.high)))
    return series
