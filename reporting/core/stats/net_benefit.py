"""Net benefit along threshold probabilities, standardised too, and how little its limits may claim to know.

Errors are counts at G thresholds (shape (..., G)), class sizes of shape (..., 1) or numbers. The share of
targets is that of the trials unless one is declared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.core.stats.rates import net_benefit_of_rates, ratio


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
