"""The pictures along priors and costs in words: APE, NBE and the cost curve."""

from __future__ import annotations

from typing import Any

import polars as pl

from reporting.charts.ape import ape_figure, leaves_the_frame, nbe_figure
from reporting.charts.cost import cost_figure, envelopes, fixed_thresholds
from reporting.charts.draw import Words
from reporting.charts.priors import MOST_THIN, Errors, asked_priors, bayes_errors
from reporting.report.blocks import Block
from reporting.sections.figure_words import by_model, empty_class, left_out, models, on_test, percent
from reporting.wording.phrases import listing, threshold_phrase
from reporting.wording.view import View

Row = dict[str, Any]

MAPS = {
    "affine": "calibrated by an affine map fitted on dev",
    "pav": "calibrated by isotonic regression on dev",
}


def ape(view: View) -> tuple[Block, ...]:
    """The Bayes error along the prior."""
    errors = bayes_errors(view)
    if not errors:
        return (left_out("The applied probability of error (APE)", empty_class(view)),)
    said = f"{on_test(view)}: Bayes error at every effective prior. {_lines(view, errors)}"
    even = _at_even_odds(view, errors, divided=False)
    alt = f"Bayes error of {models(view)} on test over the prior. {even}"
    figures = [ape_figure(view, Words(said + _asked(view), alt))]
    mapped = bayes_errors(view, ("affine",))
    # Beside the likelihood ratios as they were given: what calibrating them on dev would have made of them.
    if any(one.calibration == "none" for one in errors.values()):
        told = f"{on_test(view)}: the same after calibration on dev. {_lines(view, mapped)}"
        even = _at_even_odds(view, mapped, divided=False)
        figures.append(ape_figure(view, Words(told, f"The same after calibration. {even}"), calibrated=True))
    return tuple(figures)


def nbe(view: View) -> tuple[Block, ...]:
    """The same over the error of deciding without scores."""
    errors = bayes_errors(view)
    if not errors:
        return (left_out("The normalised Bayes error", empty_class(view)),)
    said = (
        f"{on_test(view)}: Bayes error divided by that of deciding without scores; above 100 % the scores do"
        f" harm. {_lines(view, errors)}"
    )
    said += " A curve leaves the frame." if leaves_the_frame(view) else ""
    alt = (
        f"Normalised Bayes error of {models(view)} on test over the prior."
        f" {_at_even_odds(view, errors, divided=True)}"
    )
    return (nbe_figure(view, Words(said + _asked(view), alt)),)


def cost(view: View) -> tuple[Block, ...]:
    """The cost curve."""
    found = envelopes(view)
    if not found:
        return (left_out("The cost curve", empty_class(view)),)
    said = (
        f"{on_test(view)}: normalised expected cost over the weight of {view.terms.misses}, at the best"
        " threshold of test for each weight (a posteriori)."
    )
    criterion = view.point_criterion
    if fixed_thresholds(view) and criterion is not None:
        said += f" Thin dashed lines: {threshold_phrase(criterion, view.study)} (a priori)."
    peaks = {model: percent(float(y.max()) / 100) for model, (_, y) in found.items()}
    alt = f"Cost curves of {models(view)} on test. Highest least cost: {by_model(view, peaks)}."
    return (cost_figure(view, Words(said + _asked(view), alt)),)


def _lines(view: View, errors: dict[str, Errors]) -> str:
    """Say what is drawn in full and what dashed, and of which models only the minimum exists."""
    actual = {model: one for model, one in errors.items() if one.calibration is not None}
    alone = [view.names[model] for model in errors if model not in actual]
    if not actual:
        return "No model has likelihood ratios: drawn is the least error of any threshold (a posteriori)."
    said = "Full lines: scores taken as likelihood ratios"
    for name, words in MAPS.items():
        mapped = [view.names[model] for model, one in actual.items() if one.calibration == name]
        said += f"; {listing(mapped)} {words}" if mapped else ""
    if len(actual) <= MOST_THIN:
        said += "; thin dashed: the least error of any threshold (a posteriori)"
    if alone:
        said += f". No likelihood ratios: {listing(alone)}, of which the least error is drawn (minimum)"
    return f"{said}."


def _asked(view: View) -> str:
    """Name the upright lines in their order: in print they look alike."""
    names = [name for name, _ in sorted(asked_priors(view), key=lambda asked: asked[1])]
    return f" Upright lines, from the left: {listing(names)}." if names else ""


def _at_even_odds(view: View, errors: dict[str, Errors], divided: bool) -> str:
    texts = {}
    for model, one in errors.items():
        row: Row = one.rows.row(by_predicate=pl.col("prior_log_odds") == 0, named=True)
        scale = row["trivial"] if divided else 1.0
        least = percent(row["min_bayes_error"] / scale)
        known = row["bayes_error"] is not None
        texts[model] = (
            f"{percent(row['bayes_error'] / scale)} (minimum {least})" if known else f"minimum {least}"
        )
    return f"At even odds: {by_model(view, texts)}."
