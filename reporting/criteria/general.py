"""Criteria of any measures at a threshold: the best one, one at a target, two that agree, two weighted.

Where the measures are FAR and FRR, or weighted sums of them, or the papers' precision and recall, the choice
is the exact one of the criteria for these; else it is made on floats with a relative tolerance of 1e-12.
"""

from __future__ import annotations

import numpy as np

from reporting.contents import named, parameter, word
from reporting.criteria.criterion import Criterion
from reporting.criteria.rates import SOURCE
from reporting.errors import ConfigError, DataError
from reporting.measures.catalogue import read_measure
from reporting.measures.measure import Measure
from reporting.measures.threshold import BALANCED_ACCURACY, F1, FAR, FRR, HTER, PRECISION, RECALL, YOUDEN
from reporting.stats import selection
from reporting.stats.resampled_choice import Resamples, best_cuts
from reporting.stats.selection import (
    Choice,
    How,
    Levels,
    choose_level,
    equal_error,
    far_levels,
    frr_levels,
    levels_of,
    weighted_error,
)
from reporting.stats.staircase import FloatArray, IntArray, Staircase, Ties
from reporting.stats.steps import (
    Steps,
    precision_recall,
    precision_recall_steps,
    target_far_steps,
    target_frr_steps,
    target_steps,
    weighted_error_steps,
)


def _read(text: str) -> Measure:
    """Read a measure at a threshold; ConfigError for any other."""
    return _at_a_threshold(read_measure(text))


def _at_a_threshold(measure: Measure) -> Measure:
    if measure.over != "threshold":
        of = "all thresholds" if measure.over == "sweep" else "the scores"
        raise ConfigError(f"'{measure}' is computed over {of}; a criterion takes measures at a threshold")
    if measure.mixed:
        raise ConfigError(
            f"'{measure}' mixes two kinds of non-targets; write min_adcf or spoofing_error, which do so too"
        )
    return measure


def _best(staircase: Staircase, ties: Ties, measure: Measure) -> Choice:
    alpha = _alpha(measure)
    if alpha is not None:
        return weighted_error(staircase, ties, alpha)
    return selection.best(staircase, ties, _values(staircase, measure), measure.better)


def _bests(resamples: Resamples, ties: Ties, measure: Measure) -> IntArray:
    return best_cuts(resamples, ties, _formula(resamples, measure), measure.better)


def _alpha(measure: Measure) -> float | None:
    """The alpha with which a measure is best where the weighted error is least; None where it is not."""
    weights = _weights(HTER if measure in (YOUDEN, BALANCED_ACCURACY) else measure)
    return None if weights is None else weights[0] / (weights[0] + weights[1])


def _target(
    staircase: Staircase, ties: Ties, measure: Measure, value: float | FloatArray, how: How
) -> Choice:
    return choose_level(staircase, _levels(staircase, measure), value, how, measure.better)


def _break_even(staircase: Staircase, ties: Ties, v1: Measure, v2: Measure) -> Choice:
    if {v1, v2} == {FAR, FRR}:
        return equal_error(staircase, ties)
    first, second = _pair(staircase, v1, v2)
    return selection.break_even(staircase, first, second, (v1.better, v2.better))


def _weighted(
    staircase: Staircase, ties: Ties, v1: Measure, v2: Measure, alpha: float | FloatArray
) -> Choice:
    first, second = _weights(v1), _weights(v2)
    if first is not None and second is not None:
        share = np.asarray(alpha, dtype=np.float64)
        far, frr = (share * w1 + (1 - share) * w2 for w1, w2 in zip(first, second, strict=True))
        return weighted_error(staircase, ties, far / (far + frr))
    if {v1, v2} == {PRECISION, RECALL}:
        return precision_recall(staircase, alpha if v1 == PRECISION else 1 - np.asarray(alpha))
    values = _pair(staircase, v1, v2)
    return selection.weighted(staircase, ties, *values, (v1.better, v2.better), alpha)


def _weights(measure: Measure) -> tuple[float, float] | None:
    """The weights of FAR and FRR where the measure is an error that is nothing else."""
    weights = _at_a_threshold(measure).linear()
    usable = weights is not None and measure.better == "lower" and min(weights) >= 0 < max(weights)
    return weights if usable else None


def _values(staircase: Staircase, measure: Measure) -> FloatArray:
    """Return the measure at all cuts; DataError where it is undefined at every one."""
    value = np.asarray(_formula(staircase, measure), dtype=np.float64)
    if not np.isfinite(value).any():
        raise DataError(f"'{measure}' is undefined at every threshold, so none can be chosen by it")
    return value


def _pair(staircase: Staircase, v1: Measure, v2: Measure) -> tuple[FloatArray, FloatArray]:
    first, second = _values(staircase, v1), _values(staircase, v2)
    if not np.isfinite(first + second).any():
        raise DataError(
            f"'{v1}' and '{v2}' are defined at no common threshold, so none can be chosen by them"
        )
    return first, second


def _formula(at: Staircase | Resamples, measure: Measure) -> FloatArray:
    counts = (at.misses, at.false_alarms, at.n_target, at.n_nontarget)
    value: FloatArray = _at_a_threshold(measure).formula(*counts, **measure.arguments)
    return value


def _levels(staircase: Staircase, measure: Measure) -> Levels:
    if measure == FAR:
        return far_levels(staircase)
    if measure == FRR:
        return frr_levels(staircase)
    return levels_of(staircase, _values(staircase, measure))


def _target_steps(staircase: Staircase, measure: Measure, how: How) -> Steps:
    if measure == FAR:
        return target_far_steps(staircase, how)
    if measure == FRR:
        return target_frr_steps(staircase, how)
    return target_steps(staircase, _values(staircase, measure), how)


def _weighted_steps(staircase: Staircase, v1: Measure, v2: Measure) -> Steps | None:
    if (v1, v2) == (FAR, FRR):
        return weighted_error_steps(staircase)
    return precision_recall_steps(staircase) if (v1, v2) == (PRECISION, RECALL) else None


ALONG = parameter("alpha", 0.5, 0.0, 1.0)

BEST = Criterion(
    key="best",
    parameters=(named("measure", F1, _read, is_spelt_out=True),),
    name="best value of a measure",
    label="{best} {measure}",
    rule="{optimising} {measure}",
    select=_best,
    select_many=_bests,
    weight=_alpha,
    definition="the threshold at which a measure is best, then the smallest |FAR - FRR|, then the smaller"
    " FAR",
    source=f"{SOURCE}, eq. (7)",
)
TARGET = Criterion(
    key="target",
    parameters=(
        named("measure", FAR, _read),
        parameter("value", 0.1),
        word("how", "nearest", "at_most", "at_least"),
    ),
    name="measure at a target value",
    label="{measure} {how} {value}",
    rule="with {measure} {how} {value}",
    select=_target,
    exact_steps=_target_steps,
    swept="value",
    definition="the threshold at which a measure is nearest to a target value (how=at_most, at_least: of"
    " those on"
    " that side, if there are any), then the better one, then the smaller FAR + FRR, then the smaller FAR",
    source=f"{SOURCE}, eq. (12) and (13)",
)
BREAK_EVEN = Criterion(
    key="break_even",
    parameters=(named("v1", FAR, _read), named("v2", FRR, _read)),
    name="two measures nearest to each other",
    label="{v1} nearest to {v2}",
    rule="with {v1} nearest to {v2}",
    select=_break_even,
    definition="the threshold at which two measures differ least, then the better sum of the two, then the"
    " smaller FAR + FRR, then the smaller FAR",
    source=f"{SOURCE}, eq. (8)",
)
WEIGHTED = Criterion(
    key="weighted",
    parameters=(named("v1", FAR, _read), named("v2", FRR, _read), ALONG),
    name="best weighted sum of two measures",
    label="best weighted sum of {v1} and {v2}",
    rule="optimising a weighted sum of {v1} and {v2}",
    select=_weighted,
    exact_steps=_weighted_steps,
    swept="alpha",
    definition="the threshold with the best alpha V1 + (1 - alpha) V2, where what is better when higher"
    " enters with a minus, then the smallest |alpha V1 - (1 - alpha) V2|, then the smaller FAR; precision and"
    " recall are weighed as by precision_recall",
    source=f"{SOURCE}, section 4",
)
