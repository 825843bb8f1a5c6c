"""The decision curve: net benefit of acting on probabilities, along the probability at which one acts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reporting.curves.scores import Scaled
from reporting.stats.rates import net_benefit_of_rates, ratio
from reporting.stats.staircase import FloatArray, cumulate, cut_at


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit by threshold probability .01, .02, ... .99 (shape (99,)); NaN with an empty class."""

    probability: FloatArray
    net_benefit: FloatArray
    treat_all: FloatArray


def decision_curve(probability: Scaled, prevalence: float | None = None) -> DecisionCurve:
    """Return the net benefit of acting where the stated probability is at least the threshold.

    ``prevalence`` is the declared share of targets; None: that of these trials.
    """
    order = np.argsort(probability.value, kind="stable")
    misses, false_alarms = cumulate(probability.n_target[order], probability.n_nontarget[order])
    share = ratio(misses[-1], misses[-1] + false_alarms[0]) if prevalence is None else prevalence
    at = np.arange(1, 100) / 100
    cut = cut_at(probability.value[order], at)
    p_miss, p_fa = ratio(misses[cut], misses[-1]), ratio(false_alarms[cut], false_alarms[0])
    return DecisionCurve(
        at, net_benefit_of_rates(p_miss, p_fa, share, at), net_benefit_of_rates(0.0, 1.0, share, at)
    )
