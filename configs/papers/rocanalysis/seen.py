"""What the page of ROCAnalysis.jl reads off the results: values with intervals, the curve, areas, rates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from scipy.special import expit, ndtri

from configs.papers.rocanalysis import calibrated_normal
from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats import likelihood
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.roc import BANDS, ROC
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import DatasetView
from reporting.features.costs.dcf import DCF as DCF_FRAME
from reporting.features.costs.dcf import DcfRow
from reporting.features.likelihood_ratios.frame import COST

README = (2.0, 2.0)
"""Mean of the targets (that of the non-targets is its negative) and spread of both classes."""

DCF = (0.01, 10.0, 1.0)
"""Prior, cost of a miss, cost of a false alarm: the README's DCF(0.01, 1, 10) names that of a miss last."""

DETECTION = "(p_target=0.01,c_miss=10,normalised=false)"
AT_BAYES = "bayes(p_target=0.01,c_miss=10)"
AT_ZERO = "fixed"
DRAWN_SHARE = (0.001, 0.5)
"""The window of a DET."""


@dataclass(frozen=True)
class Value:
    """A measured value and the limits of its interval."""

    value: float
    low: float | None
    high: float | None

    def holds(self, known: float) -> bool | None:
        """Say whether a known value lies between the limits."""
        return None if self.low is None or self.high is None else self.low <= known <= self.high


@dataclass(frozen=True, eq=False)
class Seen:
    """One model on test; ``factor`` is what its scores are multiplied by, that of the README being 1."""

    view: DatasetView
    model: str
    factor: float

    @property
    def theory(self) -> tuple[float, float]:
        """Mean and spread of the classes it was drawn from."""
        return self.factor * README[0], self.factor * README[1]

    @cached_property
    def _metrics(self) -> dict[tuple[str, str | None], MetricRow]:
        rows = (r for r in self.view.metrics if r.model == self.model and r.split == "test")
        return {(r.measure, r.criterion): r for r in rows if r.value is not None}

    def measured(self, measure: str, criterion: str | None = None) -> Value | None:
        """Return a measure on test, None where it was not asked for or is undefined."""
        row = self._metrics.get((measure, criterion))
        return None if row is None or row.value is None else Value(row.value, row.ci_low, row.ci_high)

    def number(self, measure: str, criterion: str | None = None) -> float | None:
        """Return the same without its interval."""
        found = self.measured(measure, criterion)
        return None if found is None else found.value

    def cost_at(self, p_target: float) -> DcfRow | None:
        """Return the row of ``dcf`` at a prior with unit costs and the threshold of Bayes."""
        asked = {"model": self.model, "split": "test", "threshold_source": "bayes", "normalised": True}
        costs = {"p_target": p_target, "c_miss": 1.0, "c_fa": 1.0}
        rows = DCF_FRAME.rows(
            self.view.part(self.view.results.frame(DCF_FRAME)).filter(**asked, **costs).drop_nulls("actual")
        )
        return rows[0] if rows else None

    @cached_property
    def corners(self) -> pl.DataFrame:
        """The corners of the ROC, from accepting all to rejecting all."""
        rows = self.view.part(self.view.results.frame(ROC)).filter(model=self.model, split="test")
        return rows.drop_nulls(("p_miss", "p_fa")).sort("threshold", "misses", "false_alarms")

    @cached_property
    def hull(self) -> tuple[IntArray, IntArray]:
        """Misses and false alarms at the vertices of the hull."""
        rows = self.corners.filter("on_hull")
        return rows["misses"].to_numpy(), rows["false_alarms"].to_numpy()

    @property
    def distinct(self) -> int:
        """How many different scores there are."""
        rows = self.view.part(self.view.results.frame(TRIALS)).filter(model=self.model, split="test")
        return int(rows["n_distinct"].sum())

    @cached_property
    def priors(self) -> pl.DataFrame:
        """The Bayes error of the scores as they are, ascending by prior log odds."""
        if self.view.results.frame(COST).is_empty():
            return pl.DataFrame()
        rows = self.view.part(self.view.results.frame(COST)).filter(
            model=self.model, split="test", calibration="none"
        )
        return rows.drop_nulls(("bayes_error", "min_bayes_error")).sort("prior_log_odds")

    def area(self, column: str) -> float | None:
        """Return the area under a column of the Bayes errors by the trapezoid rule, from -10 to 10."""
        if self.priors.is_empty():
            return None
        return float(np.trapezoid(self.priors[column].to_numpy(), self.priors["prior_log_odds"].to_numpy()))

    @property
    def mincllr_with_laplace(self) -> float | None:
        """Return the least Cllr with a trial of each class more at either end.

        The blocks of the hull are enough: pooling them with the ends gives what pooling all scores gives.
        """
        if self.corners.is_empty():
            return None
        return float(likelihood.mincllr(*self.hull, laplace=True))

    @property
    def det_line(self) -> tuple[float, float] | None:
        """Return slope and intercept of the least-squares line through the DET, in probits.

        At equal steps of probit FAR where both rates lie in the drawn window of 0.1 to 50 %.
        """
        x, y = self.det
        inside = (x >= ndtri(DRAWN_SHARE[0])) & (x <= 0) & (y >= ndtri(DRAWN_SHARE[0])) & (y <= 0)
        if inside.sum() < 2:
            return None
        grid = np.linspace(x[inside].min(), x[inside].max(), 201)
        order = np.argsort(x, kind="stable")
        slope, intercept = np.polyfit(grid, np.interp(grid, x[order], y[order]), 1)
        return float(slope), float(intercept)

    @cached_property
    def det(self) -> tuple[FloatArray, FloatArray]:
        """The corners without empty rates, in probits of FAR and FRR, ascending by FAR."""
        far, frr = self.corners["p_fa"].to_numpy()[::-1], self.corners["p_miss"].to_numpy()[::-1]
        inner = (far > 0) & (far < 1) & (frr > 0) & (frr < 1)
        return ndtri(far[inner]), ndtri(frr[inner])

    @property
    def llr_slope(self) -> float | None:
        """Return the slope of optimal LLRs over scores, by least squares, blocks weighted by their targets.

        A block's score is the middle between the thresholds that bound it; blocks of one class are left out.
        """
        rows = self.corners.filter("on_hull")
        at = rows["threshold"].to_numpy()
        targets, nontargets = np.diff(self.hull[0]), -np.diff(self.hull[1])
        kept = (targets > 0) & (nontargets > 0) & np.isfinite(at[:-1]) & np.isfinite(at[1:])
        if kept.sum() < 2:
            return None
        llr = np.log(targets[kept] / self.hull[0][-1]) - np.log(nontargets[kept] / self.hull[1][0])
        middle = (at[:-1] + at[1:])[kept] / 2
        return float(np.polyfit(middle, llr, 1, w=np.sqrt(targets[kept]))[0])

    @property
    def band_holds_theory(self) -> bool | None:
        """Say whether the theoretical ROC lies inside the band of the whole curve, None without one."""
        if self.view.results.frame(BANDS).is_empty():
            return None
        rows = self.view.part(self.view.results.frame(BANDS)).filter(
            pl.col("simultaneous"), model=self.model, split="test"
        )
        rows = rows.drop_nulls(("p_fa", "p_miss_low", "p_miss_high"))
        rows = rows.filter(pl.col("p_fa").is_between(*DRAWN_SHARE))
        if rows.is_empty():
            return None
        known = calibrated_normal.frr_at_far(rows["p_fa"].to_numpy(), *self.theory)
        inside = (rows["p_miss_low"].to_numpy() <= known) & (known <= rows["p_miss_high"].to_numpy())
        return bool(inside.all())


def seen(view: DatasetView) -> tuple[Seen, Seen | None]:
    """Return the README's scores, the first model, and the same doubled, the second if there is one."""
    first, *others = view.results.models
    return Seen(view, first, 1.0), Seen(view, others[0], 2.0) if others else None


@dataclass(frozen=True, eq=False)
class Parts:
    """The two parts of a Bayes error along the prior: of misses, and of false alarms."""

    prior_log_odds: FloatArray
    misses: FloatArray
    false_alarms: FloatArray


def actual_parts(one: Seen) -> Parts:
    """Split the Bayes error of the scores as they are, exactly, though only corners are at hand.

    Between two corners one of the two rates stays as it is, so the total gives the other.
    """
    tau = one.priors["prior_log_odds"].to_numpy()
    total = one.priors["bayes_error"].to_numpy()
    frr, far = one.corners["p_miss"].to_numpy(), one.corners["p_fa"].to_numpy()
    before = np.searchsorted(one.corners["threshold"].to_numpy(), -tau, side="right") - 1
    before = np.clip(before, 0, len(frr) - 2)
    of_misses, of_alarms = expit(tau) * frr[before], expit(-tau) * far[before]
    # Where both rates change between the corners no score lies between: one of the two cuts it is.
    after = expit(tau) * frr[before + 1], expit(-tau) * far[before + 1]
    at_once = (frr[before] != frr[before + 1]) & (far[before] != far[before + 1])
    moved = at_once & (np.abs(sum(after) - total) < np.abs(of_misses + of_alarms - total))
    misses = np.where(frr[before] == frr[before + 1], of_misses, total - of_alarms)
    misses = np.where(at_once, np.where(moved, after[0], of_misses), misses)
    return Parts(tau, misses, total - misses)


def least_parts(one: Seen) -> Parts:
    """Split the least Bayes error of any threshold: at the best vertex of the hull."""
    tau = one.priors["prior_log_odds"].to_numpy()
    misses, alarms = one.hull
    of_misses = expit(tau)[:, None] * (misses / misses[-1])
    of_alarms = expit(-tau)[:, None] * (alarms / alarms[0])
    best = np.argmin(of_misses + of_alarms, axis=1)[:, None]
    chosen = (np.take_along_axis(part, best, axis=1)[:, 0] for part in (of_misses, of_alarms))
    return Parts(tau, *chosen)


def relative_width(one: Value | None, other: Value | None) -> float | None:
    """Return how wide one interval is over another, None where a limit is unknown."""
    widths = []
    for value in (one, other):
        if value is None or value.low is None or value.high is None:
            return None
        widths.append(value.high - value.low)
    return widths[0] / widths[1] if widths[1] > 0 else math.nan
