import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from reporting.stats import intervals


@pytest.mark.parametrize(
    ("errors", "n", "wilson", "exact"),
    [(0, 300, (0, 0.0126430), (0, 0.0122210)), (5, 50, (0.0434758, 0.2136023), (0.0332751, 0.2181354))],
)
def test_anchors_for_proportions(errors, n, wilson, exact):
    assert intervals.wilson(errors, n, 0.95) == pytest.approx(wilson, abs=5e-8)
    assert intervals.clopper_pearson(errors, n, 0.95) == pytest.approx(exact, abs=5e-8)


def test_anchor_of_the_rule_of_30():
    expected = (0.000674794, 0.001427257)
    assert intervals.clopper_pearson(30, 30_000, 0.95) == pytest.approx(expected, abs=5e-10)


@given(st.integers(1, 400), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_proportions_agree_with_scipy(n, data, level):
    k = data.draw(st.integers(0, n))
    for ours, method in ((intervals.wilson, "wilson"), (intervals.clopper_pearson, "exact")):
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
    """P20 and P21: 0 outside the interval exactly when p is below the level; negating swaps the ends."""
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


def test_no_error_in_300_trials_leaves_a_rate_of_one_percent():
    """The rule of 3: 3 / 300 = .01; exactly the Clopper-Pearson limit at twice the tail."""
    assert intervals.bound_without_errors(300, 0.95) == pytest.approx(0.0099361, abs=5e-8)
    assert intervals.bound_without_errors(300, 0.95) == pytest.approx(
        intervals.clopper_pearson(0, 300, 0.9).high
    )
