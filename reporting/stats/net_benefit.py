"""Net benefit along threshold probabilities, standardised too, and how little its limits may claim to know.

Errors are counts at G thresholds (shape (..., G)), class sizes of shape (..., 1) or numbers. The share of
targets is that of the trials unless one is declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.stats.rates import net_benefit_of_rates, ratio
from reporting.stats.roc_bands import least_errors
from reporting.stats.staircase import FloatArray, IntArray


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


def least_spread(
    p_miss: FloatArray,
    p_fa: FloatArray,
    n_target: int,
    n_nontarget: int,
    share: float,
    probability: FloatArray,
) -> FloatArray:
    """Return the least standard error of a net benefit that is believed (shape (G,)), the share being known.

    That of two rates by Agresti and Coull (``least_errors``): with few false alarms replicates hardly differ,
    and one more may weigh much.
    """
    return _spread(least_errors(1 - p_miss, n_target), least_errors(p_fa, n_nontarget), share, probability)


def least_paired_spread(
    targets: FloatArray,
    nontargets: FloatArray,
    n_target: int,
    n_nontarget: int,
    share: float,
    probability: FloatArray,
) -> FloatArray:
    """Return the same of the difference of two models that decide these shares of each class differently.

    Of each class sqrt(q / (n + 4)), with q = (n times its share + 2) / (n + 4).
    """
    differ = ((targets, n_target), (nontargets, n_nontarget))
    hits, alarms = (np.sqrt((n * of_class + 2) / (n + 4) / (n + 4)) for of_class, n in differ)
    return _spread(hits, alarms, share, probability)


def _spread(hits: FloatArray, alarms: FloatArray, share: float, probability: FloatArray) -> FloatArray:
    odds = probability / (1 - probability)
    return np.asarray(np.hypot(share * hits, (1 - share) * odds * alarms))


@dataclass(frozen=True)
class BenefitReader:
    """Reads net benefits off replicates of cells of trials.

    ``cut`` is that of every threshold probability around the cells (shape (G,)).
    """

    cut: IntArray
    probability: FloatArray
    prevalence: float | None

    def __call__(self, misses: Any, false_alarms: Any) -> FloatArray:
        """Return both benefits (shape (M, 2, G)) from errors at cuts around the cells (shape (M, B + 1))."""
        at = misses[:, self.cut], false_alarms[:, self.cut]
        sizes = misses[:, -1:], false_alarms[:, :1]
        return net_benefits(*at, *sizes, self.probability, self.prevalence)
