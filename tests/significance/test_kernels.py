"""Cuts chosen in one compiled loop are those of the plain way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.counts.cuts import count_cuts
from reporting.counts.ranks import Ranks
from reporting.criteria.catalogue import CRITERIA, read_criterion
from reporting.curves.epc import alpha_grid, choose
from reporting.significance import kernels
from reporting.significance.cell_tables import cumulate_cells, pair_table
from reporting.significance.kernels import choose_cells, weights_of
from reporting.significance.procedure import DevCells, Rechoice, _choose_all, choose_again
from reporting.significance.units import cluster_units, exchanging, trial_units
from reporting.stats.sweep import eer_rocch

pytestmark = pytest.mark.skipif(not kernels.available(), reason="numba is missing")
FAST = ("min_hter", "eer", "weighted_error(alpha=0.3)", "min_dcf(p_target=0.1,c_miss=2)")


def asked(cuts, *more):
    single = tuple(choose(cuts, read_criterion(name), "balanced", "midpoint") for name in (*FAST, *more))
    return (*single, choose(cuts, CRITERIA["weighted_error"], "balanced", "midpoint", alpha_grid(11)))


def sample(n, seed, digits):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.4
    label[:2] = True, False
    return count_cuts(np.round(rng.normal(size=n) + label, digits), label)[0], label


@settings(max_examples=150)
@given(
    st.integers(4, 60),
    st.integers(0, 10_000),
    st.integers(0, 3),
    st.sampled_from(["midpoint", "lower", "upper"]),
)
def test_every_replicate_has_the_same_thresholds(n, seed, digits, at):
    cuts, label = sample(n, seed, digits)
    weights = np.random.default_rng(seed).integers(0, 3, size=(6, 2, len(cuts.score)), dtype=np.int32)
    weights[:, 0, 0] = weights[:, 1, -1] = 1
    counts = (weights * np.stack((cuts.n_nontarget, cuts.n_target))).astype(np.int32)
    counts[:, 0, 0] += 1
    counts[:, 1, -1] += 1
    dev, chosen = DevCells(None, cuts.score, cuts.score, coarse=False), asked(cuts)
    task = Rechoice(trial_units(label, ("all", "dev")), {}, "balanced", at, 1)
    plain = np.stack([choose_again(one, dev, chosen, task) for one in counts])
    np.testing.assert_array_equal(_choose_all(counts, dev, chosen, task, compiled=True), plain)


def test_ties_are_left_to_the_plain_way():
    counts = np.array([[[2, 1, 1], [1, 1, 2]], [[3, 1, 0], [0, 0, 5]]], dtype=np.int32)
    found = choose_cells(counts, np.array([0.5]))
    assert found.left.tolist() == [True, False]
    assert (found.below[1, 0], found.above[1, 0]) == (1, 2)


def test_sums_beyond_two_bytes_are_exact():
    n, heavy = 102_000, 400
    weights = np.zeros((n, 70), dtype=np.uint8)
    weights[:heavy] = 255
    row = np.ones(n, dtype=np.uint16)
    row[:heavy] = 0
    (summed,) = kernels.sum_few_cells([kernels.RowOfAtoms(row, 2, fullest=1)], weights)
    assert summed.tolist() == [[n] * 70, [0] * 70]


@pytest.mark.parametrize("lanes", [1, 63, 64, 65, 200])
def test_few_cells_are_summed_for_any_number_of_replicates(lanes):
    rng = np.random.default_rng(lanes)
    weights, row = rng.integers(0, 4, (500, lanes), dtype=np.uint8), rng.integers(0, 9, 500, dtype=np.uint16)
    plain = np.stack([weights[row == cell].sum(axis=0) for cell in range(9)])
    for fullest in (100, kernels.TWO_BYTES + 1):
        (summed,) = kernels.sum_few_cells([kernels.RowOfAtoms(row, 9, fullest)], weights)
        assert (summed == plain).all()
        assert (kernels.turned(summed) == plain.T).all()


@settings(max_examples=100)
@given(st.integers(1, 1500), st.integers(0, 10_000), st.integers(1, 4), st.booleans())
def test_equal_errors_on_hulls_are_found_in_the_same_steps(n, seed, most, ordered):
    """Counts are small, so that cuts lie on one line; a class may be empty."""
    rng = np.random.default_rng(seed)
    share = np.linspace(0, 1, n) if ordered else np.full(n, 0.5)
    counts = rng.binomial(rng.integers(0, most, (5, 2, n)), np.stack((1 - share, share)))
    misses, false_alarms = cumulate_cells(counts.astype(np.int32))
    plain = eer_rocch(misses, false_alarms)
    np.testing.assert_array_equal(plain, eer_rocch(misses, false_alarms, tighten=kernels.tightened))
    alone = [eer_rocch(m, a) for m, a in zip(misses, false_alarms, strict=True)]
    np.testing.assert_array_equal(plain, alone)


def test_other_criteria_are_not_for_this_loop():
    cuts, _ = sample(30, 1, 1)
    assert weights_of(asked(cuts)) is not None
    assert weights_of(asked(cuts, "target_far(far=0.1)")) is None


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 10_000), st.booleans())
def test_exchanges_move_the_same_counts(n, cells, seed, clustered):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < 0.5
    units = trial_units(label, ("all", "dev"))
    if clustered:
        code = rng.integers(0, 5, n).astype(np.uint32)
        (units,) = cluster_units([Ranks(label, code, {}, paired=True)], ("all", "dev"))
    first, second = rng.integers(0, cells, (2, n))
    table = pair_table(units, label, None, (first, second), cells)
    ((exchanges,), _) = next(exchanging(units).pool.draw(seed, 0, 70, 128))
    plain = table.resample(exchanges)
    compiled = table.resample(exchanges, compiled=True)
    assert plain.dtype == compiled.dtype
    np.testing.assert_array_equal(plain, compiled)
    swapped = exchanges.bits(1)[units.of_trial, 5].astype(bool)  # replicate 69
    for model, own, other in ((0, first, second), (1, second, first)):
        cell = np.where(swapped, other, own)
        counted = [np.bincount(cell[label == of], minlength=cells) for of in (False, True)]
        np.testing.assert_array_equal(plain[2 * 69 + model], counted)
