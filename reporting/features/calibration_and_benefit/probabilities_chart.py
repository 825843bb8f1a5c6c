"""The pictures of predicted probabilities: the benefit of using them, and how often they come true."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from reporting.document import numbers
from reporting.document.blocks import Axis, Series
from reporting.document.charts.axes import PERCENT, nice_axis, places
from reporting.document.charts.captions import UNDECLARED, by_model, empty_class, how_many
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.findings import between, lead, percent_inward
from reporting.document.charts.limits import shading, shading_in_words
from reporting.document.charts.picture import (
    ByModel,
    CurvePicture,
    Strokes,
    curve_rows,
    in_percent,
    models_chart,
    rows_on_test,
)
from reporting.document.frames.contract import Frame
from reporting.document.words.phrases import level_text, listing
from reporting.document.words.view import DatasetView
from reporting.features.calibration_and_benefit.net_benefit_frame import NET_BENEFIT as NET_BENEFIT_FRAME
from reporting.features.calibration_and_benefit.probability_frames import DECISION as DECISION_FRAME
from reporting.features.calibration_and_benefit.probability_frames import RELIABILITY as RELIABILITY_FRAME

THRESHOLD = Axis("Threshold probability (%)", 0.0, 100.0, PERCENT)
TREAT_ALL, TREAT_NONE = "treat all", "treat none"
BELOW = 0.1
"""The frame reaches this share of the highest benefit below zero; what does worse leaves it."""
STATED = Axis("Predicted probability, mean of the bin (%)", 0.0, 100.0, PERCENT)
CALIBRATED = Series("calibrated", "guide", 0, (0.0, 86.0, 100.0), (0.0, 86.0, 100.0))


def without_probabilities(view: DatasetView, rows: ByModel) -> str:
    """Name the models that a picture of probabilities has to leave out."""
    missing = [view.names[model] for model in view.drawn if model not in rows]
    return f" Without probabilities: {listing(missing)}." if missing else ""


def why_undrawn(view: DatasetView, frame: Frame[Any]) -> str:
    """Say why no model has rows of a frame: a class without trials, or no declared probabilities."""
    no_class = set(rows_on_test(view, frame)["status"]) & {"no_targets", "no_nontargets"}
    return empty_class(view) if no_class else UNDECLARED


def benefit_curves(view: DatasetView, frame: Frame[Any], **where: object) -> dict[str, pl.DataFrame]:
    """Return the decision curves on test by model, of those that declare probabilities."""
    return curve_rows(view, frame, "probability", "net_benefit", **where)


def _with_limits(view: DatasetView) -> dict[str, pl.DataFrame]:
    """Return the same curves with limits, in reports that have these for other pictures."""
    return benefit_curves(view, NET_BENEFIT_FRAME, standardised=False)


def benefit_chart(view: DatasetView, name: str, title: str, benefits: ByModel, bands: Strokes) -> ChartSpec:
    """Return net benefit against the threshold probability, with those of treating all and none."""
    columns = (rows[name].to_numpy() for rows in benefits.values() for name in ("net_benefit", "treat_all"))
    high = max(float(column.max()) for column in columns)
    y_axis = nice_axis(title, -100 * BELOW * high, 100 * high)
    first = next(iter(benefits.values()))
    everybody = first.filter(100 * pl.col("treat_all") >= 2 * y_axis.low)
    x, y = (places(100 * everybody[name].to_numpy()) for name in ("probability", "treat_all"))
    guides = [
        Series(TREAT_ALL, "guide", 0, x, y),
        Series(TREAT_NONE, "guide", 0, (0.0, 2.0, 100.0), (0.0, 0.0, 0.0)),
    ]
    lines = in_percent(benefits, "probability", "net_benefit")
    return models_chart(view, name, THRESHOLD, y_axis, lines, guides, bands=bands)


def _benefit_at_even_odds(view: DatasetView, benefits: ByModel) -> str:
    even = {
        model: numbers.fixed(100 * rows.filter(pl.col("probability") == 0.5)["net_benefit"][0], 1)
        for model, rows in benefits.items()
    }
    per = f"Net benefit per 100 {view.terms.trials}"
    return f"{per} at a threshold probability of 50%: {by_model(view, even)}."


def _most_benefit(view: DatasetView, benefits: ByModel) -> str:
    """Return at which threshold probabilities one model has the highest net benefit, or nothing."""
    first = next(iter(benefits.values()))
    curves = {
        model: (rows["probability"].to_numpy(), rows["net_benefit"].to_numpy())
        for model, rows in benefits.items()
    }
    everybody = first["probability"].to_numpy(), first["treat_all"].to_numpy()
    others = {TREAT_ALL: everybody, TREAT_NONE: (everybody[0], np.zeros(len(first)))}
    least, most = float(everybody[0][0]), float(everybody[0][-1])
    ahead = lead(curves | others, least, most, float, best=math.inf, highest=True)
    if ahead is None or ahead.model in others or len(curves) < 2:
        return ""
    where = between(ahead, least, most, percent_inward)
    leader = view.names[ahead.model]
    return f"{leader} has the highest observed net benefit at every threshold probability{where}"


# Vickers and Elkin (2006).
DECISION = CurvePicture(
    cases=lambda view: list(filter(None, [benefit_curves(view, DECISION_FRAME)])),
    draw=lambda view, benefits: benefit_chart(
        view,
        "decision",
        view.terms.title("net_benefit"),
        benefits,
        shading(view, _with_limits(view), "probability"),
    ),
    caption=lambda view, benefits: (
        f"net benefit per 100 {view.terms.trials} (true positives minus false positives weighted by the"
        f" threshold odds), compared with treating all and none.{shading_in_words(view, _with_limits(view))}"
        f"{without_probabilities(view, benefits)}"
    ),
    shows=lambda view, benefits: f"Decision curves of {how_many(benefits)} on the test set",
    drawn=lambda view, benefits: "Decision curves",
    finding=_most_benefit,
    number=_benefit_at_even_odds,
    missing=lambda view: (
        f"The decision curve {empty_class(view) if len(rows_on_test(view, DECISION_FRAME)) else UNDECLARED}"
    ),
)


def _banded(view: DatasetView, bins: ByModel) -> list[str]:
    """Return the one model whose intervals are drawn: the first in rank that has any."""
    return [model for model in view.ranked if model in bins and bins[model]["ci_low"].count()][:1]


def _draw_reliability(view: DatasetView, bins: ByModel) -> ChartSpec:
    """Draw observed frequencies against predicted probabilities, with the Wilson intervals of one model."""
    curves = in_percent(bins, "mean_probability", "observed")
    banded = {model: bins[model] for model in _banded(view, bins)}
    return models_chart(
        view,
        name="reliability",
        x_axis=STATED,
        y_axis=Axis(view.terms.title("observed_share"), 0.0, 100.0, PERCENT),
        lines=curves,
        guides=[CALIBRATED],
        bands=in_percent(banded, "mean_probability", "ci_low", "ci_high"),
        points=curves,
    )


def _reliability_caption(view: DatasetView, bins: ByModel) -> str:
    names = listing(view.names[model] for model in _banded(view, bins))
    independent = f"treating {view.terms.trials} as independent"
    bands = f" Shading: {level_text(view.study.inference.level)} Wilson intervals of {names}, {independent}."
    return (
        f"observed frequency of {view.terms.targets} against predicted probability, in equal bins."
        f"{bands if _banded(view, bins) else ''}{without_probabilities(view, bins)}"
    )


def largest_gaps(view: DatasetView, curves: ByModel, observed: str, stated: str) -> str:
    """Say how far apart predicted and observed are at most, which two columns have."""
    gaps = {
        model: float((rows[observed] - rows[stated]).abs().to_numpy().max()) for model, rows in curves.items()
    }
    texts = {model: f"{numbers.percent(gap, 1)} percentage points" for model, gap in gaps.items()}
    return f"Largest difference between predicted and observed: {by_model(view, texts)}."


RELIABILITY = CurvePicture(
    cases=lambda view: list(filter(None, [curve_rows(view, RELIABILITY_FRAME, "low", "observed")])),
    draw=_draw_reliability,
    caption=_reliability_caption,
    shows=lambda view, bins: f"Reliability diagram of {how_many(bins)} on the test set",
    drawn=lambda view, bins: "Reliability diagram",
    number=lambda view, bins: largest_gaps(view, bins, "observed", "mean_probability"),
    missing=lambda view: f"The reliability diagram {UNDECLARED}",
)
