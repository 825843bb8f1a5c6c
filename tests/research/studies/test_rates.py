"""Rates of dependent trials, in few runs: the study's arrays are the report's intervals, and they cover."""

import math

import pytest
from scipy.special import stdtrit

from reporting.core.stats.effective_size import EffectiveRate
from tests.research.studies.rates import CHOSEN, clusters, judged, korn_graubard, measures, pairs, wilson


@pytest.mark.parametrize(("few", "limits"), [(True, korn_graubard), (False, wilson)])
def test_the_arrays_are_the_report_s_limits(few, limits):
    low, high = limits(0.03, 70.0, float(stdtrit(9, 0.975)))
    assert EffectiveRate(0.03, 70.0, 9, few).limits(0.95) == pytest.approx(
        (float(low), float(high)), rel=1e-6
    )


@pytest.mark.parametrize("tables", [pairs(20, 0.6, 1, 400), clusters(20, 20, 0.6, 400)])
def test_few_errors_are_covered_and_not_too_wide(tables):
    for cell in map(judged, tables):
        covered, width = cell[CHOSEN]
        assert covered > 0.93 - 3 * math.sqrt(0.95 * 0.05 / 400)
        assert width < 1.8


def test_sums_of_rates_are_covered_under_clusters():
    found = measures(10, 20, 5, 0.3, 1.0, 100)
    assert min(found.values()) > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 100)
