"""The Bayes error along the prior (APE, and NBE once divided by the trivial one)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.curves.scores import Scaled
from reporting.stats.likelihood import (
    actual_bayes_error,
    hull_breakpoints,
    min_bayes_error,
    trivial_bayes_error,
)
from reporting.stats.staircase import FloatArray

REACH = 10
"""Prior log odds run from -REACH to REACH."""

STEPS = 20
"""Steps a unit: the grid is k / STEPS, each in one division."""


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Error rates by prior log odds, ascending (shape (T,)); ``actual`` is NaN where no decision follows."""

    prior_log_odds: FloatArray
    actual: FloatArray
    minimum: FloatArray
    trivial: FloatArray


def cost_curve(cuts: Cuts, llr: Scaled | None) -> CostCurve:
    """Return the Bayes error of likelihood ratios, and the least that any threshold on the scores attains.

    On the grid -10..10 by .05 and at the priors within it where the best threshold changes, so that the
    minimum is exact between any two rows: one vertex of the hull. ``minimum`` is that of the scores
    themselves, whatever map has made them likelihood ratios. Methods 4.5.
    """
    grid = np.arange(-REACH * STEPS, REACH * STEPS + 1) / STEPS
    changes = hull_breakpoints(cuts.staircase)
    tau = np.unique(np.concatenate((grid, changes[np.abs(changes) < REACH])))
    actual = np.full(len(tau), np.nan) if llr is None else actual_bayes_error(*llr, tau)
    return CostCurve(tau, actual, min_bayes_error(cuts.staircase, tau), trivial_bayes_error(tau))
