import math

import numpy as np
import pytest

from reporting.features.abstention.formulas import effective_sizes

SIZES = np.array([10.0, 20.0, 40.0])

SHARES = np.array([0.0, 0.1, 0.2])


def replicates(*spreads: float) -> np.ndarray:
    """Two replicates a point, so far to either side: a variance of twice the square."""
    away = np.array(spreads)
    return np.stack((SHARES - away, SHARES + away))


def test_clusters_share_one_design_effect():
    """Binomial variances are .1 .9 / 20 = .0045 and .2 .8 / 40 = .004; ten clusters give 10/9 of those drawn.

    Effects 10/9 .02 / .0045 and 10/9 .005 / .004 weigh 2 and 8 errors; the first point has neither.
    """
    found = effective_sizes(SHARES, replicates(0.3, 0.1, 0.05), SIZES, math.sqrt(10 / 9))
    effect = (2 * (10 / 9) * 0.02 / 0.0045 + 8 * (10 / 9) * 0.005 / 0.004) / 10
    assert found == pytest.approx(SIZES / effect)


def test_clusters_are_never_worth_more_than_their_trials():
    assert effective_sizes(SHARES, replicates(0, 0.01, 0.01), SIZES, math.sqrt(10 / 9)) == pytest.approx(
        SIZES
    )
    assert effective_sizes(np.zeros(3), replicates(0, 0, 0), SIZES, math.sqrt(10 / 9)) == pytest.approx(SIZES)
