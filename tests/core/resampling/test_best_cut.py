"""The interval of a measure at its own best cut: what equal runs, equal weights and copies of trials change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.resampling.best_cut import (
    HeldReader,
    SweptRun,
    best_cut_interval,
    best_cuts,
    clustered_best_cut,
    held_interval,
    lowered,
)
from reporting.core.resampling.design import Design
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.estimate import ModelInterval
from reporting.core.resampling.units import cluster_units, trial_units
from reporting.core.stats.effective_size import square_and_add
from reporting.features.operating_points.frame import fewest_errors

LEAST = ("eer", "mindcf(p_target=0.1)", "ks", "dprime", "mincprimary(points=SRE18)")
PLACE = ("all", "test")


def sample(seed, n=60, shift=1.5):
    """Labels and tied scores of overlapping classes."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 3 == 0
    return label, np.round(rng.normal(size=n) + shift * label, 1)


def run_of(name, label, score, weight=None):
    """One run whose replicates all equal the value: no optimism."""
    cuts, rank = count_cuts(score, label, weight)
    measure, staircase = read_measure(name), cuts.staircase
    value = float(measure.formula(staircase.misses, staircase.false_alarms, **measure.arguments))
    return SweptRun(staircase, rank, np.full(9, value), best_cuts(measure, staircase))


def interval(name, runs, label, unit=None, weight=None, second=None):
    trials = Ranks(label, unit, {}, paired=True, weight=weight, unit_b=second)
    units = trial_units(label, PLACE) if unit is None else cluster_units([trials], PLACE)[0]
    found = best_cut_interval(read_measure(name), 0.2, runs, trials, units, 0.95)
    assert found.method in ("best_cut", None)
    return found.low, found.high


def of_clusters(name, run, label, unit, values=None, weight=None):
    """The interval of one run by clusters, and the rates at the best cuts that it is made of."""
    units = cluster_units([Ranks(label, unit.astype(np.uint32), {}, paired=True, weight=weight)], PLACE)[0]
    of_class = [CountedTrials.among(members, units, weight) for members in (~label, label)]
    cuts = best_cuts(read_measure(name), run.staircase)
    rejected = [cut.rejected[run.rank] for cut in cuts]
    rates = [[of_class[0].rate(1 - each, 0.0), of_class[1].rate(each, 0.0)] for each in rejected]
    replicates = run.values if values is None else values
    design = Design.of(units, 0.95)
    found = clustered_best_cut(read_measure(name), cuts, rates, replicates, design, 0.95)
    assert found.method == "best_cut_clustered"
    return (found.low, found.high), [
        list(zip(c.weight, r, strict=True)) for c, r in zip(cuts, rates, strict=True)
    ]


@pytest.mark.parametrize("name", LEAST)
@given(seed=st.integers(0, 10_000))
def test_equal_runs_and_equal_weights_change_nothing(name, seed):
    label, score = sample(seed)
    run = run_of(name, label, score)
    alone = interval(name, [run], label)
    assert interval(name, [run, run], label) == pytest.approx(alone, rel=1e-12)
    weight = np.full(len(label), 3)
    again = interval(name, [run_of(name, label, score, weight)], label, weight=weight)
    assert again == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("name", LEAST)
@given(seed=st.integers(0, 10_000))
def test_by_clusters_both_rates_are_squared_and_added(name, seed):
    """KS = 1 - 2 HTER, d' and the mean over costs have the limits of these sums on their own scale."""
    label, score = sample(seed)
    run = run_of(name, label, score)
    found, terms = of_clusters(name, run, label, np.arange(60) % 7)
    least, cuts = read_measure(name).least_cost, best_cuts(read_measure(name), run.staircase)
    limits = [square_and_add(of, 0.95, about=cut.cost) for cut, of in zip(cuts, terms, strict=True)]
    low, high = np.mean(limits, axis=0)
    ends = low, min(high, np.mean([cut.most for cut in cuts]))
    assert found == pytest.approx(sorted(float(least.value(end)) for end in ends), rel=1e-12)


@pytest.mark.parametrize("name", ["eer", "mindcf(p_target=0.1)", "ks"])
def test_distances_grow_as_far_as_replicates_spread_more_than_the_cut_held(name):
    """Replicates of twice the error at the cut held double both distances, and those of half change nothing."""
    label, score = sample(3, 600)
    unit = np.argsort(np.argsort(score + np.random.default_rng(1).normal(size=600))) % 20
    run, least = run_of(name, label, score), read_measure(name).least_cost
    (low, high), (terms,) = of_clusters(name, run, label, unit)
    held = np.sqrt((sum(w * rate.moved for w, rate in terms) ** 2).sum())
    sizes = Design.of(cluster_units([Ranks(label, unit.astype(np.uint32), {}, paired=True)], PLACE)[0], 0.95)
    cost = best_cuts(read_measure(name), run.staircase)[0].cost
    spread_out = cost + np.array([-1.0, 1.0] * 50) * held / sizes.inflation * np.sqrt(99 / 100)
    for times, longer in ((2.0, 2.0), (0.5, 1.0)):
        values = np.asarray(least.value(cost + times * (spread_out - cost)), dtype=float)
        wider, _ = of_clusters(name, run, label, unit, values)
        ends = [sorted(float(x) for x in least.cost(np.array(each))) for each in ((low, high), wider)]
        assert ends[1][0] == pytest.approx(max(0.0, cost - longer * (cost - ends[0][0])))
        most = best_cuts(read_measure(name), run.staircase)[0].most
        assert ends[1][1] == pytest.approx(min(most, cost + longer * (ends[0][1] - cost)))


def test_limits_of_clusters_lie_about_the_equal_error_rate_of_the_hull():
    """Cuts at which FAR, FRR are 1, 0; .5, 0; .5, .5; 0, .5; 0, 1 cross at .5; the hull, at .25."""
    label = np.tile([False, True, False, True], 6)
    run = run_of("eer", label, np.tile([0.0, 1.0, 2.0, 3.0], 6))
    (low, high), (terms,) = of_clusters("eer", run, label, np.repeat(np.arange(6), 4))
    assert [(w, rate.rate) for w, rate in terms] == [(0.5, 0.5), (0.5, 0.5)]
    about = square_and_add(terms, 0.95)
    assert (low, high) == pytest.approx((max(0.0, about.low - 0.25), about.high - 0.25))


@pytest.mark.parametrize("name", LEAST)
@given(seed=st.integers(0, 10_000))
def test_clusters_have_no_order_and_weights_are_repeated_rows(name, seed):
    label, score = sample(seed)
    unit, order = np.arange(60) % 7, np.random.default_rng(seed).permutation(7)
    found, _ = of_clusters(name, run_of(name, label, score), label, unit)
    again, _ = of_clusters(name, run_of(name, label, score), label, order[unit])
    assert again == pytest.approx(found, rel=1e-9)
    times = np.repeat(np.arange(60), 2)
    _, terms = of_clusters(name, run_of(name, label[times], score[times]), label[times], unit[times])
    same = np.full(60, 2)
    _, of_rows = of_clusters(name, run_of(name, label, score, same), label, unit, weight=same)
    for one, other in zip(terms, of_rows, strict=True):
        for (_, rate), (_, of_weights) in zip(one, other, strict=True):
            assert rate.moved == pytest.approx(of_weights.moved, abs=1e-12)


@pytest.mark.parametrize("name", LEAST)
def test_the_mean_of_runs_is_known_better_than_each(name):
    label, score = sample(1, 300)
    runs = [run_of(name, label, score), run_of(name, label, sample(2, 300)[1])]
    low, high = interval(name, runs, label)
    lows, highs = zip(*(interval(name, [run], label) for run in runs), strict=True)
    assert np.mean(lows) < low < high <= np.mean(highs)


@pytest.mark.parametrize("name", LEAST)
def test_trials_of_one_cluster_alike_widen_the_interval_and_pairs_too(name):
    label, score = sample(3, 240)
    # Clusters of poor quality have more of both errors.
    quality = np.where(label, score, 1.5 - score)
    first = np.argsort(np.argsort(quality + 0.01 * np.arange(240))) // 20
    second = (first + 1 + np.arange(240) % 3) % 12
    run = run_of(name, label, score)
    low, high = interval(name, [run], label)
    by_pairs = interval(name, [run], label, first.astype(np.uint32), second=second.astype(np.uint32))
    for wider in (of_clusters(name, run, label, first)[0], by_pairs):
        assert wider[0] < low
        assert wider[1] >= high


def test_one_point_of_a_preset_is_its_cost():
    label, score = sample(5, 300)
    (one, two) = (
        interval(name, [run_of(name, label, score)], label)
        for name in ("mincprimary(points=SRE08)", "mindcf(p_target=0.01,c_miss=10)")
    )
    assert one == two


def test_the_optimism_of_replicates_is_added_where_the_measure_lies_too_low():
    label, score = sample(6, 300)
    run = run_of("ks", label, score)
    low, high = interval("ks", [run], label)
    lucky = run._replace(values=run.values + 0.02)
    assert interval("ks", [lucky], label) == pytest.approx((low - 0.02, high))
    unlucky = run._replace(values=run.values - 0.02)
    assert interval("ks", [unlucky], label) == (low, high)


def test_classes_apart_have_limits_and_clusters_make_them_wider():
    label = np.arange(200) % 2 == 0
    run = run_of("eer", label, label.astype(float))
    low, high = interval("eer", [run], label)
    assert low == 0
    assert 0.01 < high < 0.05
    assert of_clusters("eer", run, label, np.arange(200) // 10)[0][1] > 1.1 * high


OPTIMA = (
    "auch",
    "h_measure(severity_ratio=2)",
    "max_f1(prevalence=0.2)",
    "max_mcc",
    "min_corner",
    "mincllr",
    "mincllr(laplace=true)",
    "minece(p_target=0.1)",
)


def test_every_optimum_is_held():
    held = {read_measure(name).key for name in OPTIMA}
    assert {measure.key for measure in MEASURES.values() if measure.optimum is not None} == held | {
        "h_measure"
    }


@pytest.mark.parametrize("name", OPTIMA)
@given(seed=st.integers(0, 10_000))
def test_what_is_held_is_the_measure_on_the_trials_and_no_better_on_others(name, seed):
    """Tempered ends are best on trials of their own alone."""
    label, score = sample(seed)
    measure, rng = read_measure(name), np.random.default_rng(seed)
    cuts, _ = count_cuts(score, label)
    errors = cuts.staircase.misses, cuts.staircase.false_alarms
    value = float(measure.formula(*errors, **measure.arguments))
    reader = HeldReader.of(measure, errors, value)
    assert reader.shift == pytest.approx(0, abs=1e-12)
    assert float(reader(*errors)) == pytest.approx(value, abs=1e-12)
    counts = [rng.multinomial(each.sum(), each / each.sum(), 9) for each in (cuts.n_target, cuts.n_nontarget)]
    misses = np.concatenate((np.zeros((9, 1), int), counts[0].cumsum(axis=1)), axis=1)
    alarms = (
        label.size - label.sum() - np.concatenate((np.zeros((9, 1), int), counts[1].cumsum(axis=1)), axis=1)
    )
    held, best = reader(misses, alarms), measure.formula(misses, alarms, **measure.arguments)
    if "laplace" not in name:
        ahead = best - held if measure.better == "higher" else held - best
        assert (ahead > -1e-12).all()


def test_limits_of_an_optimum_by_hand():
    """AUCH .8 in [.5, 1]: a share of .6; replicates that choose anew are .01 better, 2.2 times taken off."""
    measure = read_measure("auch")
    units = trial_units(np.arange(100) % 2 == 0, PLACE)
    held = 0.8 + np.array([-0.02, 0.02] * 50)
    found = held_interval(measure, 0.8, held, np.full(100, 0.81), Design.of(units, 0.95), 0.95)
    half = 1.959963984540054 * 0.04 * np.sqrt(100 / 99) / (0.6 * 0.4)
    low, high = (0.5 + 0.5 / (1 + np.exp(-(np.log(1.5) + end))) for end in (-half, half))
    assert (found.low, found.high) == pytest.approx((low - 0.022, high))
    assert found.optimism == pytest.approx(0.022)
    worse = held_interval(measure, 0.8, held, np.full(100, 0.79), Design.of(units, 0.95), 0.95)
    assert (worse.low, worse.high, worse.optimism) == pytest.approx((low, high, 0))


def test_what_lies_too_high_is_lowered_by_what_replicates_add_twice_and_more():
    loss, values = read_measure("calibration_loss"), np.array([0.11, 0.13])
    found = lowered(ModelInterval(0.09, 0.15, "percentile", 2), loss, 0.1, values)
    assert (found.low, found.high, found.method) == (pytest.approx(0.09 - 3.2 * 0.02), 0.15, "lowered")
    assert lowered(found, loss, 0.1, values + 1).low == 0
    assert lowered(found, loss, 0.2, values) is found


@pytest.mark.parametrize(
    ("measure", "errors"),
    [
        # Targets 1, 4, 5, 6 and non-targets 0, 2, 3: at 1 both of the latter are accepted, at 4 a target is lost.
        ("mindcf(p_target=0.1)", 0),
        ("mindcf(p_target=0.9)", 0),
        # On the hull from (0, 1/4) to (2/3, 0): FAR = FRR = 2/11, of 3 and of 4 trials.
        ("eer", 6 / 11),
        ("dprime", 6 / 11),
    ],
)
def test_the_fewer_errors_at_the_cut_of_a_measure(measure, errors):
    label = np.array([False, True, False, False, True, True, True])
    cuts, _ = count_cuts(np.arange(7.0), label)
    assert fewest_errors(read_measure(measure), cuts.staircase, 4, 3) == pytest.approx(errors)


def test_few_errors_of_a_cost_are_those_of_its_cut():
    """The cheapest of all cuts by enumeration, its misses and its false alarms."""
    label, score = sample(3)
    cuts, _ = count_cuts(score, label)
    at = [
        (0.9 * np.mean(score[~label] >= cut) + 0.1 * np.mean(score[label] < cut), cut)
        for cut in (*np.unique(score), np.inf)
    ]
    least = min(at)[0]
    errors = {
        min(np.sum(score[~label] >= cut), np.sum(score[label] < cut)) for cost, cut in at if cost == least
    }
    assert fewest_errors(read_measure("mindcf(p_target=0.1)"), cuts.staircase, *cuts.trials) in errors
