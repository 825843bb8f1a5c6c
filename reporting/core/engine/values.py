"""Values of measures on counts, and the reason where one is undefined."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from reporting.base.arrays import FloatArray
from reporting.base.codes import Status
from reporting.core.counts.cuts import Cuts
from reporting.core.curves.epc import Errors
from reporting.core.engine.scales import Scaling
from reporting.core.measures.measure import Measure


class Value(NamedTuple):
    """A number, NaN where it is undefined, and then the reason."""

    number: float
    status: Status | None
    ruled_out: tuple[int | None, int | None] = (None, None)
    """Targets and non-targets to which scores give probability 0, where that makes it undefined."""


def defined(number: float) -> float | None:
    """Return the number, 0 without a sign, or None where it is undefined (NaN) or infinite."""
    return float(number) + 0.0 if math.isfinite(number) else None


def status_of(number: float, n_target: int, n_nontarget: int) -> Status | None:
    """Say why a number is undefined; None where it is defined."""
    if math.isfinite(number):
        return None
    return empty_class(n_target, n_nontarget) or "degenerate"


def empty_class(n_target: int, n_nontarget: int) -> Status | None:
    """Say which class has no trials; None where both have some."""
    if n_target == 0:
        return "no_targets"
    return "no_nontargets" if n_nontarget == 0 else None


def value_over(measure: Measure, cuts: Cuts, scaling: Scaling) -> Value:
    """Return a measure over the sweep or of the scores of one set of thresholds."""
    n_target, n_nontarget = cuts.trials
    if measure.over == "scores":
        score = scaling.scores_for(measure, cuts.score)
        if score is None:
            return Value(math.nan, scaling.why_not(measure))
        number = float(measure.formula(score, cuts.n_target, cuts.n_nontarget, **measure.arguments))
        targets, nontargets = cuts.raw or (cuts.n_target, cuts.n_nontarget)
        # Targets with log odds, or a log likelihood ratio, of -inf, and non-targets with +inf.
        ruled_out = int(targets[score == -np.inf].sum()), int(nontargets[score == np.inf].sum())
        takes_logs = measure.needs in ("llr", "log_odds")  # which may be infinite
        if takes_logs and not math.isfinite(number) and n_target and n_nontarget and any(ruled_out):
            return Value(number, "ruled_out", ruled_out)
    else:
        staircase = cuts.staircase
        number = float(measure.formula(staircase.misses, staircase.false_alarms, **measure.arguments))
    if measure.of_grades:  # which a class without trials does not leave undefined
        return Value(number, None if math.isfinite(number) else measure.unreached)
    status = status_of(number, n_target, n_nontarget)
    return Value(number, measure.unreached if status == "degenerate" else status)


def values_at(measure: Measure, errors: Errors, cuts: Cuts, **swept: FloatArray) -> FloatArray:
    """Return a measure at P thresholds (shape (P,)); NaN where undefined."""
    arguments: Mapping[str, Any] = measure.arguments | swept
    values = measure.formula(errors.misses, errors.false_alarms, *cuts.totals, **arguments)
    return np.broadcast_to(np.asarray(values, dtype=np.float64), errors.misses.shape)


def value_at(measure: Measure, errors: Errors, at: int, cuts: Cuts) -> float:
    """Return a measure at one of several thresholds; NaN where undefined."""
    return float(values_at(measure, errors, cuts)[at])


def takes_own_alpha(measure: Measure) -> bool:
    """Return whether a measure has a swept parameter that is not set: it takes the row's own alpha."""
    return any(p.name == measure.swept and p.value == p.default for p in measure.parameters)
