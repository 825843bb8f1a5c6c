"""Strata of a sampling design: variances by hand and against R's ``survey``, and draws within strata."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_r import from_survey

from reporting.core.counts.ranks import Ranks, ranks_of_group
from reporting.core.engine.item_means import item_mean
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.core.stats.cluster_sizes import ClusterSizes
from reporting.core.stats.placements import weighted_area_error
from reporting.inputs.strata import Strata, UnitStrata, drawn_within

LABEL = np.arange(24) % 2 == 0
WEIGHTS = np.array([1, 5, 2, 9, 1, 3, 7, 2, 4, 1, 6, 2, 8, 1, 3, 2, 5, 1, 1, 4, 2, 2, 7, 3])
ACCEPTED = np.array([1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0])
SCORE = np.array([3, 0, 4, 1, 5, 3, 0, 4, 2, 5, 3, 4, 1, 5, 2, 3, 0, 4, 5, 1, 2, 2, 3, 1])
FAMILY = np.arange(24) // 3
STRATUM = np.array([0] * 6 + [1] * 9 + [2] * 9)
ALL = np.ones(24, dtype=bool)
GROUP = (np.arange(24) % 5 < 3) & (FAMILY != 3)


def design(weight=WEIGHTS, stratum=STRATUM):
    """The trials as units within strata, and their families."""
    cluster, first = np.unique(FAMILY, return_index=True)
    strata = Strata(stratum, np.bincount(stratum), cluster, stratum[first])
    ranks = Ranks(LABEL, FAMILY.astype(np.uint32), {}, paired=True, weight=weight, strata=strata)
    names = ("all", "test")
    return ranks, trial_units(LABEL, names, strata=strata), cluster_units([ranks], names)[0]


RANKS, TRIALS, CLUSTERS = design()


def error(units, marked, whole):
    """The linearised standard error of a weighted share."""
    counted = CountedTrials.among(whole, units, WEIGHTS)
    rate = float((counted.counts * marked).sum()) / counted.total
    return rate, math.sqrt(
        counted._variance(counted._by_atom(counted.counts * (marked - rate) / counted.total))
    )


def test_a_variance_by_hand():
    # Strata of 2 and 3 units; of the second a group has two only, the third adds 0.
    strata = UnitStrata(np.array([0, 0, 1, 1]), np.array([2, 3]))
    sums = np.array([1.0, 4.0, 2.0, 5.0])
    # Means 5/2, 7/3: 2 (9/4 + 9/4) + 3/2 (1/9 + 64/9 + 49/9).
    assert strata.variance(sums) == pytest.approx(float(9 + Fraction(3, 2) * Fraction(114, 9)), rel=1e-15)


def test_the_share_of_the_methods_by_hand():
    # Two strata of two trials that weigh 1 and 3; errors are the first trial of the first, and both of the second.
    strata = Strata(np.array([0, 0, 1, 1]), np.array([2, 2]), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    units = trial_units(np.ones(4, dtype=bool), ("all", "test"), strata=strata)
    counted = CountedTrials.among(np.ones(4), units, np.array([1, 1, 3, 3]))
    rate = Fraction(7, 8)
    moved = [Fraction(w, 8) * (y - rate) for w, y in ((1, 1), (1, 0), (3, 1), (3, 1))]
    first = sum((z - sum(moved[:2]) / 2) ** 2 for z in moved[:2])
    assert first == Fraction(1, 128)  # the second stratum has no spread
    found = counted._variance(np.array([float(z) for z in moved]))
    assert found == pytest.approx(float(2 * first), rel=1e-14)


def weights_of(drawn, n):
    return tuple(drawn.count(unit) for unit in range(n))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_weights_have_mean_and_covariance_of_rao_and_wu(n):
    # All draws of n of n units, and those of which half counts twice, with their chances.
    half, moments = n // 2, {}
    twice = Fraction(n, 2 * half * (n - 1))
    for drawn in itertools.product(range(n), repeat=n):
        again = drawn[:half] + drawn[:half] + drawn[2 * half :]
        for codes, chance in ((drawn, 1 - twice), (again, twice)):
            weights = weights_of(codes, n)
            assert sum(weights) == n
            for name, value in (
                ("mean", weights[0]),
                ("square", weights[0] ** 2),
                ("product", weights[0] * weights[1]),
            ):
                moments[name] = moments.get(name, 0) + chance * value / n**n
    assert moments["mean"] == 1
    assert moments["square"] - 1 == 1
    assert moments["product"] - 1 == Fraction(-1, n - 1)


def test_draws_are_those_that_were_enumerated():
    drawn = drawn_within(3, 3, np.random.default_rng(1), 200_000)
    assert drawn.shape == (3, 200_000)
    assert (drawn.sum(axis=0) == 3).all()
    assert np.cov(drawn) == pytest.approx(
        np.array([[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]]), abs=0.02
    )
    # Of a group, units are drawn as often; the rest of the draws falls on others.
    some = drawn_within(5, 2, np.random.default_rng(1), 200_000)
    assert np.cov(some) == pytest.approx(np.array([[1, -0.25], [-0.25, 1]]), abs=0.02)
    assert set(map(tuple, drawn_within(2, 2, np.random.default_rng(1), 64).T.tolist())) == {(0, 2), (2, 0)}


@pytest.mark.parametrize("units", [TRIALS, CLUSTERS], ids=["trials", "clusters"])
def test_resamples_spread_as_the_linearised_variance(units):
    values = WEIGHTS * (SCORE - 2.0)
    sums = np.bincount(units.of_trial, values, units.n_own)
    ((drawn, _),) = units.pool.draw(1, 0, 256, 256)
    many = [
        sums @ units.weights(weights)
        for block in range(40)
        for weights, _ in units.pool.draw(1, block, 256, 256)
    ]
    assert (units.weights(drawn).sum(axis=0) == units.n_own).all()
    assert np.var(np.concatenate(many), ddof=1) == pytest.approx(units.strata.variance(sums), rel=0.05)


COLUMNS = {
    "w": WEIGHTS, "y": LABEL * 1, "a": ACCEPTED, "f": FAMILY, "h": STRATUM, "g": SCORE, "fa": ACCEPTED * ~LABEL,
    "q": GROUP * 1,
    "n": ~LABEL * 1, "mi": (1 - ACCEPTED) * LABEL, "tp": ACCEPTED * LABEL, "ok": (ACCEPTED == LABEL) * 1,
}  # fmt: skip


def of_survey(expression, ids="~1"):
    """What R's survey prints for the stratified design: estimates and standard errors."""
    return from_survey(COLUMNS, f"ids={ids}, strata=~h, weights=~w", expression)


RATES = {
    "svyratio(~fa, ~n, s)": (ACCEPTED, ~LABEL),
    "svyratio(~mi, ~y, s)": (1 - ACCEPTED, LABEL),
    "svyratio(~tp, ~a, s)": (LABEL, ACCEPTED),
    "svymean(~ok, s)": (ACCEPTED == LABEL, ALL),
}


@pytest.mark.parametrize(("units", "ids"), [(TRIALS, "~1"), (CLUSTERS, "~f")], ids=["trials", "clusters"])
@pytest.mark.parametrize("expression", RATES)
def test_far_frr_precision_and_accuracy_have_the_errors_of_survey(expression, units, ids):
    marked, whole = RATES[expression]
    assert error(units, marked, whole) == pytest.approx(of_survey(expression, ids), rel=1e-10)


def of_group(ids):
    """The members of a group, its trials, and its units: trials, or families where these are drawn."""
    members, names = np.flatnonzero(GROUP), ("all", "test", "q=1")
    group = ranks_of_group(RANKS, members, {})
    if ids == "~f":
        return members, group, cluster_units([group], names)[0]
    return members, group, trial_units(group.label, names, strata=group.strata)


@pytest.mark.parametrize("ids", ["~1", "~f"])
def test_a_group_has_the_error_of_a_subset_in_survey(ids):
    # A family without trials of the group counts in its stratum all the same.
    members, group, units = of_group(ids)
    assert units.n_own == (7 if ids == "~f" else len(members))
    counted = CountedTrials.among(~group.label, units, group.weight)
    rate = float(counted.counts @ ACCEPTED[members]) / counted.total
    moved = counted._by_atom(counted.counts * (ACCEPTED[members] - rate) / counted.total)
    assert (rate, math.sqrt(counted._variance(moved))) == pytest.approx(
        of_survey("svyratio(~fa, ~n, subset(s, q == 1))", ids), rel=1e-10
    )


@pytest.mark.parametrize("ids", ["~1", "~f"])
def test_hter_of_a_group_has_the_error_of_a_subset_in_survey(ids):
    # FAR and FRR are correlated by the units without trials of the group, too.
    members, group, units = of_group(ids)
    far, frr = (
        CountedTrials.among(whole[members], units, group.weight).rate(marked[members], 0.0)
        for marked, whole in ERRORS
    )
    expected = of_survey(
        "svycontrast(svytotal(~fa + n + mi + y, subset(s, q == 1)), list(v = quote(fa / n / 2 + mi / y / 2)))",
        ids,
    )
    moved = (far.moved + frr.moved) / 2
    assert ((far.rate + frr.rate) / 2, math.sqrt((moved**2).sum())) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("units", "ids"), [(TRIALS, "~1"), (CLUSTERS, "~f")], ids=["trials", "clusters"])
def test_a_mean_has_the_error_of_svymean(units, ids):
    mean = item_mean(SCORE.astype(float), RANKS, units)
    assert (mean.value, mean.se) == pytest.approx(of_survey("svymean(~g, s)", ids), rel=1e-10)


@pytest.mark.parametrize(("units", "ids"), [(TRIALS, "~1"), (CLUSTERS, "~f")], ids=["trials", "clusters"])
def test_hter_has_the_error_of_svycontrast(units, ids):
    # FAR and FRR are of different trials of the same strata, and so are correlated.
    moved = [CountedTrials.among(whole, units, WEIGHTS).rate(marked, 0.0).moved for marked, whole in ERRORS]
    sum_of_both = of_survey(
        "svycontrast(svytotal(~fa + n + mi + y, s), list(v = quote(fa / n / 2 + mi / y / 2)))", ids
    )
    assert math.sqrt(((moved[0] + moved[1]) ** 2).sum()) / 2 == pytest.approx(sum_of_both[1], rel=1e-10)


ERRORS = (ACCEPTED, ~LABEL), (1 - ACCEPTED, LABEL)


def area(weight):
    """The weighted area under the ROC curve, and the placement of every trial."""
    above = (np.sign(SCORE[LABEL][:, None] - SCORE[~LABEL]) + 1) / 2
    targets, others = weight[LABEL], weight[~LABEL]
    placements = np.empty(len(weight))
    placements[LABEL], placements[~LABEL] = above @ others / others.sum(), targets @ above / targets.sum()
    return float(targets @ above @ others / targets.sum() / others.sum()), placements


@pytest.mark.parametrize(("units", "ids"), [(TRIALS, "~1"), (CLUSTERS, "~f")], ids=["trials", "clusters"])
def test_an_area_spreads_as_in_the_replicates_of_survey(units, ids):
    drawn = [
        area(weights * WEIGHTS)[0]
        for block in range(8)
        for draws, _ in units.pool.draw(1, block, 256, 256)
        for weights in units.weights(draws)[units.of_trial].T
    ]
    kernel = "k <- outer(d$g[t], d$g[!t], function(a, b) (sign(a - b) + 1) / 2)"
    of = f"function(w, d) {{t <- d$y == 1; {kernel}; sum(outer(w[t], w[!t]) * k) / sum(w[t]) / sum(w[!t])}}"
    replicates = "as.svrepdesign(s, type='subbootstrap', replicates=2000, compress=FALSE)"
    value, error = of_survey(f"{{set.seed(1); withReplicates({replicates}, {of})}}", ids)
    assert area(WEIGHTS)[0] == pytest.approx(value, rel=1e-6)
    assert np.std(drawn) == pytest.approx(error, rel=0.06)


def test_an_area_has_the_linearised_error_of_its_strata():
    value, placements = area(WEIGHTS)
    found = weighted_area_error(placements, LABEL, value, WEIGHTS, TRIALS.strata)
    moved = WEIGHTS * (placements - value) / np.where(LABEL, WEIGHTS[LABEL].sum(), WEIGHTS[~LABEL].sum())
    assert found.se == pytest.approx(math.sqrt(by_definition(moved)), rel=1e-12)


def by_definition(moved):
    """The variance of a sum over trials, stratum by stratum."""
    every = [moved[h == STRATUM] for h in np.unique(STRATUM)]
    return sum(len(z) / (len(z) - 1) * ((z - z.mean()) ** 2).sum() for z in every)


def test_strata_make_trials_worth_more_where_errors_are_more_than_ten():
    # Errors in 2 of 40 trials of one stratum, and in 30 of 40 of another; then in 1 and 5.
    strata = Strata(np.arange(80) // 40, np.array([40, 40]), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    units, every = trial_units(np.ones(80, dtype=bool), ("all", "test"), strata=strata), np.ones(80)
    for errors, most in (((2, 30), math.inf), ((1, 5), 80)):
        marked = np.concatenate([np.arange(40) < n for n in errors])
        share, shares = Fraction(sum(errors), 80), [Fraction(n, 40) for n in errors]
        variance = sum(p * (1 - p) / 39 for p in shares) / 4
        rate = CountedTrials.among(every, units, None).rate(marked, 0.0)
        assert rate.size == pytest.approx(min(most, float(share * (1 - share) / variance)), rel=1e-12)
        assert float(share * (1 - share) / variance) > 80


def test_clusters_of_two_sets_are_drawn_together_within_strata():
    # Clusters 0 to 3 have trials of one set, 2 to 5 of the other; 0, 2 and 4 are of one stratum.
    names, sets = ("all", "test"), []
    for here in ([0, 1, 2, 3], [2, 3, 4, 5]):
        unit = np.repeat(here, 2)
        strata = Strata(unit % 2, np.array([4, 4]), np.array(here), np.array(here) % 2)
        label = np.arange(8) % 2 == 0
        sets.append(
            Ranks(label, unit.astype(np.uint32), {}, paired=True, weight=np.ones(8, dtype=int), strata=strata)
        )
    units = cluster_units(sets, names)
    for of_set in units:
        assert of_set.strata.sizes.tolist() == [3, 3]
        assert of_set.strata.of_unit.tolist() == [0, 1, 0, 1, 0, 1]
    ((drawn, _),) = units[0].pool.draw(1, 0, 64, 64)
    assert (drawn[0][::2].sum(axis=0) == 3).all()
    assert (drawn[0][1::2].sum(axis=0) == 3).all()


def test_freedoms_are_clusters_less_strata_where_these_are_equal():
    assert ClusterSizes.equal(12).in_strata(4).degrees_of_freedom == 8
    unequal = ClusterSizes.of([1, 1, 2, 4])
    found = unequal.in_strata(2)
    assert found.degrees_of_freedom == pytest.approx(unequal.degrees_of_freedom * 2 / 3, rel=1e-15)
    assert (found.inflation, found.lacking) == (1.0, 1.0)
    assert ClusterSizes.equal(1).in_strata(1).degrees_of_freedom == 1


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=2, max_size=12),
    st.permutations(range(4)),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_a_variance_does_not_depend_on_names_or_order_and_grows_with_the_square_of_its_unit(
    units, names, times, chance
):
    code, sums = (np.array(each) for each in zip(*units, strict=True))
    sizes = (
        np.bincount(code, minlength=4) + 1
    )  # a unit of each stratum without a trial, so that there are two
    variance = UnitStrata(code, sizes).variance(sums)
    order = chance.sample(range(len(code)), len(code))
    renamed = np.array(names)[code][order]
    of_names = np.empty(4, dtype=int)
    of_names[np.array(names)] = sizes
    assert UnitStrata(renamed, of_names).variance(times * sums[order]) == pytest.approx(
        times**2 * variance, abs=1e-9
    )
    # A unit without a trial is one whose sum is 0.
    with_absent = np.concatenate((code, np.arange(4)))
    assert UnitStrata(with_absent, sizes).variance(np.concatenate((sums, np.zeros(4)))) == pytest.approx(
        variance, abs=1e-9
    )
    # Of one stratum alone it is that of any sample, and strata never add more than n / (n - 1) to sums of squares.
    alone = UnitStrata(np.zeros(len(code), dtype=int), np.array([len(code)]))
    assert alone.variance(sums) == pytest.approx(len(code) * np.var(sums, ddof=1), abs=1e-9)
    assert variance <= 2 * float((sums**2).sum()) + 1e-9
