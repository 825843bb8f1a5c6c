"""Limits of skewed mean costs: by hand, without skewness, as laws, and by how often they hold a known mean."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, t

from reporting.core.stats.likelihood import cllr, empirical_cross_entropy, entropy_costs
from reporting.core.stats.probability import brier, brier_costs, log_costs, log_loss
from reporting.core.stats.skewness import Costs, skewed_t


def one_each(*cost):
    return np.array(cost, dtype=float), np.ones(len(cost))


def test_three_costs_by_hand():
    """0, 0, 3: mean 1, S^2 = 3, M3 = 3 (-1 - 1 + 8) / 2 = 9, so s = 1, g = 9 / 9 = 1 and q = t(2)."""
    low, high = skewed_t([Costs(1.0, *one_each(0, 0, 3))], 0.95)
    q = t.ppf(0.975, 2)
    assert low == pytest.approx(1 - 3 * (np.cbrt(1 + q - 1 / 6) - 1))
    assert high == pytest.approx(1 - 3 * (np.cbrt(1 - q - 1 / 6) - 1))
    for x in (q, -q):  # that is where the transformed statistic has its quantile
        hall = 3 * (np.cbrt(1 + x - 1 / 6) - 1)
        assert hall + hall**2 / 3 + hall**3 / 27 + 1 / 6 == pytest.approx(x)


def test_costs_that_are_all_alike_in_each_class_have_no_limits():
    """The mean of three times this cost differs from it in the last bit, so that squares are not all 0."""
    cost = np.array([3.720551430663318])
    assert float((3 * cost).sum()) / 3 != cost[0]
    for others in (Costs(0.5, cost, np.array([15.0])), Costs(0.5, np.append(cost, 9), np.array([7.0, 0.0]))):
        assert skewed_t([Costs(0.5, cost, np.array([3.0])), others], 0.95) is None


def test_two_classes_by_hand():
    """Weights 1/2, costs 0, 0, 3 and 1, 2, 2, 3: s^2 = (3 / 3 + 2/3 / 4) / 4, third moments 9 and 0, 2 df."""
    other = Costs(0.5, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    low, high = skewed_t([Costs(0.5, *one_each(0, 0, 3)), other], 0.9)
    se = math.sqrt((3 / 3 + (2 / 3) / 4) / 4)
    g, q = (9 / 9) / 8 / se**3, t.ppf(0.95, 2)
    assert low == pytest.approx(1.5 - se * 3 / g * (np.cbrt(1 + g * (q - g / 6)) - 1))
    assert high == pytest.approx(1.5 - se * 3 / g * (np.cbrt(1 + g * (-q - g / 6)) - 1))


def test_without_skewness_they_are_students():
    cost = np.arange(11.0)
    half = t.ppf(0.975, 10) * math.sqrt(cost.var(ddof=1) / 11)
    assert skewed_t([Costs(1.0, cost, np.ones(11))], 0.95) == pytest.approx((5 - half, 5 + half))


def test_few_or_equal_costs_have_none():
    enough = Costs(0.5, *one_each(0, 0, 3))
    assert skewed_t([enough, Costs(0.5, *one_each(0, 3))], 0.95) is None
    assert skewed_t([Costs(1.0, *one_each(2, 2, 2, 2))], 0.95) is None
    assert skewed_t([Costs(1.0, np.array([0.0, 3.0, math.inf]), np.array([2.0, 1.0, 0.0]))], 0.95) is not None


costs = st.lists(st.integers(0, 5), min_size=3, max_size=30).filter(lambda found: len(set(found)) > 1)


@given(costs, st.floats(0.02, 0.98), st.integers(1, 4))
def test_laws(found, level, times):
    """Limits hold the mean, widen with the level, scale, turn round, and a weight is shared by equal classes."""
    cost, count = np.array(found, dtype=float), np.ones(len(found))
    low, high = skewed_t([Costs(1.0, cost, count)], level)
    wider = skewed_t([Costs(1.0, cost, count)], (1 + level) / 2)
    assert wider.low - 1e-12 <= low <= cost.mean() <= high <= wider.high + 1e-12
    assert skewed_t([Costs(2.0, 3 * cost, count)], level) == pytest.approx((6 * low, 6 * high))
    turned = skewed_t([Costs(-1.0, cost, count)], level)
    assert turned == pytest.approx((-high, -low))
    distinct, n = np.unique(np.repeat(cost, times), return_counts=True)
    by_rows = skewed_t([Costs(1.0, np.repeat(cost, times), np.ones(len(found) * times))], level)
    assert skewed_t([Costs(1.0, distinct, n.astype(float))], level) == pytest.approx(by_rows)


@given(st.integers(0, 10_000))
def test_costs_are_those_of_the_measures(seed):
    rng = np.random.default_rng(seed)
    score, n1, n0 = np.sort(rng.normal(size=6)), rng.integers(0, 4, 6), rng.integers(0, 4, 6)
    n1[0] = n0[0] = 1

    def value(of, share):
        weights = of.weights or (n1.sum() / (n1 + n0).sum(), n0.sum() / (n1 + n0).sum())
        means = (n1 * of.missed).sum() / n1.sum(), (n0 * of.alarmed).sum() / n0.sum()
        return sum(w * mean for w, mean in zip(weights, means, strict=True))

    p = 1 / (1 + np.exp(-score))
    assert value(entropy_costs(score), None) == pytest.approx(float(cllr(score, n1, n0)))
    ece = empirical_cross_entropy(score, n1, n0, 0.2)
    assert value(entropy_costs(score, 0.2), None) == pytest.approx(float(ece))
    for share in ("sample", 0.3):
        assert value(brier_costs(p, share), share) == pytest.approx(float(brier(p, n1, n0, prevalence=share)))
        of_odds = float(log_loss(score, n1, n0, prevalence=share))
        assert value(log_costs(score, share), share) == pytest.approx(of_odds)


def test_of_many_trials_they_are_those_of_bca():
    """An outside reference: scipy's BCa of 4,000 skewed costs, which corrects skewness to the same order."""
    cost = np.random.default_rng(5).exponential(size=4000) ** 2
    theirs = bootstrap((cost,), np.mean, n_resamples=4000, method="BCa", rng=np.random.default_rng(1))
    found = skewed_t([Costs(1.0, cost, np.ones(4000))], 0.95)
    middle = cost.mean()
    assert found.low - middle == pytest.approx(theirs.confidence_interval.low - middle, rel=0.06)
    assert found.high - middle == pytest.approx(theirs.confidence_interval.high - middle, rel=0.06)


def test_few_skewed_costs_are_covered_about_as_often_as_promised():
    """Squares of normal costs, 15 of them, 4,000 times: Student's t holds their mean in .91."""
    rng, held = np.random.default_rng(2), [0, 0]
    for _ in range(4000):
        cost = rng.standard_normal(15) ** 2
        low, high = skewed_t([Costs(1.0, cost, np.ones(15))], 0.95)
        half = t.ppf(0.975, 14) * cost.std(ddof=1) / math.sqrt(15)
        held[0] += low <= 1 <= high
        held[1] += abs(cost.mean() - 1) <= half
    assert held[1] / 4000 < 0.92 < 0.93 < held[0] / 4000 < 0.97
