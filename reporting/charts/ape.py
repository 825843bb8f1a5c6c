"""The Bayes error along the prior: as it is (APE), and divided by that of deciding without scores (NBE)."""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from reporting.charts.curve import Picture, drawn, places
from reporting.charts.draw import Words
from reporting.charts.priors import MOST_THIN, PRIORS, Errors, asked_guides, bayes_errors, labels, strokes
from reporting.charts.ticks import nice_axis
from reporting.report.blocks import Axis, Figure, Series
from reporting.stats.likelihood import trivial_bayes_error
from reporting.wording.view import View

NORMALISED = Axis(
    "Bayes error / error without scores (%)",
    0.0,
    120.0,
    tuple((float(k), str(k)) for k in range(0, 121, 20)),
)

ROOM = 1.15
"""Above the highest error, for the names of the operating points."""


def ape_figure(view: View, words: Words, *, calibrated: bool = False) -> Figure:
    """Draw the Bayes error over the prior log odds: actual in full, the least possible dashed.

    ``calibrated``: of the likelihood ratios that an affine map of dev makes, on the same axes.
    """
    errors = bayes_errors(view)
    y_axis = nice_axis("Bayes error (%)", 0.0, ROOM * _highest(errors))
    guide = _without_scores(y_axis.high)
    if calibrated:
        return _figure(view, "ape_calibrated", bayes_errors(view, ("affine",)), y_axis, guide, words)
    return _figure(view, "ape", errors, y_axis, guide, words)


def nbe_figure(view: View, words: Words) -> Figure:
    """Draw the same divided by the error of deciding without scores: above 100 % scores do harm."""
    guide = Series("without scores", "guide", 0, (PRIORS.low, 0.0, PRIORS.high), (100.0, 100.0, 100.0))
    return _figure(view, "nbe", bayes_errors(view), NORMALISED, guide, words)


def leaves_the_frame(view: View) -> bool:
    """Whether a normalised error runs beyond the drawn range."""
    found = strokes(bayes_errors(view), "bayes_error", divided=True)
    return any(np.nanmax(y, initial=0.0) > NORMALISED.high for _, (_, y) in found)


def _without_scores(high: float) -> Series:
    """The least error of deciding without scores; its name stands where it comes down into the frame."""
    named = max(0.0, float(-logit(min(0.5, 0.8 * high / 100))))
    tau = np.concatenate(
        (np.linspace(PRIORS.low, 0, 60), np.linspace(0, named, 61), np.linspace(named, PRIORS.high, 121))
    )
    return Series("without scores", "guide", 0, places(tau), places(100 * trivial_bayes_error(tau)))


def _figure(
    view: View, name: str, errors: dict[str, Errors], y_axis: Axis, guide: Series, words: Words
) -> Figure:
    actual = {model: one for model, one in errors.items() if one.calibration is not None}
    alone = {model: one for model, one in errors.items() if one.calibration is None}
    divided = name == "nbe"
    picture = Picture(
        name=name,
        x_axis=PRIORS,
        y_axis=y_axis,
        lines=[
            *strokes(actual, "bayes_error", divided),
            *strokes(alone, "min_bayes_error", divided),
        ],
        guides=[guide, *asked_guides(view, y_axis, PRIORS, log_odds=True)],
        thin=strokes(actual, "min_bayes_error", divided) if len(actual) <= MOST_THIN else (),
        labels=labels(view, errors),
    )
    return drawn(view, picture, words)


def _highest(errors: dict[str, Errors]) -> float:
    columns = (
        one.rows["bayes_error" if one.calibration else "min_bayes_error"].to_numpy()
        for one in errors.values()
    )
    return 100 * max((float(column.max()) for column in columns), default=0.5)
