from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta
from tied import rates, score_lists, staircase_of

from reporting.core.stats.sweep import h_measure

RATIO = st.sampled_from(["sample", "hand2014"]) | st.floats(0.05, 20)


def by_quadrature(staircase, ratio):
    """Integrate the minimum over all cuts of c p0 FAR + (1 - c) p1 FRR under the density of c."""
    p1 = staircase.n_target / (staircase.n_target + staircase.n_nontarget)
    odds = p1 / (1 - p1) if ratio == "sample" else ratio
    law = beta(1 + p1, 2 - p1) if ratio == "hand2014" else beta(2, 1 + 1 / odds)
    points = np.array(rates(staircase), dtype=float)

    def loss(c, ends):
        return min(c * (1 - p1) * far + (1 - c) * p1 * frr for far, frr in ends) * law.pdf(c)

    lines = np.diff(points[:, 1]) * p1, -np.diff(points[:, 0]) * (1 - p1)
    knots = sorted({p1, *(a / (a + b) for a, b in zip(*lines, strict=True) if a + b > 0)})
    edges = [0, *(k for k in knots if 0 < k < 1), 1]
    spent, trivial = (
        sum(quad(loss, low, high, (ends,))[0] for low, high in pairwise(edges))
        for ends in (points, points[[0, -1]])
    )
    return 1 - spent / trivial


@settings(max_examples=25)
@given(score_lists(odd=True, most=6), score_lists(odd=True, most=6), RATIO)
def test_h_is_the_integral_it_says(targets, nontargets, ratio):
    _, s = staircase_of(targets, nontargets)
    assert h_measure(s.misses, s.false_alarms, ratio) == pytest.approx(by_quadrature(s, ratio), abs=1e-6)


def test_by_hand():
    """One cut of two targets and two non-targets: (FAR, FRR) = (1/2, 0); Beta(2, 2) for equal classes.

    The hull's blocks hold (0, 1) and (2, 1): costs up to 2/3 use the cut, with loss c / 4, and higher ones
    reject all, with loss (1 - c) / 2. The integrals are 4/27 / 2 + 7/162 / 2 over 5/16 / 2.
    """
    _, s = staircase_of([1, 1], [0, 1])
    used = 6 * ((2 / 3) ** 3 / 3 - (2 / 3) ** 4 / 4) / 4
    rejected = 6 * (1 / 12 - ((2 / 3) ** 2 / 2 - 2 * (2 / 3) ** 3 / 3 + (2 / 3) ** 4 / 4)) / 2
    trivial = 6 * (1 / 24 - 1 / 64)
    assert h_measure(s.misses, s.false_alarms) == pytest.approx(1 - (used + rejected) / trivial, abs=1e-14)


@given(score_lists(odd=True), score_lists(odd=True), RATIO)
def test_chance_is_0_separation_1_and_the_rest_between(targets, nontargets, ratio):
    _, s = staircase_of(targets, nontargets)
    assert -1e-12 <= h_measure(s.misses, s.false_alarms, ratio) <= 1
    _, same = staircase_of([1.0] * len(targets), [1.0] * len(nontargets))
    assert h_measure(same.misses, same.false_alarms, ratio) == pytest.approx(0, abs=1e-12)
    _, apart = staircase_of([2.0] * len(targets), [1.0] * len(nontargets))
    assert h_measure(apart.misses, apart.false_alarms, ratio) == 1


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_sample_ratio_is_targets_over_nontargets(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    ratio = len(targets) / len(nontargets)
    assert h_measure(s.misses, s.false_alarms) == h_measure(s.misses, s.false_alarms, ratio)


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_law_of_2014_treats_the_classes_alike(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    _, t = staircase_of([-x for x in nontargets], [-x for x in targets])
    one, other = (float(h_measure(x.misses, x.false_alarms, "hand2014")) for x in (s, t))
    assert one == pytest.approx(other, abs=1e-12)
    assert float(h_measure(s.misses, s.false_alarms, 1.0)) == pytest.approx(
        float(h_measure(t.misses, t.false_alarms, 1.0)), abs=1e-12
    )


def test_an_empty_class_is_undefined():
    for lists in (([], [1.0, 2.0]), ([1.0, 2.0], [])):
        _, s = staircase_of(*lists)
        assert np.isnan(h_measure(s.misses, s.false_alarms))
