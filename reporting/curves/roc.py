"""The ROC as counts at its corners; ROC and DET are two drawings of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reporting.counts.cuts import Cuts
from reporting.stats.coarse import curve_cuts
from reporting.stats.staircase import BoolArray, FloatArray, IntArray, ThresholdAt, threshold_of


@dataclass(frozen=True, eq=False)
class RocCurve:
    """Corners from accept all to reject all (shape (K,)).

    ``llr`` is the optimal log likelihood ratio of the hull edge that begins at the point (methods
    4.2): log of the edge's slope dFRR / dFAR, +-inf at pure ends; NaN off the hull and at the last.
    """

    cut: IntArray
    threshold: FloatArray
    misses: IntArray
    false_alarms: IntArray
    on_hull: BoolArray
    llr: FloatArray


def roc_curve(cuts: Cuts, at: ThresholdAt = "midpoint") -> RocCurve:
    """Return the corners of the staircase with thresholds, hull membership and hull slopes.

    Of very many scores fewer cuts, as ``curve_cuts`` has it.
    """
    staircase = cuts.staircase
    cut = curve_cuts(staircase)
    on_hull = np.isin(cut, staircase.hull)
    llr = np.full(len(cut), np.nan)
    llr[np.searchsorted(cut, staircase.hull[:-1])] = _edge_llr(cuts)
    return RocCurve(
        cut,
        threshold_of(cuts.score, cut, at),
        staircase.misses[cut],
        staircase.false_alarms[cut],
        on_hull,
        llr,
    )


def _edge_llr(cuts: Cuts) -> FloatArray:
    """log(P_b / N1) - log(M_b / N0) of every hull edge; NaN where a class is empty."""
    staircase = cuts.staircase
    targets = np.diff(staircase.misses[staircase.hull])
    nontargets = -np.diff(staircase.false_alarms[staircase.hull])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(targets / staircase.n_target) - np.log(nontargets / staircase.n_nontarget))
