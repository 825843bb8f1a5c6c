import itertools
from fractions import Fraction
from functools import cache
from math import comb, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import t

from reporting.core.stats.paired import Discordant, difference, exact_p, standard_error
from reporting.features.further_tests import fragility
from reporting.features.further_tests.formulas import mcnemar
from reporting.features.further_tests.fragility import (
    flips_to_reverse,
    linear_units,
    units_to_reverse_verdict,
)

T1 = Discordant(10, 30, 6, 12, 100, 300)
T2 = Discordant(16, 34, 8, 26, 200, 800)
HTER = (0.5, 0.5)


def nontargets(b, c, n):
    """Non-targets only: accepted by the first alone, by the second alone, and all."""
    return Discordant(b, c, 0, 0, n_target=0, n_nontarget=n)


def test_decisions_by_hand():
    """Mid-p of 6 : 0 is 1/64. One trial more for the other side makes it (8 + 1) / 128, above .05."""
    assert flips_to_reverse(nontargets(6, 0, 20), 1, 0, 0.05) == (1, 1, 0, pytest.approx(9 / 128))
    # Without trials that agree one has to leave first: 5 : 0 is 1/32; then it comes in again, 5 : 1 is 8/64.
    assert flips_to_reverse(nontargets(6, 0, 6), 1, 0, 0.05)[:3] == (2, 2, 0)
    # From 4 : 0 with 1/16 one more decides, from 4 : 1 (6 + 1) / 32 it is the one against that must go, too.
    assert flips_to_reverse(nontargets(4, 0, 20), 1, 0, 0.05) == (1, 1, 0, pytest.approx(1 / 32))
    assert flips_to_reverse(nontargets(4, 1, 20), 1, 0, 0.05) == (2, 2, 0, pytest.approx(1 / 32))
    # The same on targets.
    table = Discordant(0, 0, 1, 4, n_target=20, n_nontarget=0)
    assert flips_to_reverse(table, 0, 1, 0.05) == (2, 0, 2, pytest.approx(1 / 32))


def test_p_equal_to_the_level_is_not_below_it():
    """Mid-p of 4 : 0 is 1/16, so that at this level it takes 5 : 0; and from there one less."""
    assert flips_to_reverse(nontargets(4, 0, 20), 1, 0, 1 / 16) == (1, 1, 0, pytest.approx(1 / 32))
    assert flips_to_reverse(nontargets(5, 0, 5), 1, 0, 1 / 16) == (1, 1, 0, pytest.approx(1 / 16))


def test_none_where_no_decision_reverses_the_verdict():
    """Three trials never get below 2 / 2^3 / 2; and an empty class has no rate."""
    assert flips_to_reverse(nontargets(1, 0, 3), 1, 0, 0.05) is None
    assert flips_to_reverse(nontargets(6, 0, 9), *HTER, 0.05) is None
    assert flips_to_reverse(T2, 0, 0, 0.05) is None
    assert flips_to_reverse(nontargets(0, 0, 5), 1, 0, 0.05) == (5, 5, 0, pytest.approx(1 / 32))


def test_anchor_tables():
    """T2 (p .026): two targets' decisions make it .066. T1 (p .889): eight on targets make it significant."""
    assert flips_to_reverse(T2, *HTER, 0.05) == (2, 0, 2, pytest.approx(0.0659270183587677, abs=1e-12))
    found = flips_to_reverse(T1, *HTER, 0.05)
    assert found[:3] == (8, 0, 8)
    assert found.p_after < 0.05
    # Of the twelve targets that only the first model misses eight change.
    after = Discordant(10, 30, 6, 4, 100, 300)
    assert exact_p(after, *HTER, mid=True) == pytest.approx(found.p_after, abs=1e-12)


@cache
def mid_p(b0, c0, b1, c1, step0, step1):
    """The mid-p of methods 9.2 in fractions, and whether T is 0."""
    m0, m1 = b0 + c0, b1 + c1
    observed = abs(step0 * (b0 - c0) + step1 * (b1 - c1))
    total = Fraction(0)
    for i, j in itertools.product(range(m0 + 1), range(m1 + 1)):
        t = abs(step0 * (2 * i - m0) + step1 * (2 * j - m1))
        mass = comb(m0, i) * comb(m1, j)
        total += mass if t > observed else Fraction(mass, 2) if t == observed and m0 + m1 else 0
    return total / 2 ** (m0 + m1) if m0 + m1 else Fraction(1), observed == 0


def every_state(counts, sizes, steps):
    """All discordant counts of both classes, by how many decisions they are away, class by class."""
    ranges = []
    for b, c, n, step in ((*counts[:2], sizes[0], steps[0]), (*counts[2:], sizes[1], steps[1])):
        reach = [(x, y) for x in range(n + 1) for y in range(n + 1 - x)] if step else [(b, c)]
        ranges.append([(abs(x - b) + abs(y - c), x, y) for x, y in reach])
    for (cost0, *one), (cost1, *other) in itertools.product(*ranges):
        yield cost0, cost1, (*one, *other)


@st.composite
def small_tables(draw):
    """Counts (b0, c0, b1, c1) and sizes; often full, one-sided, or with one class much smaller."""
    sizes, counts = [], []
    for most in draw(st.sampled_from([(5, 5), (3, 10), (10, 3), (7, 4)])):
        n = draw(st.integers(1, most))
        m = n if draw(st.booleans()) else draw(st.integers(0, n))
        b = draw(st.sampled_from([0, m])) if draw(st.booleans()) else draw(st.integers(0, m))
        sizes.append(n)
        counts += [b, m - b]
    return tuple(counts), tuple(sizes)


weightings = st.sampled_from(
    [("0.5", "0.5"), ("0.25", "0.75"), ("0.9", "0.1"), ("0.3", "0.7"), ("1", "0"), ("0", "1")]
)


@settings(max_examples=80)
# Each needs one of the families, or a search within one; the last two, that no end decides unproven.
@example(((3, 0, 2, 0), (3, 3)), ("0.5", "0.5"), "0.1")
@example(((0, 0, 2, 1), (3, 3)), ("0.5", "0.5"), "0.1")
@example(((0, 1, 2, 0), (1, 2)), ("0.25", "0.75"), "0.25")
@example(((0, 5, 0, 0), (5, 1)), ("0.25", "0.75"), "0.05")
@example(((1, 5, 4, 0), (6, 4)), ("0.05", "0.95"), "0.1")
@example(((0, 6, 5, 0), (6, 5)), ("0.05", "0.95"), "0.05")
@given(small_tables(), weightings, st.sampled_from(["0.05", "0.1", "0.25", "0.5", "0.0625"]))
def test_fewest_decisions_by_brute_force(table, weights, level):
    counts, sizes = table
    b0, c0, b1, c1 = counts
    steps = tuple(Fraction(w) / n for w, n in zip(weights, sizes, strict=True))
    below = mid_p(*counts, *steps)[0] < Fraction(level)
    reversing = [
        (cost0 + cost1, cost0, cost1, *mid_p(*state, *steps))
        for cost0, cost1, state in every_state(counts, sizes, steps)
        if (mid_p(*state, *steps)[0] < Fraction(level)) != below
    ]
    d = Discordant(b0, c0, c1, b1, n_target=sizes[1], n_nontarget=sizes[0])
    found = flips_to_reverse(d, float(weights[0]), float(weights[1]), float(level))
    if not reversing:
        assert found is None
        return
    assert found.decisions == min(reversing)[0]
    # Such a set exists: on these classes, with this p (of McNemar's kind, 1, where T is 0).
    alike = [
        1.0 if zero else float(p)
        for *cost, p, zero in reversing
        if cost == [found.decisions, found.nontarget, found.target]
    ]
    assert any(p == pytest.approx(found.p_after, abs=1e-12) for p in alike)


medium = st.integers(0, 150)


@settings(max_examples=60)
@given(medium, medium, medium, medium, medium, medium, weightings, st.sampled_from([0.05, 0.01]))
def test_ends_that_decide_ranges_lose_nothing(a, b, c, d, more1, more0, weights, level):
    """The same number is found when no range is settled by its end."""
    table = Discordant(a, b, c, d, n_target=c + d + more1 + 1, n_nontarget=a + b + more0 + 1)
    w = [float(one) for one in weights]
    quick = flips_to_reverse(table, *w, level)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fragility._Search, "_rises", lambda *_: False)
        slow = flips_to_reverse(table, *w, level)
    assert (quick and quick.decisions) == (slow and slow.decisions)


@given(medium, medium, medium, medium, medium, medium, weightings)
def test_neither_the_order_of_models_nor_of_classes_matters(a, b, c, d, more1, more0, weights):
    n1, n0 = c + d + more1 + 1, a + b + more0 + 1
    w_far, w_frr = (float(one) for one in weights)
    found = flips_to_reverse(Discordant(a, b, c, d, n1, n0), w_far, w_frr, 0.05)
    turned = flips_to_reverse(Discordant(b, a, d, c, n1, n0), w_far, w_frr, 0.05)
    other = flips_to_reverse(Discordant(d, c, b, a, n0, n1), w_frr, w_far, 0.05)
    for again in (turned, other):
        assert (found is None) == (again is None)
        assert found is None or found.decisions == again.decisions


@given(medium, medium, st.integers(1, 100))
def test_one_class_alone_is_a_walk_over_mcnemars_mid_p(b, c, more):
    """As long as trials agree, p rises fastest by trials for the other side."""
    found = flips_to_reverse(nontargets(b, c, b + c + 200 + more), 1, 0, 0.05)
    large, small = max(b, c), min(b, c)
    steps = 0
    if mcnemar(b, c, mid=True).p < 0.05:
        while mcnemar(large, small, mid=True).p < 0.05:
            small, steps = small + 1, steps + 1
    else:
        while mcnemar(large, small, mid=True).p >= 0.05:
            large, small, steps = large + (small == 0), max(small - 1, 0), steps + 1
    assert (found.decisions, found.nontarget) == (steps, steps)


def test_millions_of_trials():
    """Both classes with a million discordant trials; the small step alone would take half as many again."""
    table = Discordant(501_000, 499_000, 499_000, 501_000, n_target=2_000_000, n_nontarget=3_000_000)
    found = flips_to_reverse(table, *HTER, 0.05)
    assert found[:3] == (977, 0, 977)
    for flips, below in ((976, True), (977, False)):
        after = Discordant(501_000, 499_000, 499_000 + flips, 501_000, 2_000_000, 3_000_000)
        assert (exact_p(after, *HTER, mid=True) < 0.05) == below
    far_out = Discordant(900_000, 100_000, 100_000, 900_000, 2_000_000, 3_000_000)
    found = flips_to_reverse(far_out, *HTER, 0.05)
    assert found.decisions == 1_330_269
    assert 0.05 <= found.p_after < 0.0501


def by_unit(rows, weight=HTER):
    """Units from rows of false alarms surplus, non-targets, misses surplus, targets."""
    x0, n0, x1, n1 = np.array(rows).T
    return linear_units(np.stack([x0, x1]), np.stack([n0, n1]), np.array(weight))


ROWS = [(4, 10, 1, 5), (1, 10, 0, 5), (-1, 10, 1, 5), (0, 10, -1, 5), (-2, 10, 0, 5), (1, 10, 0, 5)]


def test_units_by_hand():
    """D = 3/60 / 2 + 1/30 / 2; the first unit carries most, and without it D is -1/50 / 2 + 0."""
    influence, estimate = by_unit(ROWS)
    value, *_ = estimate(np.ones(6, dtype=bool))
    assert value == pytest.approx(3 / 120 + 1 / 60, abs=1e-15)
    # The first unit: (4 - 10 / 20) / 120 and, of three misses fewer in thirty, (1 - 5 / 30) / 60.
    assert influence[0] == pytest.approx((4 - 0.5) / 120 + (1 - 1 / 6) / 60, abs=1e-15)
    assert influence.sum() == pytest.approx(0, abs=1e-15)
    without_the_first, *_ = estimate(np.arange(6) > 0)
    assert without_the_first == pytest.approx(-1 / 100, abs=1e-15)


def test_a_unit_for_each_trial_gives_the_paired_standard_error():
    """Methods, property P23: SE^2 of T2 times N1 / (N1 - 1), of the rarer class."""
    rows = [(1, 1, 0, 0)] * 16 + [(-1, 1, 0, 0)] * 34 + [(0, 1, 0, 0)] * 750
    rows += [(0, 0, -1, 1)] * 8 + [(0, 0, 1, 1)] * 26 + [(0, 0, 0, 1)] * 166
    influence, estimate = by_unit(rows)
    value, se, _ = estimate(np.ones(1000, dtype=bool))
    assert value == pytest.approx(float(difference(T2, *HTER)), abs=1e-15)
    assert se == pytest.approx(float(standard_error(T2, *HTER)) * sqrt(200 / 199), abs=1e-14)
    found = units_to_reverse_verdict(influence, estimate, 0.05)
    # Targets that only the first model misses leave, until p is no longer below .05.
    assert set(found.units) <= set(range(800 + 8, 800 + 34))
    assert found.p >= 0.05
    kept = np.ones(1000, dtype=bool)
    kept[found.units[:-1]] = False
    left = estimate(kept)
    assert left.p == 2 * t.sf(abs(left.difference) / left.se, left.sizes.degrees_of_freedom) < 0.05


row = st.tuples(st.integers(-3, 3), st.integers(3, 6), st.integers(-2, 2), st.integers(2, 4))
units = st.lists(row, min_size=2, max_size=7)


def fewest_by_brute_force(n, estimate, enough):
    """The fewest of n units whose removal is enough, leaving at least one."""
    for size in range(1, n):
        for gone in itertools.combinations(range(n), size):
            kept = np.ones(n, dtype=bool)
            kept[list(gone)] = False
            if enough(*estimate(kept)):
                return size
    return None


@given(units, st.sampled_from([0.05, 0.3]))
def test_removal_reverses_the_verdict_and_bounds_the_fewest(rows, level):
    influence, estimate = by_unit(rows)
    value, se, sizes = estimate(np.ones(len(rows), dtype=bool))
    found = units_to_reverse_verdict(influence, estimate, level)
    if not se > 0 or sizes.effective <= 2:
        assert found is None
        return

    def p_of(d, spread, sizes):
        if sizes.effective <= 2:
            return np.nan
        return (
            2 * t.sf(abs(d) / spread, sizes.degrees_of_freedom)
            if spread > 0
            else 1.0
            if abs(d) <= 1e-12
            else np.nan
        )

    was = p_of(value, se, sizes) < level

    def enough(d, spread, sizes):
        p = p_of(d, spread, sizes)
        return (p >= level or d * value < 0) if was else p < level

    if found:
        kept = np.ones(len(rows), dtype=bool)
        kept[found.units] = False
        assert enough(*estimate(kept))
        assert len(found.units) >= fewest_by_brute_force(len(rows), estimate, enough)


def test_verdict_is_reached_in_the_direction_that_takes_fewer():
    """D is above 0, but one unit alone keeps it from being significantly below 0."""
    rows = [(-3, 10, 0, 0)] * 6 + [(-2, 10, 0, 0)] * 6 + [(35, 50, 0, 0)]
    influence, estimate = by_unit(rows, (1, 0))
    of_all = estimate(np.ones(13, dtype=bool))
    assert of_all.difference > 0
    assert of_all.p >= 0.05
    found = units_to_reverse_verdict(influence, estimate, 0.05)
    assert found.units.tolist() == [12]
    assert found.difference < 0
    assert found.p < 0.05
