"""Adjusted p-values, simultaneous intervals and sets of best models against exact and outside values."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reporting.core.resampling.paired import adjust
from reporting.core.stats import intervals, multiplicity
from reporting.core.stats.multiplicity import sup_t
from reporting.features.comparisons import formulas as comparisons
from reporting.features.comparisons.formulas import simultaneous, step_down
from tests.features.comparisons.families import LEVELS, families, single_step, trials_of, variance

# Three models A, B, C: trials by which of them accept, 000 to 111 (methods 10).
TARGETS, NONTARGETS = np.array([10, 3, 5, 8, 6, 12, 14, 142]), np.array([700, 20, 14, 6, 25, 5, 4, 26])
ACCEPTED = np.array([[k >> 2 & 1, k >> 1 & 1, k & 1] for k in range(8)])
PAIRS = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])  # A - B, A - C, B - C
SINGLE, DOWN = [0.901, 0.335, 0.602], [0.674, 0.335, 0.528]  # as printed in methods 10


def hter(targets, nontargets):
    """HTER of the three models, shapes (..., 8) to (..., 3)."""
    misses = targets @ (1 - ACCEPTED) / targets.sum(axis=-1, keepdims=True)
    return (misses + nontargets @ ACCEPTED / nontargets.sum(axis=-1, keepdims=True)) / 2


def squares(estimate, replicates):
    """Exact T^2 and T*^2 of the members with spread, by member."""
    found = {}
    for j, d in enumerate(map(int, estimate)):
        if v := variance(replicates[:, j]):
            found[j] = d * d / v, [(int(x) - d) ** 2 / v for x in replicates[:, j]]
    return found


def exact_single_step(estimate, replicates):
    found = squares(estimate, replicates)
    p = [1.0 if d == 0 else np.nan for d in estimate]
    for j, (t, _) in found.items():
        farthest = [max(row) for row in zip(*(drawn for _, drawn in found.values()), strict=True)]
        p[j] = (1 + sum(far >= t for far in farthest)) / (len(replicates) + 1)
    return p


def exact_step_down(estimate, replicates):
    found = squares(estimate, replicates)
    p, least = [1.0 if d == 0 else np.nan for d in estimate], 0.0
    for j, (t, _) in sorted(found.items(), key=lambda item: -item[1][0]):
        left = [drawn for other, drawn in found.values() if other <= t]
        least = max(
            least, (1 + sum(max(row) >= t for row in zip(*left, strict=True))) / (len(replicates) + 1)
        )
        p[j] = least
    return p


def own_p(estimate, replicates):
    """The p-value of every member by itself."""
    return np.array([intervals.basic_p(d, replicates[:, j]) for j, d in enumerate(estimate)])


def leaves_out_0(found):
    return (found.low > 0) | (found.high < 0)


# By hand


def nine_replicates():
    """Two members of the same spread: distances -4..4, and the same values in another order."""
    moved = np.array([[-4, 0], [-3, 1], [-2, -1], [-1, 2], [0, -2], [1, 3], [2, -3], [3, 4], [4, -4]])
    d = np.array([4.0, 2.0])
    return d, d + moved


def test_by_hand():
    """The larger distances of the rows are 4 3 2 2 2 3 3 4 4."""
    d, replicates = nine_replicates()
    assert own_p(d, replicates).tolist() == [3 / 10, 7 / 10]
    assert single_step(d, replicates).tolist() == [4 / 10, 10 / 10]
    assert step_down(d, replicates).tolist() == [4 / 10, 7 / 10]
    found = simultaneous(d, replicates, 0.6)
    assert found.c == pytest.approx(3 / 7.5**0.5, rel=1e-15)
    assert found.low == pytest.approx([1, -1], abs=1e-14)
    assert found.high == pytest.approx([7, 5], abs=1e-14)


def test_step_down_never_falls_below_a_larger_difference():
    """SE sqrt(7.5) and 3: the second by itself has 2/10, less than the first has in the family."""
    d = np.array([2.0, 1.0])
    replicates = d + np.column_stack((np.arange(-4.0, 5), [0, 0, 0, 0, 9, 0, 0, 0, 0]))
    assert own_p(d, replicates).tolist() == [7 / 10, 2 / 10]
    assert single_step(d, replicates).tolist() == [8 / 10, 10 / 10]
    assert step_down(d, replicates).tolist() == [8 / 10, 8 / 10]


# The anchor of methods 10


@pytest.fixture(scope="module", name="exact")
def _exact():
    """A million replicates of the stratified bootstrap without noise, in units of 1/1600 of HTER.

    The joint law of A - B and A - C has a product as its transform; B - C is their difference.
    """
    size = 512  # eleven standard deviations on either side
    z = np.exp(-2j * np.pi * np.arange(size) / size)

    def transform(counts, wrong, unit):
        steps = unit * (wrong[:, :1] - wrong[:, 1:])
        one = sum(
            c * np.outer(z**a, z**b) for c, (a, b) in zip(counts / counts.sum(), steps.tolist(), strict=True)
        )
        return one ** counts.sum()

    law = np.fft.ifft2(transform(TARGETS, 1 - ACCEPTED, 4) * transform(NONTARGETS, ACCEPTED, 1)).real
    chance = law.clip(0).ravel()
    first, second = (np.fft.fftfreq(size, 1 / size).round()[at] for at in np.indices((size, size)))
    support = np.column_stack((first.ravel(), second.ravel(), (second - first).ravel()))
    m = 1_000_000
    at = np.searchsorted(np.cumsum(chance) / chance.sum(), (np.arange(m) + 0.5) / m)
    return hter(TARGETS, NONTARGETS) @ PAIRS, support[at] / 1600


def test_the_exact_anchor(exact):
    """Sums over the exact joint law, with the ties, which are a twentieth of it."""
    d, replicates = exact
    assert d == pytest.approx([-0.00625, -0.020625, -0.014375], abs=1e-15)
    assert replicates.std(axis=0, ddof=1) == pytest.approx([0.0145757, 0.0145842, 0.0151252], abs=6e-7)
    assert single_step(d, replicates) == pytest.approx([0.90283, 0.33816, 0.60570], abs=2e-5)
    assert step_down(d, replicates) == pytest.approx([0.68322, 0.33816, 0.53360], abs=2e-5)


def test_the_printed_anchor_lost_some_of_its_ties(exact, monkeypatch):
    """Every number of methods 10 lies between the exact ones with all ties and with none."""
    d, replicates = exact
    with_ties = single_step(d, replicates), step_down(d, replicates)
    for module in (multiplicity, comparisons):
        monkeypatch.setattr(module, "SLACK", -1e-9)
    without = single_step(d, replicates), step_down(d, replicates)
    assert without[0] == pytest.approx([0.89627, 0.33077, 0.59690], abs=2e-5)
    assert without[1] == pytest.approx([0.65198, 0.33077, 0.51964], abs=2e-5)
    for low, printed, high in zip(without, (SINGLE, DOWN), with_ties, strict=True):
        assert (low < printed).all()
        assert (printed < high).all()


def test_the_anchor_where_classes_are_drawn_too():
    """Unstratified, where class sizes vary and hardly anything ties: the normal limit of methods 10.

    .904, .334, .608; the step-down values are the means of two million draws.
    """
    m = 100_000
    cells = np.concatenate((TARGETS, NONTARGETS))
    drawn = np.random.default_rng(3).multinomial(1000, cells / 1000, size=m)
    d, replicates = hter(TARGETS, NONTARGETS) @ PAIRS, hter(drawn[:, :8], drawn[:, 8:]) @ PAIRS
    assert single_step(d, replicates) == pytest.approx([0.904, 0.334, 0.608], abs=0.005)
    assert single_step(d, replicates) == pytest.approx(SINGLE, abs=0.01)
    assert step_down(d, replicates) == pytest.approx([0.6689, 0.3341, 0.5325], abs=0.005)
    assert step_down(d, replicates) == pytest.approx(DOWN, abs=0.01)


# Laws


@given(families())
def test_p_values_are_exact(family):
    estimate, replicates, scale = family
    ours = single_step(estimate * scale, replicates * scale), step_down(estimate * scale, replicates * scale)
    np.testing.assert_array_equal(ours[0], exact_single_step(estimate, replicates))
    np.testing.assert_array_equal(ours[1], exact_step_down(estimate, replicates))


@given(families(), LEVELS)
def test_intervals_leave_0_out_exactly_when_p_says_so(family, level):
    """The single-step dual; and c is the exact order statistic."""
    estimate, replicates, scale = family
    m, d, drawn = len(replicates), estimate * scale, replicates * scale
    rank = int(-(-(m + 1) * Fraction(str(level)) // 1))
    found, p = simultaneous(d, drawn, level), single_step(d, drawn)
    if rank > m:
        assert found is None
        return
    assert (leaves_out_0(found) == (p * (m + 1) < m + 1.5 - rank)).all()
    assert (np.isnan(found.low) == np.isnan(p)).all()
    exact = squares(estimate, replicates)
    if exact:
        far = sorted(max(row) for row in zip(*(drawn for _, drawn in exact.values()), strict=True))
        assert found.c == pytest.approx(float(far[rank - 1]) ** 0.5, rel=1e-12)
    else:
        assert np.isnan(found.c)


@given(families())
def test_p_values_are_ordered(family):
    """Methods, property P28: own <= step-down <= single-step <= the sum of all members' tails, which is what is certain."""
    estimate, replicates, scale = family
    d, drawn = estimate * scale, replicates * scale
    own, down, single = own_p(d, drawn), step_down(d, drawn), single_step(d, drawn)
    tested = drawn.std(axis=0) > 1e-9
    assert (own[tested] <= down[tested]).all()
    assert (down[tested] <= single[tested]).all()
    t = squares(estimate, replicates)
    for j, (own_t, _) in t.items():
        beyond = sum(far >= own_t for _, drawn_t in t.values() for far in drawn_t)
        assert single[j] <= (1 + beyond) / (len(drawn) + 1) + 1e-12
    ranked = [down[j] for j in sorted(t, key=lambda j: -t[j][0])]
    assert ranked == sorted(ranked)


@given(families(), LEVELS, st.randoms(use_true_random=False))
def test_swapped_models_and_other_orders(family, level, random):
    """Methods, property P21; the order of members and of replicates, and a member given twice, change nothing."""
    estimate, replicates, scale = family
    d, drawn = estimate * scale, replicates * scale
    order = list(range(len(d)))
    random.shuffle(order)
    rows = list(range(len(drawn)))
    random.shuffle(rows)
    for adjusted in (single_step, step_down):
        p = adjusted(d, drawn)
        np.testing.assert_array_equal(adjusted(-d, -drawn), p)
        np.testing.assert_array_equal(adjusted(d[order], drawn[np.ix_(rows, order)]), p[order])
        twice = adjusted(np.tile(d, 2), np.tile(drawn, 2))
        np.testing.assert_array_equal(twice, np.tile(p, 2))
    if (one := sup_t(d, drawn, level)) is not None:
        other = sup_t(-d, -drawn, level)
        np.testing.assert_array_equal((other.low, other.high), (-one.high, -one.low))


@given(families(), LEVELS)
def test_the_band_is_wider_than_that_of_any_point(family, level):
    """Methods, property P29."""
    estimate, replicates, scale = family
    v, drawn = estimate * scale, replicates * scale
    if (band := sup_t(v, drawn, level)) is None:
        return
    for j in range(len(v)):
        alone = sup_t(v[[j]], drawn[:, [j]], level)
        if np.isnan(alone.c):
            assert band.low[j] == band.high[j] == v[j]
        else:
            assert band.c >= alone.c * (1 - 1e-12)


# Bonferroni


@pytest.mark.parametrize("df", [None, 3.0, 49.0])
def test_limits_of_a_band_reach_as_far_with_any_degrees_of_freedom(df):
    """c = 2.8 where a point alone has z: t at the level of the band is 2.8 t / z, of 50 clusters 2.87."""
    of = stats.norm if df is None else stats.t(df)
    found = multiplicity.BandLevel(2.8, 0.95).at(df)
    assert of.ppf((1 + found) / 2) == pytest.approx(2.8 * of.ppf(0.975) / stats.norm.ppf(0.975))
    assert multiplicity.BandLevel(math.nan, 0.95).at(df) == pytest.approx(math.sqrt(0.95))
    assert multiplicity.BandLevel(1.97, 0.95).at(df) == pytest.approx(math.sqrt(0.95))


def test_heavy_tails_of_another_member_exceed_bonferroni():
    """Methods, property P28 as written needs tails alike: .3 > 2 x .1. Far out one is certain only of the sum of all tails."""
    light = np.concatenate((np.full(10, -1.0), np.full(9, 1.0)))
    heavy = np.zeros(19)
    heavy[:5] = 4, -4, 4, -4, 3.5
    d = np.array([1.1, 0.0])
    replicates = d + np.column_stack((light, heavy))
    assert own_p(d, replicates)[0] == 1 / 20
    assert single_step(d, replicates)[0] == 6 / 20
    assert step_down(d, replicates)[0] == 6 / 20


def correlated(members, m, seed):
    """Replicates of unequal spread with normal tails and a common part, and differences of up to 3.5 SE."""
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(m, members)) + rng.normal(size=(m, 1))
    scale = rng.uniform(0.1, 10, members)
    d = rng.uniform(-5, 5, members) * scale
    return d, d + drawn * scale


@pytest.mark.parametrize("seed", range(5))
def test_bonferroni_and_holm_bound_the_adjusted_p_values(seed):
    """Methods, property P28 where tails are alike, with the Monte Carlo error of both sides."""
    m = 20_000
    d, replicates = correlated(6, m, seed)
    own, single, down = own_p(d, replicates), single_step(d, replicates), step_down(d, replicates)
    noise = 4 * 6 * np.sqrt(own / m)
    assert (single >= own).all()
    assert (single <= np.minimum(6 * own, 1) + noise).all()
    assert (down <= np.array(adjust(own.tolist(), "holm")) + noise).all()
    assert (down < adjust(own.tolist(), "holm")).sum() >= 4


# Outside references


def test_all_pairs_of_independent_means_are_tukeys():
    m, values = 100_000, np.array([0.0, 1.5, 2.0, 3.9])
    drawn = values + np.random.default_rng(5).normal(size=(m, 4))
    pairs = list(combinations(range(4), 2))
    d = np.array([values[a] - values[b] for a, b in pairs])
    replicates = np.column_stack([drawn[:, a] - drawn[:, b] for a, b in pairs])
    # sqrt(2) T is the studentized range of pairs of which each mean has variance 1.
    theirs = stats.studentized_range.sf(np.abs(d), 4, np.inf)
    assert single_step(d, replicates) == pytest.approx(theirs, abs=0.006)
    c = stats.studentized_range.ppf(0.95, 4, np.inf) / 2**0.5
    assert simultaneous(d, replicates, 0.95).c == pytest.approx(c, abs=0.02)


def test_two_correlated_members_are_a_rectangle_of_the_normal():
    m, rho, d = 100_000, 0.8, np.array([1.0, 2.1])
    law = stats.multivariate_normal([0, 0], [[1, rho], [rho, 1]])
    replicates = d + law.rvs(m, random_state=np.random.default_rng(6))
    theirs = [1 - law.cdf([t, t], lower_limit=[-t, -t]) for t in d]
    assert single_step(d, replicates) == pytest.approx(theirs, abs=0.006)
    assert step_down(d, replicates) == pytest.approx([2 * stats.norm.sf(1), theirs[1]], abs=0.006)


# Edges


@np.errstate(all="raise")
def test_members_without_spread():
    """Identical models have p 1 and [0, 0]; a difference that never varies cannot be tested."""
    d, replicates = nine_replicates()
    more = np.append(d, [0.0, 0.3, np.nan, 5.0, 5.0])
    undefined = np.full(9, 1.0)
    undefined[4] = np.nan
    infinite = np.full(9, np.inf)
    wider = np.column_stack((replicates, np.zeros(9), np.full(9, 0.3), np.arange(9.0), undefined, infinite))
    for adjusted in (single_step, step_down):
        np.testing.assert_array_equal(
            adjusted(more, wider), [*adjusted(d, replicates), 1, np.nan, np.nan, np.nan, np.nan]
        )
    alone, curve, tests = (
        sup_t(d, replicates, 0.6),
        sup_t(more, wider, 0.6),
        simultaneous(more, wider, 0.6),
    )
    assert curve.c == tests.c == alone.c
    nan = [np.nan] * 3
    np.testing.assert_array_equal(curve.low, [*alone.low, 0, 0.3, *nan])
    np.testing.assert_array_equal(curve.high, [*alone.high, 0, 0.3, *nan])
    np.testing.assert_array_equal(tests.low, [*alone.low, 0, np.nan, *nan])
    np.testing.assert_array_equal(tests.high, [*alone.high, 0, np.nan, *nan])


def test_a_limit_at_0_is_no_evidence():
    """T is the order statistic itself, through a replicate of 0; .3 - c SE is 5.6e-17 in floats."""
    d, replicates = np.array([3]) * 0.1, np.array([[0, 1, 3, 5, -1, -1, 0, 5, -3]]).T * 0.1
    assert single_step(d, replicates)[0] == 6 / 10
    found = simultaneous(d, replicates, 0.5)
    assert d[0] - found.c * replicates.std(ddof=1) > 0
    assert found.low[0] == 0
    assert simultaneous(-d, -replicates, 0.5).high[0] == 0


# Simulations: 400 samples each, so that the standard error of a coverage of .9 is .015


def test_a_band_covers_the_whole_curve_and_pointwise_limits_do_not():
    """The share of n = 1000 uniform scores below 19 points, whose truth is known.

    In 3000 samples the band covered .882 with these 399 replicates, .891 with 999, and .899 with 999 and
    n = 5000; with n = 200, where the first point expects 10 scores, and 199 replicates .844.
    """
    rng, n, m, level, runs = np.random.default_rng(8), 1000, 399, 0.9, 400
    truth = np.arange(1, 20) / 20
    r, upper = intervals.order_statistics(m, level)
    whole, pointwise, each = 0, 0, 0.0
    for _ in range(runs):
        cells = rng.multinomial(n, np.full(20, 1 / 20))
        drawn = rng.multinomial(n, cells / n, size=m).cumsum(axis=1)[:, :19] / n
        band = sup_t(cells.cumsum()[:19] / n, drawn, level)
        whole += ((band.low <= truth) & (truth <= band.high)).all()
        drawn.sort(axis=0)
        inside = (drawn[r - 1] <= truth) & (truth <= drawn[upper - 1])
        pointwise += inside.all()
        each += inside.mean()
    assert 0.84 < whole / runs < 0.94
    assert 0.87 < each / runs < 0.94
    assert pointwise / runs < 0.6


def test_the_family_errs_no_more_often_than_it_may():
    """All pairs of four equal models: some p-value is at most .1 in at most about .1 of samples."""
    rng, runs = np.random.default_rng(10), 400
    pairs = list(combinations(range(4), 2))
    adjusted, alone = 0, 0
    for _ in range(runs):
        values, replicates = trials_of([1, 1, 1, 1], rng, 100, 99)
        d = np.array([values[a] - values[b] for a, b in pairs])
        drawn = np.column_stack([replicates[:, a] - replicates[:, b] for a, b in pairs])
        adjusted += (step_down(d, drawn) <= 0.1).any()
        alone += (own_p(d, drawn) <= 0.1).any()
    assert 0.05 < adjusted / runs < 0.14
    assert alone / runs > 0.2
