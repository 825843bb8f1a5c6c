"""The pictures of stated probabilities in words: decision curve and reliability diagram."""

from __future__ import annotations

import polars as pl

from reporting.charts.decision import decision_figure, net_benefits
from reporting.charts.draw import Words
from reporting.charts.reliability import MOST_BANDS, reliabilities, reliability_figure
from reporting.frames import DECISION
from reporting.report import numbers
from reporting.report.blocks import Block
from reporting.sections.figure_words import by_model, empty_class, left_out, on_test
from reporting.wording.phrases import level_text, listing
from reporting.wording.view import View

UNDECLARED = "needs probabilities; none of the models declares them."
LEVEL = 0.95
"""That of the limits in the ``reliability`` frame."""


def decision(view: View) -> tuple[Block, ...]:
    """The decision curve."""
    found, spoken = net_benefits(view), view.terms
    if not found:
        frame = view.results.frame(DECISION)
        declared = frame is not None and len(view.part(frame).filter(pl.col("split") == "test"))
        return (left_out("The decision curve", empty_class(view) if declared else UNDECLARED),)
    said = (
        f"{on_test(view)}: {spoken.targets} acted on per 100 trials, less the {spoken.false_alarms} at the"
        " weight that the threshold probability gives them; acting on all and on nobody for comparison."
    )
    even = {
        model: numbers.fixed(100 * one.filter(pl.col("probability") == 0.5)["net_benefit"][0], 1)
        for model, one in found.items()
    }
    alt = (
        f"Decision curves of {_those(view, found)} on test. Net benefit per 100 trials at a threshold"
        f" probability of 50 %: {by_model(view, even)}."
    )
    return (decision_figure(view, Words(said + _without(view, found), alt)),)


def reliability(view: View) -> tuple[Block, ...]:
    """The reliability diagram."""
    found = reliabilities(view)
    if not found:
        return (left_out("The reliability diagram", UNDECLARED),)
    share = view.terms.share
    said = f"{on_test(view)}: observed {share} over the stated probability, in bins of equal width."
    if len(found) <= MOST_BANDS:
        said += f" Bands: {level_text(LEVEL)} Wilson intervals, trials treated as independent."
    gaps = {model: f"{numbers.percent(_largest_gap(one), 1)} points" for model, one in found.items()}
    alt = (
        f"Reliability diagram of {_those(view, found)} on test."
        f" Largest distance between stated and observed: {by_model(view, gaps)}."
    )
    return (reliability_figure(view, Words(said + _without(view, found), alt)),)


def _those(view: View, found: dict[str, pl.DataFrame]) -> str:
    return "one model" if len(found) == 1 else f"{len(found)} models"


def _without(view: View, found: dict[str, pl.DataFrame]) -> str:
    """Name the models that a picture of probabilities has to leave out."""
    missing = [view.names[model] for model in view.results.models if model not in found]
    return f" Without probabilities: {listing(missing)}." if missing else ""


def _largest_gap(bins: pl.DataFrame) -> float:
    return float((bins["observed"] - bins["mean_probability"]).abs().to_numpy().max())
