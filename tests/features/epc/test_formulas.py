import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tied_losses import drawn

from reporting.core.stats.multiplicity import sup_t
from reporting.features.epc.formulas import best_along


def test_rounding_of_large_losses_is_no_spread_along_a_curve():
    """Losses near 1e9 differ by what varies in its 16th digit: nothing can be said of the worse one."""
    noise = np.arange(40.0) % 3
    losses = np.array([[0.0, 1e9]])
    for size, worse in ((1e-7, np.nan), (1e8, 1 / 41)):
        replicates = np.stack((np.zeros(40), 1e9 + size * noise))[None]
        p = best_along(losses, replicates, 0.9).p[0]
        np.testing.assert_array_equal(p, [1.0, worse])


@pytest.mark.parametrize("seed", range(8))
def test_of_two_models_all_points_at_once_are_the_band_of_their_difference(seed):
    losses, replicates = drawn(points=6, models=2, seed=seed, digits=3)
    found = best_along(losses, replicates, 0.9)
    difference = losses[:, 0] - losses[:, 1]
    again = replicates[:, 0] - replicates[:, 1]
    again = difference[:, None] + again - again.mean(axis=1, keepdims=True)
    band = sup_t(difference, again.T, 0.9)
    assert found.member_joint[:, 0].tolist() == (band.low <= 0).tolist()
    assert found.member_joint[:, 1].tolist() == (band.high >= 0).tolist()


def test_p_by_hand():
    """Four replicates of one difference: -1, -1, 1, 1 and SD sqrt(4/3), so that T* is -+ 0.866."""
    replicates = np.array([[[0.0, 0.0, 2.0, 2.0], [1.0, 1.0, 1.0, 1.0]]])
    found = best_along(np.array([[0.5, 0.0]]), replicates, 0.5)
    # T = 0.5 / 1.1547 = 0.433: two replicates lie as far above; on both sides all four do.
    assert found.p.tolist() == [[3 / 5, 1.0]]
    assert found.p_joint.tolist() == [[1.0, 1.0]]
    # p of 1 - level leaves.
    far = best_along(np.array([[2.0, 0.0]]), replicates, 0.8)
    assert far.p.tolist() == [[1 / 5, 1.0]]
    assert far.p_joint.tolist() == [[1 / 5, 1.0]]
    assert far.member.tolist() == far.member_joint.tolist() == [[False, True]]


def test_wider_factors_keep_more_models():
    losses, replicates = drawn(points=3, seed=3)
    narrow, wide = (best_along(losses, replicates, 0.9, *factors) for factors in ((1, 1), (2, 3)))
    assert (wide.p >= narrow.p).all()
    assert (wide.p_joint >= narrow.p_joint).all()
    assert (wide.p != narrow.p).any()
    assert (wide.p_joint != narrow.p_joint).any()
    # Each factor is of its own p alone.
    assert best_along(losses, replicates, 0.9, 1, 3).p_joint.tolist() == wide.p_joint.tolist()
    assert best_along(losses, replicates, 0.9, 2, 1).p.tolist() == wide.p.tolist()


def test_an_undefined_model_takes_no_part():
    losses, replicates = drawn()
    without = best_along(losses[:, :2], replicates[:, :2], 0.9)
    for hole in (np.where(np.arange(3) == 2, np.nan, losses), losses):
        again = replicates.copy()
        again[:, 2, 5] = np.nan
        found = best_along(hole, again, 0.9)
        assert not found.member[:, 2].any()
        assert not found.member_joint[:, 2].any()
        assert np.isnan(found.p[:, 2]).all()
        assert found.p[:, :2].tolist() == without.p.tolist()
        assert found.p_joint[:, :2].tolist() == without.p_joint.tolist()


def test_worse_by_what_never_varies_is_not_told():
    replicates = np.tile(np.random.default_rng(1).normal(size=99), (1, 2, 1))
    replicates[:, 1] += 1
    found = best_along(np.array([[0.0, 1.0]]), replicates, 0.9)
    assert found.member.tolist() == found.member_joint.tolist() == [[True, True]]
    assert found.p[0, 0] == 1.0
    assert np.isnan(found.p[0, 1])
    same = best_along(np.zeros((1, 2)), np.ones((1, 2, 99)), 0.9)
    assert same.p.tolist() == same.p_joint.tolist() == [[1.0, 1.0]]


VALUES = st.integers(-3, 3).map(float)


@settings(max_examples=60)
@given(
    arrays(np.float64, (2, 3), elements=VALUES),
    arrays(np.float64, (2, 3, 19), elements=VALUES),
    st.permutations(range(3)),
)
def test_laws(losses, replicates, order):
    found = best_along(losses, replicates, 0.8)
    best = losses == losses.min(axis=1, keepdims=True)
    assert found.member[best].all()
    assert (found.p[best] == 1).all()
    # At all points at once fewer leave than at each by itself, and more points never let another leave.
    assert (found.member_joint | ~found.member).all()
    assert ((found.p_joint >= found.p) | np.isnan(found.p)).all()
    first = best_along(losses[:1], replicates[:1], 0.8)
    assert (found.member_joint[0] | ~first.member_joint[0]).all()
    shuffled = best_along(losses[:, order], replicates[:, order], 0.8)
    assert np.array_equal(shuffled.p, found.p[:, order], equal_nan=True)
    assert np.array_equal(shuffled.p_joint, found.p_joint[:, order], equal_nan=True)
    turned = best_along(losses[::-1], replicates[::-1], 0.8)
    assert np.array_equal(turned.p_joint, found.p_joint[::-1], equal_nan=True)


def test_identical_models_rarely_leave_anywhere():
    """Of 200 curves of three alike models with shared draws, the share with any loss is near 1 - level."""
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(200):
        base = rng.normal(size=(3, 1)) * 0.6 + rng.normal(size=(3, 12))
        noise = rng.normal(size=(3, 1, 199)) * 0.6 + rng.normal(size=(3, 12, 199))
        found = best_along(base.T, noise.transpose(1, 0, 2), 0.9)
        wrong += not found.member_joint.all()
    assert 8 <= wrong <= 34
