"""What is resampled: trials, clusters, pair trials of one pool or two, and units that dev and test share."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.draws import draw_units, loses_a_class, stream
from reporting.core.resampling.units import cluster_units, shared_clusters, trial_units

NAMES = ("all", "test")


def split(label, a, b=None, pools="one"):
    a, b = (None if codes is None else np.asarray(codes, dtype=np.uint32) for codes in (a, b))
    return Ranks(np.asarray(label, dtype=bool), a, {}, paired=True, unit_b=b, pools=pools)


def drawn(units, size, seed=1):
    (found, redrawn), *_ = units.pool.draw(seed, 0, size, size)
    return found, redrawn


def test_draws_are_multinomial_across_windows():
    """600 units are three windows, the last of them short: every unit has mean 1 and variance 1 - 1/n."""
    n, m = 600, 4000
    rng = np.random.default_rng(1)
    counts = draw_units((n,), rng, m)[0].count().T.astype(np.int64)
    assert (counts.sum(axis=1) == n).all()
    assert np.abs(counts.mean(axis=0) - 1).max() < 5 / np.sqrt(m)
    assert counts.var(axis=0).mean() == pytest.approx(1 - 1 / n, rel=0.01)
    for group in (slice(0, 256), slice(512, 600)):
        size = len(range(*group.indices(n)))
        assert counts[:, group].sum(axis=1).var() == pytest.approx(size * (1 - size / n), rel=0.1)
    # Any two units, of one window or of two, have covariance -1/n.
    for i, j in ((0, 1), (0, 300), (511, 512), (512, 599)):
        assert np.cov(counts[:, i], counts[:, j])[0, 1] == pytest.approx(-1 / n, abs=4 / np.sqrt(m))


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 512])
def test_every_number_of_units_can_be_drawn(n):
    (draws,) = draw_units((n,), np.random.default_rng(2), 3)
    assert draws.count().sum(axis=0).tolist() == [n, n, n]


def test_pair_trials_of_one_pool_weigh_the_product_and_own_trials_once():
    """Methods 8.8: w_i w_j for two speakers, in either order, and w_i for a speaker against himself."""
    a, b = [0, 1, 0, 2, 2, 1], [1, 0, 0, 2, 1, 1]
    units = cluster_units([split([1, 0, 1, 0, 1, 0], a, b)], NAMES)[0]
    (speakers,), _ = drawn(units, 50)
    weights = units.weights([speakers])[units.of_trial]
    for trial, (i, j) in enumerate(zip(a, b, strict=True)):
        w = speakers.astype(int)
        expected = w[i] if i == j else w[i] * w[j]
        np.testing.assert_array_equal(weights[trial], expected)
    assert (units.n_units, units.fewest) == (3, 2)


def test_pair_trials_of_two_pools_weigh_the_product():
    """First of the three of every draw; code 1 of one pool is nobody of the other."""
    a, b = [0, 1, 1, 0], [1, 1, 0, 2]
    units = cluster_units([split([1, 0, 1, 0], a, b, "two")], NAMES)[0]
    (rows, columns), _ = drawn(units, 50)
    assert rows.shape[0] == 2
    assert columns.shape[0] == 3
    weights = units.weights([rows, columns])[units.of_trial]
    for trial, (i, j) in enumerate(zip(a, b, strict=True)):
        np.testing.assert_array_equal(weights[trial][::3], rows[i].astype(int) * columns[j])
    assert units.n_units == 2


def test_a_cluster_of_dev_and_test_is_drawn_once_for_both():
    dev, test = split([1, 0, 1, 0], [3, 5, 9, 9]), split([1, 0, 1], [5, 9, 11])
    assert shared_clusters(dev, test) == [2]
    on_test, on_dev = cluster_units([test, dev], NAMES)
    assert on_test.pool is on_dev.pool
    found, _ = drawn(on_test, 100)
    at_test, at_dev = on_test.weights(found)[on_test.of_trial], on_dev.weights(found)[on_dev.of_trial]
    np.testing.assert_array_equal(at_test[0], at_dev[1])
    np.testing.assert_array_equal(at_test[1], at_dev[2])
    assert (found[0].sum(axis=0) == 4).all()
    assert (on_test.n_units, on_dev.n_units) == (3, 3)
    for label, weights in (([1, 0, 1, 0], at_dev), ([1, 0, 1], at_test)):
        members = np.asarray(label, dtype=bool)
        assert weights[members].any(axis=0).all()
        assert weights[~members].any(axis=0).all()
    assert shared_clusters(dev, split([1, 0], [4, 11])) == [0]


def test_a_replicate_that_loses_a_class_has_a_stream_of_its_own():
    """Drawn one by one, or many at a time: the replicates are the same, those drawn again too."""
    units = cluster_units([split([1, 1, 0, 0, 0], [0, 0, 1, 1, 2])], NAMES)[0]
    whole, redrawn = drawn(units, 200)
    assert redrawn > 0
    pieces = [found[0] for found, _ in units.pool.draw(1, 0, 200, 7)]
    np.testing.assert_array_equal(whole[0], np.concatenate(pieces, axis=1))


def test_trials_by_class_keep_the_class_sizes():
    label = np.arange(50) % 5 == 0
    units = trial_units(label, NAMES, by_class=True)
    (weights,), _ = drawn(units, 60)
    assert (weights[label].sum(axis=0) == 10).all()
    assert (weights[~label].sum(axis=0) == 40).all()
    assert not units.pool.forced


def test_streams_have_names():
    one, same, other = (stream(1, *names).integers(0, 2**60) for names in (("a", 1), ("a", 1), ("a", 2)))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("n0", "n1", "lost"),
    [
        (0, 5, False),
        (5, 0, False),
        (1, 1, True),
        (2, 8, True),
        (100, 100, False),
        (4, 400, True),
        (5, 400, False),
    ],
)
def test_when_plain_draws_lose_a_class(n0, n1, lost):
    """4 of 404: (400 / 404)^404 = .0177; 5 of 405: .0065. No draw loses a class that is not there."""
    assert loses_a_class(n0, n1) is lost


def test_the_class_with_fewer_effective_clusters_has_the_factor():
    """Targets 3 and 1 in two clusters: K = 8/5, f = 40/9, one degree; six equal clusters of non-targets."""
    label = [1] * 4 + [0] * 6
    units = cluster_units([split(label, [0, 0, 0, 1, *range(6)])], NAMES)[0]
    assert (units.n_units, units.fewest, units.sizes.effective) == (6, 2, 8 / 5)
    assert (units.inflation, units.degrees_of_freedom) == (math.sqrt(40 / 9), 1)
    # More clusters, and still fewer effective ones: 9 of 12 non-targets are in one of four. h = 1584 / 12096.
    label = [1] * 6 + [0] * 12
    units = cluster_units([split(label, [0, 0, 1, 1, 2, 2] + [0] * 9 + [1, 2, 3])], NAMES)[0]
    assert (units.fewest, units.sizes.number, units.sizes.effective) == (3, 4, 144 / 84)
    assert units.degrees_of_freedom == pytest.approx(144 / 84 - 1584 / 12096 * 144 / 60)


def test_a_class_of_one_cluster_counts_as_two():
    units = cluster_units([split([1, 1, 0, 0, 0], [0, 0, 0, 1, 2])], NAMES)[0]
    assert (units.inflation, units.degrees_of_freedom) == (math.sqrt(2), 1)


@pytest.mark.parametrize(("sizes", "few"), [([5] * 20, False), ([5] * 19, True), ([200] + [1] * 200, True)])
def test_few_clusters_are_few_effective_ones(sizes, few):
    a = np.repeat(np.arange(len(sizes)), sizes)
    units = cluster_units([split(np.tile([1, 0], len(a)), np.repeat(a, 2))], NAMES)[0]
    assert ("few_clusters" in units.flags) == few


def test_members_of_pairs_count_alike():
    units = cluster_units([split([1, 0, 1, 0], [0, 1, 0, 2], [1, 2, 2, 0])], NAMES)[0]
    assert (units.sizes.number, units.inflation, units.degrees_of_freedom) == (1, math.sqrt(2), 1)
    a, b = np.divmod(np.arange(36), 6)
    units = cluster_units([split(a == b, a, b)], NAMES)[0]
    assert (units.inflation, units.degrees_of_freedom) == (math.sqrt(6 / 5), 5)


@given(st.integers(0, 10_000))
def test_weights_are_repeated_rows_and_names_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    label, a, weight = rng.random(40) < 0.4, rng.integers(0, 6, 40), rng.integers(1, 5, 40)
    label[:2] = True, False
    weighted = split(label, a)
    object.__setattr__(weighted, "weight", weight)
    repeated = split(np.repeat(label, weight), np.repeat(rng.permutation(6)[a], weight))
    one, other = (cluster_units([of], NAMES)[0] for of in (weighted, repeated))
    assert one.sizes == other.sizes
    assert (one.inflation, one.degrees_of_freedom) == (other.inflation, other.degrees_of_freedom)


def test_blocks_of_clusters_have_the_sizes_of_clusters(monkeypatch):
    a = np.repeat(np.arange(30), np.arange(1, 31))
    label = np.arange(len(a)) % 2 == 0
    alone = split(label, a)
    monkeypatch.setattr("reporting.core.resampling.units.MOST_ALONE", 20)
    blocks = split(label, a)
    object.__setattr__(blocks, "block_of_cluster", (a % 7).astype(np.uint16))
    (drawn_in_blocks,) = cluster_units([blocks], NAMES)
    assert drawn_in_blocks.n_atoms == 7
    monkeypatch.undo()
    (plain,) = cluster_units([alone], NAMES)
    assert drawn_in_blocks.sizes == plain.sizes
    assert (drawn_in_blocks.inflation, drawn_in_blocks.flags) == (plain.inflation, plain.flags)
