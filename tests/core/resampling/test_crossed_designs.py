"""Two crossed pools: replicates by draws of both and of each alone, and the variance and the limits they give."""

import itertools

import numpy as np
import pytest
from scipy.stats import t as student_t

from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.design import Design
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.paired import compare_replicates
from reporting.core.resampling.units import cluster_units, crossed_variance, exchanging
from reporting.core.stats.cluster_sizes import ClusterSizes

TABLE = np.array([[4.0, 1.0, 1.0], [0.0, 1.0, -1.0], [-1.0, -2.0, -3.0]]) / 10
"""3 x 3: S_A, S_B and S_AB are 108, 27 and 9 hundredths (``test_crossed_units``)."""


def ranks(a, b, label=None, weight=None, pools="two"):
    a, b = (np.asarray(side, dtype=np.uint32) for side in (a, b))
    label = np.arange(len(a)) % 2 == 0 if label is None else label
    return Ranks(label, a, {}, paired=True, unit_b=b, weight=weight, pools=pools)


def of_table(label=None, level=0.95):
    a, b = (codes.ravel() for codes in np.indices(TABLE.shape))
    trials = ranks(a, b, np.ones(9, dtype=bool) if label is None else label)
    (units,) = cluster_units([trials], ("all", "test"))
    return trials, units, Design.of(units, level)


def every_draw():
    """The sums of the table under every draw of 3 from 3 in both pools: of both, and of each alone."""
    draws = [np.bincount(each, minlength=3) for each in itertools.product(range(3), repeat=3)]
    return np.array(
        [
            value
            for r in draws
            for c in draws
            for value in ((r @ TABLE @ c), (r @ TABLE).sum(), (TABLE @ c).sum())
        ]
    )


def test_all_draws_have_the_variance_of_the_closed_form():
    trials, units, design = of_table()
    assert units.sets == design.sets == 3
    values = every_draw()
    m = len(values) // 3
    closed = crossed_variance(TABLE.ravel(), trials)
    assert closed.variance == pytest.approx(1.26)
    assert design.variance(values) * (m - 1) / m == pytest.approx(1.26)
    together = design.jointly(values, 0.0)
    assert together.var() == pytest.approx((72 + 18) / 100)
    reduced, own = design.reduced(values, 0.0)
    assert (len(reduced), own.pools, own.inflation, own.sets) == (m, None, 1.0, 1)
    assert reduced.var() == pytest.approx(1.26)
    assert own.df == pytest.approx(closed.df)
    assert reduced.var(ddof=1) == pytest.approx(own.variance(reduced))
    given, _ = design.reduced(values, 0.0, closed._replace(variance=4.0))
    assert given.std(ddof=1) == pytest.approx(2.0)


def test_weights_of_a_draw_are_those_of_both_pools_and_of_each():
    rng = np.random.default_rng(2)
    trials = ranks(rng.integers(0, 4, 30), rng.integers(0, 5, 30))
    (units,) = cluster_units([trials], ("all", "test"))
    drawn, _ = next(units.pool.draw(1, 0, 20, 20))
    weights = units.weights(drawn)[units.of_trial]
    r, c = drawn[0][trials.unit_a].astype(int), drawn[1][trials.unit_b].astype(int)
    assert weights.shape == (30, 60)
    for at, expected in enumerate((r * c, r, c)):
        np.testing.assert_array_equal(weights[:, at::3], expected)
    assert exchanging(units).sets == 1
    (one_pool,) = cluster_units([ranks(trials.unit_a, trials.unit_b, pools="one")], ("all", "test"))
    assert (one_pool.sets, one_pool.weights(next(one_pool.pool.draw(1, 0, 20, 20))[0]).shape[1]) == (1, 20)


def test_limits_of_every_number_along_a_curve_are_its_own():
    """With the least degrees of freedom, others lie so much nearer; a number that never varies has no width."""
    _, _, design = of_table(level=0.9)
    first = every_draw()
    other = first.copy()
    other[1::3] *= 3
    values = np.column_stack([first, other, np.full(len(first), 0.7)])
    point = np.array([0.0, 0.0, 0.7])
    along, reading = design.reduced(values, point)
    each = [design.reduced(values[:, at], point[at]) for at in range(3)]
    assert reading.df == pytest.approx(min(own.df for _, own in each))
    for at, (alone, own) in enumerate(each):
        reach = student_t.ppf(0.95, own.df) * alone.std(ddof=1)
        assert student_t.ppf(0.95, reading.df) * along[:, at].std(ddof=1) == pytest.approx(reach)
    assert (along[:, 2] == 0.7).all()


def test_undefined_replicates_stay_undefined_and_the_others_count():
    _, _, design = of_table()
    values = every_draw()
    holed = values.copy()
    holed[4] = np.nan
    found, _ = design.reduced(holed, 0.0)
    assert np.isnan(found).tolist() == [at == 1 for at in range(len(found))]
    rest = np.delete(values, [3, 4, 5])
    assert design.variance(holed) == pytest.approx(design.variance(rest))


def test_classes_weigh_the_same_in_the_sizes_of_pools():
    """Of the second pool one member has all 2 targets, two have 4 non-targets each: shares 1/2, 1/4, 1/4."""
    label = np.array([True] * 2 + [False] * 8)
    trials = ranks([0, 1] * 5, [0, 0] + [1, 2] * 4, label)
    (units,) = cluster_units([trials], ("all", "test"))
    assert units.pools is not None
    assert [pool.effective for pool in units.pools] == [2.0, pytest.approx(8 / 3)]


def of_large(share, classes=(True, False)):
    """A 12 x 24 table, each cell once by class; of some classes the first member of A has a share of trials."""
    a, b, label = (codes.ravel() for codes in np.indices((12, 24, 2)))
    n = round(264 * share / (1 - share)) // 24  # trials of the first member in every cell
    more = np.isin(label.astype(bool), classes) & (a == 0)
    times = np.where(more, n, 1)
    return cluster_units([ranks(*(np.repeat(of, times) for of in (a, b, label == 1)))], ("all", "test"))[0]


def test_one_large_member_leaves_few_effective_ones():
    """Of 12 members one has 9/10 of the trials, 99 of 110 by cell of a column: K = 12100 / (99^2 + 11)."""
    units = of_large(0.9)
    design = Design.of(units, 0.95)
    assert units.sizes.effective == pytest.approx(110**2 / (99**2 + 11))
    assert units.too_few
    assert design.too_few
    assert units.flags == ["too_few_clusters"]
    assert design.inflation == pytest.approx(np.sqrt(units.pools[0].factor))
    assert design.df == pytest.approx(units.pools[0].degrees_of_freedom)


def test_a_class_of_one_large_member_is_too_few():
    """Both classes weigh the same in pools, where K is 3.5; of the targets alone it is 1.23."""
    units = of_large(0.9, classes=(True,))
    assert min(pool.effective for pool in units.pools) > 3
    assert units.too_few
    assert units.sizes.effective == pytest.approx(110**2 / (99**2 + 11))


def test_equal_members_are_counted():
    units = of_large(1 / 12)
    twelve = ClusterSizes.equal(12)
    assert (units.sizes, units.pools) == (twelve, (twelve, ClusterSizes.equal(24)))
    assert (units.inflation, units.degrees_of_freedom) == (twelve.inflation, 11.0)
    assert (units.too_few, units.flags) == (False, ["few_clusters"])


@pytest.mark.parametrize(("share", "effective"), [(0.9, 110**2 / (99**2 + 11)), (1 / 12, 12.0)])
def test_a_rate_has_the_sizes_of_the_less_certain_pool(share, effective):
    units = of_large(share)
    trials = np.ones(len(units.of_trial))
    clusters = CountedTrials.among(trials, units, None).rate(np.arange(len(trials)) % 3 == 0, 0.0).clusters
    assert clusters.number == 12
    assert clusters.effective == pytest.approx(effective)
    assert clusters.too_few == (share == 0.9)


def test_replicates_say_whether_their_spread_is_of_a_closed_form():
    trials, _, design = of_table()
    values = every_draw()
    closed = crossed_variance(TABLE.ravel(), trials)
    assert not design.reduced(values, 0.0)[1].closed
    drawn, own = design.reduced(values, 0.1, closed)
    assert own.closed
    assert compare_replicates(0.1, drawn, own, alike=False).mc_error == 0
    assert compare_replicates(0.1, *design.reduced(values, 0.1), alike=False).mc_error > 0


def test_jointly_is_less_than_the_variance_where_no_pool_varies():
    """Rows and columns sum to 0: S_A = S_B = 0, and the variance is that of cells."""
    cells = np.array([[1.0, -1.0], [-1.0, 1.0]])
    a, b = (codes.ravel() for codes in np.indices(cells.shape))
    (units,) = cluster_units([ranks(a, b)], ("all", "test"))
    design = Design.of(units, 0.95)
    draws = [np.bincount(each, minlength=2) for each in itertools.product(range(2), repeat=2)]
    values = np.array(
        [x for r in draws for c in draws for x in (r @ cells @ c, (r @ cells).sum(), (cells @ c).sum())]
    )
    assert design.jointly(values, 0.0).var() == 0
    assert design.variance(values) > 0


def test_a_pool_of_one_member_says_nothing():
    trials = ranks([0] * 6, [0, 1, 2, 0, 1, 2])
    (units,) = cluster_units([trials], ("all", "test"))
    found, own = Design.of(units, 0.95).reduced(np.arange(30.0), 0.0)
    assert units.n_units == 1
    assert np.isnan(found).all()
    assert own.n_units == 1


@pytest.mark.parametrize("unit", ["trial", "cluster"])
def test_other_designs_are_read_as_they_are(unit):
    design, values = Design(0.95, 9.0, 1.1, unit), np.arange(12.0)
    assert design.jointly(values, 1.0) is values
    found, own = design.reduced(values, 1.0)
    assert found is values
    assert own is design
    assert design.variance(values) == 1.1**2 * np.var(values, ddof=1)
