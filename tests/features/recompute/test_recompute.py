"""What a page holds to recompute, by hand; and that its formulas are those of the report."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from build import Built, build
from hypothesis import assume, given
from hypothesis import strategies as st
from proportions import clopper_pearson
from reading import every_block
from simulated_parts import rows_of

from reporting.core.counts.cuts import count_cuts
from reporting.core.counts.ranks import Ranks
from reporting.core.resampling.effective import CountedTrials
from reporting.core.resampling.margins import Score
from reporting.core.resampling.units import cluster_units, crossed_variance, trial_units
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.intervals import wilson
from reporting.core.stats.paired import Discordant, standard_error
from reporting.core.stats.special import ndtr, stdtr, stdtrit
from reporting.document.blocks import Caution, LiveTable, Prose
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.features.compose import compose
from reporting.features.recompute import held
from reporting.features.recompute.formulas import (
    ClusterPairs,
    DependentClass,
    ModelCounts,
    Setting,
    SingleClusters,
    at_prevalence,
    compared,
    rates,
)
from reporting.features.recompute.frame import HELD, HELD_PAIRS
from reporting.features.recompute.grid import MOST_THRESHOLDS, held_cuts
from reporting.features.recompute.held import held_sets
from reporting.features.recompute.section import own_setting

CONFIG = """
trials: {source: trials.parquet%s}
primary: {measure: hter, criterion: "fixed(threshold=0.5)"}
criteria: ["fixed(threshold=0.5)"]
measures: [hter, far, frr, precision, npv]
curves: []
epc: none
thresholds: {policy: none}
report: {recompute: %s}
"""
SCORES = {
    "a": [(1, 0.9), (1, 0.8), (1, 0.6), (1, 0.2), (0, 0.7), (0, 0.3), (0, 0.1), (0, 0.1)],
    "b": [(1, 0.9), (1, 0.4), (1, 0.6), (1, 0.2), (0, 0.3), (0, 0.6), (0, 0.1), (0, 0.9)],
}


def eight(asked: str = "true", more: str = "", **columns: list[str]) -> tuple[list[dict[str, object]], str]:
    """Four targets and four non-targets of two models: at 0.5, a errs on 1 + 1 and b on 2 + 2."""
    trials = [
        {"model": model, "split": "test", "trial": n, "label": label, "score": score}
        | {name: values[n] for name, values in columns.items()}
        for model, scores in SCORES.items()
        for n, (label, score) in enumerate(scores)
    ]
    return trials, CONFIG % (more, asked)


def live(built: Built) -> LiveTable:
    (table,) = every_block(compose(built.results), LiveTable)
    return table


def test_counts_by_hand(tmp_path: Path) -> None:
    """a has seven distinct scores: eight thresholds, of which 0.5 is that of the report."""
    built = build(tmp_path, *eight())
    a = [row for row in built.rows(HELD) if row.model == "a"]
    assert [(row.misses, row.false_alarms) for row in a] == [
        *((0, 4), (0, 2), (1, 2), (1, 1), (2, 1), (2, 0), (3, 0), (4, 0)),
    ]
    assert [row.criteria for row in a].index(["fixed(threshold=0.5)"]) == 3
    assert a[3].threshold == 0.5
    assert (a[0].n_target, a[0].n_nontarget) == (4, 4)
    assert sum(row.trials for row in built.rows(HELD_PAIRS)) == 8


def test_the_table_at_the_start_by_hand(tmp_path: Path) -> None:
    """FAR 1/4 and 2/4, FRR 1/4 and 2/4, precision 3/4 and 2/4; equal costs: 2/8 and 4/8.

    Of three discordant non-targets and one target the surplus of errors is -1 and -1: |S| > 2 has a chance of
    1/8 and |S| = 2 of 1/2, so that the mid-p is 3/8.
    """
    table = live(build(tmp_path, *eight()))
    values = [[cell.order for cell in row[1:4]] for row in table.rows]
    known = [Fraction(1, 4), Fraction(1, 2), Fraction(-1, 4)]
    right = [Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)]
    assert values == [known, known, right, right, known]
    assert table.rows[-1][4].order == pytest.approx(3 / 8, rel=1e-12)
    assert table.rows[-1][0].text == "weighted error (α\u00a0=\u00a00.500)"


def test_the_joint_decisions_by_hand(tmp_path: Path) -> None:
    """At 0.5 a alone accepts one target and one non-target; b alone two non-targets and no target."""
    (every,) = held_sets(build(tmp_path, *eight()).results)
    assert [every.models[at].model for at in every.pair] == ["a", "b"]
    places = [every.models[at].place_of("fixed(threshold=0.5)") for at in every.pair]
    observed = every.discordant((places[0], places[1]))
    assert (observed.target_10, observed.target_01) == (1, 0)
    assert (observed.nontarget_10, observed.nontarget_01) == (1, 2)
    assert (observed.n_target, observed.n_nontarget) == (4, 4)


def test_another_prevalence_by_hand() -> None:
    """1 of 10 targets is missed and 2 of 10 non-targets accepted: at 1%, .01 x .9 / (.01 x .9 + .99 x .2)."""
    at = ModelCounts(1, 2, 10, 10)
    found = rates(at, Setting(prevalence=0.01, c_miss=99))
    assert found["precision"].value == pytest.approx(float(Fraction(9, 207)), rel=1e-14)
    assert found["npv"].value == pytest.approx(float(Fraction(99 * 8, 99 * 8 + 1)), rel=1e-14)
    # A miss 99 times as dear makes up for 99 times as many non-targets.
    assert found["weighted_error"].value == pytest.approx(float(Fraction(3, 20)), rel=1e-14)
    far, frr = wilson(2, 10, 0.95), wilson(1, 10, 0.95)
    assert found["far"][1:] == pytest.approx(far, rel=1e-13)
    assert found["frr"][1:] == pytest.approx(frr, rel=1e-13)


def test_without_errors_the_limits_are_exact() -> None:
    found = rates(ModelCounts(0, 0, 20, 30), Setting())
    assert found["far"][1:] == pytest.approx(clopper_pearson(0, 30, 0.95))
    assert found["precision"] == pytest.approx((1.0, *clopper_pearson(20, 20, 0.95)))
    declared = rates(ModelCounts(0, 0, 20, 30), Setting(prevalence=0.4))["precision"]
    assert declared.value == declared.high == 1
    assert 0.7 < declared.low < 1


counts = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts, counts, st.floats(0.001, 0.999), st.sampled_from((0.5, 0.9, 0.95, 0.99)))
def test_precision_lies_within_its_limits_and_npv_is_its_mirror(misses, alarms, share, level) -> None:
    at = ModelCounts(misses[0], alarms[0], misses[1], alarms[1])
    mirrored = ModelCounts(alarms[0], misses[0], alarms[1], misses[1])
    found = rates(at, Setting(prevalence=share, level=level))
    for name in ("precision", "npv"):
        value, low, high = found[name]
        assert math.isnan(value) or -1e-12 <= low <= value + 1e-12 <= high + 2e-12 <= 1 + 3e-12
    other = rates(mirrored, Setting(prevalence=1 - share, level=level))
    assert found["npv"] == pytest.approx(other["precision"], nan_ok=True, rel=1e-9)
    wider = rates(at, Setting(prevalence=share, level=0.999))["precision"]
    assert math.isnan(wider.value) or (
        wider.low <= found["precision"].low + 1e-12 and wider.high >= found["precision"].high - 1e-12
    )


def test_a_correlation_of_wrong_and_right_narrows_the_limits_of_their_ratio() -> None:
    wrong, right = EffectiveRate(0.2, 50), EffectiveRate(0.8, 50)
    widths = [at_prevalence(wrong, right, 0.3, r, 0.95) for r in (-0.5, 0.0, 0.5)]
    assert widths[0].high - widths[0].low > widths[1].high - widths[1].low > widths[2].high - widths[2].low


def dependent(cluster, surplus, weight, *, df=None) -> DependentClass:
    """A class from its trials: their clusters, -1, 0 or 1, and weights."""
    return DependentClass.of(surplus, weight, weight**2, cluster, SingleClusters(len(weight)), df)


def test_a_difference_in_clusters_by_hand() -> None:
    """Three clusters of 2, 3 and 5 non-targets: the first model alone errs on 2 and 1, the second on 1.

    FAR differs by 2/10, and the clusters move it by (2 - 2 x .2, 1 - 3 x .2, -1 - 5 x .2) / 10; hence their
    squares sum to 6.72 / 100, of which sizes of .2, .3, .5 show 1 - 2 x .16 / .38 + .38 on average. A cluster
    is worth m = 38/10 trials: one more moves the difference by (6 + m^2) / (4 + m) / 10.
    """
    cluster, surplus = np.repeat([0, 1, 2], [2, 3, 5]), np.array([1, 1, 1, 0, 0, -1, 0, 0, 0, 0])
    each = dependent(cluster, surplus, np.ones(10), df=1.7)
    found = compared((each, each), 0.5, 0.9)["far"]
    variance = (1.6**2 + 0.4**2 + 2**2) / 100 / (1 - 2 * 0.16 / 0.38 + 0.38)
    score = Score(0.2, variance, (6 + 3.8**2) / (4 + 3.8) / 10, 1.7)
    assert found.value == pytest.approx(0.2)
    assert found.p == pytest.approx(2 * float(stdtr(1.7, -0.2 / math.sqrt(variance))), rel=1e-12)
    assert (found.low, found.high) == pytest.approx((score.lower(0.05), score.upper(0.05)), rel=1e-12)
    both = compared((each, each), 0.5, 0.9)["weighted_error"]  # the clusters of both classes move together
    assert (both.value, both.p) == pytest.approx((found.value, found.p))


def test_a_difference_in_pairs_of_clusters_by_hand() -> None:
    """Trials of the pairs 01, 12, 23, 31 and 10 of four speakers, of which the first model alone errs on 01 and
    12 and the second on 23: FAR differs by 1/5, and pairs move it by (.8, .8, -1.2, -.2, -.2) / 5.

    Speakers move it by .8 - .2, .8 - .2 + .8 - .2, .8 - 1.2 and -1.2 - .2 (each / 5), which sum to 0, and pairs in
    either order by .8 - .2, .8, -1.2 and -.2: (.36 + 1.44 + .16 + 1.96 + .36 + .64 + 1.44 + .04) / 25, of which
    resamples of four speakers show 3 / 4. Without any disagreement one more moves FAR by m / 5: speakers have 2, 4, 2
    and 2 trials, and pairs 2, 1, 1 and 1, so that m is (28 - 7) / 5 trials.
    """
    first, second = np.array([[0, 1], [1, 2], [2, 3], [3, 1], [1, 0]]).T
    pairs, sign, ones = ClusterPairs(first, second, False, np.ones(5)), np.array([1, 1, -1, 0, 0]), np.ones(5)
    each = DependentClass.of(sign, ones, ones, np.arange(5), pairs, 3.0)
    assert each is not None
    found = compared((each, each), 0.5, 0.95)["far"]
    variance = 4 / 3 * 6.4 / 25
    assert found.p == pytest.approx(2 * float(stdtr(3.0, -0.2 / math.sqrt(variance))), rel=1e-12)
    reach = float(stdtrit(3.0, 0.975)) * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx((0.2 - reach, 0.2 + reach), rel=1e-12)
    alike = DependentClass.of(0 * sign, ones, ones, np.arange(5), pairs, 3.0)
    score = Score(0.0, 0.0, 21 / 5 / 5, 3.0)
    found = compared((alike, alike), 0.5, 0.95)["far"]
    assert (found.low, found.high) == pytest.approx((score.lower(0.025), score.upper(0.025)), rel=1e-12)


@given(
    st.lists(
        st.tuples(*[st.integers(0, 4)] * 2, st.integers(-1, 1), st.integers(1, 3)), min_size=6, max_size=30
    ),
    st.sampled_from(("one", "two")),
)
def test_pairs_of_clusters_have_the_variance_and_the_step_of_their_trials(trials, pools) -> None:
    """What the trials of a page's pairs say, those say (``CountedTrials``), of one population and of two pools."""
    a, b, sign, weight = (np.array(column) for column in zip(*trials, strict=True))
    a, b = (np.unique(end, return_inverse=True)[1].astype(np.uint32) for end in (a, b))
    assume(min(len(np.unique(end)) for end in (a, b)) > 1)
    label, names = np.ones(len(a), dtype=bool), ("", "test")
    ranks = Ranks(label=label, unit_a=a, unit_b=b, rank={}, paired=True, weight=weight, pools=pools)
    counted = CountedTrials.among(label, cluster_units([ranks], names)[0], weight)
    pair, at = np.unique(np.stack([a, b], axis=1).astype(np.int64), axis=0, return_inverse=True)
    at, n = at.ravel(), len(pair)
    pairs = ClusterPairs(*pair.T, pools == "two", np.bincount(at, weight, n))
    each = DependentClass.of(sign, weight, weight**2, at, pairs, 2.0)
    assert each is not None
    assert each.step * weight.sum() == pytest.approx(counted.moved_by_one(sign), rel=1e-9)
    of_pairs, df = pairs.variance(each.moved)
    influence = weight * (sign - each.difference) / weight.sum()
    if pools == "two":
        of_trials = crossed_variance(influence, replace(ranks, label=~label))
        assert (of_pairs, df) == pytest.approx((of_trials.variance, of_trials.df), rel=1e-9, abs=1e-15)
    else:
        # What two trials share in resamples: a cluster, or both of two, whose product has a variance of 3.
        ends = [{int(i), int(j)} for i, j in zip(a, b, strict=True)]
        covariance = [[(0, 1, 3)[len(x & y)] for y in ends] for x in ends]
        touched = np.array([[k in x for x in ends] for k in sorted(set().union(*ends))])
        spread = influence @ covariance @ influence - (touched @ influence).sum() ** 2 / len(touched)
        g = min(len(np.unique(end)) for end in (a, b))
        assert of_pairs == pytest.approx(spread * g / (g - 1), rel=1e-9, abs=1e-15)
        assert df is None


@pytest.mark.parametrize("pools", ["one", "two"])
def test_differences_in_pairs_of_clusters_are_those_of_the_report(tmp_path: Path, pools: str) -> None:
    """In two pools p is the report's own, which has the same closed form; in one population its resamples'."""
    config = f"""
        trials: {{source: trials.parquet, columns: {{cluster: [speaker, other]}}, clusters: {{pools: {pools}}}}}
        primary: {{measure: hter, criterion: min_hter}}
        criteria: [min_hter]
        measures: [hter, far, frr]
        significance: {{intervals: given_thresholds}}
        epc: none
        curves: []
    """
    rows = [
        row | {"other": f"{row['split']}{int(str(row['trial'])[len(str(row['split'])) :]) * 7 // 3 % 11}"}
        for row in rows_of(n=200)
    ]
    built = build(tmp_path, rows, config, "report.recompute=true", "significance.replicates=4999")
    (held_set,) = held_sets(built.results)
    first, second = (held_set.models[at].place_of("min_hter") for at in held_set.pair)
    found = compared(held_set.discordant((first, second)), 0.5, 0.95)
    names = [held_set.models[at].model for at in held_set.pair]
    matched = 0
    for row in built.rows(COMPARISONS):
        if row.measure not in ("far", "frr", "hter") or row.inference != "given_thresholds":
            continue
        of = found["weighted_error" if row.measure == "hter" else row.measure]
        sign = 1 if row.model == names[0] else -1
        assert sign * of.value == pytest.approx(row.difference, abs=1e-12)
        assert of.p == pytest.approx(row.p_value, rel=1e-9 if pools == "two" else 0.2)
        ends = (of.low, of.high) if sign > 0 else (-of.high, -of.low)
        reach = row.ci_high - row.ci_low
        near = 1e-9 if pools == "two" else 0.05 * reach
        assert ends == pytest.approx((row.ci_low, row.ci_high), abs=near)
        matched += 1
    assert matched == 3


def test_clusters_that_all_differ_alike_have_no_limits() -> None:
    cluster = np.repeat([0, 1, 2], 4)
    each = dependent(cluster, np.tile([1, 0, 0, 0], 3), np.ones(12), df=2.0)
    assert compared((each, each), 0.5, 0.95) == {}


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 1), st.integers(1, 3)), min_size=1, max_size=30),
    st.booleans(),
)
def test_one_more_disagreement_moves_what_trials_themselves_say(trials, clustered) -> None:
    """The step by cells of a page (trials of a cluster that are decided alike) is that of its trials."""
    places, sign, weight = (np.array(column) for column in zip(*trials, strict=True))
    cluster, label = np.unique(places, return_inverse=True)[1], np.ones(len(sign), dtype=bool)
    assume(not clustered or cluster.max())
    unit = cluster.astype(np.uint32) if clustered else None
    ranks, names = Ranks(label=label, unit_a=unit, rank={}, paired=True, weight=weight), ("", "test")
    units = cluster_units([ranks], names)[0] if clustered else trial_units(label, names)
    (of_cluster, of_sign), cell = np.unique(np.stack([cluster, sign]), axis=1, return_inverse=True)
    weights, squares = np.bincount(cell, weight), np.bincount(cell, weight**2)
    n, df = int(cluster.max()) + 1, 2.0 if clustered else None
    of_cells = DependentClass.of(of_sign, weights, squares, of_cluster, SingleClusters(n), df)
    moved = CountedTrials.among(label, units, weight).moved_by_one(sign)
    assert of_cells is not None
    assert of_cells.step * weight.sum() == pytest.approx(moved, rel=1e-12)


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(1, 3)), min_size=2, max_size=30))
def test_weights_of_1_are_no_weights_and_proportions_alone_count(trials) -> None:
    surplus = np.array([each for each, _ in trials])
    n, plus, minus = len(surplus), int((surplus == 1).sum()), int((surplus == -1).sum())
    if abs(plus - minus) == n:
        return
    at, ones = np.arange(n), np.ones(n)
    found = compared((dependent(at, surplus, ones),) * 2, 0.5, 0.95)["far"]
    observed = Discordant(plus, minus, 0, 0, 5, n)
    assert found.value == pytest.approx(compared(observed, 0.5, 0.95)["far"].value)
    se = float(standard_error(observed, 1.0, 0.0))
    assert found.p == pytest.approx(2 * float(ndtr(-abs(found.value) / se)) if se else 1.0)
    clustered = dependent(at, surplus, ones, df=n - 1.0)
    inflated = se * math.sqrt(n / (n - 1))
    by_t = compared((clustered, clustered), 0.5, 0.95)["far"]
    assert by_t.p == pytest.approx(2 * float(stdtr(n - 1, -abs(by_t.value) / inflated)) if se else 1.0)
    heavy = np.array([float(w) for _, w in trials])
    once, thrice = (compared((dependent(at, surplus, k * heavy),) * 2, 0.5, 0.95)["far"] for k in (1, 3))
    assert once == pytest.approx(thrice, abs=1e-12)
    other = compared((dependent(at, -surplus, heavy),) * 2, 0.5, 0.95)["far"]
    assert once == pytest.approx((-other.value, -other.high, -other.low, other.p), abs=1e-12)
    assert (once.low > 0 or once.high < 0) <= (once.p <= 0.05 + 1e-12)


@given(*[st.integers(0, 12)] * 4, st.floats(0.01, 0.99))
def test_differences_turn_with_the_models_and_agree_with_p(n10, n01, t10, t01, alpha) -> None:
    observed = Discordant(n10, n01, t10, t01, 40, 50)
    turned = Discordant(n01, n10, t01, t10, 40, 50)
    found, other = (compared(each, alpha, 0.95) for each in (observed, turned))
    for key, of in found.items():
        assert (of.value, of.low, of.high) == pytest.approx(
            (-other[key].value, -other[key].high, -other[key].low), abs=1e-12
        )
        assert of.low <= of.value <= of.high
        assert (of.low > 0 or of.high < 0) <= (of.p <= 0.05 + 1e-12)


@pytest.mark.parametrize("cluster", ["", "speaker"])
def test_rates_are_those_of_the_report(tmp_path: Path, cluster: str) -> None:
    """FAR, FRR and HTER of both criteria, and of groups, with the limits of thresholds that are fixed."""
    columns = f", columns: {{cluster: {cluster}}}" if cluster else ""
    config = f"""
        trials: {{source: trials.parquet{columns}}}
        criteria: [min_hter, eer]
        measures: [hter, far, frr]
        significance: {{intervals: given_thresholds}}
        by: [gender]
        epc: none
        curves: []
    """
    built = build(tmp_path, rows_of(), config, "report.recompute=true")
    frame = {(r.group, r.model, r.measure, r.criterion): r for r in built.rows(METRICS) if r.split == "test"}
    matched = 0
    for every in held_sets(built.results):
        for model in every.models:
            for criterion in ("min_hter", "eer"):
                at = model.at(model.place_of(criterion))
                found = rates(at, Setting())
                hter = rates(at, Setting(prevalence=0.5))["weighted_error"]
                for name, of in (("far", found["far"]), ("frr", found["frr"]), ("hter", hter)):
                    row = frame[model.rows[0].group, model.model, name, criterion]
                    assert of.value == pytest.approx(row.value, abs=1e-12)
                    assert of[1:] == pytest.approx((row.ci_low, row.ci_high), abs=1e-12)
                    matched += 1
    assert matched == 3 * 2 * 2 * 3
    assert {row.cluster > 0 for row in built.rows(HELD_PAIRS)} == ({False, True} if cluster else {False})


def test_many_scores_are_held_at_few_thresholds_with_those_of_criteria() -> None:
    rng = np.random.default_rng(5)
    label = rng.random(5000) < 0.1
    cuts, _ = count_cuts(rng.normal(size=5000) + 2 * label, label)
    kept = held_cuts(cuts, [1234, 77])
    assert {0, 77, 1234, len(cuts.score)} <= set(kept.tolist())
    assert MOST_THRESHOLDS // 2 < len(kept) <= MOST_THRESHOLDS + 4
    far = cuts.staircase.false_alarms[kept] / cuts.totals[1]
    assert (np.diff(far) <= 0).all()
    assert ((far > 0) & (far < 0.01)).sum() >= 10


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=60), st.integers(1, 8))
def test_no_small_count_lies_between_thresholds(trials, least) -> None:
    label = np.array([each[0] for each in trials])
    cuts, _ = count_cuts(np.array([float(each[1]) for each in trials]), label)
    kept = held_cuts(cuts, [], least)
    for errors in (cuts.staircase.misses, cuts.staircase.false_alarms):
        steps = np.abs(np.diff(errors[kept]))
        assert all(step == 0 or step >= least for step in steps.tolist()) or len(kept) == 2


def test_larger_cells_hold_no_joint_decisions_and_no_small_group(tmp_path: Path) -> None:
    kinds = ["x", "x", "y", "x", "x", "x", "y", "x"]
    trials, config = eight("2", kind=kinds)
    built = build(tmp_path, trials, config + "by: [kind]\n")
    assert built.rows(HELD_PAIRS) == []
    assert "TR349" in {each.code for each in every_block(compose(built.results), Caution)}
    assert {row.group for row in built.rows(HELD)} == {"", "kind=x"}
    assert "kind" in json.dumps(live(built).held["sets"][1]["name"])


def test_without_the_key_there_is_neither_frame_nor_section(tmp_path: Path) -> None:
    built = build(tmp_path, *eight("false"))
    assert HELD.name not in built.frames
    assert not [*every_block(compose(built.results), LiveTable)]


def test_too_few_trials_to_hold_counts_of_are_no_silence(tmp_path: Path) -> None:
    built = build(tmp_path, *eight("5"))  # of four targets
    prose = [each.text for each in every_block(compose(built.results), Prose)]
    assert any("takes at least 5 of a model's trials in each class" in text for text in prose)
    assert not [*every_block(compose(built.results), LiveTable)]


@pytest.mark.parametrize(
    ("asked", "vocabulary", "by", "cautious"),
    [
        ("true", "detection", "[]", False),
        ("true", "medical", "[]", True),
        ("10", "medical", "[]", False),
        ("true", "detection", "[few]", True),
        ("10", "detection", "[few]", False),
    ],
)
def test_small_counts_are_cautioned_about_where_they_tell_of_few(
    tmp_path: Path, asked: str, vocabulary: str, by: str, cautious: bool
) -> None:
    """Of patients counts between thresholds; of others classes of fewer than 10, as in a group of 6 trials."""
    config = f"""
        thresholds: {{policy: none}}
        primary: {{measure: auc}}
        measures: [auc]
        criteria: []
        epc: none
        curves: []
        by: {by}
        report: {{recompute: {asked}, vocabulary: {vocabulary}}}
    """
    trials = [row for row in rows_of() if row["split"] == "test"]
    kept = {row["trial"] for row in trials[:6]}
    rows = [row | {"few": "few" if row["trial"] in kept else "many"} for row in trials]
    built = build(tmp_path, rows, config)
    codes = {each.code for each in every_block(compose(built.results), Caution)}
    assert ("TR349" in codes) is cautious


def test_a_page_has_room_for_so_many_counts_and_names_what_is_left_out(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(held, "MOST_COUNTS", 20)
    kinds = ["x", "x", "y", "x", "x", "x", "y", "x"]
    trials, config = eight(kind=kinds)
    built = build(tmp_path, trials, config + "by: [kind]\n")
    table = live(built)
    assert len(table.held["sets"]) < 3
    assert any("found no room" in note for note in table.notes)


@pytest.mark.parametrize(
    ("primary", "first"),
    [
        ("{measure: hter, criterion: 'fixed(threshold=0.5)'}", "ranks models as HTER does"),
        ("{measure: auc}", "compares AUC; at this prevalence"),
        ("{measure: far, criterion: 'fixed(threshold=0.5)'}", "Wilson intervals"),
    ],
)
def test_a_note_names_what_the_first_screen_compares(tmp_path: Path, primary: str, first: str) -> None:
    """At the prevalence of the trials the order of two models may be another than by HTER or AUC."""
    trials, config = eight()
    config = config.replace('{measure: hter, criterion: "fixed(threshold=0.5)"}', primary)
    assert first in live(build(tmp_path, trials, config)).notes[0]


def test_limits_of_a_ratio_solve_their_quadratic_equations() -> None:
    """(R1 - L R2)^2 = (R1 - l1)^2 + L^2 (u2 - R2)^2 - 2 r L (R1 - l1) (u2 - R2); at odds of 1, R = 1 / PPV - 1."""
    wrong, right = EffectiveRate(2 / 10, 10), EffectiveRate(9 / 10, 10)
    (l1, u1), (l2, u2) = wrong.limits(0.95), right.limits(0.95)
    for r in (0.0, 0.4):
        found = at_prevalence(wrong, right, 0.5, r, 0.95)
        lowest, highest = 1 / found.high - 1, 1 / found.low - 1
        for ratio, d1, d2 in ((lowest, 0.2 - l1, u2 - 0.9), (highest, u1 - 0.2, 0.9 - l2)):
            square = d1**2 + (ratio * d2) ** 2 - 2 * r * ratio * d1 * d2
            assert (0.2 - ratio * 0.9) ** 2 == pytest.approx(square, rel=1e-12)
        assert lowest < 2 / 9 < highest


@pytest.mark.parametrize(
    ("misses", "alarms", "n1", "n0"), [(1, 2, 20, 40), (30, 12, 200, 300), (5, 50, 60, 1000)]
)
def test_limits_are_near_those_of_the_score_test_of_statsmodels(misses, alarms, n1, n0) -> None:
    """Miettinen and Nurminen's limits of FAR / TPR are another method: both ends agree to a tenth."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    low, high = proportion.confint_proportions_2indep(
        alarms, n0, n1 - misses, n1, method="score", compare="ratio", correction=False
    )
    found = rates(ModelCounts(misses, alarms, n1, n0), Setting(prevalence=0.5))["precision"]
    assert (1 / found.high - 1, 1 / found.low - 1) == pytest.approx((low, high), rel=0.1)


@pytest.mark.parametrize(
    ("primary", "more", "own"),
    [
        ("{measure: hter, criterion: CRITERION}", "", (0.5, 1, 1)),
        ("{measure: 'weighted_error(alpha=0.9)', criterion: CRITERION}", "", (0.1, 1, 1)),
        ("{measure: far, criterion: CRITERION}", "", (None, 1, 1)),
        ("{measure: auc}", "", (None, 1, 1)),
        (
            "{measure: hter, criterion: CRITERION}",
            "trials: {source: trials.parquet, prevalence: 0.2}",
            (0.2, 1, 1),
        ),
        ("{measure: 'dcf(p_target=0.01, c_miss=10)', criterion: CRITERION}", "", (0.01, 10, 1)),
        ("{measure: hter, criterion: 'min_dcf(p_target=0.2, c_fa=3)'}", "", (0.2, 1, 3)),
        ("{measure: auc}", "operating_points: [{name: here, p_target: 0.03, c_miss: 2}]", (0.03, 2, 1)),
        ("{measure: 'dcf(p_target=1e-9)', criterion: CRITERION}", "", (None, 1, 1)),
    ],
)
def test_the_page_begins_with_the_costs_and_prevalence_of_the_report(
    tmp_path: Path, primary: str, more: str, own: tuple[float | None, float, float]
) -> None:
    config = f"primary: {primary.replace('CRITERION', 'min_hter')}\nepc: none\ncurves: []\n{more}\n"
    built = build(tmp_path, rows_of(), config, "report.recompute=true")
    setting = own_setting(built.results.study)
    assert (setting.c_miss, setting.c_fa) == own[1:]
    assert setting.prevalence == (None if own[0] is None else pytest.approx(own[0]))
    table = live(built)
    assert (table.held["prevalence"], table.held["costs"]) == (setting.prevalence, [*own[1:]])
    if "dcf" in primary and "1e-9" not in primary:
        assert f"prevalence {100 * own[0]:g}%" in table.caption


def test_single_runs_have_no_differences_and_the_page_says_why(tmp_path: Path) -> None:
    config = CONFIG % ("", "true")
    built = build(tmp_path, rows_of(runs=("1", "2")), config)
    assert built.rows(HELD_PAIRS) == []
    assert "the page holds single runs, and the report compares means over runs" in " ".join(
        live(built).notes
    )
