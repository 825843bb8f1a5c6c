import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score
from tied import COARSE, ODD

from reporting.core.stats.paired import Discordant, exact_p
from reporting.features.further_tests import permutation
from reporting.features.further_tests.permutation import (
    Swappable,
    area_difference,
    draw_swaps,
    midranks,
    permutation_test,
    rate_difference,
)

T1 = Discordant(10, 30, 6, 12, 100, 300)
T2 = Discordant(16, 34, 8, 26, 200, 800)
HTER = (0.5, 0.5)


def decisions_of(d):
    """Accepted by the first, by the second, and labels, of every trial of a table."""
    rows = []
    for label, first, second, n in (
        (False, d.nontarget_10, d.nontarget_01, d.n_nontarget),
        (True, d.target_10, d.target_01, d.n_target),
    ):
        rows += [(True, False, label)] * first + [(False, True, label)] * second
        rows += [(False, False, label)] * (n - first - second)
    return (np.array(column) for column in zip(*rows, strict=True))


def every_swap(n_units):
    """All ways to swap units (shape (2^units, units)); the first swaps none."""
    return np.array(list(itertools.product([False, True], repeat=n_units)))


def twice_wins(values, label):
    """2 N1 N0 AUC by comparing every pair."""
    a, b = np.asarray(values)[label][:, None], np.asarray(values)[~label][None, :]
    return int((2 * (a > b) + (a == b)).sum())


@st.composite
def paired_scores(draw, odd=False):
    """Tied scores of two models, labels of both classes, and units of a few trials."""
    n = draw(st.integers(2, 9))
    value = COARSE | ODD if odd else COARSE
    first, second = (np.array(draw(st.lists(value, min_size=n, max_size=n)), dtype=float) for _ in range(2))
    label = np.array([True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))])
    unit = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    return first, second, label, unit


def test_p_by_hand():
    """Of 4 replicates none reaches the observed value, or all, or two do."""

    def p(drawn, observed):
        values = iter([[observed], drawn])
        return permutation_test(
            Swappable(1, 1, lambda _: np.array(next(values))), 4, np.random.default_rng(1)
        ).p

    assert p([0, 1, -2, 2], 3) == 1 / 5
    assert p([3, 3, -3, 5], -3) == 1
    assert p([3, 1, -3, 2], 3) == 3 / 5
    # Rounding does not tell equal sums apart; a difference is told.
    assert p([0.1 + 0.2, 0.3, 0.0, 0.29], 0.1 + 0.2) == 3 / 5


def test_p_and_scale():
    values = iter([[-6], [6, 1, 1, 1]])
    found = permutation_test(
        Swappable(1, 1, lambda _: np.array(next(values)), scale=4), 4, np.random.default_rng(1)
    )
    assert found == (-1.5, 0.4)


@pytest.mark.parametrize("n_units", [0, 1, 63, 64, 65, 200])
def test_draws_do_not_depend_on_how_many_come_at_once(n_units):
    together = draw_swaps(np.random.default_rng(7), n_units, 40)
    rng = np.random.default_rng(7)
    apart = np.concatenate([draw_swaps(rng, n_units, size) for size in (1, 9, 30)])
    assert together.shape == (40, n_units)
    assert together.dtype == bool
    assert np.array_equal(together, apart)
    # Bit by bit, the lowest first, whatever the order of bytes of the machine.
    words = np.random.default_rng(7).integers(0, 2**64, size=(40, -(-n_units // 64)), dtype=np.uint64)
    for unit in range(n_units):
        assert [int(word) >> unit % 64 & 1 for word in words[:, unit // 64]] == together[:, unit].tolist()


def test_every_unit_is_swapped_half_the_time():
    drawn = draw_swaps(np.random.default_rng(3), 130, 20_000).astype(float)
    assert np.abs(drawn.mean(axis=0) - 0.5).max() < 0.018  # five standard errors
    together = np.corrcoef(drawn, rowvar=False) - np.eye(130)
    assert np.abs(together).max() < 0.04


def test_p_does_not_depend_on_chunks(monkeypatch):
    first, second, label = decisions_of(T1)
    score = np.random.default_rng(1).integers(0, 9, size=(2, len(label)))
    statistics = [
        lambda: rate_difference(first, second, label, np.arange(400) // 3, *HTER),
        lambda: area_difference(*score, label, np.arange(400) // 3),
    ]
    for make in statistics:
        whole = permutation_test(make(), 200, np.random.default_rng(5))
        with monkeypatch.context() as patch:
            patch.setattr(permutation, "LARGEST_CHUNK", 1000)
            assert permutation_test(make(), 200, np.random.default_rng(5)) == whole


@given(st.lists(COARSE | ODD, min_size=1, max_size=20))
def test_midranks_are_scipys(scores):
    assert midranks(scores).tolist() == (2 * stats.rankdata(scores)).tolist()


@given(paired_scores(odd=True))
def test_the_observed_area_difference_is_that_of_the_scores(drawn):
    first, second, label, unit = drawn
    statistic = area_difference(first, second, label, unit)
    found = statistic.of(np.zeros((1, statistic.n_units), dtype=bool))
    ranks = midranks(first), midranks(second)
    theirs = [roc_auc_score(label, values) for values in ranks]
    assert int(found[0]) == twice_wins(first, label) - twice_wins(second, label)
    assert found[0] / statistic.scale == pytest.approx(theirs[0] - theirs[1], abs=1e-12)


@given(paired_scores())
def test_every_swap_of_ranks_by_pairs(drawn):
    first, second, label, unit = drawn
    statistic = area_difference(first, second, label, unit)
    swaps = every_swap(statistic.n_units)
    a, b = midranks(first), midranks(second)
    wanted = []
    for swap in swaps:
        turned = swap[unit]
        wanted.append(twice_wins(np.where(turned, b, a), label) - twice_wins(np.where(turned, a, b), label))
    assert statistic.of(swaps).tolist() == wanted
    # All of them swapped is the negated difference.
    assert wanted[-1] == -wanted[0]


def mc_error(found, replicates):
    return np.sqrt(found.p * (1 - found.p) / replicates)


@given(paired_scores(), st.sampled_from([HTER, (1, 0), (0, 1), (0.3, 0.7)]))
def test_every_swap_of_decisions_by_counts(drawn, weights):
    first, second, label, unit = drawn
    first, second = first > 0, second >= 0.5
    statistic = rate_difference(first, second, label, unit, *weights)
    moved = [
        code
        for code in range(5)
        if any(
            w and (first.astype(int) - second)[(unit == code) & of].sum()
            for w, of in zip(weights, (~label, label), strict=True)
        )
    ]
    assert statistic.n_units == len(moved)
    for swap, value in zip(every_swap(len(moved)), statistic.of(every_swap(len(moved))), strict=True):
        turned = np.isin(unit, [code for code, yes in zip(moved, swap, strict=True) if yes])
        a, b = np.where(turned, second, first), np.where(turned, first, second)
        far = Fraction(int(a[~label].sum()) - int(b[~label].sum()), int((~label).sum()))
        frr = Fraction(int(b[label].sum()) - int(a[label].sum()), int(label.sum()))
        assert value == pytest.approx(float(weights[0] * far + weights[1] * frr), abs=1e-14)


@pytest.mark.parametrize("table", [T1, T2])
@pytest.mark.parametrize("weights", [HTER, (0.2, 0.8), (1, 0), (0, 1)])
def test_decisions_agree_with_the_exact_paired_test(table, weights):
    first, second, label = decisions_of(table)
    statistic = rate_difference(first, second, label, np.arange(len(label)), *weights)
    found = permutation_test(statistic, 20_000, np.random.default_rng(11))
    exact = exact_p(table, *weights, mid=False)
    assert found.p == pytest.approx(exact, abs=4 * max(mc_error(found, 20_000), 1e-4))


def test_sums_equal_on_paper_count_as_equal():
    """T of weights .3 and .7 with many ties: rounding would lose some of P(|T| >= |T_obs|)."""
    table = Discordant(4, 1, 1, 4, n_target=7, n_nontarget=3 + 5)
    first, second, label = decisions_of(table)
    statistic = rate_difference(first, second, label, np.arange(15), 0.3 * 8 / 7, 0.3)
    values = np.abs(statistic.of(every_swap(10)))
    exact = exact_p(table, 0.3 * 8 / 7, 0.3, mid=False)
    assert (values >= values[0] - 1e-12).mean() == pytest.approx(exact, abs=1e-12)
    found = permutation_test(statistic, 20_000, np.random.default_rng(2))
    assert found.p == pytest.approx(exact, abs=4 * mc_error(found, 20_000))


def test_scipys_permutations_within_pairs():
    """All 2^8 swaps of the mid-ranks of eight trials, by SciPy, by enumeration and drawn."""
    rng = np.random.default_rng(4)
    label = np.array([True, False] * 4)
    first = np.round(rng.normal(size=8) + 1.5 * label, 1)
    second = np.round(rng.normal(size=8), 1)

    def difference(a, b):
        return twice_wins(a, label) - twice_wins(b, label)

    theirs = stats.permutation_test(
        (midranks(first), midranks(second)),
        lambda a, b: abs(difference(a, b)),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
    ).pvalue
    statistic = area_difference(first, second, label, np.arange(8))
    values = np.abs(statistic.of(every_swap(8)))
    assert (values >= values[0]).mean() == pytest.approx(theirs, abs=1e-12)
    found = permutation_test(statistic, 10_000, np.random.default_rng(6))
    assert found.p == pytest.approx(theirs, abs=4 * mc_error(found, 10_000))


def test_clusters_are_swapped_whole():
    """Four clusters whose trials all favour one model: 2 of 16 swaps are as far out as the data."""
    label = np.tile([True, False], 8)
    first, second = label.copy(), ~label
    unit = np.repeat(np.arange(4), 4)
    statistic = rate_difference(first, second, label, unit, *HTER)
    found = permutation_test(statistic, 20_000, np.random.default_rng(8))
    assert found.statistic == -1
    assert found.p == pytest.approx(2 / 16, abs=4 * mc_error(found, 20_000))
    by_trial = rate_difference(first, second, label, np.arange(16), *HTER)
    assert permutation_test(by_trial, 20_000, np.random.default_rng(8)).p < 0.001


@given(paired_scores(), st.integers(0, 2**32))
def test_swapping_the_models_negates_the_difference_and_leaves_p(drawn, seed):
    first, second, label, unit = drawn
    for make in (
        lambda a, b: area_difference(a, b, label, unit),
        lambda a, b: rate_difference(a > 0, b > 0, label, unit, *HTER),
    ):
        one, other = (
            permutation_test(make(*models), 50, np.random.default_rng(seed))
            for models in ((first, second), (second, first))
        )
        assert other == (pytest.approx(-one.statistic, abs=1e-15), one.p)


@given(paired_scores(), st.integers(0, 2**32))
def test_areas_do_not_depend_on_the_scale_of_either_model(drawn, seed):
    first, second, label, unit = drawn
    one, other = (
        permutation_test(area_difference(*models, label, unit), 50, np.random.default_rng(seed))
        for models in ((first, second), (np.exp(first), 5 + second**3))
    )
    assert one == other


def test_models_alike_and_classes_without_trials():
    label = np.array([True, False, True])
    accepted = np.array([True, False, False])
    alike = rate_difference(accepted, accepted, label, np.arange(3), *HTER)
    assert permutation_test(alike, 20, np.random.default_rng(1)) == (0, 1)
    score = np.array([3.0, 1, 2])
    same = area_difference(score, 2 * score, label, np.arange(3))
    assert permutation_test(same, 20, np.random.default_rng(1)) == (0, 1)
    empty = rate_difference(accepted, ~accepted, np.ones(3, dtype=bool), np.arange(3), *HTER)
    assert np.isnan(permutation_test(empty, 20, np.random.default_rng(1))).all()
    given_weight = rate_difference(accepted, ~accepted, np.ones(3, dtype=bool), np.arange(3), 0, 1)
    assert given_weight.of(np.zeros((1, 3), dtype=bool)).tolist() == [pytest.approx(1 / 3)]


def test_size_where_clusters_are_exchangeable():
    """Two models that differ by noise only, in clusters of four trials: p < .05 in about 5 % of data."""
    rng = np.random.default_rng(12)
    label = np.tile([True, False, False, True], 15)
    unit = np.repeat(np.arange(15), 4)
    rejected = 0
    for _ in range(300):
        common = rng.normal(size=15)[unit] + 1.5 * label
        models = [common + rng.normal(size=15)[unit] + rng.normal(size=60) for _ in range(2)]
        rejected += permutation_test(area_difference(*models, label, unit), 99, rng).p <= 0.05
    assert 4 <= rejected <= 27  # 15 expected, three standard errors
