"""Blocks of units: tables and products agree with units drawn one by one, and have their variance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.resampling import cell_tables
from reporting.core.resampling.bins import ScoredModel, common_bins, dev_starts
from reporting.core.resampling.bootstrap import weights_of
from reporting.core.resampling.cell_tables import (
    AtomTable,
    ExchangedTrials,
    PairTable,
    Weights,
    cells_of,
    pair_table,
)
from reporting.core.resampling.units import Ends, Units, cluster_units, exchanging, trial_units
from reporting.core.stats.staircase import MOST_BINS, bin_starts, bin_step, bins_of, cut_at
from reporting.inputs import blocks
from tests.examples import few

NAMES = ("all", "test")


def sample(n, seed, share=0.3):
    rng = np.random.default_rng(seed)
    label = rng.random(n) < share
    block = rng.integers(0, 40, n).astype(np.uint16)
    return rng, label, block


@pytest.fixture
def few_alone(monkeypatch):
    monkeypatch.setattr("reporting.core.resampling.units.MOST_ALONE", 50)


def first_drawn(units, size=70, seed=1):
    drawn, _ = next(units.pool.draw(seed, 0, size, size))
    return drawn


def test_few_units_are_drawn_one_by_one():
    _, label, block = sample(blocks.MOST_ALONE, 1)
    units = trial_units(label, NAMES, block)
    assert (units.dealt, units.n_atoms) == (None, blocks.MOST_ALONE)
    _, label, block = sample(blocks.MOST_ALONE + 1, 1)
    units = trial_units(label, NAMES, block)
    assert (units.n_atoms, units.n_units) == (40, blocks.MOST_ALONE + 1)
    assert trial_units(label, NAMES).dealt is None


@pytest.mark.parametrize("by_class", [False, True])
def test_a_trial_weighs_what_its_block_weighs(few_alone, by_class):
    rng, label, block = sample(500, 2)
    units = trial_units(label, NAMES, block, by_class=by_class)
    (weights,) = first_drawn(units)
    cell = rng.integers(0, 7, 500)
    counts = cells_of(units, label, None, cell, 7).resample(Weights(weights))
    of_trial = weights[units.atom_of_trial].astype(np.int64)
    for of in (0, 1):
        for k in range(7):
            there = (label == of) & (cell == k)
            np.testing.assert_array_equal(counts[:, of, k], of_trial[there].sum(axis=0))
    if by_class:
        assert (
            len(np.unique(units.atom_of_trial[label])) + len(np.unique(units.atom_of_trial[~label]))
            == units.n_atoms
        )
        for members in units.pool.strata:
            assert (weights[members].sum(axis=0) == len(members)).all()


def test_a_rare_class_is_drawn_by_the_blocks_that_hold_it(few_alone):
    """Three targets in three blocks: a resample of blocks by class is one of the three trials."""
    label = np.zeros(3000, dtype=bool)
    label[[5, 17, 900]] = True
    block = (np.arange(3000) % 40).astype(np.uint16)
    units = trial_units(label, NAMES, block)
    assert units.pool.forced
    assert units.fewest == 3
    counts = cells_of(units, label, None, np.zeros(3000, dtype=int), 1).resample(
        Weights(first_drawn(units)[0])
    )
    assert (counts[:, 1, 0] == 3).all()


def test_clusters_are_dealt_by_their_names_and_shared_by_dev_and_test(few_alone):
    rng, label, _ = sample(600, 3)
    code = rng.integers(0, 90, 600).astype(np.uint32)
    of_cluster = rng.integers(0, 30, 90).astype(np.uint16)
    test, dev = (
        Ranks(label[part], code[part], {}, paired=True, block_of_cluster=of_cluster[code[part]])
        for part in (slice(0, 300), slice(300, 600))
    )
    on_test, on_dev = cluster_units([test, dev], NAMES)
    assert on_test.pool is on_dev.pool
    assert on_test.n_atoms == len(np.unique(of_cluster[code]))
    assert on_test.n_units == len(np.unique(code[:300]))
    for units, ranks in ((on_test, test), (on_dev, dev)):
        for one in np.unique(ranks.block_of_cluster):
            assert len(np.unique(units.atom_of_trial[ranks.block_of_cluster == one])) == 1
    without = Ranks(label, code, {}, paired=True)
    assert cluster_units([without], NAMES)[0].dealt is None


def as_clusters(units, label):
    """The same blocks, each as one unit."""
    atoms = units.atom_of_trial
    return Units(units.pool, atoms, None, units.n_atoms, units.fewest), Ends(np.arange(units.n_atoms))


@few(30)
@given(st.integers(0, 1000), st.integers(2, 9), st.booleans())
def test_exchanges_of_blocks_are_those_of_clusters_but_for_what_is_carried(seed, n, weighted):
    """Where nothing is lumped both tables count the same; else a' + b' = a + b and a class keeps its size."""
    rng, label, block = sample(400, seed)
    weight = rng.integers(1, 4, 400) if weighted else None
    cells = tuple(rng.integers(0, n, 400) for _ in range(2))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("reporting.core.resampling.units.MOST_ALONE", 50)
        units = exchanging(trial_units(label, NAMES, block))
    signs = weights_of(units, first_drawn(units))
    table = pair_table(ExchangedTrials(units, label, weight), cells, n)
    plain = pair_table(ExchangedTrials(as_clusters(units, label)[0], label, weight), cells, n)
    assert isinstance(plain, PairTable)
    object.__setattr__(table, "lumped", np.zeros(2))
    np.testing.assert_array_equal(table.resample(signs), plain.resample(signs))
    carried = pair_table(ExchangedTrials(units, label, weight), cells, n)
    assert (carried.lumped > 0).all()
    counts = carried.resample(signs)
    once = np.ones(400) if weight is None else weight
    for of in (0, 1):
        assert (counts[:, of].sum(axis=1) == once[label == of].sum()).all()
        assert (counts[:, of] >= 0).all()


def test_exchanges_of_blocks_spread_as_those_of_trials(few_alone):
    """Two models that differ by .1 in FRR: as they are, blocks carry that with them and spread ten times as far."""
    rng, label, _ = sample(20_000, 5, share=0.5)
    accepted = [
        np.where(label, rng.random(20_000) < p, rng.random(20_000) < 0.2).astype(int) for p in (0.9, 0.8)
    ]
    block = rng.integers(0, 400, 20_000).astype(np.uint16)
    spreads = []
    for units in (trial_units(label, NAMES), trial_units(label, NAMES, block)):
        units = exchanging(units)
        counts = pair_table(ExchangedTrials(units, label, None), tuple(accepted), 2).resample(
            weights_of(units, first_drawn(units, 4000))
        )
        misses = counts[:, 1, 0].reshape(-1, 2)
        spreads.append(np.sqrt(np.mean((misses[:, 0] - misses[:, 1]) ** 2.0)))
    assert spreads[1] / spreads[0] == pytest.approx(
        1, abs=0.06
    )  # 1 / sqrt(800) of blocks, .011 of each 4,000


@few(20)
@given(st.integers(0, 1000), st.integers(1, 9), st.booleans())
def test_dense_and_sparse_tables_sum_alike(seed, n, exchanged):
    """Of clusters with several trials each, drawn or exchanged between two models."""
    rng, label, _ = sample(300, seed)
    cells = tuple(rng.integers(0, n, 300) for _ in range(2))
    ranks = Ranks(label, rng.integers(0, 12, 300).astype(np.uint32), {}, paired=True)
    (units,) = cluster_units([ranks], NAMES)
    units = exchanging(units) if exchanged else units
    weights, summed = weights_of(units, first_drawn(units)), []
    for dense in (True, False):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(cell_tables, "is_dense", lambda entries, held, dense=dense: dense)
            of_model = cells_of(units, label, None, cells[0], n)
            table = pair_table(ExchangedTrials(units, label, None), cells, n) if exchanged else of_model
        assert isinstance(table.table.held, np.ndarray) == dense
        summed.append(table.resample(weights))
    np.testing.assert_array_equal(*summed)


def test_sums_are_exact_in_single_and_in_double_precision(few_alone):
    rng, label, block = sample(300, 6)
    units = trial_units(label, NAMES, block)
    weights = Weights(first_drawn(units)[0])
    for heavy in (1, 2**22):
        weight = rng.integers(heavy, 2 * heavy, 300)
        table = AtomTable.of(units, label.astype(np.int64), weight, 2)
        exact = weights.weights.astype(object).T @ table.content.astype(object)
        assert (table.summed(weights) == exact.astype(np.int64)).all()


@given(st.integers(0, 2**31), st.integers(20, 2000), st.floats(0.1, 0.9), st.integers(5, 400))
def test_bins_begin_where_the_way_passes_a_multiple(seed, n, share, distinct):
    """The plain definition at every cut, but for cuts that lie on a multiple to the last bits."""
    rng = np.random.default_rng(seed)
    label = rng.random(n) < share
    label[:2] = True, False
    staircase = count_cuts(np.round(rng.normal(size=n) * distinct / 8), label)[0].staircase
    step = bin_step(staircase.n_target, staircase.n_nontarget, 40)
    starts = np.zeros(len(staircase.misses), dtype=bool)
    near = np.zeros(len(staircase.misses), dtype=bool)
    for errors in (staircase.misses, staircase.n_nontarget - staircase.false_alarms):
        way = np.arcsin(np.sqrt(errors / errors[-1])) * 2 * np.sqrt(errors[-1]) / step
        starts |= np.diff(np.floor(way), prepend=0) > 0
        near |= np.abs(way - np.round(way)) < 1e-9
    starts[0], starts[-1] = True, False
    near |= np.roll(near, 1)
    found = np.zeros(len(starts), dtype=bool)
    found[bin_starts(staircase, most=40)] = True
    np.testing.assert_array_equal(found[~near], starts[~near])
    assert len(bin_starts(staircase)) <= MOST_BINS


def scored(score, label):
    half = len(score) // 2
    (dev, rank), (test, _) = (
        count_cuts(score[part], label[part]) for part in (slice(half), slice(half, None))
    )
    return ScoredModel(dev, test, ()), rank


@given(st.integers(0, 10**6), st.integers(1, 60))
def test_two_models_share_bins_of_places(seed, ties):
    """A model and a rising function of it have the same bins; bins of others hold nearly as many trials."""
    rng = np.random.default_rng(seed)
    label = rng.random(6000) < 0.3
    score = np.round((rng.normal(size=6000) + label) * ties) / ties
    one, rank = scored(score, label)
    same, _ = scored(np.exp(score), label)
    other, rank_of_other = scored(score + rng.normal(size=6000), label)
    first, second = common_bins([one, same], "upper")
    np.testing.assert_array_equal(first.on_dev, second.on_dev)
    np.testing.assert_array_equal(
        *(cut_at(m.test.score, b.threshold) for m, b in ((one, first), (same, second)))
    )
    np.testing.assert_array_equal(first.on_dev, dev_starts(one.dev, ()))
    first, third = common_bins([one, other], "midpoint")
    below = []
    for bins, model, of_trial in ((first, one, rank), (third, other, rank_of_other)):
        assert (np.diff(bins.on_dev) >= 0).all()
        assert bins.threshold[0] == -np.inf
        below.append(
            np.searchsorted(
                np.sort(bins_of(bins.on_dev, len(model.dev.score))[of_trial]), range(len(bins.on_dev))
            )
        )
    widest = np.bincount(rank).max() + np.bincount(rank_of_other).max()
    assert np.abs(below[0] - below[1]).max() <= widest + 4 * np.sqrt(3000)
