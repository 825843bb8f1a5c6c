import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from roc_replicates import ALARMS, GRID, MISSES, curve, drawn, within
from scipy.stats import kstwo, kstwobign
from tied import score_lists, staircase_of

from reporting.core.stats import roc_bands
from reporting.features.curves import formulas as bands


def test_exact_quantiles_of_the_kolmogorov_distance():
    """Methods 11.3: .134028 and .145956 of 100 scores; asymptotically 1.3581 and 1.4781 over the root of n."""
    assert bands.ks_distance(100, 0.95) == pytest.approx(0.134028, abs=5e-7)
    assert bands.ks_distance(100, 0.95**0.5) == pytest.approx(0.145956, abs=5e-7)
    assert bands.ks_distance(1, 0.95) == pytest.approx(0.975)
    assert bands.ks_distance(10**6, 0.95) * 1000 == pytest.approx(kstwobign.ppf(0.95), abs=2e-4)


def test_sjr_by_hand():
    d1, d0 = (float(kstwo.ppf(0.1**0.5, n)) for n in (2, 4))
    assert 0.25 < d0 < 0.5
    assert 0.35 < d1 < 0.5
    band = bands.sjr_band(MISSES, ALARMS, np.array([0, 0.5, 0.6, 1]), 0.1)
    # 1 - d0 lies on the slope from (.5, .5) to (.75, 1); .5 + d0 is beyond it.
    assert band.low == pytest.approx([0, 0.5 - d1, 0.5 - d1, 0.5 + 2 * (0.5 - d0) - d1])
    assert band.high == pytest.approx([0.5 + d1, 1, 1, 1])


@given(score_lists(odd=True), score_lists(odd=True), st.sampled_from([0.5, 0.95]))
def test_simultaneous_bands_hold_the_curve_itself(targets, nontargets, level):
    """Methods, property P33, at the ends of every run; both limits rise, and stay in [0, 1]."""
    staircase = staircase_of(targets, nontargets)[1]
    misses, alarms = staircase.misses, staircase.false_alarms
    fpr, tpr = curve(staircase)
    distances = roc_bands.fwb_distances(misses, alarms, *drawn(staircase, 39))
    for band in (
        bands.sjr_band(misses, alarms, fpr, level),
        bands.fwb_band(misses, alarms, distances, fpr, level),
    ):
        assert within(band, fpr, tpr)
        assert (band.low >= 0).all()
        assert (band.high <= 1).all()
        assert (np.diff(band.low[::-1]) >= -1e-12).all()
        assert (np.diff(band.high[::-1]) >= -1e-12).all()


def holds(misses, alarms, fpr, tpr, width):
    """Whether a band of this width holds a curve given by its vertices; a wider one then does too."""
    rank = np.argsort(fpr)
    band = bands.fwb_band(misses, alarms, np.full(3, width), fpr[rank], 0.5)
    return within(band, fpr[rank], tpr[rank], 1e-12)


@given(score_lists(), score_lists(), st.integers(0, 99))
def test_the_fixed_width_is_the_least_that_holds_a_curve(targets, nontargets, seed):
    staircase = staircase_of(targets, nontargets)[1]
    misses, alarms = staircase.misses, staircase.false_alarms
    other_misses, other_alarms = drawn(staircase, 1, seed)
    found = roc_bands.fwb_distances(misses, alarms, other_misses, other_alarms)
    # The band holds convex pieces of the replicate as soon as it holds many points of each.
    t = np.linspace(0, 1, 65)
    x, y = other_alarms[0] / other_alarms[0, 0], 1 - other_misses[0] / other_misses[0, -1]
    fpr = (x[:-1, None] + np.diff(x)[:, None] * t).ravel()
    tpr = (y[:-1, None] + np.diff(y)[:, None] * t).ravel()
    assert holds(misses, alarms, fpr, tpr, found[0] + 1e-9)
    narrower = found[0] - 2 / 64 * max(len(targets), len(nontargets)) ** 0.5
    assert narrower <= 0 or not holds(misses, alarms, fpr, tpr, narrower)


def test_fixed_width_is_an_order_statistic():
    distances = np.array([0.3, np.nan, 0.1, 0.2])
    band = bands.fwb_band(MISSES, ALARMS, distances, GRID, 0.6)
    across, up = 0.3 / 4**0.5, 0.3 / 2**0.5
    assert band.high == pytest.approx(np.minimum(roc_bands.tpr_at(MISSES, ALARMS, GRID + across) + up, 1))
    lower = roc_bands.tpr_at(MISSES, ALARMS, GRID - across, "lower") - up
    assert band.low == pytest.approx(np.maximum(lower, 0))
    assert bands.fwb_band(MISSES, ALARMS, distances, GRID, 0.8) is None  # the fourth is undefined
    assert bands.fwb_band(MISSES, ALARMS, distances, GRID, 0.9) is None  # there is no fifth


def test_pointwise_limits_are_normal_ones_of_the_same_errors():
    """Replicates 0, 1 at one FPR, and none that differ at the other, where the floor of .25 is the error."""
    x, estimate = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    replicates = np.column_stack([np.tile([0.0, 1.0], 50), np.full(100, 0.5)])
    band = bands.sup_t_band(x, estimate, replicates, 0.25, 0.95, (-9, 9), pointwise=True)
    se = np.array([(25 / 99) ** 0.5, 0.25])
    assert band.high - estimate == pytest.approx(1.9599640 * se)
    assert band.high - estimate == pytest.approx(estimate - band.low)
    of_clusters = bands.sup_t_band(
        x, estimate, replicates, 0.0, 0.95, (-9, 9), pointwise=True, df=5, inflation=(6 / 5) ** 0.5
    )
    assert (of_clusters.high - estimate)[0] == pytest.approx((6 / 5) ** 0.5 * 2.5705818 * se[0])


def test_sup_t_by_hand():
    """Two points inside; the third and the first are not in [.01, .99]. SE 1 and the floor 1 / 8."""
    x = np.array([0, 0.01, 0.5, 1])
    estimate = np.array([9.0, 0.5, 0.5, 9.0])
    replicates = np.array([[0, 0.5, 0.5, 0]] * 3)
    replicates[:, 1] += [-1, 0, 1]
    replicates[:, 2] += [0, 0, 0.25]
    band = bands.sup_t_band(x, estimate, replicates, 0.25, 0.75, (-9, 9))
    assert band.fpr.tolist() == [0.01, 0.5]
    # The distances are 1, 0 and max(1, .25 / .25): the floor is .25.
    assert band.high == pytest.approx([1.5, 0.75])
    assert band.low == pytest.approx([-0.5, 0.25])
    clipped = bands.sup_t_band(x, estimate, replicates, 0.25, 0.75)
    assert clipped.high.tolist() == [1, 0.75]
    wide = bands.sup_t_band(x, estimate, 9 * replicates, 0.25, 0.75, roc_bands.DIFFERENCE)
    assert (wide.low[0], wide.high[0]) == (-1, 1)
    assert bands.sup_t_band(x, estimate, replicates, 0.25, 0.8) is None
    assert bands.sup_t_band(x[:1], estimate[:1], replicates[:, :1], 0.25, 0.75) is None


def test_sup_t_limits_are_read_half_a_step_off():
    """Limits .5 -+ .25 and .7 -+ .25, a tenth of the way to the neighbour."""
    x, estimate = np.array([0.2, 0.4]), np.array([0.5, 0.7])
    replicates = estimate + np.array([[0.25, -0.25], [-0.25, 0.25], [0.25, 0.25]])
    band = bands.sup_t_band(x, estimate, replicates, 0.5, 0.75, (-9, 9), off=0.02)
    assert band.low == pytest.approx([0.25, 0.43])
    assert band.high == pytest.approx([0.77, 0.95])


def test_the_band_of_a_difference_is_measured_from_the_mean_of_replicates():
    x, estimate = np.array([0.2, 0.4]), np.zeros(2)
    replicates = np.array([[0.1, 0.1], [0.3, 0.3], [0.2, 0.2]])
    plain, centred = (
        bands.sup_t_band(x, estimate, replicates, 1.0, 0.75, roc_bands.DIFFERENCE, centred=on)
        for on in (False, True)
    )
    assert plain.high == pytest.approx([0.3, 0.3])
    assert centred.high == pytest.approx([0.1, 0.1])


def test_sup_t_is_wider_than_any_single_fpr():
    """Methods, property P29; and two models that decide alike have a band without width."""
    rng = np.random.default_rng(4)
    replicates = np.cumsum(rng.normal(size=(299, 101)), axis=1) / 100 + 0.5
    estimate = replicates.mean(axis=0)
    band = bands.sup_t_band(GRID, estimate, replicates, 5e-7, 0.95, (-9, 9))
    inside = slice(1, 100)
    se = replicates.std(axis=0, ddof=1)[inside]
    c = (band.high - estimate[inside]) / se
    single = np.sort(np.abs(replicates - estimate)[:, inside] / se, axis=0)[284]
    assert c == pytest.approx(np.full(99, c[0]))
    assert (single <= c + 1e-9).all()
    same = bands.sup_t_band(GRID, 0 * GRID, np.zeros((299, 101)), 0.05, 0.95, roc_bands.DIFFERENCE)
    assert (same.low == 0).all()
    assert (same.high == 0).all()


def test_the_band_of_a_difference_is_antisymmetric():
    """Methods, property P21: swapping the models mirrors the band."""
    rng = np.random.default_rng(6)
    replicates = rng.integers(-4, 7, (199, 101)) / 20
    estimate = np.full(101, 0.05)
    one = bands.sup_t_band(GRID, estimate, replicates, 0.025, 0.9, roc_bands.DIFFERENCE, centred=True)
    other = bands.sup_t_band(GRID, -estimate, -replicates, 0.025, 0.9, roc_bands.DIFFERENCE, centred=True)
    assert np.array_equal(one.low, -other.high)
