"""The simulated error of differences of hull EERs: what it is relative to, and its edges."""

import numpy as np
import pytest

from reporting.features.planning.planned_areas import eer_se, eers_covariance
from reporting.features.planning.planned_hulls import (
    AT_ONCE,
    MOST,
    _differences,
    _hull_eers,
    hull_error_ratio,
)


def test_the_hull_by_hand():
    """Targets 1 and 4, non-targets 0, 2, 3: the edge from (FAR 1/3 at FRR 1/2) to (2/3, 0) meets FAR = FRR.

    Sorted n t n n t. Cuts (FAR, FRR): (1, 0), (2/3, 0), (2/3, 1/2), (1/3, 1/2), (0, 1/2), (0, 1). The hull runs
    from (2/3, 0) to (0, 1/2): FRR = 1/2 - 3/4 FAR, equal at 2/7.
    """
    score = np.array([[1.0, 4.0, 0.0, 2.0, 3.0]])
    label = np.array([True, True, False, False, False])
    assert _hull_eers(score, label) == pytest.approx([2 / 7], abs=1e-15)


@pytest.mark.parametrize("correlation", [0.0, 0.6, -0.5])
def test_what_it_is_relative_to_is_the_planned_error(correlation):
    """4,000 tables: the variance at the true thresholds is that of the formula within four of its errors."""
    rng = np.random.default_rng(1)
    eers, sizes = (0.1, 0.2), (60, 90)
    linear = np.concatenate([_differences(rng, eers, correlation, *sizes)[1] for _ in range(4000 // AT_ONCE)])
    variance = sum(eer_se(eer, *sizes) ** 2 for eer in eers)
    variance -= 2 * eers_covariance(*eers, (correlation, correlation), *sizes)
    assert linear.var() == pytest.approx(variance, rel=4 * np.sqrt(2 / 4000))
    assert linear.mean() == pytest.approx(0.1, abs=4 * np.sqrt(variance / 4000))


def test_a_hull_differs_less_and_the_more_trials_the_less_so():
    small, large = (hull_error_ratio((0.1, 0.13), 0.6, n, n) for n in (150, MOST))
    assert 0.85 < small < large < 1
    larger = hull_error_ratio((0.1, 0.13), 0.6, 8 * MOST, 8 * MOST)
    assert larger == pytest.approx(1 - (1 - large) / 2, abs=1e-15)
    assert larger == hull_error_ratio((0.1, 0.13), 0.6, 8 * MOST, 8 * MOST)


def test_models_that_never_differ_have_no_ratio():
    assert hull_error_ratio((0.1, 0.1), 1.0, 50, 50) == 1.0
