"""The interval of a measure at its own best cut: what equal runs, equal weights and copies of trials change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.counts.cuts import count_cuts
from reporting.counts.ranks import Ranks
from reporting.measures.catalogue import MEASURES, read_measure
from reporting.significance.best_cut import (
    HeldReader,
    SweptRun,
    best_cut_interval,
    fewest_errors,
    held_interval,
    lowered,
)
from reporting.significance.estimate import ModelInterval
from reporting.significance.units import cluster_units, trial_units
from reporting.stats import own_cut
from reporting.stats.own_cut import OfBoth

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
    return SweptRun(staircase, rank, np.full(9, value))


def interval(name, runs, label, unit=None, weight=None, second=None):
    trials = Ranks(label, unit, {}, paired=True, weight=weight, unit_b=second)
    units = trial_units(label, PLACE) if unit is None else cluster_units([trials], PLACE)[0]
    found = best_cut_interval(read_measure(name), 0.2, runs, trials, units, 0.95)
    assert found.method in ("best_cut", None)
    return found.low, found.high


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
def test_copies_of_trials_in_one_cluster_are_one_trial(name):
    """G clusters of 3 copies of a class: G - 1 trials, and t with the clusters of the rarer class less 1."""
    label, score = sample(4)
    one = run_of(name, label, score)
    unit = np.repeat(np.arange(len(label), dtype=np.uint32), 3)
    copied = run_of(name, np.repeat(label, 3), np.repeat(score, 3))
    low, high = interval(name, [copied], np.repeat(label, 3), unit)
    least = read_measure(name).least_cost
    pairs = least.weights and least.weights(**read_measure(name).arguments)
    cuts = [own_cut.least_cost(one.staircase, *pair) for pair in pairs or ()]
    cuts = cuts or [own_cut.equal_error(one.staircase)]
    df = int(label.sum()) - 1
    whole = int((~label).sum()), int(label.sum())
    shrink = [(n - 1) / n for n in whole]
    for of in (0, 1):
        if not any(0 < cut.rate[of] < 1 for cut in cuts):  # without errors: as alike as the other class
            shrink[of] = shrink[1 - of]
    sizes = [n * shrink[of] / max(0.3, max(cut.effect[of] for cut in cuts)) for of, n in enumerate(whole)]
    found = [own_cut.limits(one.staircase, cut, OfBoth(*sizes), 0.95, df) for cut in cuts]
    wanted = sorted(
        float(least.value(min(end, np.mean([cut.most for cut in cuts])))) for end in np.mean(found, axis=0)
    )
    if len(cuts) == 1:
        assert (low, high) == pytest.approx(wanted, rel=1e-9)
    else:  # costs at several cuts do not move quite together
        assert wanted[0] <= low < high <= wanted[1]


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
    first = np.argsort(np.argsort(score + 0.01 * np.arange(240))) // 20
    second = (first + 1 + np.arange(240) % 3) % 12
    run = run_of(name, label, score)
    low, high = interval(name, [run], label)
    for unit_b in (None, second.astype(np.uint32)):
        wider = interval(name, [run], label, first.astype(np.uint32), second=unit_b)
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
    lucky = SweptRun(run.staircase, run.rank, run.values + 0.02)
    assert interval("ks", [lucky], label) == pytest.approx((low - 0.02, high))
    unlucky = SweptRun(run.staircase, run.rank, run.values - 0.02)
    assert interval("ks", [unlucky], label) == (low, high)


def test_classes_apart_have_limits_and_clusters_make_them_wider():
    label = np.arange(200) % 2 == 0
    run = run_of("eer", label, label.astype(float))
    low, high = interval("eer", [run], label)
    assert low == 0
    assert 0.01 < high < 0.05
    unit = (np.arange(200) // 10).astype(np.uint32)
    assert interval("eer", [run], label, unit)[1] > 3 * high


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
    found = held_interval(measure, 0.8, held, np.full(100, 0.81), units, 0.95)
    half = 1.959963984540054 * 0.04 / (0.6 * 0.4)
    low, high = (0.5 + 0.5 / (1 + np.exp(-(np.log(1.5) + end))) for end in (-half, half))
    assert (found.low, found.high) == pytest.approx((low - 0.022, high))
    assert found.optimism == pytest.approx(0.022)
    worse = held_interval(measure, 0.8, held, np.full(100, 0.79), units, 0.95)
    assert (worse.low, worse.high, worse.optimism) == pytest.approx((low, high, 0))


def test_what_lies_too_high_is_lowered_by_what_replicates_add_twice_and_more():
    loss, values = read_measure("calibration_loss"), np.array([0.11, 0.13])
    found = lowered(ModelInterval(0.09, 0.15, "percentile", 2), loss, 0.1, values)
    assert (found.low, found.high, found.method) == (pytest.approx(0.09 - 3.2 * 0.02), 0.15, "lowered")
    assert lowered(found, loss, 0.1, values + 1).low == 0
    assert lowered(found, loss, 0.2, values) is found


def test_two_clusters_have_an_interval_and_one_has_none():
    label, score = sample(3, 60)
    run = run_of("ks", label, score)
    two, one = (np.arange(60) % n for n in (2, 1))
    low, high = interval("ks", [run], label, two.astype(np.uint32))
    assert 0 <= low < high <= 1
    assert interval("ks", [run], label, one.astype(np.uint32)) == (None, None)


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
