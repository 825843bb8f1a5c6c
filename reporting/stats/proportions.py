"""Newcombe's intervals: differences of two proportions, and the area under the ROC curve (methods 9.5).

They invert the score of a proportion, so that they stay in range and have width where an estimate of the
standard error is 0: no errors at all, or perfect separation.
"""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import ndtri

from reporting.stats.intervals import Interval, wilson

ROOT = 1e-12
"""An area this near to 0 or 1 is where the search for the other limit begins."""


def newcombe(errors_1: int, n_1: int, errors_2: int, n_2: int, level: float) -> Interval:
    """Interval of p1 - p2 from independent samples, n > 0: square-and-add of two Wilson intervals.

    In [-1, 1]; swapping the samples swaps and negates the limits. Newcombe 1998 (17, 873-890), method 10.
    """
    return _square_and_add((errors_1, n_1), (errors_2, n_2), 0.0, level)


def newcombe_paired(both: int, first: int, second: int, neither: int, level: float) -> Interval:
    """Interval of p1 - p2 on the same trials: errors of both, of the first or second only, of neither.

    ``newcombe`` with the two Wilson intervals correlated as the errors are, phi = (ad - bc) / sqrt(product
    of the margins), its numerator taken n / 2 down, at most to 0, where it is positive; 0 where a margin is
    empty. In [-1, 1]; at least one trial. Newcombe 1998 (17, 2635-2650), method 10.
    """
    n = both + first + second + neither
    one, two = both + first, both + second
    # The product of four counts overflows 64 bits: Python integers do not.
    margins = int(one) * int(n - one) * int(two) * int(n - two)
    surplus = float(int(both) * int(neither) - int(first) * int(second))
    if surplus > 0:
        surplus = max(surplus - n / 2, 0.0)
    phi = surplus / math.sqrt(margins) if margins else 0.0
    return _square_and_add((one, n), (two, n), phi, level)


def _square_and_add(first: tuple[int, int], second: tuple[int, int], phi: float, level: float) -> Interval:
    """p1 - p2 less and plus the roots of the squared distances to the Wilson limits, correlated by phi."""
    (low_1, high_1), (low_2, high_2) = wilson(*first, level), wilson(*second, level)
    p_1, p_2 = first[0] / first[1], second[0] / second[1]
    down = _joint_distance(p_1 - low_1, high_2 - p_2, phi)
    up = _joint_distance(high_1 - p_1, p_2 - low_2, phi)
    return Interval(max(-1.0, p_1 - p_2 - down), min(1.0, p_1 - p_2 + up))


def _joint_distance(a: float, b: float, phi: float) -> float:
    return math.sqrt(max(a * a - 2 * phi * a * b + b * b, 0.0))


def newcombe_auc(auc: float, n_target: int, n_nontarget: int, level: float) -> Interval:
    """Interval of an AUC in [0, 1] from independent trials: all areas A with |AUC - A| <= z SE(A).

    SE(A)^2 = A (1 - A) [1 + N* (1 - A) / (2 - A) + N* A / (1 + A)] / (N1 N0), N* = (N1 + N0) / 2 - 1: that of
    Hanley and McNeil with both class sizes at their mean, at A instead of the estimate. It needs no scores,
    and has width at AUC 0 and 1, where the DeLong standard error is 0. Newcombe 2006 (25, 559-573), method 5.
    """
    z = float(ndtri((1 + level) / 2))

    def excess(area: float) -> float:
        return (area - auc) ** 2 - z * z * _variance_at(area, n_target, n_nontarget)

    # At the estimate the excess is not above 0, at 0 and 1 not below. An estimate of 0 or 1 is itself a root
    # of it, and not the one that is sought.
    low = 0.0 if auc <= 0 else float(brentq(excess, 0.0, min(auc, 1 - ROOT)))
    high = 1.0 if auc >= 1 else float(brentq(excess, max(auc, ROOT), 1.0))
    return Interval(low, high)


def _variance_at(area: float, n_target: int, n_nontarget: int) -> float:
    n = (n_target + n_nontarget) / 2 - 1
    shape = 1 + n * (1 - area) / (2 - area) + n * area / (1 + area)
    return area * (1 - area) * shape / (n_target * n_nontarget)
