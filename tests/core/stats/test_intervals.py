from fractions import Fraction

import numpy as np
import pytest
from exact_bootstrap import exact_distribution
from hypothesis import given
from hypothesis import strategies as st
from proportions import clopper_pearson
from scipy import stats
from scipy.special import ndtri
from scipy.stats import binomtest, norm

from reporting.core.stats import intervals
from reporting.core.stats.intervals import wilson
from reporting.core.stats.paired import Discordant, difference


@pytest.mark.parametrize(
    ("errors", "n", "wilson", "exact"),
    [(0, 300, (0, 0.0126430), (0, 0.0122210)), (5, 50, (0.0434758, 0.2136023), (0.0332751, 0.2181354))],
)
def test_anchors_for_proportions(errors, n, wilson, exact):
    assert intervals.wilson(errors, n, 0.95) == pytest.approx(wilson, abs=5e-8)
    assert clopper_pearson(errors, n, 0.95) == pytest.approx(exact, abs=5e-8)


def test_anchor_of_the_rule_of_30():
    expected = (0.000674794, 0.001427257)
    assert clopper_pearson(30, 30_000, 0.95) == pytest.approx(expected, abs=5e-10)


@given(st.integers(1, 400), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_proportions_agree_with_scipy(n, data, level):
    k = data.draw(st.integers(0, n))
    for ours, method in ((intervals.wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = binomtest(k, n).proportion_ci(level, method)
        assert ours(k, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize(
    ("m", "level", "ranks"),
    [
        (10_000, 0.95, (250, 9751)),
        (999, 0.95, (25, 975)),
        (19, 0.9, (1, 19)),
        (18, 0.9, (0, 19)),
        (39, 0.95, (1, 39)),
    ],
)
def test_percentile_limits_are_order_statistics(m, level, ranks):
    assert intervals.order_statistics(m, level) == ranks
    values = np.random.default_rng(1).permutation(m).astype(float)
    limits = intervals.percentile(values, level)
    expected = (ranks[0] - 1, ranks[1] - 1) if ranks[0] else None
    assert limits == expected


@given(st.lists(st.integers(-3, 3), min_size=99, max_size=199))
def test_percentile_interval_and_p_are_dual_and_antisymmetric(values):
    """Methods, properties P20 and P21: 0 outside the interval exactly when p is below the level; negating swaps the ends."""
    d = np.array(values, dtype=float)
    limits, mirrored = intervals.percentile(d, 0.9), intervals.percentile(-d, 0.9)
    assert limits is not None
    assert mirrored == (-limits.high, -limits.low)
    assert intervals.percentile_p(d) == intervals.percentile_p(-d)
    # r = floor((M + 1) .05): p counts (1 + #tail) against it, hence the exact boundary below.
    r, _ = intervals.order_statistics(len(d), 0.9)
    excludes = limits.low > 0 or limits.high < 0
    assert excludes == (intervals.percentile_p(d) * (len(d) + 1) / 2 <= r)


def test_zero_counts_in_both_tails():
    assert intervals.percentile_p(np.zeros(99)) == 1.0
    assert intervals.percentile_p(np.full(99, 1e-13)) == 1.0
    assert intervals.percentile_p(np.ones(99)) == 2 / 100


def test_normal_interval_and_p():
    low, high = intervals.normal(1.0, 0.5, 0.95)
    assert (low, high) == pytest.approx((1 - 1.959964 * 0.5, 1 + 1.959964 * 0.5), abs=1e-6)
    assert intervals.normal_p(1.0, 0.5) == pytest.approx(2 * norm.sf(2.0), rel=1e-12)


def test_monte_carlo_error_of_the_normal_p_is_the_spread_over_repetitions():
    rng = np.random.default_rng(3)
    spreads = rng.normal(size=(4000, 400)).std(axis=1, ddof=1)
    p = np.array([intervals.normal_p(2.0, s) for s in spreads])
    assert intervals.normal_p_error(2.0, 1.0, 400) == pytest.approx(p.std(), rel=0.1)


def test_studentized_interval_is_dual_to_its_p():
    differences, errors = np.array([0.0, 2.0, 1.0] * 33), np.array([0.5, 1.0, 0.5] * 33)
    # |t*| is 2, 1 and 0: 90 of 99 are reached at 2.
    assert intervals.studentized(1.0, 0.25, differences, errors, 0.9) == (1 - 0.5, 1 + 0.5)
    rng = np.random.default_rng(1)
    for _ in range(200):
        d, e = rng.normal(1, 0.4, 199), rng.uniform(0.1, 1, 199)
        limits = intervals.studentized(1.0, 0.5, d, e, 0.95)
        p = (1 + (np.abs((d - 1.0) / e) >= 1.0 / 0.5).sum()) / 200
        assert (limits.low > 0) == (p <= 0.05)


def test_a_replicate_without_spread_is_infinitely_far():
    differences = np.array([0.0] * 50 + [1.0] * 50)
    assert intervals.studentized(1.0, 0.25, differences, np.zeros(100), 0.9) is None
    assert intervals.studentized(1.0, 0.25, np.ones(100), np.zeros(100), 0.9) == (1.0, 1.0)


def test_logit_interval_of_the_published_ratings():
    limits = intervals.logit_interval(0.893171061528, 0.030724408379, 0.95)
    assert limits == pytest.approx((0.8164434579114813, 0.9401761946121984), abs=1e-9)


T1 = Discordant(10, 30, 6, 12, 100, 300, 245, 2)
T2 = Discordant(16, 34, 8, 26, 200, 800, 732, 16)
LISTS = st.lists(st.integers(-3, 5), min_size=99, max_size=199)
METHODS = ("percentile", "centred", "basic", "bca")


def influences(d):
    """psi = dD / dc and count of the joint outcomes of HTER, targets first; non-targets are class 0."""
    rows = [
        (d.target_10, d.n_target, -1, 1),
        (d.target_01, d.n_target, 1, 1),
        (d.n_target - d.target_10 - d.target_01, d.n_target, 0, 1),
        (d.nontarget_10, d.n_nontarget, 1, 0),
        (d.nontarget_01, d.n_nontarget, -1, 0),
        (d.n_nontarget - d.nontarget_10 - d.nontarget_01, d.n_nontarget, 0, 0),
    ]
    surplus = {1: d.target_01 - d.target_10, 0: d.nontarget_10 - d.nontarget_01}
    psi = [(step - surplus[label] / n) / (2 * n) for _, n, step, label in rows]
    return np.array(psi), np.array([c for c, *_ in rows]), np.array([label for *_, label in rows])


def as_replicates(d, m):
    """The exact stratified bootstrap distribution as m replicates: its quantiles at (i + 1/2) / m."""
    support, p = exact_distribution(d)
    at = np.searchsorted(np.cumsum(p) / p.sum(), (np.arange(m) + 0.5) / m)
    return support[np.minimum(at, len(support) - 1)] / (2 * d.n_target * d.n_nontarget)


@pytest.fixture(scope="module", name="t2")
def _t2():
    return float(difference(T2, 0.5, 0.5)), as_replicates(T2, 999_999)


def test_anchors_of_t2(t2):
    """The intervals and p-values printed in methods 8.6, at a million replicates without noise.

    The printed p-values of BCa and basic come from a million draws: their Monte Carlo error is .0002.
    """
    point, drawn = t2
    a = intervals.acceleration(*influences(T2)[:2])
    assert point == pytest.approx(0.03375, abs=1e-15)
    assert a == pytest.approx(0.0070053354362609, rel=1e-12)
    assert intervals.percentile(drawn, 0.95) == pytest.approx((0.005, 0.063125), abs=1e-12)
    assert intervals.percentile_p(drawn) == pytest.approx(0.0230163, abs=3e-6)
    assert intervals.bca(point, drawn, a, 0.95) == pytest.approx((0.005625, 0.06375), abs=1e-12)
    assert intervals.bca_p(point, drawn, a) == pytest.approx(0.0188, abs=3e-4)
    assert intervals.basic_p(point, drawn) == pytest.approx(0.0247, abs=3e-4)
    assert intervals.basic(point, drawn, 0.95) == pytest.approx(
        (0.0675 - 0.063125, 0.0675 - 0.005), abs=1e-12
    )
    assert 0.0233 - 3e-4 < intervals.centred_p(drawn) < 0.0248 + 3e-4


def test_anchors_of_t1():
    point, drawn = float(difference(T1, 0.5, 0.5)), as_replicates(T1, 99_999)
    assert point == pytest.approx(-1 / 300, abs=1e-15)
    assert intervals.percentile(drawn, 0.95) == pytest.approx((-29 / 600, 26 / 600), abs=1e-12)
    assert intervals.percentile_p(drawn) == pytest.approx(0.9117376728, abs=3e-5)
    middle, half = drawn.mean(), intervals.centred(drawn, 0.95).high - drawn.mean()
    assert middle == pytest.approx(point, abs=1e-5)
    assert half == pytest.approx(1.96 * 0.0234181, abs=1 / 600)


def test_by_hand():
    """19 replicates -1, 0, ..., 17 of an estimate 9: mean 8, z0 = 1/10 of Phi^-1."""
    d = np.arange(19.0) - 1
    assert intervals.centred(d, 0.9) == (8 - 9, 8 + 9)
    assert intervals.centred_p(d) == (1 + 4) / 20  # -1, 0, 16, 17 are at least 8 from 8
    assert intervals.basic(9.0, d, 0.9) == (18 - 17, 18 + 1)
    assert intervals.basic_p(9.0, d) == (1 + 2) / 20  # -1 and 0 are at least 9 from 9
    assert intervals.bias_correction(9.0, d) == pytest.approx(stats.norm.ppf(10.5 / 19))
    assert intervals.bias_correction(8.0, d) == 0
    # Psi of two patterns: 3 (1) + 1 (-3) trials; sum c psi^2 = 12, sum c psi^3 = -24.
    assert intervals.acceleration([1.0, -3.0], [3, 1]) == pytest.approx(-24 / (6 * 12**1.5))
    assert intervals.acceleration([1.0, 1, 1, -3]) == intervals.acceleration([1.0, -3.0], [3, 1])


def test_bca_agrees_with_scipy_on_t1():
    """Outside reference, on the integers 600 D so that ties are ties; scipy interpolates the quantile."""
    samples = (
        np.repeat([-1, 1, 0], [T1.target_10, T1.target_01, 82]),
        np.repeat([1, -1, 0], [T1.nontarget_10, T1.nontarget_01, 260]),
    )
    theirs = stats.bootstrap(
        samples,
        lambda t, n, axis: 3.0 * t.sum(axis=axis) + n.sum(axis=axis),
        method="BCa",
        n_resamples=9999,
        rng=np.random.default_rng(7),
        batch=1000,
    )
    psi, c, _ = influences(T1)
    a = intervals.acceleration(psi, c)
    ours = intervals.bca(600 * float(difference(T1, 0.5, 0.5)), theirs.bootstrap_distribution, a, 0.95)
    assert ours == pytest.approx(theirs.confidence_interval, abs=1.0)


def test_bca_agrees_with_scipy_where_nothing_ties():
    rng = np.random.default_rng(11)
    skewed = rng.exponential(size=40)
    theirs = stats.bootstrap(
        (skewed,), np.mean, method="BCa", n_resamples=9999, rng=rng, confidence_level=0.9
    )
    a = intervals.acceleration((skewed - skewed.mean()) / len(skewed))
    drawn = theirs.bootstrap_distribution
    ours = intervals.bca(skewed.mean(), drawn, a, 0.9)
    assert ours == pytest.approx(theirs.confidence_interval, abs=2e-3)
    # The correction matters here, and by far more than the tolerance.
    assert abs(ours.high - intervals.percentile(drawn, 0.9).high) > 1e-2


@given(LISTS, st.sampled_from([-0.2, 0.0, 0.07]), st.sampled_from([0.5, 0.9, 0.95]))
def test_swapping_the_models_swaps_the_limits_and_keeps_p(values, a, level):
    """Methods, property P21."""
    d, point = np.array(values, dtype=float), 0.5

    def limits(sign):
        return {
            "percentile": intervals.percentile(sign * d, level),
            "centred": intervals.centred(sign * d, level),
            "basic": intervals.basic(sign * point, sign * d, level),
            "bca": intervals.bca(sign * point, sign * d, sign * a, level),
        }

    one, other = limits(1), limits(-1)
    for name in METHODS:
        assert (one[name] is None) == (other[name] is None)
        assert one[name] is None or other[name] == (-one[name].high, -one[name].low), name
    assert intervals.centred_p(d) == intervals.centred_p(-d)
    assert intervals.basic_p(point, d) == intervals.basic_p(-point, -d)
    p = intervals.bca_p(point, d, a)
    assert np.isnan(p) or p == pytest.approx(intervals.bca_p(-point, -d, -a), rel=1e-12)


@given(LISTS, st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_intervals_exclude_0_exactly_when_p_says_so(values, level):
    """Methods, property P20 for centred and BCa; zeros, which BCa counts half, are left out there."""
    d = np.array(values, dtype=float)
    limits, p, m = intervals.centred(d, level), intervals.centred_p(d), len(d)
    at_most = int((m + 1) * (1 - level) + 1e-9)  # as many of M + 1 as p may count
    # Where the mean is at the limit to the last bits, either may be rounded.
    if min(abs(limits.low), abs(limits.high)) > 1e-9:
        assert (limits.low > 0 or limits.high < 0) == (round(p * (m + 1)) <= at_most)
    d = d[d != 0]
    if len(d) and (limits := intervals.bca(0.5, d, 0.05, level)) is not None:
        p = intervals.bca_p(0.5, d, 0.05)
        if abs(p - (1 - level)) > 1e-9:
            assert (limits.low > 0 or limits.high < 0) == (p < 1 - level)


def test_bca_without_corrections_is_the_percentile_method():
    d = np.arange(-20.0, 79.0) + 0.25
    assert intervals.bias_correction(29.25, d) == 0
    assert intervals.bca(29.25, d, 0.0, 0.9) == intervals.percentile(d, 0.9)
    assert intervals.bca_p(29.25, d, 0.0) == pytest.approx(intervals.percentile_p(d), rel=1e-12)
    assert intervals.percentile_p(d) == float(Fraction(2 * 21, 100))


def test_too_few_replicates_have_no_limits():
    d = np.arange(18.0)
    assert intervals.centred(d, 0.9) is not None
    assert intervals.centred(d, 0.95) is None
    assert intervals.basic(8.5, d, 0.9) is None
    assert intervals.bca(8.5, d, 0.0, 0.9) is None


def test_bca_is_undefined_beyond_all_replicates_and_past_the_pole():
    d = np.arange(99.0)
    assert intervals.bca(-1.0, d, 0.0, 0.9) is None
    assert np.isnan(intervals.bca_p(-1.0, d, 0.0))
    assert intervals.bca(49.0, d, np.nan, 0.9) is None
    assert np.isnan(intervals.bca_p(49.0, d, np.nan))
    assert intervals.bca(49.0, d, 1.0, 0.9) is None
    # y = Phi^-1(.01) = -2.3 is past -1 / a.
    assert intervals.bca_p(50.0, d + 1, 1.0) == 2 / 100


def test_models_that_decide_alike_do_not_differ():
    """Methods, property P22."""
    d = np.zeros(99)
    assert intervals.centred(d, 0.95) == intervals.basic(0.0, d, 0.95) == (0, 0)
    assert intervals.bca(0.0, d, 0.0, 0.9) == (0, 0)
    assert intervals.centred_p(d) == intervals.basic_p(0.0, d) == intervals.bca_p(0.0, d, 0.0) == 1


SIZES = st.integers(1, 60)
LEVELS = st.sampled_from([0.5, 0.9, 0.95])


TABLES = st.tuples(*[st.integers(0, 20)] * 4).filter(lambda table: sum(table) > 0)


@given(st.integers(0, 400), SIZES, SIZES, LEVELS)
def test_the_limits_of_an_area_are_z_standard_errors_away(share, n1, n0, level):
    auc = share / 400
    low, high = intervals.newcombe_auc(auc, n1, n0, level)
    assert 0 <= low <= auc <= high <= 1
    for limit in (low, high):
        if 1e-6 < limit < 1 - 1e-6:
            n = (n1 + n0) / 2 - 1
            q1, q2 = limit / (2 - limit), 2 * limit**2 / (1 + limit)
            squared = limit * (1 - limit) + n * (q1 - limit**2) + n * (q2 - limit**2)
            z = (limit - auc) / (squared / (n1 * n0)) ** 0.5
            assert abs(z) == pytest.approx(ndtri((1 + level) / 2), rel=1e-6)
    mirrored = intervals.newcombe_auc(1 - auc, n1, n0, level)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_one_trial_of_each_class_is_one_proportion():
    """N* = 0: the Wilson interval of one comparison."""
    assert intervals.newcombe_auc(1.0, 1, 1, 0.95) == pytest.approx(wilson(1, 1, 0.95), abs=1e-9)
    assert intervals.newcombe_auc(0.0, 1, 1, 0.95) == pytest.approx(wilson(0, 1, 0.95), abs=1e-9)


def test_perfect_separation_still_has_a_lower_limit():
    low, high = intervals.newcombe_auc(1.0, 41, 72, 0.95)
    assert high == 1
    assert 0.9 < low < 0.97
    # Near the middle it is close to the DeLong interval of the published ratings (methods 9.5).
    assert intervals.newcombe_auc(0.731368563685637, 41, 72, 0.95) == pytest.approx(
        (0.6192, 0.8201), abs=0.01
    )


@given(st.integers(1, 399), SIZES, SIZES, LEVELS, st.floats(0, 1))
def test_an_observed_variance_only_widens_the_limits_of_an_area(share, n1, n0, level, observed):
    auc, z = share / 400, ndtri((1 + level) / 2)
    plain, wider = (intervals.newcombe_auc(auc, n1, n0, level, of) for of in (0.0, observed))
    assert wider.low <= plain.low + 1e-9
    assert plain.high <= wider.high + 1e-9

    def variance(area):
        n = (n1 + n0) / 2 - 1
        return area * (1 - area) * (1 + n * (1 - area) / (2 - area) + n * area / (1 + area)) / (n1 * n0)

    for limit in (limit for limit in wider if 1e-6 < limit < 1 - 1e-6):
        squared = variance(limit) * max(1.0, observed / variance(auc))
        assert abs(limit - auc) == pytest.approx(z * squared**0.5, rel=1e-6)
