"""The pictures of the scores themselves in words: optimal LLR, Tippett, histograms."""

from __future__ import annotations

import numpy as np

from reporting.charts.draw import Words
from reporting.charts.histogram import MOST, bins, histogram_figure, shown, threshold
from reporting.charts.llr import llr_figure, optimal_llrs
from reporting.charts.tippett import shares_above, tippett_figure
from reporting.report.blocks import Block, Figure
from reporting.report.numbers import count, significant
from reporting.sections.figure_words import by_model, empty_class, left_out, models, on_test
from reporting.stats.staircase import FloatArray
from reporting.wording.phrases import threshold_phrase
from reporting.wording.view import View

DIGITS = 3


def llr(view: View) -> tuple[Block, ...]:
    """The optimal log likelihood ratio over the score."""
    found = optimal_llrs(view)
    if not found:
        return (left_out("The optimal likelihood ratios", "need a hull with at least two edges on test."),)
    said = (
        f"{on_test(view)}: log likelihood ratio of every stretch of scores, by isotonic regression on test"
        " (a posteriori). Steps that leave the frame are infinite: scores of one class only."
    )
    zero = {
        model: significant(float(x[np.argmax(y >= 0)]), DIGITS)
        for model, (x, y) in found.items()
        if y[-1] >= 0
    }
    alt = f"Optimal log likelihood ratios of {models(view)} over their scores on test."
    if zero:
        alt += f" They speak for the {view.terms.target} from this score on: {by_model(view, zero)}."
    return (llr_figure(view, Words(said, alt)),)


def tippett(view: View) -> tuple[Block, ...]:
    """The shares of targets and non-targets above each score."""
    found, spoken = shares_above(view), view.terms
    if not found:
        return (left_out("The Tippett plot", f"{empty_class(view)[:-1]}, and scores that differ."),)
    said = (
        f"{on_test(view)}: share of trials that score above each value; of a model's two curves the one"
        f" on the right is that of the {spoken.targets}."
    )
    middle = {
        model: f"{_half(x, targets)} and {_half(x, nontargets)}"
        for model, (x, targets, nontargets) in found.items()
    }
    alt = (
        f"Tippett plot of {models(view)} on test."
        f" Half of the {spoken.targets}, and half of the {spoken.nontargets}, score above:"
        f" {by_model(view, middle)}."
    )
    return (tippett_figure(view, Words(said, alt)),)


def histogram(view: View) -> tuple[Block, ...]:
    """One histogram per model."""
    found = shown(view)
    if not found:
        return (left_out("A histogram", "needs finite scores on test."),)
    blocks: list[Block] = [_histogram(view, model) for model in found]
    left = sum(len(bins(view, model)) > 0 for model in view.results.models) - len(found)
    if left:
        blocks.append(
            left_out(f"Histograms of {left} more models", f"are left out; the first {MOST} are drawn.")
        )
    return tuple(blocks)


def _histogram(view: View, model: str) -> Figure:
    rows, name, at = bins(view, model), view.names[model], threshold(view, model)
    spoken = view.terms
    n_target, n_nontarget = int(rows["n_target"].sum()), int(rows["n_nontarget"].sum())
    said = f"{on_test(view)}: scores of {name}, share of each class in {len(rows)} bins of equal width."
    criterion = view.point_criterion
    if at is not None and criterion is not None:
        chosen = threshold_phrase(criterion, view.study).replace("thresholds", "threshold")
        said += f" Upright line: {chosen} (a priori)."
    low, high = significant(rows["low"][0], DIGITS), significant(rows["high"][-1], DIGITS)
    alt = (
        f"Histogram of the scores of {name} on test: {count(n_target)}"
        f" {spoken.targets} and {count(n_nontarget)} {spoken.nontargets} from {low} to {high}."
    )
    if at is not None:
        alt += f" Chosen threshold: {significant(at, DIGITS)}."
    return histogram_figure(view, model, Words(said, alt))


def _half(x: FloatArray, share: FloatArray) -> str:
    """The score where a falling share passes a half."""
    return significant(float(np.interp(-50.0, -share, x)), DIGITS)
