"""Criteria that need no dev set: thresholds given by priors and costs, or by a number."""

from __future__ import annotations

import math

from scipy.special import logit

from reporting.contents import parameter
from reporting.criteria.criterion import Criterion
from reporting.criteria.rates import COSTS
from reporting.stats.staircase import FloatArray


def _bayes(
    p_target: float = 0.5, c_miss: float = 1.0, c_fa: float = 1.0, alpha: float | FloatArray | None = None
) -> float | FloatArray:
    """log[c_fa (1 - p) / (c_miss p)]; with ``alpha``, the weight of FAR that they come to, its logit."""
    if alpha is not None:
        return logit(alpha)
    # As in the actual detection cost, to the last bit: a score at the threshold itself is accepted by both.
    return math.log(c_fa * (1 - p_target) / (c_miss * p_target))


def _fixed(threshold: float) -> float:
    return threshold


BAYES = Criterion(
    key="bayes",
    parameters=COSTS,
    label="Bayes threshold",
    threshold=_bayes,
    on="llr",
    swept="alpha",
    has_oracle=False,
    definition="the log likelihood ratio log[c_fa (1 - p_target) / (c_miss p_target)]; along a curve,"
    " logit alpha",
    source="Brümmer, du Preez 2006, doi:10.1016/j.csl.2005.08.001",
)
FIXED = Criterion(
    key="fixed",
    parameters=(parameter("threshold", 0.0),),
    label="fixed threshold {threshold}",
    threshold=_fixed,
    on="score",
    has_oracle=False,
    definition="the given score, whatever the data",
    source="the config",
)
