import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from scipy import stats
from tied_losses import drawn

from reporting.core.stats.multiplicity import sup_t
from reporting.features.comparisons.formulas import best_set, simultaneous, step_down
from reporting.features.epc.formulas import best_along
from tests.features.comparisons.families import LEVELS, families, single_step, trials_of, variance


def signed_square(x, v):
    return (x * x if x > 0 else -x * x) / v


def exact_best_set(values, replicates):
    """The p-values for a lower-is-better measure."""
    p = []
    for k, one in enumerate(map(int, values)):
        t, farthest, constant = Fraction(0), [Fraction(0)] * len(replicates), False
        for j, other in enumerate(map(int, values)):
            drawn, gap = replicates[:, k] - replicates[:, j], one - other
            if v := variance(drawn):
                t = max(t, signed_square(gap, v))
                moved = [signed_square(int(x) - gap, v) for x in drawn]
                farthest = [max(pair) for pair in zip(farthest, moved, strict=True)]
            else:
                constant |= gap > 0
        count = 1 + sum(far >= t for far in farthest)
        p.append(np.nan if constant and t == 0 else count / (len(replicates) + 1))
    return p


def test_the_distance_behind_the_best_by_hand():
    """T* of the second are the distances 4 3 2 1 0 0 0 0 0 in SE; of the first as many, the other way."""
    values, moved = np.array([0.0, 3.0]), np.arange(-4.0, 5.0)
    replicates = np.column_stack([np.zeros(9), 3 + moved])
    found = best_set(values, replicates, 0.8, True)  # p may count 2 of 10: c is the second largest T*
    assert found.member.tolist() == [True, True]
    assert found.p.tolist() == [1, 3 / 10]
    assert found.behind.tolist() == [0, 3]
    assert found.low.tolist() == [0, 0]
    assert found.high == pytest.approx([3 - 3 + 0, 3 + 3], abs=1e-12)
    left = best_set(values, replicates, 0.7, True)  # 3 of 10: c is the third largest, 2 behind
    assert left.member.tolist() == [True, False]
    assert left.low == pytest.approx([0, 1], abs=1e-12)
    assert left.high == pytest.approx([0, 5], abs=1e-12)
    of_higher = best_set(-values, -replicates, 0.7, False)
    assert of_higher.low.tolist() == left.low.tolist()
    assert of_higher.high.tolist() == left.high.tolist()


def test_best_set_by_hand():
    """SE is that of -4..4; the second model is worse by 4, and one replicate in nine moves it that far."""
    values = np.array([0.0, 4.0])
    replicates = np.column_stack((np.zeros(9), 4 + np.arange(-4.0, 5)))
    assert best_set(values, replicates, 0.8, True).p.tolist() == [1, 2 / 10]
    assert best_set(values, replicates, 0.8, True).member.tolist() == [True, False]
    assert best_set(values, replicates, 0.9, True).member.tolist() == [True, True]
    assert best_set(values, replicates, 0.8, False).p.tolist() == [2 / 10, 1]


@given(families(), LEVELS)
def test_the_best_set_is_exact(family, level):
    values, replicates, scale = family
    m = len(replicates)
    exact = exact_best_set(values, replicates)
    member, p, *_ = best_set(values * scale, replicates * scale, level, True)
    np.testing.assert_array_equal(p, exact)
    rank = -(-(m + 1) * Fraction(str(level)) // 1)  # ceil; a model leaves beyond this order statistic
    stays = [np.isnan(x) or round(x * (m + 1)) > m + 1 - rank for x in exact]
    assert member.tolist() == stays


@given(families(), LEVELS)
def test_the_distance_behind_the_best_leaves_0_out_exactly_for_models_that_are_ruled_out(family, level):
    values, replicates, scale = family
    exact, found = (
        exact_best_set(values, replicates),
        best_set(values * scale, replicates * scale, level, True),
    )
    most = math.floor((len(replicates) + 1) * (1 - level) + 1e-9)
    assert found.behind == pytest.approx(scale * (values - values.min()))
    if most == 0:
        assert np.isnan(found.low).all()
        assert np.isnan(found.high).all()
        return
    ruled_out = [p * (len(replicates) + 1) <= most + 1e-9 for p in exact]  # NaN is not
    assert (found.low > 0).tolist() == ruled_out == (~found.member).tolist()
    assert (found.low >= 0).all()
    assert (found.low <= found.behind + 1e-12).all()
    assert (found.behind <= found.high + 1e-12).all()
    first = int(np.argmin(values))
    assert (found.high[first] > 0) <= (found.member.sum() > 1)


@given(families(), LEVELS)
def test_the_best_set_under_the_other_sense_and_with_copies(family, level):
    values, replicates, scale = family
    v, drawn = values * scale, replicates * scale
    member, p, *_ = best_set(v, drawn, level, True)
    mirrored = best_set(-v, -drawn, level, False)
    np.testing.assert_array_equal(mirrored.member, member)
    np.testing.assert_array_equal(mirrored.p, p)
    twice = best_set(np.tile(v, 2), np.tile(drawn, 2), level, True)
    np.testing.assert_array_equal(twice.member, np.tile(member, 2))
    np.testing.assert_array_equal(twice.p, np.tile(p, 2))
    assert member[v == v.min()].all()
    assert (p[v == v.min()] == 1).all()


def test_the_best_of_independent_means_is_gupta():
    """T of K - 1 differences from the same mean: equicorrelated at 1/2, one-sided."""
    m, values = 100_000, np.array([0.0, 1.0, 2.5, 3.5])
    replicates = values + np.random.default_rng(7).normal(size=(m, 4))
    law = stats.multivariate_normal(np.zeros(3), 0.5 + 0.5 * np.eye(3))
    theirs = [1 - law.cdf(np.full(3, v / 2**0.5)) for v in values[1:]]
    member, p, *_ = best_set(values, replicates, 0.95, True)
    assert p[1:] == pytest.approx(theirs, abs=0.006)
    assert p[0] == 1
    assert member.tolist() == [True, True, True, False]
    assert best_set(values, replicates, 0.95, False).member.tolist() == [False, True, True, True]


def test_rounding_is_not_spread():
    """Sums in another order: .1 + .2 - .3 is 5.6e-17, and the mean of tenths need not be a tenth."""
    noise = np.array([0.1 + 0.2 - 0.3, 0.0, 0.3 - 0.2 - 0.1, 0.0] * 5)
    replicates = np.column_stack((noise, np.full(20, 0.1), 1e9 * (1 + 4 * noise), np.arange(20.0)))
    p = single_step(np.array([5.6e-17, 0.1, 1e9, 9.5]), replicates)
    np.testing.assert_array_equal(p[:3], [1, np.nan, np.nan])
    assert p[3] == (1 + 2) / 21  # 0 and 19; no other member reaches out
    assert np.ptp(replicates[:, 2]) > 0
    # Replicates of 0 are as far from an estimate of 5.6e-17 as that is from 0.
    alike = np.array([[-1.0], [5.6e-17], [0.0], [1.0]])
    assert single_step(np.array([5.6e-17]), alike)[0] == step_down(np.array([5.6e-17]), alike)[0] == 1
    found = best_set(np.array([0.3, 0.1 + 0.2]), np.column_stack((noise + 0.3, noise + 0.3)), 0.5, True)
    assert found.p.tolist() == [1, 1]


def test_the_rank_does_not_depend_on_rounding():
    """100 x .55 is 55.00000000000001 in floats, and 100 (1 - .9) is 9.999999999999998."""
    replicates = np.random.default_rng(4).permutation(np.arange(-49.0, 50) ** 3)[:, None]
    se = replicates.std(ddof=1)
    assert sup_t(np.zeros(1), replicates, 0.55).c == np.sort(np.abs(replicates[:, 0] / se))[54]
    moved = np.column_stack((np.zeros(99), np.arange(99.0)))
    # Nine replicates reach 90 or more, so that p = 10 / 100.
    assert best_set(np.array([0.0, 45.0]), moved, 0.9, True).p[1] == 10 / 100
    assert best_set(np.array([0.0, 45.0]), moved, 0.9, True).member.tolist() == [True, False]


def test_nothing_to_compare():
    none = np.zeros((9, 0))
    assert single_step(none[0], none).shape == step_down(none[0], none).shape == (0,)
    assert np.isnan(sup_t(none[0], none, 0.5).c)
    assert best_set(none[0], none, 0.5, True).p.shape == (0,)
    flat = sup_t(np.array([0.5, np.nan]), np.full((9, 2), 0.5), 0.5)
    np.testing.assert_array_equal((flat.low, flat.high), [[0.5, np.nan]] * 2)
    assert np.isnan(flat.c)


@pytest.mark.parametrize("m", [0, 1])
def test_hardly_any_replicates(m):
    d, replicates = np.array([0.5, 1.0]), np.ones((m, 2))
    assert np.isnan(single_step(d, replicates)).all()
    assert np.isnan(step_down(d, replicates)).all()
    assert sup_t(d, replicates, 0.95) is simultaneous(d, replicates, 0.95) is None
    member, p, *_ = best_set(d, replicates, 0.95, True)
    assert member.all()
    np.testing.assert_array_equal(p, [1, np.nan])


def test_too_few_replicates_have_no_band_and_drop_no_model():
    d = np.array([100.0, 0.0])
    for m, enough in ((18, False), (19, True)):
        replicates = d + np.random.default_rng(m).normal(size=(m, 2))
        assert (sup_t(d, replicates, 0.95) is not None) == enough
        assert best_set(d, replicates, 0.95, True).member.tolist() == [not enough, True]


def test_a_set_of_one():
    for sense in (True, False):
        found = best_set(np.array([0.3]), np.random.default_rng(1).normal(size=(99, 1)), 0.95, sense)
        assert found.member.tolist() == [True]
        assert found.p.tolist() == [1]


def test_identical_models_stay_or_leave_together():
    rng = np.random.default_rng(2)
    good, bad = rng.normal(size=99), 10 + rng.normal(size=99)
    replicates = np.column_stack((good, bad, good, bad))
    for sense, members in ((True, [True, False, True, False]), (False, [False, True, False, True])):
        found = best_set(np.array([0.0, 10, 0, 10]), replicates, 0.95, sense)
        assert found.member.tolist() == members
        assert found.p[0] == found.p[2]
        assert found.p[1] == found.p[3]
    assert best_set(np.zeros(2), replicates[:, [0, 2]], 0.95, True).p.tolist() == [1, 1]


def test_models_that_cannot_be_told_from_the_best():
    """Worse by the same in every replicate: kept, without p, until a model with spread shows it worse."""
    rng = np.random.default_rng(2)
    good = rng.normal(size=99)
    replicates = np.column_stack((good, good + 10, np.full(99, np.nan)))
    values = np.array([0.0, 10, 1])
    assert best_set(np.array([0.0, np.nan]), np.ones((99, 2)), 0.95, True).member.tolist() == [True, False]
    member, p, *_ = best_set(values, replicates, 0.95, True)
    assert member.tolist() == [True, True, False]
    np.testing.assert_array_equal(p, [1, np.nan, np.nan])
    replicates[:, 2] = 1 + rng.normal(size=99)
    member, p, *_ = best_set(values, replicates, 0.95, True)
    assert member.tolist() == [True, False, True]
    assert p[1] == 1 / 100


def test_the_best_of_the_sample_stays_where_replicates_are_biased():
    """Replicates of the first model all lie far below its estimate, as those of minima may a little."""
    values = np.array([0.0, 0.1])
    replicates = np.column_stack((-50 + np.arange(99.0) / 9, np.arange(99.0) / 99))
    member, p, *_ = best_set(values, replicates, 0.95, True)
    assert member.tolist() == [True, True]
    assert p.tolist() == [1, 1]


def test_the_best_models_stay_and_a_worse_one_leaves():
    """Four models equally good, two of which often tie on 100 trials, and one that errs more often."""
    rng, level, runs = np.random.default_rng(9), 0.9, 400
    stays, ties = np.zeros(5), 0
    for _ in range(runs):
        values, replicates = trials_of([1, 1, 1, 1, 0.5], rng, 100, 99)
        stays += best_set(values, replicates, level, True).member
        ties += len(set(values[:4])) < 4
    assert ties / runs > 0.3
    assert (stays[:4] / runs > level - 0.04).all()
    assert (stays[:4] / runs < 0.98).all()
    assert stays[4] / runs < 0.1


def centred(losses, replicates):
    return losses[:, None] + replicates - replicates.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_each_point_by_itself_has_the_set_of_that_point(seed):
    losses, replicates = drawn(seed=seed)
    found = best_along(losses, replicates, 0.9)
    for at, (loss, column) in enumerate(zip(losses, replicates, strict=True)):
        alone = best_set(loss, centred(loss, column).T, 0.9, lower_is_better=True)
        assert found.p[at].tolist() == pytest.approx(alone.p.tolist())
        assert found.member[at].tolist() == alone.member.tolist()
