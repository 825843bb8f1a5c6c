"""Paired differences of any measure at a threshold: value and standard error from joint outcomes.

A measure is a function V(misses, false alarms, targets, non-targets). The difference of two models is
a function of the counts of the eight joint outcomes (label, accepted by the first, by the second).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reporting.stats.paired import Discordant
from reporting.stats.staircase import FloatArray

Formula = Callable[[Any, Any, Any, Any], FloatArray]

STEP = 1e-5
"""Relative step of the central differences: their error is about the square of it."""


def difference_of(formula: Formula, d: Discordant) -> FloatArray:
    """V(first) - V(second); NaN where either is undefined."""
    return np.asarray(formula(*d.first) - formula(*d.second))


def standard_error_of(formula: Formula, d: Discordant) -> FloatArray:
    """Plug-in standard error sqrt(sum_r c_r psi_r^2), psi_r = dD / dc_r; trials drawn without strata.

    One psi for each joint outcome r with count c_r; methods 8.4. Derivatives are central differences.
    NaN where a derivative is undefined.
    """
    return np.asarray(np.sqrt(sum(count * psi * psi for count, psi in influences(formula, d))))


def influences(formula: Formula, d: Discordant) -> list[tuple[Any, Any]]:
    """Count c_r and influence psi_r = dD / dc_r of every joint outcome; methods 8.4."""
    first, second = _slopes(formula, d.first), _slopes(formula, d.second)
    n_target, n_nontarget = (np.asarray(n, dtype=np.float64) for n in (d.n_target, d.n_nontarget))
    targets = _joint(d.target_00, d.target_10, d.target_01, n_target)
    nontargets = _joint(d.nontarget_00, d.nontarget_10, d.nontarget_01, n_nontarget)
    # A target adds to the targets, and where it is rejected to the misses.
    of_targets = [
        (count, (1 - a) * first[0] + first[2] - (1 - b) * second[0] - second[2]) for count, a, b in targets
    ]
    # A non-target adds to the non-targets, and where it is accepted to the false alarms.
    return of_targets + [
        (count, a * first[1] + first[3] - b * second[1] - second[3]) for count, a, b in nontargets
    ]


def influences_of_one(formula: Formula, counts: tuple[Any, Any, Any, Any]) -> list[tuple[Any, Any]]:
    """Count and influence dV / dc of a model's four outcomes; ``counts`` as the measure takes them."""
    misses, false_alarms, n_target, n_nontarget = (np.asarray(count, dtype=np.float64) for count in counts)
    missed, accepted, target, nontarget = _slopes(formula, counts)
    return [
        (misses, missed + target),
        (n_target - misses, target),
        (false_alarms, accepted + nontarget),
        (n_nontarget - false_alarms, nontarget),
    ]


def _joint(neither: Any, first: Any, second: Any, n: Any) -> tuple[tuple[Any, int, int], ...]:
    """Counts of one class by whether the first and the second model accept."""
    return (neither, 0, 0), (first, 1, 0), (second, 0, 1), (n - neither - first - second, 1, 1)


def _slopes(formula: Formula, counts: tuple[Any, Any, Any, Any]) -> list[FloatArray]:
    """Partial derivatives of a measure by its four counts."""
    at = [np.asarray(count, dtype=np.float64) for count in counts]
    scale = STEP * (at[2] + at[3])
    slopes = []
    for which in range(4):
        up, down = list(at), list(at)
        up[which], down[which] = at[which] + scale, at[which] - scale
        slopes.append((np.asarray(formula(*up)) - np.asarray(formula(*down))) / (2 * scale))
    return slopes
