"""Criteria of FAR and FRR, and the papers' criterion of precision and recall: all exact on integers."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.contents import parameter, show_value, word
from reporting.core.criteria.criterion import Criterion, criterion
from reporting.core.stats import choice, prediction, steps
from reporting.core.stats.choice import Choice, How, Staircases
from reporting.core.stats.special import logit
from reporting.core.stats.staircase import Ties
from reporting.errors import TooFewError

COSTS = (
    parameter("p_target", 0.5, 1e-12, 1 - 1e-12),
    parameter("c_miss", 1.0, 1e-12, 1e12),
    parameter("c_fa", 1.0, 1e-12, 1e12),
)
HOW = word("how", "nearest", "at_most")


def _min_dcf(rows: Staircases, ties: Ties, p_target: float, c_miss: float, c_fa: float) -> Choice:
    return choice.least_cost(rows, ties, c_fa * (1 - p_target), c_miss * p_target)


def _target_far(rows: Staircases, ties: Ties, far: float | FloatArray, how: How = "at_most") -> Choice:
    return choice.choose_rate(rows, "far", far, how)


def _target_frr(rows: Staircases, ties: Ties, frr: float | FloatArray, how: How) -> Choice:
    return choice.choose_rate(rows, "frr", frr, how)


WEIGHTED_ERROR = criterion(
    "weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    select=choice.weighted_error,
    exact_steps=steps.weighted_error_steps,
    swept="alpha",
)
PRECISION_RECALL = criterion(
    "precision_recall",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    select=steps.precision_recall,
    exact_steps=steps.precision_recall_steps,
    swept="alpha",
)
TARGET_FAR = criterion(
    "target_far",
    parameters=(parameter("far", 0.01, 0.0, 1.0), HOW),
    select=_target_far,
    exact_steps=steps.target_far_steps,
    swept="far",
)
TARGET_FRR = criterion(
    "target_frr",
    parameters=(parameter("frr", 0.01, 0.0, 1.0), HOW),
    select=_target_frr,
    exact_steps=steps.target_frr_steps,
    swept="frr",
)
MIN_HTER = criterion("min_hter", select=choice.weighted_error)
MIN_DCF = criterion("min_dcf", parameters=COSTS, always_said=("p_target",), select=_min_dcf)
EER = criterion("eer", select=choice.equal_error)


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


BAYES = criterion(
    "bayes",
    parameters=COSTS,
    always_said=("p_target",),
    threshold=_bayes,
    on="llr",
    swept="alpha",
    has_oracle=False,
)
FIXED = criterion(
    "fixed", parameters=(parameter("threshold", 0.0),), threshold=_fixed, on="score", has_oracle=False
)


WORST_FAR = criterion(
    "worst_far",
    parameters=(parameter("far", 0.05, 0.0, 1.0),),
    select=_target_far,
    of_each=True,
    has_oracle=False,
)

CONFIDENCE = parameter("confidence", 0.95, 1e-9, 1 - 1e-9)


def _guarantee_far(
    rows: Staircases, ties: Ties, far: float, confidence: float, share: float | None = None
) -> Choice:
    name, n = GUARANTEE.at(far=far, confidence=confidence), rows.n_nontarget
    allowed = _allowed(name, n, "non-targets", far, confidence, share)
    return choice.choose_rate(rows, "far", allowed / n, "at_most")


def _guarantee_frr(
    rows: Staircases, ties: Ties, frr: float, confidence: float, share: float | None = None
) -> Choice:
    name, n = GUARANTEE_FRR.at(frr=frr, confidence=confidence), rows.n_target
    allowed = _allowed(name, n, "targets", frr, confidence, share)
    return choice.choose_rate(rows, "frr", allowed / n, "at_most")


def _allowed(
    criterion: Criterion, n: IntArray, trials: str, rate: float, confidence: float, share: float | None
) -> IntArray:
    """Return how many errors are allowed among the n trials of each row, or, with ``share``, clusters."""
    if share:
        trials, rate = f"clusters of {trials}", rate * share
    errors = np.array([prediction.guaranteed_errors(int(size), rate, confidence) for size in n[:, 0]])
    if errors.min() < 0:
        raise _too_few(criterion, int(n.min()), trials, prediction.trials_for_guarantee(rate, confidence))
    return errors[:, None]


def _too_few(criterion: Criterion, n: int, trials: str, needed: int) -> TooFewError:
    parameters = ", ".join(f"{p.name}={show_value(p.value)}" for p in criterion.parameters)
    return TooFewError(
        f"{criterion.key!r} ({parameters}): the development set has {n} {trials}; at least {needed} are"
        " needed"
    )


def _guarantee_precision(
    rows: Staircases, ties: Ties, precision: float, confidence: float, share: float | None = None
) -> Choice:
    n, needed = (
        int((rows.n_target + rows.n_nontarget).min()),
        prediction.trials_for_precision(precision, confidence),
    )
    if n < needed:
        criterion = GUARANTEE_PRECISION.at(precision=precision, confidence=confidence)
        raise _too_few(criterion, n, "trials" if share is None else "trials, one of each cluster", needed)
    accepted = rows.n_target - rows.misses + rows.false_alarms
    cut = prediction.precise_cut(accepted, rows.false_alarms, precision, confidence)
    return Choice(cut[:, None], np.ones((len(cut), 1), dtype=np.int64))


guarantee = partial(criterion, has_oracle=False, same_weights=True)
GUARANTEE = guarantee(
    "guarantee",
    parameters=(parameter("far", 0.01, 1e-9, 1 - 1e-9), CONFIDENCE),
    select=_guarantee_far,
    whole_clusters="nontarget",
)
GUARANTEE_FRR = guarantee(
    "guarantee_frr",
    parameters=(parameter("frr", 0.01, 1e-9, 1 - 1e-9), CONFIDENCE),
    select=_guarantee_frr,
    whole_clusters="target",
)
GUARANTEE_PRECISION = guarantee(
    "guarantee_precision",
    parameters=(parameter("precision", 0.9, 1e-6, 1 - 1e-6), CONFIDENCE),
    select=_guarantee_precision,
    whole_clusters="drawn",
    own_share=True,
)
