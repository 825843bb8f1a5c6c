"""Limits of a curve: how many independent trials its points are worth, by hand."""

import math

import numpy as np
import pytest

from reporting.core.stats.curve_limits import curve_limits
from reporting.core.stats.roc_bands import UNBOUNDED, least_errors


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
