"""The highest of several rates, in few runs: the study's arrays are the report's limits, and they cover."""

import math

import pytest

from reporting.core.stats.effective_size import EffectiveRate
from tests.research.studies.worst import EQUAL, ONE, clopper_pearson, clusters, independent


def test_the_arrays_are_the_report_s_limits():
    for errors in (0, 3, 30):
        low, high = clopper_pearson(errors, 30, 0.99)
        limits = EffectiveRate(errors / 30, 30.0, few=True).limits(0.99)
        assert limits == pytest.approx((float(low), float(high)), rel=1e-9)


@pytest.mark.parametrize("rates", [EQUAL, ONE])
def test_limits_hold_together_and_an_interval_alone_does_not(rates):
    found = independent(rates, 150, 4000)
    least = 0.95 - 3 * math.sqrt(0.95 * 0.05 / 4000)
    assert min(found.together, found.worst, found.bound) > least
    assert found.bias > 0
    if rates == EQUAL:
        assert found.alone < 0.9


def test_limits_hold_under_clusters():
    found = clusters(EQUAL[:3], 20, 10, 0.5, 150)
    assert min(found[:3]) > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 150)
