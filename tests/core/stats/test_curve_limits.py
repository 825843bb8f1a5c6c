"""Limits of a curve: how many independent trials its points are worth, by hand."""

import math

import numpy as np
import pytest

from reporting.core.stats.curve_limits import curve_limits
from reporting.core.stats.roc_bands import UNBOUNDED, least_errors
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


@pytest.mark.parametrize("added", [4.0, 9.0])
def test_the_least_error_adds_trials_half_of_them_wrong(added):
    """No error of 10: as if added / 2 of 10 + added were wrong."""
    p = added / 2 / (10 + added)
    expected = math.sqrt(p * (1 - p) / (10 + added))
    assert least_errors(np.zeros(1), 10, added) == pytest.approx([expected])


@pytest.mark.parametrize("df", [None, 5])
def test_a_bootstrap_of_clusters_reaches_less_far_than_it_ought_to(df):
    """Six clusters: sqrt(6 / 5) of the error, and t over z, at a point and in the band alike."""
    rng = np.random.default_rng(3)
    drawn = 0.5 + 0.1 * rng.standard_normal((399, 4))
    sd = drawn.std(axis=0, ddof=1)
    c = np.sort(np.abs((drawn - 0.5) / sd).max(axis=1))[379]
    z, times = 1.959964, 1.0 if df is None else math.sqrt(6 / 5) * 2.570582 / 1.959964
    inflation = 1.0 if df is None else math.sqrt(6 / 5)
    given = np.full(4, 0.5), drawn, np.zeros(4), 0.95, UNBOUNDED, df
    limits = curve_limits(*given, inflation=inflation)
    assert limits.high - 0.5 == pytest.approx(z * times * sd, rel=1e-5)
    assert limits.band_high - 0.5 == pytest.approx(c * times * sd, rel=1e-5)
    assert 0.5 - limits.band_low == pytest.approx(c * times * sd, rel=1e-5)
