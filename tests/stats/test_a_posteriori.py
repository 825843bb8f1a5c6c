import numpy as np
import pytest
from hypothesis import given
from scipy.special import ndtr
from scipy.stats import norm
from tied import score_lists, staircase_of

from reporting.stats import a_posteriori, intervals
from reporting.stats.calibration import pav
from reporting.stats.hull import hull_cuts
from reporting.stats.staircase import Staircase, cumulate


def test_the_printed_formula():
    """N(3, 1) against N(0, 1), x = .001: .0389, where the binomial says .0112 (methods 5.4)."""
    t = norm.isf(0.001)
    frr, ratio = ndtr(t - 3), np.exp(3 * t - 4.5)
    variance = a_posteriori.frr_at_far_variance(frr, 0.001, ratio, 2_000, 10_000)
    assert np.sqrt(variance) == pytest.approx(0.0389, abs=5e-5)
    assert np.sqrt(a_posteriori.frr_at_far_variance(frr, 0.001, 0.0, 2_000, 10_000)) == pytest.approx(
        0.0112, abs=5e-5
    )


def test_the_variance_broadcasts_and_is_undefined_without_trials():
    found = a_posteriori.frr_at_far_variance([0.5, 0.0], [0.1, 0.2], 2.0, [100, 0], 50)
    assert found[0] == pytest.approx(0.25 / 100 + 4 * 0.09 / 50)
    assert np.isnan(found[1])
    assert np.isnan(a_posteriori.frr_at_far_variance(0.5, 0.1, 2.0, 10, 0))


def hand():
    """The hull of methods 4.9: (1, 0), (4/6, 0), (2/6, .2), (0, .6), (0, 1); slopes 0, .6, 1.2, infinite."""
    return staircase_of([0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2])[1]


@pytest.mark.parametrize(
    ("far", "ratio"),
    [(0.9, 0), (4 / 6, 0.3), (0.5, 0.6), (2 / 6, 0.9), (0.2, 1.2), (0.01, 1.2)],
)
def test_the_density_ratio_is_the_slope_of_the_hull(far, ratio):
    assert a_posteriori.density_ratio(hand(), far) == pytest.approx(ratio, abs=1e-12)


def test_standard_error_by_hand():
    """At FAR .5 the cut of FAR 2/6 holds: FRR 1/5; slope .6."""
    expected = (0.2 * 0.8 / 5 + 0.36 * 0.25 / 6) ** 0.5
    assert a_posteriori.frr_at_far_se(hand(), 0.5) == pytest.approx(expected, rel=1e-12)
    # At FAR 2/6 itself that cut holds too, and the threshold moves along either edge.
    expected = (0.2 * 0.8 / 5 + 0.81 * (2 / 9) / 6) ** 0.5
    assert a_posteriori.frr_at_far_se(hand(), 2 / 6) == pytest.approx(expected, rel=1e-12)


def test_undefined_at_the_ends_and_without_a_class():
    for far in (0.0, 1.0, -0.1, float("nan")):
        assert np.isnan(a_posteriori.density_ratio(hand(), far))
        assert np.isnan(a_posteriori.frr_at_far_se(hand(), far))
    for counts in (([1, 1], [0, 0]), ([0, 0], [1, 1])):
        p, n = np.array(counts)
        assert np.isnan(a_posteriori.frr_at_far_se(Staircase(*cumulate(p, n), hull_cuts(p, n)), 0.5))


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_density_ratio_is_that_of_the_calibration(targets, nontargets):
    """Inside an edge it is exp of the local LLR of the isotonic regression, and never infinite."""
    staircase = staircase_of(targets, nontargets)[1]
    blocks = pav(np.diff(staircase.misses), -np.diff(staircase.false_alarms))
    left = staircase.n_nontarget
    for p, n in zip(blocks.n_target, blocks.n_nontarget, strict=True):
        if n:
            far = (left - n / 2) / staircase.n_nontarget
            expected = (p / staircase.n_target) / (n / staircase.n_nontarget)
            assert a_posteriori.density_ratio(staircase, far) == pytest.approx(expected, rel=1e-9)
        left -= n


@pytest.mark.long
@pytest.mark.parametrize(
    ("n0", "n1", "far", "sd", "wilson"),
    [(10_000, 2_000, 0.001, 0.0377, 0.43), (1_000, 300, 0.01, 0.045, 0.73)],
)
def test_a_binomial_interval_misses_the_spread_of_the_threshold(n0, n1, far, sd, wilson):
    """The figures printed in methods 5.4, and that the standard error of the hull repairs them."""
    rng, truth, runs = np.random.default_rng(5), float(ndtr(norm.isf(far) - 3)), 1_000
    found, covered, repaired = [], 0, 0
    for _ in range(runs):
        staircase = staircase_of(rng.normal(3, 1, n1), rng.normal(0, 1, n0))[1]
        misses = int(staircase.misses[np.argmax(staircase.false_alarms <= far * n0 * (1 + 1e-12))])
        found.append(misses / n1)
        low, high = intervals.wilson(misses, n1, 0.95)
        covered += low <= truth <= high
        low, high = intervals.normal(misses / n1, a_posteriori.frr_at_far_se(staircase, far), 0.95)
        repaired += low <= truth <= high
    print(np.std(found), covered / runs, repaired / runs)
    assert np.std(found) == pytest.approx(sd, rel=0.08)
    assert covered / runs == pytest.approx(wilson, abs=0.04)
    assert repaired / runs > 0.85
