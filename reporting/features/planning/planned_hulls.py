"""How much smaller the chance variation of convex-hull EERs is than the asymptotic error of an EER.

A hull averages over neighbouring thresholds, the fewer trials the more, and a difference of two models more
than either. No formula is known for it at a given size; it is simulated, always with the same numbers.
"""

from __future__ import annotations

import math

import numpy as np

from reporting.base.arrays import BoolArray, FloatArray
from reporting.core.stats.special import ndtri
from reporting.core.stats.sweep import eer_rocch

DRAWS, MOST, SEED = 2000, 2000, 17
"""Simulated tables; trials of a class that are drawn at most; the seed."""
AT_ONCE = 100


def hull_error_ratio(
    eers: tuple[float, float], correlation: float, n_target: float, n_nontarget: float
) -> float:
    """Return SD(difference of hull EERs) / SE(difference), SE the asymptotic one; mostly in [.85, 1].

    Scores are normal as in ``eer_se``, with a correlation within either class. Both are estimated on the same
    tables: SE by the mean of FAR and FRR at the true equal threshold, whose variance is that of ``eer_se``.
    With more than ``MOST`` trials in the larger class tables are smaller in proportion, and what is left to 1
    falls with the cube root of the size, as the steps that a hull averages over do (Groeneboom 1985).
    """
    smaller = min(1.0, MOST / max(n_target, n_nontarget))
    sizes = max(2, round(n_target * smaller)), max(2, round(n_nontarget * smaller))
    rng = np.random.default_rng(SEED)
    tables = [_differences(rng, eers, correlation, *sizes) for _ in range(DRAWS // AT_ONCE)]
    hull, linear = np.concatenate(tables, axis=1)
    if not linear.std():
        return 1.0
    return float(1 - (1 - hull.std() / linear.std()) * smaller ** (1 / 3))


def _differences(
    rng: np.random.Generator, eers: tuple[float, float], correlation: float, n_target: int, n_nontarget: int
) -> FloatArray:
    """Differences of the hull EERs, and of the errors at the true equal thresholds (shape (2, AT_ONCE))."""
    label = np.arange(n_target + n_nontarget) < n_target
    shape = AT_ONCE, len(label)
    common = math.sqrt(abs(correlation)) * rng.standard_normal(shape)
    hull, linear = [], []
    for model, eer in enumerate(eers):
        own = math.sqrt(1 - abs(correlation)) * rng.standard_normal(shape)
        sign = -1 if correlation < 0 and model else 1
        score = sign * common + own - 2 * float(ndtri(eer)) * label
        hull.append(_hull_eers(score, label))
        wrong = (score >= -float(ndtri(eer))) != label
        linear.append((wrong[:, label].mean(axis=1) + wrong[:, ~label].mean(axis=1)) / 2)
    return np.array([second - first for first, second in (hull, linear)])


def _hull_eers(score: FloatArray, label: BoolArray) -> FloatArray:
    """The hull EER of every row of scores, which do not tie."""
    ordered = label[np.argsort(score, axis=1)]
    misses, rejected = (np.cumsum(of_class, axis=1, dtype=np.int64) for of_class in (ordered, ~ordered))
    none = np.zeros((len(score), 1), dtype=np.int64)
    false_alarms = rejected[:, -1:] - np.hstack((none, rejected))
    return eer_rocch(np.hstack((none, misses)), false_alarms)
