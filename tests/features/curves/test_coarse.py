import numpy as np
import pytest
from normal_cuts import cuts

from reporting.features.curves.roc import pr_curve, roc_curve


@pytest.fixture
def thinned(monkeypatch):
    monkeypatch.setattr("reporting.core.stats.staircase.DRAWN_WHOLE", 1000)
    monkeypatch.setattr("reporting.core.stats.staircase.MOST_DRAWN", 500)
    return cuts(20_000)


def test_its_points_are_exact_points_of_the_curve(thinned):
    curve, staircase = roc_curve(thinned), thinned.staircase
    np.testing.assert_array_equal(curve.misses, staircase.misses[curve.cut])
    np.testing.assert_array_equal(curve.cut[curve.on_hull], staircase.hull)
    assert not np.isnan(curve.llr[:-1][curve.on_hull[:-1]]).any()
    precision = pr_curve(thinned)
    np.testing.assert_array_equal(precision.false_alarms, curve.false_alarms)
