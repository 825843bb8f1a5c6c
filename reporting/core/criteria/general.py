"""Criteria of any measures at a threshold: the best one, one at a target, two that agree, two weighted.

Where the measures are FAR and FRR, or weighted sums of them, or the papers' precision and recall, the choice
is the exact one of the criteria for these; else it is made on floats with a relative tolerance of 1e-12.
"""

from __future__ import annotations

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.contents import named, parameter, word
from reporting.core.criteria.criterion import criterion
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import BALANCED_ACCURACY, F1, FAR, FRR, HTER, PRECISION, RECALL, YOUDEN
from reporting.core.stats import choice, steps
from reporting.core.stats.choice import Choice, How, Staircases
from reporting.core.stats.staircase import Staircase, Ties
from reporting.errors import ConfigError, DataError


def _read(text: str) -> Measure:
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


def _best(rows: Staircases, ties: Ties, measure: Measure) -> Choice:
    weights = _weights(HTER if measure in (YOUDEN, BALANCED_ACCURACY) else measure)
    if weights is not None:
        return choice.least_cost(rows, ties, *weights)
    return choice.best(rows, ties, _values(rows, measure), measure.better)


def _target(rows: Staircases, ties: Ties, measure: Measure, value: float | FloatArray, how: How) -> Choice:
    if measure in (FAR, FRR):
        return choice.choose_rate(rows, "far" if measure == FAR else "frr", value, how)
    return choice.choose_level(rows, _values(rows, measure), value, how, measure.better)


def _break_even(rows: Staircases, ties: Ties, v1: Measure, v2: Measure) -> Choice:
    if {v1, v2} == {FAR, FRR}:
        return choice.equal_error(rows, ties)
    return choice.break_even(rows, *_pair(rows, v1, v2), (v1.better, v2.better))


def _weighted(rows: Staircases, ties: Ties, v1: Measure, v2: Measure, alpha: float | FloatArray) -> Choice:
    first, second = _weights(v1), _weights(v2)
    if first is not None and second is not None:
        share = np.asarray(alpha, dtype=np.float64)
        far, frr = (share * w1 + (1 - share) * w2 for w1, w2 in zip(first, second, strict=True))
        return choice.least_cost(rows, ties, far, frr)
    if {v1, v2} == {PRECISION, RECALL}:
        return steps.precision_recall(rows, ties, alpha if v1 == PRECISION else 1 - np.asarray(alpha))
    return choice.weighted(rows, ties, *_pair(rows, v1, v2), (v1.better, v2.better), alpha)


def _weights(measure: Measure) -> tuple[float, float] | None:
    """The weights of FAR and FRR where the measure is an error that is nothing else."""
    weights = _at_a_threshold(measure).linear()
    usable = weights is not None and measure.better == "lower" and min(weights) >= 0 < max(weights)
    return weights if usable else None


def _values(rows: Staircases, measure: Measure) -> FloatArray:
    """Return the measure at all thresholds, (R, n + 1); DataError where it is undefined at every one."""
    counts = rows.misses, rows.false_alarms, rows.n_target, rows.n_nontarget
    value = np.asarray(_at_a_threshold(measure).formula(*counts, **measure.arguments), dtype=np.float64)
    if not np.isfinite(value).any():
        raise DataError(f"'{measure}' is undefined at every threshold, so none can be chosen by it")
    return value


def _pair(rows: Staircases, v1: Measure, v2: Measure) -> tuple[FloatArray, FloatArray]:
    first, second = _values(rows, v1), _values(rows, v2)
    if not np.isfinite(first + second).any():
        raise DataError(
            f"'{v1}' and '{v2}' are defined at no common threshold, so none can be chosen by them"
        )
    return first, second


def _target_steps(staircase: Staircase, measure: Measure, how: How) -> steps.Steps:
    if measure == FAR:
        return steps.target_far_steps(staircase, how)
    if measure == FRR:
        return steps.target_frr_steps(staircase, how)
    return steps.target_steps(staircase, _values(Staircases.of(staircase), measure)[0], how)


def _weighted_steps(staircase: Staircase, v1: Measure, v2: Measure) -> steps.Steps | None:
    if (v1, v2) == (FAR, FRR):
        return steps.weighted_error_steps(staircase)
    return steps.precision_recall_steps(staircase) if (v1, v2) == (PRECISION, RECALL) else None


ALONG = parameter("alpha", 0.5, 0.0, 1.0)

BEST = criterion("best", parameters=(named("measure", F1, _read, is_spelt_out=True),), select=_best)
TARGET = criterion(
    "target",
    parameters=(
        named("measure", FAR, _read),
        parameter("value", 0.1),
        word("how", "nearest", "at_most", "at_least"),
    ),
    select=_target,
    exact_steps=_target_steps,
    swept="value",
)
BREAK_EVEN = criterion(
    "break_even", parameters=(named("v1", FAR, _read), named("v2", FRR, _read)), select=_break_even
)
WEIGHTED = criterion(
    "weighted",
    parameters=(named("v1", FAR, _read), named("v2", FRR, _read), ALONG),
    select=_weighted,
    exact_steps=_weighted_steps,
    swept="alpha",
)
