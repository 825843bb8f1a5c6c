"""Weighted rates and means against R's ``survey``: the standard errors that sampling weights have."""

import math

import numpy as np
import pytest
from in_r import from_survey

from reporting.core.counts.ranks import Ranks
from reporting.core.engine.item_means import item_mean
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.units import cluster_units, trial_units

WEIGHTS = np.array([1, 5, 2, 9, 1, 3, 7, 2, 4, 1, 6, 2, 8, 1, 3, 2, 5, 1, 1, 4])
ERRORS = np.array([0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0])
ACCEPTED = np.array([1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1])
GRADES = np.array([3, 0, 4, 1, 5, 3, 0, 4, 2, 5, 3, 4, 1, 5, 2, 3, 0, 4, 5, 1])
FAMILY = np.arange(20) // 4
ALL = np.ones(20, dtype=bool)
RANKS = Ranks(ALL, FAMILY.astype(np.uint32), {}, paired=True, weight=WEIGHTS)
TRIALS, CLUSTERS = trial_units(ALL, ("all", "test")), cluster_units([RANKS], ("all", "test"))[0]


def of_survey(expression, ids="~1"):
    """What R's survey prints for a design with these weights: estimate and standard error."""
    columns = {"w": WEIGHTS, "y": ERRORS, "a": ACCEPTED, "ya": ERRORS * ACCEPTED, "g": GRADES, "f": FAMILY}
    return from_survey(columns, f"ids={ids}, weights=~w", expression)


def error_of(rate):
    """The standard error that an effective size stands for."""
    return math.sqrt(rate.rate * (1 - rate.rate) / rate.size)


def test_a_rate_has_the_error_of_svymean():
    # Where errors lie on trials that weigh more than others; elsewhere a rate is worth Kish's size at most.
    rate = CountedTrials.among(ALL, TRIALS, WEIGHTS).rate(ERRORS, 0.0)
    assert (rate.rate, error_of(rate)) == pytest.approx(of_survey("svymean(~y, s)"), rel=1e-12)


def test_a_rate_of_a_part_has_the_error_of_svyratio():
    # survey counts all 20 trials in n / (n - 1), we those of the part: where a part is small, ours is the one
    # that has the right expectation.
    value, error = of_survey("svyratio(~ya, ~a, s)")
    n = int(ACCEPTED.sum())
    rate = CountedTrials.among(ACCEPTED, TRIALS, WEIGHTS).rate(ERRORS * ACCEPTED, 0.0)
    assert rate.rate == pytest.approx(value, rel=1e-12)
    assert error_of(rate) == pytest.approx(error * math.sqrt(19 / 20 * n / (n - 1)), rel=1e-12)


def test_clusters_have_the_error_of_svymean_but_for_how_unequal_they_are():
    # survey divides by 1 - 1/G; of clusters of unequal weight a sum of squares lacks more than that
    # (``ClusterSizes.lacking``), so that ours is a little larger.
    value, error = of_survey("svymean(~y, s)", "~f")
    counted = CountedTrials.among(ALL, CLUSTERS, WEIGHTS)
    rate = counted.rate(ERRORS, 0.0)
    ours = math.sqrt(counted._variance(counted._by_atom(WEIGHTS * (ERRORS - rate.rate) / WEIGHTS.sum())))
    assert rate.rate == pytest.approx(value, rel=1e-12)
    assert ours == pytest.approx(error * math.sqrt(4 / 5 / CLUSTERS_LACKING), rel=1e-12)


CLUSTERS_LACKING = CountedTrials.among(ALL, CLUSTERS, WEIGHTS)._sizes.lacking


def test_a_mean_grade_has_the_error_of_svymean():
    mean = item_mean(GRADES.astype(float), RANKS, TRIALS)
    assert (mean.value, mean.se) == pytest.approx(of_survey("svymean(~g, s)"), rel=1e-12)
    clustered = item_mean(GRADES.astype(float), RANKS, CLUSTERS)
    value, error = of_survey("svymean(~g, s)", "~f")
    assert clustered.value == pytest.approx(value, rel=1e-12)
    assert clustered.se == pytest.approx(error * math.sqrt(4 / 5 / CLUSTERS_LACKING), rel=1e-12)


def test_the_values_of_survey_are_these():
    # survey 4.1-1, so that the formulas are held where R is missing: svymean of errors and of grades.
    rate = CountedTrials.among(ALL, TRIALS, WEIGHTS).rate(ERRORS, 0.0)
    assert rate.rate == pytest.approx(20 / 68)
    assert error_of(rate) == pytest.approx(RECORDED[0], rel=1e-9)
    assert item_mean(GRADES.astype(float), RANKS, TRIALS).se == pytest.approx(RECORDED[1], rel=1e-9)


RECORDED = 0.144238436981387, 0.363834723054626
