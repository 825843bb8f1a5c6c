"""Failure to acquire: what is rejected whatever the threshold."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.rates import dcf, failure_to_acquire
from reporting.core.stats.sweep import mindcf

COUNTS = st.integers(0, 6) | st.integers(0, 10**7)
TABLES = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS)


def test_the_detection_cost_in_theory(shared):
    """Two normal classes, calibrated: methods 4.9, rates in the place of counts."""
    theory = json.loads((shared / "references" / "methods.json").read_text())["theory_N_pm2_sd2"]
    point = theory["dcf_pi.01_cmiss10_cfa1"]
    at = point["pmiss"], point["pfa"], 1, 1
    assert float(dcf(*at, 0.01, 10, 1, normalised=False)) == pytest.approx(point["dcf"], rel=1e-12)
    assert float(dcf(*at, 0.01, 10, 1)) == pytest.approx(point["norm"], rel=1e-12)
    assert float(dcf(*at, 0.01, 10, 1, norm="miss")) == pytest.approx(10 * point["dcf"], rel=1e-12)


@given(
    TABLES, st.floats(0.001, 0.999), st.floats(0.1, 10), st.booleans(), st.sampled_from(["trivial", "miss"])
)
def test_the_detection_cost_of_one_step_is_never_below_its_minimum(table, prior, cost, normalised, norm):
    tp, fn, fp, tn = table
    errors = fn, fp, tp + fn, fp + tn
    value = float(dcf(*errors, prior, cost, 1.0, normalised, norm))
    if tp + fn == 0 or fp + tn == 0:
        assert math.isnan(value)
        return
    misses, alarms = np.array([0, fn, tp + fn]), np.array([fp + tn, fp, 0])
    every = dcf(misses, alarms, tp + fn, fp + tn, prior, cost, 1.0, normalised, norm)
    least = float(mindcf(misses, alarms, prior, cost, 1.0, normalised, norm))
    assert every[1] == value
    assert every.min() == pytest.approx(least, rel=1e-12)


def test_the_share_of_trials_at_minus_infinity():
    score = np.array([-np.inf, 0.0, np.inf])
    assert float(failure_to_acquire(score, np.array([1, 2, 1]), np.array([2, 4, 0]))) == 3 / 10
    assert float(failure_to_acquire(score[1:], np.array([2, 1]), np.array([4, 0]))) == 0
    assert np.isnan(failure_to_acquire(score[:0], np.zeros(0), np.zeros(0)))


def test_replicates_stand_in_front():
    score = np.array([-np.inf, 1.0])
    assert failure_to_acquire(score, np.array([[1, 1], [0, 1]]), np.array([[0, 2], [1, 2]])).tolist() == [
        0.25,
        0.25,
    ]
