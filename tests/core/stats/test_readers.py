"""Means over readers: published analyses, readers that differ in nothing, and readers that are all of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from reporting.core.stats.readers import (
    of_placements,
    of_replicates,
    reader_deviations,
    reader_spread,
    spread_of_others,
)

VAN_DYKE = np.array(
    [
        [0.91964573, 0.85877617, 0.90386473, 0.97310789, 0.82979066],
        [0.94782609, 0.90531401, 0.92173913, 0.99935588, 0.92995169],
    ]
)
"""Areas of five readers by two tests, 114 cases (Van Dyke et al. 1993), as OR-DBM MRMC 2.51 prints them."""


def with_covariance(c, readers):
    """Replicates whose covariance of any two readers is c."""
    return [np.array([[1.0], [-1.0]]) * np.sqrt(c / 2)] * readers


def arrays(values):
    return [np.array([value]) for value in values]


def test_the_difference_of_two_tests_is_that_of_the_published_analysis():
    """OR-DBM MRMC 2.51, jackknifed covariances: Cov2 .00034407, Cov3 .00023903."""
    differences = VAN_DYKE[0] - VAN_DYKE[1]
    drawn = with_covariance(2 * (0.00034407 - 0.00023903), 5)
    (se,), (df,) = reader_spread(arrays(differences), drawn, of_replicates(1.0))
    mean = differences.mean()
    half = student.ppf(0.975, df) * se
    assert (round(mean, 5), round(se, 5), round(df, 2)) == (-0.0438, 0.02075, 15.26)
    assert (round(mean - half, 5), round(mean + half, 5)) == (-0.08796, 0.00036)
    assert round(2 * student.sf(abs(mean) / se, df), 4) == 0.0517


@pytest.mark.parametrize(
    ("test", "covariance", "se", "df"),
    [(0, 0.00048396, 0.03317360, 12.74), (1, 0.00020419, 0.02156637, 12.71)],
)
def test_a_single_test_is_that_of_the_published_analysis(test, covariance, se, df):
    spread = reader_spread(arrays(VAN_DYKE[test]), with_covariance(covariance, 5), of_replicates(1.0))
    assert spread.se[0] == pytest.approx(se, abs=2e-7)
    assert round(float(spread.df[0]), 2) == df


def test_by_hand():
    """Readers at 1, 2, 3: S^2 / R = 1/3. Cases: covariance 1 with inflation 2 in the SE: 4. df = 2 (13/3)^2 9."""
    se, df = reader_spread(arrays([1.0, 2.0, 3.0]), with_covariance(1.0, 3), of_replicates(2.0))
    assert se[0] ** 2 == pytest.approx(1 / 3 + 4)
    assert df[0] == pytest.approx(2 * (13 / 3) ** 2 * 9)


def test_readers_whose_noise_is_their_own_share_no_covariance():
    """Replicates (1, -1, 0, 0) and (0, 0, 1, -1) are uncorrelated: only S^2 / R = 1/4 is left."""
    drawn = [np.array([[1.0], [-1.0], [0.0], [0.0]]), np.array([[0.0], [0.0], [1.0], [-1.0]])]
    se, df = reader_spread(arrays([0.0, 1.0]), drawn, of_replicates(1.0))
    assert (se[0], df[0]) == (pytest.approx(0.5), pytest.approx(1.0))


def test_readers_that_agree_leave_the_cases_alone():
    se, df = reader_spread(arrays([0.3, 0.3, 0.3]), with_covariance(0.04, 3), of_replicates(1.0))
    assert (se[0], df[0]) == (pytest.approx(0.2), np.inf)


def test_a_negative_covariance_counts_as_none():
    drawn = [np.array([[1.0], [-1.0]]), np.array([[-1.0], [1.0]])]
    assert reader_spread(arrays([0.0, 2.0]), drawn, of_replicates(1.0)).se[0] == pytest.approx(1.0)


def test_other_readers_by_hand():
    """S1^2 / 2 = 1/4, S2^2 / 3 = 1/3; covariances 4 and 1 of one case effect: 4 + 1 - 2 * 2 = 1."""
    drawn = with_covariance(4.0, 2), with_covariance(1.0, 3)
    se, df = spread_of_others((arrays([0.0, 1.0]), arrays([1.0, 2.0, 3.0])), drawn, of_replicates(1.0))
    variance = 1 / 4 + 1 / 3 + 1
    assert se[0] ** 2 == pytest.approx(variance)
    assert df[0] == pytest.approx(variance**2 / ((1 / 4) ** 2 + (1 / 3) ** 2 / 2))


def test_a_model_without_readers_is_one_that_does_not_vary():
    """Its replicates are twice those of the readers: 4 + 16 - 2 * 8 = 4 of cases, and S^2 / R = 1/3."""
    drawn = with_covariance(4.0, 3), with_covariance(16.0, 1)
    values = arrays([1.0, 2.0, 3.0]), arrays([5.0])
    other = spread_of_others(values, drawn, of_replicates(1.0))
    same = reader_spread(
        arrays([-4.0, -3.0, -2.0]),
        [a - b for a, b in zip(drawn[0], drawn[1] * 3, strict=True)],
        of_replicates(1.0),
    )
    assert other.se[0] ** 2 == pytest.approx(1 / 3 + 4)
    assert other.se[0] == pytest.approx(same.se[0])
    assert other.df[0] == pytest.approx(same.df[0])


@given(st.integers(2, 6), st.integers(0, 2**31))
def test_deviations_hold_the_variance_between_readers_alone(readers, seed):
    """Sum over readers: S^2 less own noise plus what is shared, over R; replicates often tie."""
    rng = np.random.default_rng(seed)
    drawn = [rng.integers(0, 4, (50, 2)) / 4 + rng.integers(0, 3) for _ in range(readers)]
    means = np.stack([d.mean(axis=0) for d in drawn])
    covariance = [np.cov(np.stack([d[:, p] for d in drawn])) for p in range(2)]
    own = np.array([np.trace(c) / readers for c in covariance])
    shared = np.array([(c.sum() - np.trace(c)) / (readers * (readers - 1)) for c in covariance])
    expected = np.maximum(means.var(axis=0, ddof=1) - own + shared, 0) / readers
    got = reader_deviations(drawn)
    assert got.shape == (readers, 2)
    np.testing.assert_allclose((got**2).sum(axis=0), expected, atol=1e-12)
    np.testing.assert_allclose(got.sum(axis=0), 0, atol=1e-12)


@pytest.mark.parametrize("readers", [3, 5])
def test_undefined_replicates_have_no_spread(readers):
    drawn = with_covariance(1.0, readers)
    drawn[0] = np.array([[np.nan], [1.0]])
    assert np.isnan(reader_spread(arrays(range(readers)), drawn, of_replicates(1.0)).se[0])


def test_the_closed_form_of_areas_is_that_of_obuchowski_and_rockette():
    """Two tests, three readers, ratings of five grades: components by hand from all pairs of cases."""
    rng = np.random.default_rng(8)
    label = np.arange(50) < 20
    rating = np.round(rng.normal(size=(2, 3, 50)) + label * rng.uniform(1, 2, (2, 3, 1)))
    wins = (rating[..., label, None] > rating[..., None, ~label]) + 0.5 * (
        rating[..., label, None] == rating[..., None, ~label]
    )
    area, of_target, of_nontarget = wins.mean(axis=(2, 3)), wins.mean(axis=3), wins.mean(axis=2)
    placements = np.zeros((2, 3, 50))
    placements[..., label], placements[..., ~label] = of_target, of_nontarget
    covariance = np.cov(of_target.reshape(6, -1)) / 20 + np.cov(of_nontarget.reshape(6, -1)) / 30
    covariance = covariance.reshape(2, 3, 2, 3)
    others = [(i, j) for i in range(3) for j in range(3) if i != j]
    cov2 = np.mean([covariance[t, i, t, j] for t in range(2) for i, j in others])
    cov3 = np.mean([covariance[0, i, 1, j] for i in range(3) for j in range(3) if i != j])
    centred = area - area.mean(axis=1, keepdims=True) - area.mean(axis=0) + area.mean()
    ms_tr = (centred**2).sum() / 2
    denominator = ms_tr + max(3 * (cov2 - cov3), 0)
    (se,), (df,) = reader_spread(
        arrays(area[0] - area[1]), list(placements[0] - placements[1]), of_placements(label, 1.0)
    )
    assert se == pytest.approx(np.sqrt(2 / 3 * denominator))
    assert df == pytest.approx(denominator**2 / (ms_tr**2 / 2))
    other = spread_of_others(
        (arrays(area[0]), arrays(area[1])),
        (list(placements[0]), list(placements[1])),
        of_placements(label, 2.0),
    )
    between = area.var(axis=1, ddof=1) / 3
    shared = sum(np.mean([covariance[t, i, t, j] for i, j in others]) for t in range(2))
    shared -= 2 * covariance[0, :, 1, :].mean()
    assert other.se[0] ** 2 == pytest.approx(between.sum() + 4 * max(shared, 0))
