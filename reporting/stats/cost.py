"""The detection cost at a threshold, from counts: a weighted sum of the two error rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray
from reporting.stats.sweep import cost_unit


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

    ``normalised`` divides by ``cost_unit``: where the value is above 1 with ``norm=trivial``, deciding
    without scores costs less. Methods 4.4.
    """
    far_weight, frr_weight = cost_weights(p_target, c_miss, c_fa, normalised, norm)
    return np.asarray(far_weight * ratio(false_alarms, n_nontarget) + frr_weight * ratio(misses, n_target))


def cost_weights(
    p_target: float, c_miss: float, c_fa: float, normalised: bool, norm: str
) -> tuple[float, float]:
    """Return ``(w_far, w_frr)`` of the detection cost ``w_far FAR + w_frr FRR``."""
    unit = cost_unit(p_target, c_miss, c_fa, normalised, norm)
    return c_fa * (1 - p_target) / unit, c_miss * p_target / unit
