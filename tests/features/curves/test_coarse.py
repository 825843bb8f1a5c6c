import numpy as np
import pytest
from normal_cuts import cuts

from reporting.core.stats.staircase import curve_cuts
from reporting.features.curves.roc import pr_corners, roc_corners


@pytest.fixture
def thinned(monkeypatch):
    monkeypatch.setattr("reporting.core.stats.staircase.DRAWN_WHOLE", 1000)
    monkeypatch.setattr("reporting.core.stats.staircase.MOST_DRAWN", 500)
    return cuts(20_000)


def test_its_points_are_exact_points_of_the_curve(thinned):
    corners, staircase = roc_corners(thinned, "midpoint"), thinned.staircase
    cut = curve_cuts(staircase)
    np.testing.assert_array_equal(corners["misses"], staircase.misses[cut])
    np.testing.assert_array_equal(cut[corners["on_hull"]], staircase.hull)
    assert not np.isnan(corners["llr"][:-1][corners["on_hull"][:-1]]).any()
    precision = pr_corners(thinned, "midpoint")
    np.testing.assert_array_equal(precision["false_alarms"], corners["false_alarms"])
