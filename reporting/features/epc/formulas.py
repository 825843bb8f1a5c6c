"""The models in contention along a curve, and the errors to expect on test."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray, IntArray
from reporting.core.stats.intervals import ZERO
from reporting.core.stats.multiplicity import SLACK
from reporting.core.stats.prediction import beta_binomial


class BestAlong(NamedTuple):
    """Whether each model is in contention and its one-sided p-value, all of shape (A, K).

    ``member`` and ``p`` hold at each point alone, ``member_joint`` and ``p_joint`` at all jointly.
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
    """Return the models in contention along A points; the lower a loss the better.

    ``losses`` has shape (A, K); ``replicates`` yields (K, M) point by point, of draws that all points share.
    With d* the resamples of L_k - L_j less their mean, T_kj = (L_k - L_j) / (factor SD(d*)), T_k the
    largest of them and 0, T*_kj = d* / SD(d*): p_k = (1 + #{max over j of T*_kj >= T_k}) / (M + 1).
    p_joint_k counts max |T*_ij| over all pairs and all points instead, with ``factor_joint``: every model
    that is the best at some point stays there, at all points together, with probability ``level``. Of two
    models that is the simultaneous band of their difference. p_joint >= p. Factors are what clusters add to
    the reach of an interval. A model leaves where its p is at most 1 - level. One that is worse only by what
    never varies stays with p NaN; an undefined one is no member, with p NaN. Gupta 1965; Hsu 1981; methods
    10.
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
    """T, how many resamples lie as far, and whether there is no answer, of every model (shape (K,)).

    ``farthest`` (shape (M,)) takes the largest distances of any pair.
    """
    taking, value = drawn[defined], loss[defined]
    centred = taking - taking.mean(axis=1, keepdims=True)
    own, least = np.zeros_like(centred), np.zeros_like(centred)
    largest, constant = np.zeros(len(value)), np.zeros(len(value), dtype=bool)
    near = ZERO * max(1.0, 2 * float(np.abs(taking).max(initial=0.0)))
    for k in range(len(value) - 1):
        for start in range(k + 1, len(value), ROWS):
            others = slice(start, start + ROWS)
            gap: FloatArray = value[k] - value[others]
            gap[np.abs(gap) < ZERO] = 0.0
            away = centred[k] - centred[others]
            se = np.sqrt(np.einsum("jm,jm->j", away, away) / max(away.shape[1] - 1, 1))
            for j in np.flatnonzero(se <= near).tolist():
                if _is_constant(taking[k] - taking[start + j]):
                    constant[k] |= gap[j] > 0
                    constant[start + j] |= gap[j] < 0
                    away[j], se[j], gap[j] = 0.0, 1.0, 0.0
            away /= se[:, None]
            distance = gap / (factor * se)
            largest[k] = max(largest[k], float(distance.max()))
            np.maximum(largest[others], -distance, out=largest[others])
            np.maximum(own[k], away.max(axis=0), out=own[k])
            np.minimum(least[others], away, out=least[others])
    np.maximum(own, -least, out=own)
    np.maximum(farthest, own.max(axis=0, initial=0.0), out=farthest)
    t, beyond, unclear = (
        np.zeros(len(loss)),
        np.full(len(loss), len(farthest)),
        np.zeros(len(loss), dtype=bool),
    )
    t[defined], unclear[defined] = largest, constant & (largest == 0)
    beyond[defined] = (own >= largest[:, None] * (1 - SLACK)).sum(axis=1)
    return t, beyond, unclear


ROWS = 32
"""So many differences are taken in the same array operations: they stay in the cache."""


def _is_constant(difference: FloatArray) -> bool:
    """Return whether resamples (shape (M,)) of a difference are all equal."""
    widest = float(np.ptp(difference)) if len(difference) > 1 else 0.0
    return widest <= ZERO * max(1.0, abs(float(difference.max(initial=-np.inf))))


def predicted_errors(errors: Any, n: Any, n_new: int, level: float = 0.95) -> tuple[IntArray, IntArray]:
    """Return the limits of the errors of ``n_new`` trials after ``errors`` of ``n`` on the development set.

    Equal-tailed quantiles, inclusive, of BetaBinomial(n_new; k + 1/2, n - k + 1/2): k of n non-targets
    accepted (or targets rejected) at a threshold chosen there. Free of the distribution of the scores, as
    long as scores are continuous and both sets are alike. Any shapes that broadcast; n > 0. Methods 7.8.
    """
    errors, n = np.broadcast_arrays(np.asarray(errors, dtype=np.int64), np.asarray(n, dtype=np.int64))
    distinct, inverse = np.unique(np.stack([errors.ravel(), n.ravel()]), axis=1, return_inverse=True)
    tail = (1 - level) / 2
    limits = np.array(
        [
            beta_binomial_quantiles(np.array([tail, 1 - tail]), n_new, k + 0.5, m - k + 0.5)
            for k, m in distinct.T.tolist()
        ],
        dtype=np.int64,
    ).reshape(-1, 2)[inverse.ravel()]
    return limits[:, 0].reshape(errors.shape), limits[:, 1].reshape(errors.shape)


def beta_binomial_quantiles(q: FloatArray, n: int, a: float, b: float) -> IntArray:
    """Return the smallest x with P(X <= x) >= q for X ~ BetaBinomial(n; a, b); q inside (0, 1)."""
    first, chance = beta_binomial(n, a, b)
    total = np.cumsum(chance)
    return np.asarray(first + np.searchsorted(total, q * total[-1], side="left"), dtype=np.int64)
