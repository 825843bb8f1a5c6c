"""The models that may be the best, point by point of a curve: at each by itself, and at all at once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reporting.stats.intervals import ZERO
from reporting.stats.multiplicity import SLACK
from reporting.stats.staircase import BoolArray, FloatArray


class BestAlong(NamedTuple):
    """Whether each model may be the best and its one-sided p-value, all of shape (A, K).

    ``member`` and ``p`` hold at each point by itself, ``member_joint`` and ``p_joint`` at all at once.
    """

    member: BoolArray
    p: FloatArray
    member_joint: BoolArray
    p_joint: FloatArray


def best_along(
    losses: FloatArray,
    replicates: Iterable[FloatArray],
    level: float,
    factor: float = 1.0,
    factor_joint: float = 1.0,
) -> BestAlong:
    """Tell the models not shown to be worse than the best along A points; the lower a loss the better.

    ``losses`` has shape (A, K); ``replicates`` yields (K, M) point by point, of draws that all points share.
    With d* the replicates of L_k - L_j less their mean, T_kj = (L_k - L_j) / (factor SD(d*)), T_k the
    largest of them and 0, T*_kj = d* / SD(d*): p_k = (1 + #{max over j of T*_kj >= T_k}) / (M + 1), as
    ``multiplicity.best_set`` has it. p_joint_k counts max |T*_ij| over all pairs and all points instead,
    with ``factor_joint``: every model that is the best at some point stays there, at all points together,
    with probability ``level``. Of two models that is the sup-t band of their difference. p_joint >= p.
    Factors are what clusters add to the reach of an interval. A model leaves where its p is at most
    1 - level. One that is worse only by what never varies stays with p NaN; an undefined one is no member,
    with p NaN.
    Gupta 1965; Hsu 1981; methods 10.
    """
    n_points, n_models = losses.shape
    t, beyond = np.zeros((n_points, n_models)), np.zeros((n_points, n_models), dtype=np.int64)
    unclear = np.ones((n_points, n_models), dtype=bool)
    defined = np.zeros((n_points, n_models), dtype=bool)
    farthest: FloatArray = np.zeros(0)
    for at, (loss, drawn) in enumerate(zip(losses, replicates, strict=True)):
        if not len(farthest):
            farthest = np.zeros(drawn.shape[1])
        defined[at] = np.isfinite(loss) & np.isfinite(drawn).all(axis=1)
        t[at], beyond[at], unclear[at] = _at_point(loss, drawn, defined[at], factor, farthest)
    farthest = np.sort(farthest)
    beyond_joint = len(farthest) - np.searchsorted(farthest, t * factor / factor_joint * (1 - SLACK))
    most = math.floor((len(farthest) + 1) * (1 - level) + 1e-9)  # as many of M + 1 as p may count
    members, p_values = [], []
    for count in (1 + beyond, 1 + beyond_joint):
        members.append(defined & (unclear | (count > most)))
        p_values.append(np.where(defined & ~unclear, count / (len(farthest) + 1), np.nan))
    return BestAlong(members[0], p_values[0], members[1], p_values[1])


def _at_point(
    loss: FloatArray, drawn: FloatArray, defined: BoolArray, factor: float, farthest: FloatArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """T, how many replicates lie as far, and whether nothing can be said, of every model (shape (K,)).

    ``farthest`` (shape (M,)) takes the largest distances of any pair.
    """
    t, constant = np.zeros(len(loss)), np.zeros(len(loss), dtype=bool)
    own = np.zeros_like(drawn)
    models = np.flatnonzero(defined).tolist()
    for place, k in enumerate(models):
        for j in models[place + 1 :]:
            gap = float(loss[k] - loss[j])
            gap = 0.0 if abs(gap) < ZERO else gap
            distance = _standardised(drawn[k] - drawn[j])
            if distance is None:
                constant[k] |= gap > 0
                constant[j] |= gap < 0
                continue
            away, se = distance
            t[k], t[j] = max(t[k], gap / (factor * se)), max(t[j], -gap / (factor * se))
            np.maximum(own[k], away, out=own[k])
            np.negative(away, out=away)
            np.maximum(own[j], away, out=own[j])
    np.maximum(farthest, own.max(axis=0, initial=0.0), out=farthest)
    beyond = (own >= t[:, None] * (1 - SLACK)).sum(axis=1)
    return t, beyond, constant & (t == 0)


def _standardised(difference: FloatArray) -> tuple[FloatArray, float] | None:
    """Distances from the mean in standard deviations (ddof 1), and the deviation; None without spread."""
    if len(difference) < 2:
        return None
    mean = difference.mean()
    widest = float(np.ptp(difference))
    if widest <= ZERO * max(1.0, abs(float(difference.max()))):
        return None
    difference -= mean
    se = math.sqrt(float(difference @ difference) / (len(difference) - 1))
    difference /= se
    return difference, se
