"""The pictures of stated probabilities: what acting on them brings, and how often they come true."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from reporting.charts.axes import PERCENT, nice_axis, places
from reporting.charts.captions import by_model, empty_class, how_many
from reporting.charts.picture import CurvePicture, Picture, Sketch, per_model, rows_on_test, sketched
from reporting.frames import DECISION as DECISION_FRAME
from reporting.frames import RELIABILITY as RELIABILITY_FRAME
from reporting.report import numbers
from reporting.report.blocks import Axis, Series
from reporting.wording.phrases import level_text, listing
from reporting.wording.view import View

ByModel = Mapping[str, pl.DataFrame]
"""The rows of the models that declare probabilities."""

UNDECLARED = "needs probabilities; none of the models declares them."
THRESHOLD = Axis("Threshold probability (%)", 0.0, 100.0, PERCENT)
BELOW = 0.1
"""The frame reaches this share of the highest benefit below zero; what does worse leaves it."""
STATED = Axis("Stated probability, mean of the bin (%)", 0.0, 100.0, PERCENT)
CALIBRATED = Series("calibrated", "guide", 0, (0.0, 86.0, 100.0), (0.0, 86.0, 100.0))
MOST_BANDS = 3
"""With more models the intervals cannot be told apart."""
LEVEL = 0.95
"""That of the limits in the ``reliability`` frame."""


def _without(view: View, rows: ByModel) -> str:
    """Name the models that a picture of probabilities has to leave out."""
    missing = [view.names[model] for model in view.results.models if model not in rows]
    return f" Without probabilities: {listing(missing)}." if missing else ""


def net_benefits(view: View) -> dict[str, pl.DataFrame]:
    """Return the decision curves on test by model, of those that declare probabilities."""
    rows = (
        rows_on_test(view, DECISION_FRAME).drop_nulls("net_benefit").sort("probability", maintain_order=True)
    )
    return per_model(view, rows)


def _draw_decision(view: View, benefits: ByModel) -> Sketch:
    """Draw net benefit over the threshold probability, with those of acting on all and on nobody."""
    columns = (rows[name].to_numpy() for rows in benefits.values() for name in ("net_benefit", "treat_all"))
    high = max(float(column.max()) for column in columns)
    y_axis = nice_axis(view.terms.title("net_benefit"), -100 * BELOW * high, 100 * high)
    first = next(iter(benefits.values()))
    everybody = first.filter(100 * pl.col("treat_all") >= 2 * y_axis.low)
    x, y = (places(100 * everybody[name].to_numpy()) for name in ("probability", "treat_all"))
    guides = [
        Series("act on all", "guide", 0, x, y),
        Series("act on nobody", "guide", 0, (0.0, 2.0, 100.0), (0.0, 0.0, 0.0)),
    ]
    lines = [
        (model, (100 * rows["probability"].to_numpy(), 100 * rows["net_benefit"].to_numpy()))
        for model, rows in benefits.items()
    ]
    return sketched(view, Picture("decision", THRESHOLD, y_axis, lines, guides))


def _benefit_at_even_odds(view: View, benefits: ByModel) -> str:
    even = {
        model: numbers.fixed(100 * rows.filter(pl.col("probability") == 0.5)["net_benefit"][0], 1)
        for model, rows in benefits.items()
    }
    return f"Net benefit per 100 trials at a threshold probability of 50 %: {by_model(view, even)}."


def _why_no_decision(view: View) -> str:
    declared = len(rows_on_test(view, DECISION_FRAME))
    return f"The decision curve {empty_class(view) if declared else UNDECLARED}"


# Vickers and Elkin (2006).
DECISION = CurvePicture(
    cases=lambda view: list(filter(None, [net_benefits(view)])),
    draw=_draw_decision,
    caption=lambda view, benefits: (
        f"{view.terms.targets} acted on per 100 trials, less the {view.terms.false_alarms} at the weight that"
        " the threshold probability gives them; acting on all and on nobody for comparison."
        f"{_without(view, benefits)}"
    ),
    shows=lambda view, benefits: f"Decision curves of {how_many(benefits)} on test",
    number=_benefit_at_even_odds,
    missing=_why_no_decision,
)


def reliabilities(view: View) -> dict[str, pl.DataFrame]:
    """Return the bins on test by model, of those that declare probabilities."""
    return per_model(view, rows_on_test(view, RELIABILITY_FRAME).sort("low"))


def _draw_reliability(view: View, bins: ByModel) -> Sketch:
    """Draw observed over stated probabilities, bin by bin, with Wilson intervals for a few models."""
    columns = ("mean_probability", "observed", "ci_low", "ci_high")
    rates = {model: [100 * rows[name].to_numpy() for name in columns] for model, rows in bins.items()}
    curves = [(model, (x, y)) for model, (x, y, _, _) in rates.items()]
    bands = [(model, (x, low, high)) for model, (x, _, low, high) in rates.items()]
    picture = Picture(
        name="reliability",
        x_axis=STATED,
        y_axis=Axis(view.terms.title("observed_share"), 0.0, 100.0, PERCENT),
        lines=curves,
        guides=[CALIBRATED],
        bands=bands if len(bands) <= MOST_BANDS else (),
        points=curves,
    )
    return sketched(view, picture)


def _reliability_caption(view: View, bins: ByModel) -> str:
    bands = f" Bands: {level_text(LEVEL)} Wilson intervals, trials treated as independent."
    return (
        f"observed {view.terms.share} over the stated probability, in bins of equal width."
        f"{bands if len(bins) <= MOST_BANDS else ''}{_without(view, bins)}"
    )


def _largest_gaps(view: View, bins: ByModel) -> str:
    gaps = {
        model: float((rows["observed"] - rows["mean_probability"]).abs().to_numpy().max())
        for model, rows in bins.items()
    }
    texts = {model: f"{numbers.percent(gap, 1)} points" for model, gap in gaps.items()}
    return f"Largest distance between stated and observed: {by_model(view, texts)}."


RELIABILITY = CurvePicture(
    cases=lambda view: list(filter(None, [reliabilities(view)])),
    draw=_draw_reliability,
    caption=_reliability_caption,
    shows=lambda view, bins: f"Reliability diagram of {how_many(bins)} on test",
    number=_largest_gaps,
    missing=lambda view: f"The reliability diagram {UNDECLARED}",
)
