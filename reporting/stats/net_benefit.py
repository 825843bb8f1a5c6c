"""The net benefit of acting on a probability (decision curve analysis)."""

from __future__ import annotations

from typing import Any

import numpy as np

from reporting.stats.staircase import FloatArray


def net_benefit(p_miss: Any, p_fa: Any, prevalence: Any, probability: Any) -> FloatArray:
    """Return pi TPR - (1 - pi) FPR p / (1 - p): targets found per trial, false alarms set off against them.

    ``probability`` p in (0, 1) is the threshold at which one is just willing to act: a false alarm then
    weighs p / (1 - p) targets. At most pi, higher is better; acting on nobody has 0. With the sample's
    own prevalence this is TP/N - FP/N p / (1 - p). Arguments broadcast; NaN where a rate is NaN.
    Source: Vickers, Elkin (2006), Decision curve analysis.
    """
    prevalence = np.asarray(prevalence, dtype=np.float64)
    probability = np.asarray(probability, dtype=np.float64)
    odds = probability / (1 - probability)
    return np.asarray(prevalence * np.subtract(1.0, p_miss) - (1 - prevalence) * np.asarray(p_fa) * odds)
