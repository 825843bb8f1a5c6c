"""Criteria of FAR and FRR, and the papers' criterion of precision and recall: all exact on integers."""

from __future__ import annotations

import math

import numpy as np

from reporting.base.arrays import FloatArray, IntArray
from reporting.base.contents import parameter, show_value, word
from reporting.core.criteria.criterion import Criterion
from reporting.core.stats import steps
from reporting.core.stats.choice import (
    Choice,
    How,
    Staircases,
    choose_rate,
    equal_error,
    weighted_error,
)
from reporting.core.stats.prediction import guaranteed_errors, trials_for_guarantee
from reporting.core.stats.special import logit
from reporting.core.stats.staircase import Ties
from reporting.core.stats.steps import precision_recall
from reporting.errors import TooFewError

SOURCE = "Bengio, Mariethoz, Keller: The expected performance curve"
COSTS = (
    parameter("p_target", 0.5, 1e-12, 1 - 1e-12),
    parameter("c_miss", 1.0, 1e-12, 1e12),
    parameter("c_fa", 1.0, 1e-12, 1e12),
)
HOW = word("how", "nearest", "at_most")


def _min_hter(rows: Staircases, ties: Ties) -> Choice:
    return weighted_error(rows, ties, 0.5)


def _min_dcf(rows: Staircases, ties: Ties, p_target: float, c_miss: float, c_fa: float) -> Choice:
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    return weighted_error(rows, ties, fa_weight / (fa_weight + miss_weight))


def _precision_recall(rows: Staircases, ties: Ties, alpha: float | FloatArray) -> Choice:
    return precision_recall(rows, alpha)


def _equal_error(rows: Staircases, ties: Ties) -> Choice:
    return equal_error(rows)


def _target_far(rows: Staircases, ties: Ties, far: float | FloatArray, how: How = "at_most") -> Choice:
    return choose_rate(rows, "far", far, how)


def _target_frr(rows: Staircases, ties: Ties, frr: float | FloatArray, how: How) -> Choice:
    return choose_rate(rows, "frr", frr, how)


WEIGHTED_ERROR = Criterion(
    key="weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    name="minimum weighted error",
    label="minimum weighted error",
    rule="minimising the weighted error",
    select=weighted_error,
    exact_steps=steps.weighted_error_steps,
    swept="alpha",
    definition="the threshold minimising alpha FAR + (1 - alpha) FRR",
    source=f"{SOURCE}, eq. (10)",
)
PRECISION_RECALL = Criterion(
    key="precision_recall",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    name="maximum weighted precision and recall",
    label="maximum weighted precision and recall",
    rule="maximising weighted precision and recall",
    select=_precision_recall,
    exact_steps=steps.precision_recall_steps,
    swept="alpha",
    definition="the threshold maximising alpha precision + (1 - alpha) recall",
    source=f"{SOURCE}, eq. (11)",
)
TARGET_FAR = Criterion(
    key="target_far",
    parameters=(parameter("far", 0.01, 0.0, 1.0), HOW),
    name="FAR at a target",
    label="FAR {how} {far}",
    rule="with FAR {how} {far}",
    select=_target_far,
    exact_steps=steps.target_far_steps,
    swept="far",
    definition="the threshold whose FAR is nearest to a target (how=at_most: of those not above it), then the"
    " smaller FAR, then the smaller FRR",
    source=f"{SOURCE}, eq. (12)",
)
TARGET_FRR = Criterion(
    key="target_frr",
    parameters=(parameter("frr", 0.01, 0.0, 1.0), HOW),
    name="FRR at a target",
    label="FRR {how} {frr}",
    rule="with FRR {how} {frr}",
    select=_target_frr,
    exact_steps=steps.target_frr_steps,
    swept="frr",
    definition="the threshold whose FRR is nearest to a target (how=at_most: of those not above it), then the"
    " smaller FRR, then the smaller FAR",
    source=f"{SOURCE}, eq. (13)",
)
MIN_HTER = Criterion(
    key="min_hter",
    name="minimum HTER",
    label="minimum HTER",
    rule="minimising HTER",
    select=_min_hter,
    definition="the threshold minimising (FAR + FRR) / 2",
    source=f"{SOURCE}, eq. (7)",
)
MIN_DCF = Criterion(
    key="min_dcf",
    parameters=COSTS,
    name="minimum detection cost",
    label="minimum DCF",
    rule="minimising DCF",
    always_said=("p_target",),
    select=_min_dcf,
    definition="the threshold minimising c_miss p_target FRR + c_fa (1 - p_target) FAR",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, de Villiers",
)
EER = Criterion(
    key="eer",
    name="equal error rates",
    label="EER",
    rule="with equal FAR and FRR",
    select=_equal_error,
    definition="the threshold minimising |FAR - FRR|, then FAR + FRR, then FAR",
    source=f"{SOURCE}, eq. (8)",
)


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
    name="Bayes threshold",
    label="Bayes threshold",
    always_said=("p_target",),
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
    name="fixed threshold",
    label="fixed threshold {threshold}",
    threshold=_fixed,
    on="score",
    has_oracle=False,
    definition="the given score, whatever the data",
    source="the config",
)


WORST_FAR = Criterion(
    key="worst_far",
    parameters=(parameter("far", 0.05, 0.0, 1.0),),
    name="highest FAR of any attack within a limit",
    label="highest FAR of at most {far}",
    rule="with FAR of at most {far} for every group of non-targets",
    select=_target_far,
    of_each=True,
    has_oracle=False,
    definition="the lowest threshold at which FAR is at most a limit in every group of the breakdowns that"
    " describe non-targets, such as by: [{attack: nontarget}]: the highest of the groups' thresholds",
    source="ISO/IEC 30107-3:2023, APCER of the most successful species",
)

WILKS = "Wilks 1941: Determination of sample sizes for setting tolerance limits"
CONFIDENCE = parameter("confidence", 0.95, 1e-9, 1 - 1e-9)


def _guarantee_far(
    rows: Staircases, ties: Ties, far: float, confidence: float, share: float | None = None
) -> Choice:
    name, n = GUARANTEE.at(far=far, confidence=confidence), rows.n_nontarget
    return choose_rate(rows, "far", _allowed(name, n, "non-targets", far, confidence, share) / n, "at_most")


def _guarantee_frr(
    rows: Staircases, ties: Ties, frr: float, confidence: float, share: float | None = None
) -> Choice:
    name, n = GUARANTEE_FRR.at(frr=frr, confidence=confidence), rows.n_target
    return choose_rate(rows, "frr", _allowed(name, n, "targets", frr, confidence, share) / n, "at_most")


def _allowed(
    criterion: Criterion, n: IntArray, trials: str, rate: float, confidence: float, share: float | None
) -> IntArray:
    """Return how many errors are allowed among the n trials of each row, or, with ``share``, clusters."""
    if share:
        trials, rate = f"clusters of {trials}", rate * share
    errors = np.array([guaranteed_errors(int(size), rate, confidence) for size in n[:, 0]])
    if errors.min() < 0:
        needed = trials_for_guarantee(rate, confidence)
        parameters = ", ".join(f"{p.name}={show_value(p.value)}" for p in criterion.parameters)
        raise TooFewError(
            f"{criterion.key!r} ({parameters}): the development set has {n.min()} {trials}; at least {needed}"
            f" are needed"
        )
    return errors[:, None]


GUARANTEE = Criterion(
    key="guarantee",
    parameters=(parameter("far", 0.01, 1e-9, 1 - 1e-9), CONFIDENCE),
    name="FAR limit with stated confidence",
    label="FAR of at most {far} with {confidence} confidence",
    rule="guaranteeing FAR of at most {far} with {confidence} confidence",
    select=_guarantee_far,
    has_oracle=False,
    same_weights=True,
    whole_clusters="nontarget",
    definition="the lowest threshold above which the true FAR is at most a limit with a stated confidence,"
    " whatever the distribution of the scores, for independent trials or clusters: a cluster counts as one"
    " error if it has any, and where clusters differ in size the limit is lowered by their mean size over the"
    " largest",
    source=WILKS,
)
GUARANTEE_FRR = Criterion(
    key="guarantee_frr",
    parameters=(parameter("frr", 0.01, 1e-9, 1 - 1e-9), CONFIDENCE),
    name="FRR limit with stated confidence",
    label="FRR of at most {frr} with {confidence} confidence",
    rule="guaranteeing FRR of at most {frr} with {confidence} confidence",
    select=_guarantee_frr,
    has_oracle=False,
    same_weights=True,
    whole_clusters="target",
    definition="the highest threshold below which the true FRR is at most a limit with a stated confidence,"
    " whatever the distribution of the scores, for independent trials or clusters, as of guarantee",
    source=WILKS,
)
