import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.swap import Swaps
from reporting.features.comparisons.formulas import best_by_swaps


def swaps(difference, swapped, imbalance=None):
    """Exchanges that carry nothing, unless their imbalance is given."""
    return Swaps.of(difference, swapped, np.zeros((len(swapped), 0)) if imbalance is None else imbalance)


def test_the_best_by_swaps_by_hand():
    """Three models; of 19 exchanges the order statistics of |D0| are 1 to 19 hundredths."""
    exchanged = np.arange(1, 20) / 100
    loss = np.array([0.1, 0.25, 0.3])
    pairs = [(0, 1), (0, 2), (1, 2)]
    best = best_by_swaps(loss, {(i, j): swaps(loss[i] - loss[j], exchanged) for i, j in pairs}, 0.8)
    # Ahead of 1 by .15: p = 2 (6 / 20) / 2; of 2 by .20: p = 2 (1 / 20) / 2.
    np.testing.assert_allclose(best.p, [1.0, 0.3, 0.05])
    assert best.member.tolist() == [True, True, False]
    np.testing.assert_allclose(best.behind, [0.0, 0.15, 0.2])
    # Each side at .1 of two rivals: the 16th of the order statistics at .8 is .16.
    np.testing.assert_allclose(best.low, [0.0, 0.0, 0.04], atol=1e-12)
    np.testing.assert_allclose(best.high, [0.01, 0.31, 0.36], atol=1e-12)


@given(st.integers(2, 5), st.integers(0, 10_000))
def test_a_model_leaves_where_its_lower_limit_is_above_0(n, seed):
    rng = np.random.default_rng(seed)
    loss = rng.integers(0, 9, n) / 10
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    drawn = {(i, j): swaps(loss[i] - loss[j], rng.integers(-8, 9, 199) / 20) for i, j in pairs}
    best = best_by_swaps(loss, drawn, 0.9)
    assert best.member[loss.argmin()]
    np.testing.assert_array_equal(best.member, best.p > 0.1 + 1e-12)
    assert ((best.low > 0) <= ~best.member).all()
    assert (best.low <= best.behind + 1e-12).all()
    assert (best.behind <= best.high + 1e-12)[best.member].all()
