"""Criteria of FAR and FRR, and the papers' criterion of precision and recall: all exact on integers."""

from __future__ import annotations

from reporting.contents import parameter, word
from reporting.criteria.criterion import Criterion
from reporting.stats import steps
from reporting.stats.selection import (
    Choice,
    How,
    choose_level,
    equal_error,
    far_levels,
    frr_levels,
    weighted_error,
)
from reporting.stats.staircase import FloatArray, Staircase, Ties
from reporting.stats.steps import precision_recall

SOURCE = "Bengio, Mariethoz, Keller: The expected performance curve"
COSTS = (
    parameter("p_target", 0.5, 1e-12, 1 - 1e-12),
    parameter("c_miss", 1.0, 1e-12, 1e12),
    parameter("c_fa", 1.0, 1e-12, 1e12),
)
HOW = word("how", "nearest", "at_most")


def _min_hter(staircase: Staircase, ties: Ties) -> Choice:
    return weighted_error(staircase, ties, 0.5)


def _min_dcf(staircase: Staircase, ties: Ties, p_target: float, c_miss: float, c_fa: float) -> Choice:
    return weighted_error(staircase, ties, _dcf_weight(p_target, c_miss, c_fa))


def _dcf_weight(p_target: float, c_miss: float, c_fa: float) -> float:
    miss_weight, fa_weight = c_miss * p_target, c_fa * (1 - p_target)
    return fa_weight / (fa_weight + miss_weight)


def _own_weight(alpha: float | FloatArray) -> float | FloatArray:
    return alpha


def _half() -> float:
    return 0.5


def _precision_recall(staircase: Staircase, ties: Ties, alpha: float | FloatArray) -> Choice:
    return precision_recall(staircase, alpha)


def _target_far(staircase: Staircase, ties: Ties, far: float | FloatArray, how: How) -> Choice:
    return choose_level(staircase, far_levels(staircase), far, how)


def _target_frr(staircase: Staircase, ties: Ties, frr: float | FloatArray, how: How) -> Choice:
    return choose_level(staircase, frr_levels(staircase), frr, how)


WEIGHTED_ERROR = Criterion(
    key="weighted_error",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    label="min weighted error",
    select=weighted_error,
    weight=_own_weight,
    exact_steps=steps.weighted_error_steps,
    swept="alpha",
    definition="the cut minimising alpha FAR + (1 - alpha) FRR",
    source=f"{SOURCE}, eq. (10)",
)
PRECISION_RECALL = Criterion(
    key="precision_recall",
    parameters=(parameter("alpha", 0.5, 0.0, 1.0),),
    label="max weighted precision and recall",
    select=_precision_recall,
    exact_steps=steps.precision_recall_steps,
    swept="alpha",
    definition="the cut maximising alpha precision + (1 - alpha) recall",
    source=f"{SOURCE}, eq. (11)",
)
TARGET_FAR = Criterion(
    key="target_far",
    parameters=(parameter("far", 0.01, 0.0, 1.0), HOW),
    label="FAR nearest to {far}",
    select=_target_far,
    exact_steps=steps.target_far_steps,
    swept="far",
    definition="the cut whose FAR is nearest to a target (how=at_most: of those not above it), then the"
    " smaller FAR, then the smaller FRR",
    source=f"{SOURCE}, eq. (12)",
)
TARGET_FRR = Criterion(
    key="target_frr",
    parameters=(parameter("frr", 0.01, 0.0, 1.0), HOW),
    label="FRR nearest to {frr}",
    select=_target_frr,
    exact_steps=steps.target_frr_steps,
    swept="frr",
    definition="the cut whose FRR is nearest to a target (how=at_most: of those not above it), then the"
    " smaller FRR, then the smaller FAR",
    source=f"{SOURCE}, eq. (13)",
)
MIN_HTER = Criterion(
    key="min_hter",
    label="min HTER",
    select=_min_hter,
    weight=_half,
    definition="the cut minimising (FAR + FRR) / 2",
    source=f"{SOURCE}, eq. (7)",
)
MIN_DCF = Criterion(
    key="min_dcf",
    parameters=COSTS,
    label="min DCF",
    select=_min_dcf,
    weight=_dcf_weight,
    definition="the cut minimising c_miss p_target FRR + c_fa (1 - p_target) FAR",
    source="NIST Speaker Recognition Evaluation plans; Brümmer, de Villiers",
)
EER = Criterion(
    key="eer",
    label="EER",
    select=equal_error,
    definition="the cut minimising |FAR - FRR|, then FAR + FRR, then FAR",
    source=f"{SOURCE}, eq. (8)",
)
