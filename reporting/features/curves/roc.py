"""The ROC as counts at its corners; ROC and DET are two drawings of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.core.counts.cuts import Cuts
from reporting.core.curves.scores import Histogram
from reporting.core.stats.confusion import precision
from reporting.core.stats.rates import ratio
from reporting.core.stats.staircase import ThresholdAt, curve_cuts, threshold_of
from reporting.document.frames.contract import Columns


def roc_corners(cuts: Cuts, at: ThresholdAt) -> Columns:
    """Return the corners of the staircase, from accept all to reject all, with hull membership and slopes.

    ``llr`` is the optimal log likelihood ratio of the hull edge that begins at the corner (methods 4.2): log
    of the edge's slope dFRR / dFAR, +-inf at pure ends; NaN off the hull and at the last. Of very many scores
    there are the fewer thresholds of ``curve_cuts``.
    """
    staircase = cuts.staircase
    cut = curve_cuts(staircase)
    llr = np.full(len(cut), np.nan)
    llr[np.searchsorted(cut, staircase.hull[:-1])] = _edge_llr(cuts)
    misses, false_alarms = cuts.errors(cut)
    return {
        "threshold": threshold_of(cuts.score, cut, at),
        "misses": misses,
        "false_alarms": false_alarms,
        "p_miss": ratio(staircase.misses[cut], staircase.n_target),
        "p_fa": ratio(staircase.false_alarms[cut], staircase.n_nontarget),
        "on_hull": np.isin(cut, staircase.hull),
        "llr": llr,
    }


def _edge_llr(cuts: Cuts) -> FloatArray:
    """log(P_b / N1) - log(M_b / N0) of every hull edge; NaN where a class is empty."""
    staircase = cuts.staircase
    targets = np.diff(staircase.misses[staircase.hull])
    nontargets = -np.diff(staircase.false_alarms[staircase.hull])
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log(targets / staircase.n_target) - np.log(nontargets / staircase.n_nontarget))


def pr_corners(cuts: Cuts, at: ThresholdAt, prevalence: float | None = None) -> Columns:
    """Return precision and recall at the corners of the staircase; ``prevalence`` None: the sample's.

    Precision is NaN where nothing is accepted. Between two corners the counts run straight, so that nothing
    is lost: precision there follows from ``counts_between`` (Davis and Goadrich), not from a straight line.
    Methods 6.1, 6.4.
    """
    staircase = cuts.staircase
    cut = curve_cuts(staircase)
    hits = staircase.n_target - staircase.misses[cut]
    alarms = staircase.false_alarms[cut]
    share = "sample" if prevalence is None else prevalence
    errors = staircase.misses[cut], alarms, staircase.n_target, staircase.n_nontarget
    return {
        "threshold": threshold_of(cuts.score, cut, at),
        "true_positives": hits,
        "false_alarms": alarms,
        "precision": precision(*errors, prevalence=share),
        "recall": ratio(hits, staircase.n_target),
    }


class Accepted(NamedTuple):
    """Targets and non-targets accepted along a curve, from reject all to accept all."""

    true_positives: FloatArray
    false_alarms: FloatArray


def counts_between(
    corner: Accepted, true_positives: FloatArray | None = None, accepted: FloatArray | None = None
) -> Accepted:
    """Return the corners with points between them, where so many targets, or trials, are accepted.

    Counts run straight from corner to corner: trials of equal score, or of a run of one class, come in
    in proportion. Give one of ``true_positives`` and ``accepted``; values beyond the ends are left out.
    Source: Davis, Goadrich (2006), section 3; methods 6.4.
    """
    along = corner.true_positives
    if accepted is not None:
        along = corner.true_positives + corner.false_alarms
    wanted = accepted if accepted is not None else true_positives
    if wanted is None or len(along) < 2:
        return corner
    wanted = wanted[(wanted > along[0]) & (wanted < along[-1])]
    # Where the corners do not move along the way, the last of them is left: the next step is a true one.
    before = np.searchsorted(along, wanted, side="right") - 1
    part = (wanted - along[before]) / (along[before + 1] - along[before])
    hits, alarms = (
        np.concatenate((count, count[before] + part * (count[before + 1] - count[before])))
        for count in (corner.true_positives, corner.false_alarms)
    )
    order = np.lexsort((alarms, hits))
    return Accepted(hits[order], alarms[order])


BINS = 60


def histogram(cuts: Cuts, bins: int = BINS) -> Histogram:
    """Count targets and non-targets in equally wide bins between the least and the greatest finite score.

    Fewer bins where floats lie too close together; one bin without width where all finite scores are
    equal, none where there is no finite score.
    """
    edges = _edges(cuts.score, bins)
    if not len(edges):
        nothing, none = np.zeros(0), np.zeros(0, dtype=np.int64)
        return Histogram(nothing, nothing, none, none)
    first = np.searchsorted(cuts.score, edges, side="left")
    first[0], first[-1] = 0, len(cuts.score)
    counts = [np.diff(np.concatenate(([0], np.cumsum(n)))[first]) for n in (cuts.n_target, cuts.n_nontarget)]
    return Histogram(edges[:-1], edges[1:], *counts)


def _edges(score: FloatArray, bins: int) -> FloatArray:
    finite = score[np.isfinite(score)]
    if not len(finite):
        return np.zeros(0)
    low, high = finite[0], finite[-1]
    if low == high:
        return np.array([low, high])
    share = np.arange(bins + 1) / bins
    # Two products, because the span of two huge scores overflows.
    return np.unique(np.clip(low * (1 - share) + high * share, low, high))
