"""Net benefits with their limits: standardised, of every model, and the difference of the two finalists."""

from __future__ import annotations

import itertools
from functools import cached_property

import numpy as np
import polars as pl

from reporting.base.arrays import BoolArray, FloatArray
from reporting.base.records import dataclass
from reporting.document import numbers
from reporting.document.blocks import Series
from reporting.document.charts.axes import nice_axis
from reporting.document.charts.captions import by_model, empty_class, how_many
from reporting.document.charts.chart_spec import ChartSpec
from reporting.document.charts.limits import shading, shading_in_words
from reporting.document.charts.picture import ByModel, CurvePicture, models_chart
from reporting.document.words.phrases import listing
from reporting.document.words.view import DatasetView
from reporting.features.calibration_and_benefit.net_benefit_frame import (
    NET_BENEFIT,
    NET_BENEFIT_DIFFERENCES,
    NetBenefitDifferenceRow,
)
from reporting.features.calibration_and_benefit.probabilities_chart import (
    THRESHOLD,
    TREAT_ALL,
    TREAT_NONE,
    benefit_chart,
    benefit_curves,
    why_undrawn,
    without_probabilities,
)


def _standardised_caption(view: DatasetView, benefits: ByModel) -> str:
    bands = shading_in_words(view, benefits)
    return (
        f"net benefit divided by the {view.terms.share}: 100% is finding {view.terms.targets} all without a"
        f" {view.terms.false_alarm}.{bands}{without_probabilities(view, benefits)}"
    )


def _at_even_odds(view: DatasetView, benefits: ByModel) -> str:
    even = {
        model: f"{numbers.percent(rows.filter(pl.col('probability') == 0.5)['net_benefit'][0], 1)}%"
        for model, rows in benefits.items()
    }
    return f"Standardised net benefit at a threshold probability of 50%: {by_model(view, even)}."


# Kerr et al. (2016).
STANDARDISED_BENEFIT = CurvePicture(
    cases=lambda view: list(filter(None, [benefit_curves(view, NET_BENEFIT, standardised=True)])),
    draw=lambda view, benefits: benefit_chart(
        view,
        "standardised_benefit",
        view.terms.title("standardised_benefit"),
        benefits,
        shading(view, benefits, "probability"),
    ),
    caption=_standardised_caption,
    shows=lambda view, benefits: f"Standardised net benefits of {how_many(benefits)} on the test set",
    drawn=lambda view, benefits: f"Standardised decision curves, compared with {TREAT_ALL} and {TREAT_NONE}",
    number=_at_even_odds,
    missing=lambda view: f"The standardised net benefit {why_undrawn(view, NET_BENEFIT)}",
)


@dataclass(frozen=True, eq=False)
class FinalistsDifference:
    """The net benefit of the first finalist less that of the second, along threshold probabilities."""

    models: tuple[str, str]
    names: tuple[str, str]
    rows: list[NetBenefitDifferenceRow]
    sign: int
    """-1 where the rows have the second finalist first."""
    standardised: bool = False
    """Whether both benefits are divided by the share of targets."""

    def column(self, value: str) -> FloatArray:
        """Return a difference or limit of every row, as of the first finalist less the second."""
        turned = {"ci_low": "ci_high", "ci_high": "ci_low", "band_low": "band_high", "band_high": "band_low"}
        name = value if self.sign > 0 else turned.get(value, value)
        return self.sign * np.array([getattr(row, name) for row in self.rows], dtype=np.float64)

    @cached_property
    def probability(self) -> FloatArray:
        """The threshold probabilities (shape (G,))."""
        return np.array([row.probability for row in self.rows], dtype=np.float64)

    @property
    def is_banded(self) -> bool:
        """Whether there are limits."""
        return self.rows[0].band_low is not None

    def stretches(self, beyond: BoolArray) -> str:
        """Say over which threshold probabilities something holds."""
        runs = itertools.groupby(zip(beyond, self.probability, strict=True), key=lambda at: bool(at[0]))
        spans = [[float(p) for _, p in run] for inside, run in runs if inside]
        return listing(
            " to ".join(dict.fromkeys(f"{100 * p:.0f}%" for p in (span[0], span[-1]))) for span in spans
        )


def finalists_difference(view: DatasetView, standardised: bool = False) -> FinalistsDifference | None:
    """Return the difference of the two finalists; None without two, and where it is undefined."""
    if len(view.finalists) != 2:
        return None
    first, second = view.finalists
    rows = [row for row in view.rows(NET_BENEFIT_DIFFERENCES, "test") if row.standardised == standardised]
    for pair, sign in (((first, second), 1), ((second, first), -1)):
        of_pair = [row for row in rows if (row.model, row.baseline) == pair and row.difference is not None]
        if of_pair:
            names = view.names[first], view.names[second]
            return FinalistsDifference((first, second), names, of_pair, sign, standardised)
    return None


def _draw_difference(view: DatasetView, pair: FinalistsDifference) -> ChartSpec:
    x, (model, _) = 100 * pair.probability, pair.models
    difference = 100 * pair.column("difference")
    bands = [
        (model, (x, 100 * pair.column(low), 100 * pair.column(high)))
        for low, high in (("ci_low", "ci_high"), ("band_low", "band_high"))
        if pair.is_banded
    ]
    # Where a false alarm weighs much the band is wide: the curve sets the axis, and what lies near it.
    near = np.concatenate([difference, [0.0], *(values for _, (_, *limits) in bands for values in limits)])
    reach = max(SEEN * float(np.abs(difference).max()), float(np.quantile(np.abs(near), SHOWN)))
    name = "standardised_difference" if pair.standardised else "benefit_difference"
    return models_chart(
        view,
        name=name,
        x_axis=THRESHOLD,
        y_axis=nice_axis(view.terms.title(name), -reach, reach),
        lines=[(model, (x, difference))],
        guides=[Series("no difference", "guide", 0, (0.0, 60.0, 100.0), (0.0, 0.0, 0.0))],
        bands=bands,
        labels={model: " − ".join(pair.names)},
    )


SEEN, SHOWN = 1.2, 0.6
"""The axis reaches this many times as far as the curve, and as far as this share of all that is drawn."""


def _difference_caption(view: DatasetView, pair: FinalistsDifference) -> str:
    bands = ""
    if pair.is_banded:
        level = f"{100 * (pair.rows[0].level or 0):g}%"
        bands = f" Dark: pointwise {level} intervals; light: {level} simultaneous band.{_disagreement(pair)}"
    first, second = pair.names
    what = "standardised net benefit" if pair.standardised else "net benefit"
    per = f"in % of the {view.terms.share}" if pair.standardised else f"per 100 {view.terms.trials}"
    return (
        f"{what} of {first} minus that of {second} {per}, on the same {view.terms.trials}; above 0 {first} is"
        f" ahead.{bands}"
    )


def _disagreement(pair: FinalistsDifference) -> str:
    """Say where the pointwise intervals exclude 0 and the band does not, and why."""
    apart = (pair.column("ci_low") > 0) | (pair.column("ci_high") < 0)
    jointly = (pair.column("band_low") > 0) | (pair.column("band_high") < 0)
    if not (apart & ~jointly).any():
        return ""
    return (
        f" At {pair.stretches(apart & ~jointly)} only the pointwise intervals exclude 0: each holds at one"
        " threshold probability, the band at all of them together, and the title follows the band."
    )


def _higher_benefit(view: DatasetView, pair: FinalistsDifference) -> str:
    """Return where the band excludes 0, if anywhere."""
    if not pair.is_banded:
        return ""
    sides = (pair.names, pair.column("band_low") > 0), (pair.names[::-1], pair.column("band_high") < 0)
    at = "at a threshold probability of"
    ranges = [
        f"{higher} has a higher net benefit than {lower} {at} {pair.stretches(where)}"
        for (higher, lower), where in sides
        if where.any()
    ]
    return "; ".join(ranges) or (
        f"The net benefits of {listing(pair.names)} are not separated at any threshold probability"
    )


def _largest_difference(view: DatasetView, pair: FinalistsDifference) -> str:
    difference = pair.column("difference")
    at = int(np.abs(difference).argmax())
    most = numbers.fixed(100 * float(difference[at]), 1)
    where = numbers.percent(float(pair.probability[at]), 0)
    per = f"% of the {view.terms.share}" if pair.standardised else f" per 100 {view.terms.trials}"
    return f"Largest difference: {most}{per}, at a threshold probability of {where}%."


def _why_no_difference(view: DatasetView, what: str) -> str:
    rows = [row for row in view.rows(NET_BENEFIT_DIFFERENCES, "test") if row.status is not None]
    if len(view.finalists) != 2 or not rows:
        return f"{what} needs two models."
    if rows[0].status == "no_trial_key":
        return f"{what} needs a trial key, by which the {view.terms.trials} of both models are paired."
    if rows[0].status in ("no_targets", "no_nontargets"):
        return f"{what} {empty_class(view)}"
    return f"{what} needs two models that declare probabilities."


def _difference_picture(standardised: bool) -> CurvePicture[FinalistsDifference]:
    what = "standardised net benefit" if standardised else "net benefit"
    return CurvePicture(
        cases=lambda view: list(filter(None, [finalists_difference(view, standardised)])),
        draw=_draw_difference,
        caption=_difference_caption,
        shows=lambda view, pair: f"Difference in {what} of {listing(pair.names)} on the test set",
        drawn=lambda view, pair: " − ".join(pair.names),
        finding=_higher_benefit,
        number=_largest_difference,
        missing=lambda view: _why_no_difference(view, f"The difference in {what}"),
    )


BENEFIT_DIFFERENCE, STANDARDISED_DIFFERENCE = map(_difference_picture, (False, True))
