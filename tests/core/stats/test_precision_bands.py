"""Precision along recall: by hand, its laws, and as scikit-learn has it at every threshold."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from reporting.core.stats.precision_bands import (
    RECALLS,
    PrecisionReader,
    far_at_recall,
    least_spread,
    log_odds,
    precision_of,
)
from reporting.core.stats.staircase import cumulate, group_ties


@st.composite
def trials(draw):
    """Scores of a few grades, so that ties occur, and labels of both classes."""
    score = draw(st.lists(st.integers(0, 8), min_size=2, max_size=40))
    label = draw(st.lists(st.booleans(), min_size=len(score), max_size=len(score)))
    assume(any(label) and not all(label))
    return np.array(score, dtype=float), np.array(label)


def errors(score, label):
    return cumulate(*group_ties(score, label)[1:3])


def test_by_hand():
    """From above: a non-target, then 2 targets, then a tie of 2 targets and a non-target, then 3 non-targets."""
    misses, false_alarms = cumulate(np.array([0, 2, 2, 0]), np.array([3, 1, 0, 1]))
    recall = np.array([0.25, 0.5, 0.75, 1.0])
    far = far_at_recall(misses, false_alarms, recall)
    assert far == pytest.approx([float(Fraction(n, 10)) for n in (2, 2, 3, 4)], abs=1e-15)
    by_hand = [Fraction(1, 2), Fraction(2, 3), 3 / (3 + Fraction(3, 2)), Fraction(4, 6)]
    assert precision_of(far, recall, 4 / 9) == pytest.approx([float(p) for p in by_hand], abs=1e-15)
    # 1 of 10 targets in a population: .1 r / (.1 r + .9 FAR).
    assert precision_of(far, recall, 0.1)[1] == pytest.approx(float(Fraction(5, 100) / Fraction(23, 100)))
    half = np.log((2 + 0.5) / 5) - np.log((1 + 0.5) / 6) + np.log(4 / 5)
    assert log_odds(far[1], 0.5, 4, 5, 4 / 9) == pytest.approx(half, abs=1e-12)
    spread = np.sqrt(0.5 / 2.5 + 0.8 / 1.5)
    assert least_spread(far[1:2], recall[1:2], 4, 5) == pytest.approx([spread], abs=1e-12)


@given(trials())
def test_every_threshold_as_by_scikit_learn(given_trials):
    """At the recall of a threshold the least false alarms are those of the highest threshold that has it."""
    score, label = given_trials
    precision, recall, _ = precision_recall_curve(label, score)
    best = {r: precision[recall == r].max() for r in np.unique(recall) if r > 0}
    at = np.array(list(best))
    far = far_at_recall(*errors(score, label), at)
    assert precision_of(far, at, label.mean()) == pytest.approx(list(best.values()), abs=1e-9)


@given(trials())
def test_laws(given_trials):
    score, label = given_trials
    misses, false_alarms = errors(score, label)
    far = far_at_recall(misses, false_alarms, RECALLS)
    assert (np.diff(far, prepend=0, append=1) >= -1e-12).all()
    share = label.mean()
    assert (precision_of(far, RECALLS, share) <= 1).all()
    # Any increasing map of the scores is the same curve.
    np.testing.assert_array_equal(far_at_recall(*errors(np.exp(score), label), RECALLS), far)
    # Repeating every trial is, too, and the half trials matter less.
    again = far_at_recall(3 * misses, 3 * false_alarms, RECALLS)
    np.testing.assert_allclose(again, far, atol=1e-12)
    many = log_odds(far, RECALLS, 1e12, 1e12, share)
    seen = far > 0
    exact = precision_of(far, RECALLS, share)[seen]
    np.testing.assert_allclose(1 / (1 + np.exp(-many[seen])), exact, atol=1e-9)
    assert np.isfinite(log_odds(far, RECALLS, label.sum(), (~label).sum(), share)).all()


@given(trials(), st.floats(0.01, 0.99))
def test_rows_are_curves_of_their_own(given_trials, share):
    misses, false_alarms = errors(*given_trials)
    stacked = PrecisionReader(share)(
        np.stack([misses, 2 * misses]), np.stack([false_alarms, 2 * false_alarms])
    )
    assert stacked.shape == (2, len(RECALLS))
    np.testing.assert_allclose(stacked[0], PrecisionReader(share)(misses, false_alarms), rtol=1e-12)
    shifted = PrecisionReader(share, np.arange(99.0))(misses, false_alarms)
    np.testing.assert_allclose(shifted - stacked[0], np.arange(99), atol=1e-9)


def test_constant_scores_have_the_prevalence_everywhere():
    far = far_at_recall(*cumulate(np.array([3]), np.array([7])), RECALLS)
    assert far == pytest.approx(RECALLS, abs=1e-12)
    assert precision_of(far, RECALLS, 0.3) == pytest.approx(np.full(99, 0.3), abs=1e-12)
