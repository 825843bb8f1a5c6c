"""Mean scores: by hand in exact fractions, and laws."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.grades import MOST, mean_score

GRADES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=6,
    unique_by=lambda each: each[0],
)


def test_by_hand():
    # Grades 0, 1, 5: two targets with 1, one with 5; a non-target with 0 and three with 5.
    score, targets, nontargets = np.array([0.0, 1.0, 5.0]), np.array([0, 2, 1]), np.array([1, 0, 3])
    assert mean_score(score, targets, nontargets) == float(Fraction(2 * 1 + 4 * 5, 7))
    assert mean_score(score, targets, np.zeros(3)) == float(Fraction(7, 3))


def test_it_is_undefined_without_trials_and_of_scores_without_a_mean():
    assert np.isnan(mean_score(np.array([1.0]), np.array([0]), np.array([0])))
    infinite = np.array([-np.inf, 2.0])
    assert np.isnan(mean_score(infinite, np.array([1, 1]), np.array([0, 0])))
    assert mean_score(infinite, np.array([0, 1]), np.array([0, 0])) == 2.0
    assert np.isnan(mean_score(np.array([10 * MOST]), np.array([1]), np.array([0])))


@given(GRADES, st.integers(-3, 3), st.integers(1, 4))
def test_it_moves_with_the_scores_and_ignores_labels_and_how_often_all_are_repeated(counted, shift, times):
    score, targets, nontargets = (np.array(each) for each in zip(*sorted(counted), strict=True))
    mean = mean_score(score, targets, nontargets)
    if not (targets + nontargets).sum():
        assert np.isnan(mean)
        return
    np.testing.assert_allclose(mean_score(score + shift, targets, nontargets), mean + shift, atol=1e-12)
    np.testing.assert_allclose(mean_score(score * times, targets, nontargets), mean * times, atol=1e-12)
    assert mean_score(score, nontargets, targets) == mean
    np.testing.assert_allclose(mean_score(score, times * targets, times * nontargets), mean, atol=1e-12)
