"""The linearised standard error of a weighted area: by hand, and against DeLong's where all weigh the same."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.placements import area_se, trial_placements, weighted_area_error

TIED = st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(1, 4)), min_size=6, max_size=20)


def counted(label, rank, weight):
    """Placements of all trials, and the weighted area."""
    targets, nontargets = (np.bincount(rank[of], weight[of], 4).astype(int) for of in (label, ~label))
    placements = trial_placements(targets, nontargets, rank, label)
    return placements, float(np.average(placements[label], weights=weight[label]))


def test_by_hand():
    # Targets 3 (weight 2) and 1 (weight 1), non-targets 2 (weight 3) and 0 (weight 4); area 6/7.
    label, rank = np.array([True, True, False, False]), np.array([3, 1, 2, 0])
    weight = np.array([2, 1, 3, 4])
    placements, area = counted(label, rank, weight)
    assert placements.tolist() == pytest.approx([1, 4 / 7, 2 / 3, 1])
    of_targets = Fraction(2, 1) * (
        (Fraction(2, 3) * (1 - Fraction(6, 7))) ** 2
        + (Fraction(1, 3) * (Fraction(4, 7) - Fraction(6, 7))) ** 2
    )
    of_nontargets = Fraction(2, 1) * (
        (Fraction(3, 7) * (Fraction(2, 3) - Fraction(6, 7))) ** 2 + (Fraction(4, 7) * Fraction(1, 7)) ** 2
    )
    found = weighted_area_error(placements, label, area, weight)
    assert found.se == pytest.approx(math.sqrt(of_targets + of_nontargets), rel=1e-12)
    assert found.df == 1.0  # the targets are worth 9/5 of equal weight


@given(TIED)
def test_equal_weights_have_delongs_error_and_scale_does_not_matter(trials):
    label, rank, weight = (np.array(each) for each in zip(*trials, strict=True))
    if min(label.sum(), (~label).sum()) < 2:
        assert math.isnan(weighted_area_error(np.zeros(len(label)), label, 0.5, weight).se)
        return
    placements, area = counted(label, rank, np.ones(len(label), dtype=int))
    alike = weighted_area_error(placements, label, area, np.full(len(label), 7))
    assert alike.se == pytest.approx(area_se(placements, label), rel=1e-9, abs=1e-12)
    placements, area = counted(label, rank, weight)
    once, ten = (weighted_area_error(placements, label, area, times * weight) for times in (1, 10))
    assert (once.se, once.df) == pytest.approx((ten.se, ten.df), rel=1e-9)
