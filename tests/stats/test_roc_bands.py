import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import binom, kstwo, kstwobign
from tied import score_lists, staircase_of

from reporting.stats import roc_bands
from reporting.stats.intervals import percentile

GRID = np.linspace(0, 1, 101)
# Targets {.5, 1.5}, non-targets {0, .5, 1, 1}: FPR, TPR from (1, 1): (.75, 1), (.5, .5), (0, .5), (0, 0).
MISSES, ALARMS = np.array([0, 0, 1, 1, 2]), np.array([4, 3, 2, 0, 0])


def curve(staircase):
    """FPR and TPR of every cut."""
    return (
        staircase.false_alarms / staircase.n_nontarget,
        1 - staircase.misses / staircase.n_target,
    )


def drawn(staircase, m, seed=1):
    """Replicates of misses and false alarms on the cuts of a staircase, classes drawn apart."""
    rng = np.random.default_rng(seed)
    parts = []
    for steps in (np.diff(staircase.misses), -np.diff(staircase.false_alarms)):
        total = int(steps.sum())
        parts.append(rng.multinomial(total, steps / total, size=m))
    zero = np.zeros((m, 1), dtype=np.int64)
    misses = np.hstack((zero, np.cumsum(parts[0], axis=1)))
    rejected = np.hstack((zero, np.cumsum(parts[1], axis=1)))
    return misses, rejected[:, -1:] - rejected


def within(band, fpr, tpr, slack=1e-9):
    """Whether points at the FPR of a band lie in it."""
    assert np.array_equal(band.fpr, fpr)
    return bool(((band.low - slack <= tpr) & (tpr <= band.high + slack)).all())


def test_tpr_by_hand():
    x = [-1, 0, 0.25, 0.5, 0.625, 0.75, 1, 2]
    assert roc_bands.tpr_at(MISSES, ALARMS, x).tolist() == [0.5, 0.5, 0.5, 0.5, 0.75, 1, 1, 1]
    assert roc_bands.tpr_at(MISSES, ALARMS, x, "lower").tolist() == [0, 0, 0.5, 0.5, 0.75, 1, 1, 1]
    rows = roc_bands.tpr_at(np.stack([MISSES, 0 * MISSES]), np.stack([ALARMS, ALARMS]), [0.5])
    assert rows[0].tolist() == [0.5]
    assert np.isnan(rows[1]).all()
    # 3 of 10 is what .1 + .2 is meant to be.
    assert roc_bands.tpr_at(np.array([0, 0, 1]), np.array([10, 3, 3]), [0.1 + 0.2]).tolist() == [1]
    assert roc_bands.tpr_at(np.array([0, 0, 1]), np.array([10, 3, 3]), [0.3 - 1e-16], "lower").shape == (1,)


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_ends_of_every_vertical_run(targets, nontargets):
    staircase = staircase_of(targets, nontargets)[1]
    fpr, tpr = curve(staircase)
    upper = roc_bands.tpr_at(staircase.misses, staircase.false_alarms, fpr)
    lower = roc_bands.tpr_at(staircase.misses, staircase.false_alarms, fpr, "lower")
    for x, high, low in zip(fpr, upper, lower, strict=True):
        assert (low, high) == pytest.approx((tpr[fpr == x].min(), tpr[fpr == x].max()), abs=1e-12)


def test_exact_quantiles_of_the_kolmogorov_distance():
    """Methods 11.3: .134028 and .145956 of 100 scores; asymptotically 1.3581 and 1.4781 over the root of n."""
    assert roc_bands.ks_distance(100, 0.95) == pytest.approx(0.134028, abs=5e-7)
    assert roc_bands.ks_distance(100, 0.95**0.5) == pytest.approx(0.145956, abs=5e-7)
    assert roc_bands.ks_distance(1, 0.95) == pytest.approx(0.975)
    assert roc_bands.ks_distance(10**6, 0.95) * 1000 == pytest.approx(kstwobign.ppf(0.95), abs=2e-4)


def test_sjr_by_hand():
    d1, d0 = (float(kstwo.ppf(0.1**0.5, n)) for n in (2, 4))
    assert 0.25 < d0 < 0.5
    assert 0.35 < d1 < 0.5
    band = roc_bands.sjr_band(MISSES, ALARMS, np.array([0, 0.5, 0.6, 1]), 0.1)
    # 1 - d0 lies on the slope from (.5, .5) to (.75, 1); .5 + d0 is beyond it.
    assert band.low == pytest.approx([0, 0.5 - d1, 0.5 - d1, 0.5 + 2 * (0.5 - d0) - d1])
    assert band.high == pytest.approx([0.5 + d1, 1, 1, 1])


@given(score_lists(odd=True), score_lists(odd=True), st.sampled_from([0.5, 0.95]))
def test_simultaneous_bands_hold_the_curve_itself(targets, nontargets, level):
    """P33, at the ends of every run; both limits rise, and stay in [0, 1]."""
    staircase = staircase_of(targets, nontargets)[1]
    misses, alarms = staircase.misses, staircase.false_alarms
    fpr, tpr = curve(staircase)
    distances = roc_bands.fwb_distances(misses, alarms, *drawn(staircase, 39))
    for band in (
        roc_bands.sjr_band(misses, alarms, fpr, level),
        roc_bands.fwb_band(misses, alarms, distances, fpr, level),
    ):
        assert within(band, fpr, tpr)
        assert (band.low >= 0).all()
        assert (band.high <= 1).all()
        assert (np.diff(band.low[::-1]) >= -1e-12).all()
        assert (np.diff(band.high[::-1]) >= -1e-12).all()


def bisected(misses, alarms, fpr, tpr):
    """The smallest width of a band that holds a curve given by its vertices, by bisection over the bands."""
    low, high = 0.0, 10.0 * len(misses)
    rank = np.argsort(fpr)
    for _ in range(60):
        middle = (low + high) / 2
        band = roc_bands.fwb_band(misses, alarms, np.full(3, middle), fpr[rank], 0.5)
        holds = within(band, fpr[rank], tpr[rank], 1e-12)
        low, high = (low, middle) if holds else (middle, high)
    return high


@given(score_lists(), score_lists(), st.integers(0, 99))
def test_the_fixed_width_is_that_of_a_bisection(targets, nontargets, seed):
    staircase = staircase_of(targets, nontargets)[1]
    misses, alarms = staircase.misses, staircase.false_alarms
    other_misses, other_alarms = drawn(staircase, 1, seed)
    found = roc_bands.fwb_distances(misses, alarms, other_misses, other_alarms)
    # The band holds convex pieces of the replicate as soon as it holds many points of each.
    t = np.linspace(0, 1, 65)
    x, y = other_alarms[0] / other_alarms[0, 0], 1 - other_misses[0] / other_misses[0, -1]
    fpr = (x[:-1, None] + np.diff(x)[:, None] * t).ravel()
    tpr = (y[:-1, None] + np.diff(y)[:, None] * t).ravel()
    expected = bisected(misses, alarms, fpr, tpr)
    assert expected - 1e-9 <= found[0] <= expected + 2 / 64 * max(len(targets), len(nontargets)) ** 0.5


def test_fixed_width_by_hand():
    """Two non-targets, two targets, perfect against reversed: the corner (1, 0) is sqrt(2) from (0, 1)."""
    perfect, reverse = (np.array([0, 0, 2]), np.array([2, 0, 0])), (np.array([0, 2, 2]), np.array([2, 2, 0]))
    rows = np.stack([perfect[0], reverse[0]]), np.stack([perfect[1], reverse[1]])
    assert roc_bands.fwb_distances(*perfect, *rows) == pytest.approx([0, 2**0.5])
    # A replicate of other class sizes is still measured by the sizes of the curve.
    assert roc_bands.fwb_distances(*perfect, 3 * rows[0], 5 * rows[1]) == pytest.approx([0, 2**0.5])
    assert np.isnan(roc_bands.fwb_distances(*perfect, 0 * rows[0], rows[1])).all()


def test_fixed_width_is_an_order_statistic():
    distances = np.array([0.3, np.nan, 0.1, 0.2])
    band = roc_bands.fwb_band(MISSES, ALARMS, distances, GRID, 0.6)
    across, up = 0.3 / 4**0.5, 0.3 / 2**0.5
    assert band.high == pytest.approx(np.minimum(roc_bands.tpr_at(MISSES, ALARMS, GRID + across) + up, 1))
    lower = roc_bands.tpr_at(MISSES, ALARMS, GRID - across, "lower") - up
    assert band.low == pytest.approx(np.maximum(lower, 0))
    assert roc_bands.fwb_band(MISSES, ALARMS, distances, GRID, 0.8) is None  # the fourth is undefined
    assert roc_bands.fwb_band(MISSES, ALARMS, distances, GRID, 0.9) is None  # there is no fifth


def test_working_hotelling():
    """q = 2.447747 (methods 11.4), and the limits at FPR 0 and 1."""
    x, cov = np.array([0, 0.1, 0.5, 1]), (0.04, 0.01, 0.005)
    band = roc_bands.working_hotelling_band(x, 1.5, 0.7, cov, 0.95)
    z = ndtri(0.1)
    half = 2.447747 * (0.04 + 2 * z * 0.005 + z * z * 0.01) ** 0.5
    assert (band.low[1], band.high[1]) == pytest.approx((ndtr(1.5 + 0.7 * z - half), ndtr(1.5 + 0.7 * z + half)), abs=1e-7)
    assert (band.low[2], band.high[2]) == pytest.approx(tuple(ndtr([1.5 - 0.4895494, 1.5 + 0.4895494])), abs=1e-7)
    assert (band.low[0], band.high[0], band.low[3], band.high[3]) == (0, 0, 1, 1)
    wide = roc_bands.working_hotelling_band(x, 1.5, 0.2, cov, 0.95)
    assert (wide.low[0], wide.high[0], wide.low[3], wide.high[3]) == (0, 1, 0, 1)
    near = roc_bands.working_hotelling_band(np.array([1e-300, 1 - 1e-16]), 0.0, 0.2, cov, 0.95)
    assert near.high[0] > 0.9
    assert near.low[1] < 0.4


def test_vertical_band_is_the_percentile_interval_at_every_fpr():
    replicates = np.random.default_rng(2).integers(0, 8, (199, 5)) / 8
    band = roc_bands.vertical_band(GRID[:5], replicates, 0.9)
    assert [tuple(pair) for pair in zip(band.low, band.high, strict=True)] == [
        percentile(column, 0.9) for column in replicates.T
    ]
    assert roc_bands.vertical_band(GRID[:5], replicates[:18], 0.9) is None
    below = roc_bands.vertical_band(GRID[:5], replicates - 1, 0.9, roc_bands.DIFFERENCE)
    assert below.low == pytest.approx(band.low - 1)


def test_threshold_boxes_are_binomial_intervals():
    staircase = staircase_of(*np.random.default_rng(3).normal([[1.5], [0]], 1, (2, 60)))[1]
    misses, alarms = drawn(staircase, 4_999)
    boxes = roc_bands.threshold_boxes(alarms / 60, 1 - misses / 60, 0.95)
    for k in (30, 60, 90):
        for low, high, p in (
            (boxes.fpr_low, boxes.fpr_high, staircase.false_alarms[k] / 60),
            (boxes.tpr_low, boxes.tpr_high, 1 - staircase.misses[k] / 60),
        ):
            assert low[k] * 60 == pytest.approx(binom.ppf(0.025, 60, p), abs=1.01)
            assert high[k] * 60 == pytest.approx(binom.ppf(0.975, 60, p), abs=1.01)
            assert low[k] < p < high[k]
    assert roc_bands.threshold_boxes(alarms[:9], misses[:9], 0.95) is None


def test_sup_t_by_hand():
    """Two points inside; the third and the first are not in [.01, .99]. SE 1 and the floor 1 / 8."""
    x = np.array([0, 0.01, 0.5, 1])
    estimate = np.array([9.0, 0.5, 0.5, 9.0])
    replicates = np.array([[0, 0.5, 0.5, 0]] * 3)
    replicates[:, 1] += [-1, 0, 1]
    replicates[:, 2] += [0, 0, 0.25]
    band = roc_bands.sup_t_band(x, estimate, replicates, 2, 0.75, (-9, 9))
    assert band.fpr.tolist() == [0.01, 0.5]
    # The distances are 1, 0 and max(1, .25 / .25): the floor is half of 1 / 2.
    assert band.high == pytest.approx([1.5, 0.75])
    assert band.low == pytest.approx([-0.5, 0.25])
    clipped = roc_bands.sup_t_band(x, estimate, replicates, 2, 0.75)
    assert clipped.high.tolist() == [1, 0.75]
    assert roc_bands.sup_t_band(x, estimate, replicates, 2, 0.8) is None
    assert roc_bands.sup_t_band(x[:1], estimate[:1], replicates[:, :1], 2, 0.75) is None


def test_sup_t_is_wider_than_any_single_fpr():
    """P29; and two models that decide alike have a band without width."""
    rng = np.random.default_rng(4)
    replicates = np.cumsum(rng.normal(size=(299, 101)), axis=1) / 100 + 0.5
    estimate = replicates.mean(axis=0)
    band = roc_bands.sup_t_band(GRID, estimate, replicates, 10**6, 0.95, (-9, 9))
    inside = slice(1, 100)
    se = replicates.std(axis=0, ddof=1)[inside]
    c = (band.high - estimate[inside]) / se
    single = np.sort(np.abs(replicates - estimate)[:, inside] / se, axis=0)[284]
    assert c == pytest.approx(np.full(99, c[0]))
    assert (single <= c + 1e-9).all()
    same = roc_bands.sup_t_band(GRID, 0 * GRID, np.zeros((299, 101)), 10, 0.95, roc_bands.DIFFERENCE)
    assert (same.low == 0).all()
    assert (same.high == 0).all()


def test_the_band_of_a_difference_is_antisymmetric():
    """P21: swapping the models mirrors the band."""
    rng = np.random.default_rng(6)
    replicates = rng.integers(-4, 7, (199, 101)) / 20
    estimate = np.full(101, 0.05)
    one = roc_bands.sup_t_band(GRID, estimate, replicates, 20, 0.9, roc_bands.DIFFERENCE)
    other = roc_bands.sup_t_band(GRID, -estimate, -replicates, 20, 0.9, roc_bands.DIFFERENCE)
    assert np.array_equal(one.low, -other.high)
    pointwise = roc_bands.vertical_band(GRID, replicates, 0.9, roc_bands.DIFFERENCE)
    mirrored = roc_bands.vertical_band(GRID, -replicates, 0.9, roc_bands.DIFFERENCE)
    assert np.array_equal(pointwise.low, -mirrored.high)


@pytest.mark.long
def test_simultaneous_coverage_at_a_binormal_truth():
    """Methods 11, 100 of each class, 95 %: pointwise far below, SJR 1, the others about 95 %."""
    rng, runs, m = np.random.default_rng(8), 300, 399
    x = np.linspace(0.01, 0.99, 99)
    truth = ndtr(1.5 + 0.7 * ndtri(x))
    covered = dict.fromkeys(("pointwise", "sjr", "wh", "fwb", "sup_t"), 0)
    for run in range(runs):
        targets, nontargets = rng.normal(1.5, 1, 100), rng.normal(0, 0.7, 100)
        staircase = staircase_of(targets, nontargets)[1]
        misses, alarms = staircase.misses, staircase.false_alarms
        more = drawn(staircase, m, run)
        tpr = roc_bands.tpr_at(*more, x)
        s1, s0 = targets.std(), nontargets.std()
        a, b = (targets.mean() - nontargets.mean()) / s1, s0 / s1
        cov = (0.01 + b * b / 100 + a * a / 200, 0.5 * b * b * 0.02, a * b / 200)
        distances = roc_bands.fwb_distances(misses, alarms, *more)
        bands = {
            "pointwise": roc_bands.vertical_band(x, tpr, 0.95),
            "sjr": roc_bands.sjr_band(misses, alarms, x, 0.95),
            "wh": roc_bands.working_hotelling_band(x, a, b, cov, 0.95),
            "fwb": roc_bands.fwb_band(misses, alarms, distances, x, 0.95),
            "sup_t": roc_bands.sup_t_band(x, roc_bands.tpr_at(misses, alarms, x), tpr, 100, 0.95),
        }
        for name, band in bands.items():
            covered[name] += within(band, x, truth)
    shares = {name: count / runs for name, count in covered.items()}
    print(shares)
    assert shares["pointwise"] < 0.6
    assert shares["sjr"] > 0.98
    for name in ("wh", "fwb", "sup_t"):
        assert shares[name] == pytest.approx(0.95, abs=0.045), shares
