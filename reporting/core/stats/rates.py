"""Error rates, costs and net benefits at a threshold, from counts. Undefined is NaN here, null in frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.records import dataclass


def ratio(part: Any, whole: Any) -> FloatArray:
    """Return ``part / whole`` in float64, NaN where ``whole`` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # Unsafe, because Python's own integers, of billions of trials, become floats here too.
        quotient = np.asarray(np.true_divide(part, whole, dtype=np.float64, casting="unsafe"))
    np.copyto(quotient, np.nan, where=np.equal(whole, 0).astype(np.bool_))
    return quotient


def far(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """FAR = false alarms / non-targets, in [0, 1], lower is better."""
    return ratio(false_alarms, n_nontarget)


def frr(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """FRR = misses / targets, in [0, 1], lower is better."""
    return ratio(misses, n_target)


def weighted_error(
    misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any, alpha: Any = 0.5
) -> FloatArray:
    """alpha FAR + (1 - alpha) FRR, in [0, 1], lower is better.

    Undefined where a class that has weight is empty; at alpha 0 and 1 only one class has.
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    # Whole arrays of resamples come here: zeros are set where they belong, not in copies.
    far_part = np.asarray(alpha * ratio(false_alarms, n_nontarget))
    frr_part = np.asarray((1 - alpha) * ratio(misses, n_target))
    np.copyto(far_part, 0.0, where=alpha == 0)
    np.copyto(frr_part, 0.0, where=alpha == 1)
    return np.asarray(far_part + frr_part)


def failure_to_acquire(score: FloatArray, n_target: Any, n_nontarget: Any) -> FloatArray:
    """Share of all trials whose score is -inf: rejected whatever the threshold; in [0, 1], lower is better.

    ``score`` has shape (H,), the trials at each of them (..., H). Undefined without trials.
    """
    trials = np.asarray(n_target, dtype=np.float64) + np.asarray(n_nontarget, dtype=np.float64)
    return ratio((trials * np.isneginf(score)).sum(axis=-1), trials.sum(axis=-1))


def hter(misses: Any, false_alarms: Any, n_target: Any, n_nontarget: Any) -> FloatArray:
    """(FAR + FRR) / 2, in [0, 1], lower is better; undefined with an empty class."""
    return weighted_error(misses, false_alarms, n_target, n_nontarget, 0.5)


def cost_unit(p_target: float, c_miss: float, c_fa: float, normalised: bool, norm: str) -> float:
    """Return what a detection cost is divided by; methods 4.4.

    1 where it is not normalised; min(C_miss pi, C_FA (1 - pi)), the least cost of a constant decision, for
    ``norm=trivial``; C_miss pi, the cost of rejecting all, for ``norm=miss`` (NIST from 2012 on).
    """
    if not normalised:
        return 1.0
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    return miss_weight if norm == "miss" else min(miss_weight, fa_weight)


def dcf(
    misses: Any,
    false_alarms: Any,
    n_target: Any,
    n_nontarget: Any,
    p_target: float = 0.5,
    c_miss: float = 1.0,
    c_fa: float = 1.0,
    normalised: bool = True,
    norm: str = "trivial",
) -> FloatArray:
    """C_miss pi FRR + C_FA (1 - pi) FAR, in [0, inf), lower is better; undefined with an empty class.

    ``normalised`` divides by ``cost_unit``: where the value is above 1 with ``norm=trivial``, a constant
    decision costs less. Methods 4.4.
    """
    far_weight, frr_weight = cost_weights(p_target, c_miss, c_fa, normalised, norm)
    return np.asarray(far_weight * ratio(false_alarms, n_nontarget) + frr_weight * ratio(misses, n_target))


def cost_weights(
    p_target: float, c_miss: float, c_fa: float, normalised: bool, norm: str
) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of the detection cost ``w_far FAR + w_frr FRR``."""
    unit = cost_unit(p_target, c_miss, c_fa, normalised, norm)
    return c_fa * (1 - p_target) / unit, c_miss * p_target / unit


def net_benefit_of_rates(p_miss: Any, p_fa: Any, prevalence: Any, probability: Any) -> FloatArray:
    """Return pi TPR - (1 - pi) FPR p / (1 - p): targets found per trial, false alarms set off against them.

    ``probability`` p in (0, 1) is the threshold at which one is just willing to act: a false alarm then
    weighs p / (1 - p) targets. At most pi, higher is better; treating none has 0. With the sample's
    own prevalence this is TP/N - FP/N p / (1 - p). Arguments broadcast; NaN where a rate is NaN.
    Source: Vickers, Elkin (2006), Decision curve analysis.
    """
    prevalence = np.asarray(prevalence, dtype=np.float64)
    probability = np.asarray(probability, dtype=np.float64)
    odds = probability / (1 - probability)
    return np.asarray(prevalence * np.subtract(1.0, p_miss) - (1 - prevalence) * np.asarray(p_fa) * odds)


def net_benefits(
    misses: Any,
    false_alarms: Any,
    n_target: Any,
    n_nontarget: Any,
    probability: FloatArray,
    prevalence: float | None = None,
) -> FloatArray:
    """Return net benefit and standardised net benefit: shape (..., 2, G).

    The second is the first over the share of targets: at most 1, which finding every target without a false
    alarm attains. Vickers, Elkin 2006; Kerr et al. 2016.
    """
    share = ratio(n_target, np.add(n_target, n_nontarget)) if prevalence is None else prevalence
    rates = ratio(misses, n_target), ratio(false_alarms, n_nontarget)
    benefit = net_benefit_of_rates(*rates, share, probability)
    return np.stack((benefit, benefit / share), axis=-2)


@dataclass(frozen=True)
class BenefitReader:
    """Reads net benefits off resamples of cells of trials.

    ``cut`` is that of every threshold probability around the cells (shape (G,)).
    """

    cut: IntArray
    probability: FloatArray
    prevalence: float | None

    def __call__(self, misses: Any, false_alarms: Any) -> FloatArray:
        """Return both benefits (shape (M, 2, G)) by errors at thresholds around cells (shape (M, B + 1))."""
        at = misses[:, self.cut], false_alarms[:, self.cut]
        sizes = misses[:, -1:], false_alarms[:, :1]
        return net_benefits(*at, *sizes, self.probability, self.prevalence)
