"""Failure to acquire: what is rejected whatever the threshold."""

import numpy as np

from reporting.stats.rates import failure_to_acquire


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
