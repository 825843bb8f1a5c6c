"""FRR at a FAR whose threshold comes from the very same trials: its spread (methods 5.4).

The threshold moves with the non-targets drawn, and carries the FRR along. A binomial interval knows
nothing of that: at FAR .001 of 10 000 non-targets it covers the truth in 43 % of samples.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.rates import ratio
from reporting.stats.staircase import FloatArray, Staircase


def frr_at_far_variance(
    frr: Any, far: Any, density_ratio: Any, n_target: Any, n_nontarget: Any
) -> FloatArray:
    """Variance FRR (1 - FRR) / N1 + (f1 / f0)^2 x (1 - x) / N0 of FRR at FAR = x, trials independent.

    ``density_ratio`` is f1 / f0, the likelihood ratio of targets to non-targets at the threshold. All
    arguments broadcast. Nonnegative; NaN with an empty class. First order: N0 x false alarms should not
    be few. Methods 5.4.
    """
    frr, far = np.asarray(frr, dtype=np.float64), np.asarray(far, dtype=np.float64)
    ratio_squared = np.asarray(density_ratio, dtype=np.float64) ** 2
    return ratio(frr * (1 - frr), n_target) + ratio_squared * ratio(far * (1 - far), n_nontarget)


def density_ratio(staircase: Staircase, far: float) -> float:
    """f1 / f0 at FAR = x, 0 < x < 1: the slope |dFRR / dFAR| of the hull edge there, exp of its local LLR.

    At a vertex the mean of its two edges: the threshold moves either way. In [0, inf); NaN with an empty
    class and outside (0, 1). Methods 4.2, 5.4.
    """
    n1, n0 = staircase.n_target, staircase.n_nontarget
    if n1 == 0 or n0 == 0 or not 0 < far < 1:
        return float("nan")
    alarms, misses = staircase.false_alarms[staircase.hull], staircase.misses[staircase.hull]
    wanted, slack = far * n0, 1e-12 * n0
    # Only a vertical edge has no width, and it stands at FAR 0, outside.
    holds = (alarms[:-1] >= wanted - slack) & (alarms[1:] <= wanted + slack) & (alarms[:-1] > alarms[1:])
    slopes = np.diff(misses)[holds] / n1 / (-np.diff(alarms)[holds] / n0)
    return float(slopes.mean())


def frr_at_far_se(staircase: Staircase, far: float) -> float:
    """Standard error of FRR@FAR = x where the threshold is read off the same trials: 0 < x < 1.

    ``frr_at_far_variance`` with FRR at the cut of the largest FAR <= x (methods 5.2) and f1 / f0 from the
    hull. NaN with an empty class and outside (0, 1). 0 where no target lies below the threshold and the hull
    is flat there: then the interval is not to be built on it. Methods 5.4.
    """
    ratio_there = density_ratio(staircase, far)
    if np.isnan(ratio_there):
        return float("nan")
    n1, n0 = staircase.n_target, staircase.n_nontarget
    allowed = staircase.false_alarms <= far * n0 * (1 + 1e-12)
    frr = staircase.misses[int(np.argmax(allowed))] / n1
    return float(np.sqrt(frr_at_far_variance(frr, far, ratio_there, n1, n0)))
