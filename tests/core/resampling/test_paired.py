import math

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student_t

from reporting.core.counts.ranks import Ranks
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.threshold import HTER
from reporting.core.resampling.design import Design
from reporting.core.resampling.estimate import auc_interval, estimate_by, rate_interval
from reporting.core.resampling.margins import step_of
from reporting.core.resampling.paired import (
    PairedDifference,
    compare_by_error,
    compare_replicates,
    compare_swapped,
)
from reporting.core.resampling.settings import Inference
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.intervals import Interval, logit_interval, newcombe_auc
from reporting.core.stats.paired import Discordant
from reporting.core.stats.placements import area_se, clustered_se, influence
from reporting.features.compared_decisions import difference_of_decisions


def test_normal_comparison():
    d = np.random.default_rng(1).normal(0.02, 0.01, 5000)
    made = compare_replicates(0.02, d, Design(0.95), alike=False, independent_se=0.005)
    se = d.std(ddof=1)
    assert (made.low, made.high) == pytest.approx((0.02 - 1.959964 * se, 0.02 + 1.959964 * se))
    assert made.design_effect == pytest.approx((se / 0.005) ** 2)
    assert (made.p_method, made.ci_method, made.replicates) == ("normal", "normal", 5000)
    assert made.p_value == pytest.approx(0.0455, abs=0.01)
    assert made.status is None


def test_clusters_are_read_against_t_with_the_factor_of_the_bootstrap():
    """Ten clusters: SE sqrt(10 / 9) SD, t with 9 degrees of freedom; quantile 2.262157 (methods 8.8)."""
    d = np.random.default_rng(1).normal(0.02, 0.01, 5000)
    made = compare_replicates(0.02, d, Design(0.95, df=9, inflation=np.sqrt(10 / 9)), alike=False)
    se = d.std(ddof=1) * np.sqrt(10 / 9)
    assert (made.low, made.high) == pytest.approx((0.02 - 2.262157 * se, 0.02 + 2.262157 * se))
    assert made.p_value == pytest.approx(2 * student_t.sf(0.02 / se, 9))
    assert (made.p_method, made.ci_method) == ("t", "t")


def test_limits_without_width_are_none_where_resamples_spread():
    """Quantiles of resamples that nearly all agree do not see the others; identical decisions have no spread."""
    for se, low in ((0.1, None), (0.0, 0.0)):
        made = PairedDifference(0.0, se).limited(lambda level: Interval(0.0, 0.0), 0.95, "percentile")
        assert made.low == low


def test_limits_beyond_what_can_be_are_none():
    """A basic interval of 1, the largest difference of two rates, may lie above it: nothing of it is left."""
    made = PairedDifference(1.0, low=1.2, high=1.5, ci_method="basic").within((0.0, 1.0))
    assert (made.low, made.high, made.ci_method) == (None, None, None)
    made = PairedDifference(1.0, low=0.8, high=1.5, ci_method="basic").within((0.0, 1.0))
    assert (made.low, made.high, made.ci_method) == (0.8, 1.0, "basic")


def test_few_exchanges_that_move_a_difference_give_limits_with_width():
    """Three of 99 exchanges move it: the order statistics are 0, so that the spread of all exchanges speaks."""
    swapped = np.array([0.8, -0.8, 0.8, *np.zeros(96)])
    tested = compare_swapped(0.0, swapped, np.zeros((99, 2)), 0.95, alike=False)
    se = 0.8 * np.sqrt(3 / 99)
    assert (tested.p_value, tested.low, tested.high) == pytest.approx(
        (1.0, -1.95996 * se, 1.95996 * se), rel=1e-5
    )


def test_only_models_that_decide_alike_are_identical():
    zeros = np.zeros(100)
    assert compare_replicates(0.0, zeros, Design(0.95), alike=True).flags == ("identical_decisions",)
    assert compare_by_error(PairedDifference(0.0, 0.0), zeros, 0.95, alike=True).p_value == 1
    for point, differences in ((0.0, zeros), (0.1, np.full(100, 0.1)), (0.1, np.array([0.1, np.nan]))):
        made = compare_replicates(point, differences, Design(0.95), alike=False)
        assert (made.status, made.p_value, made.low) == ("degenerate", None, None)
    varied = np.random.default_rng(1).normal(0.0, 0.01, 100)
    for se, differences in (
        (0.0, varied),
        (float("nan"), varied),
        (0.01, zeros),
        (0.01, np.array([0.1, np.nan])),
    ):
        made = compare_by_error(PairedDifference(0.0, se), differences, 0.95, alike=False, method="delong")
        assert (made.status, made.p_value, made.low) == ("degenerate", None, None)


def test_disagreement_of_interval_and_p_is_flagged():
    made = compare_replicates(
        0.02, np.random.default_rng(1).normal(0.02, 0.01, 999), Design(0.95), alike=False
    )
    from dataclasses import replace

    assert replace(made, p_value=0.9, low=0.001, flags=()).checked(0.95).flags == ("ci_p_disagree",)
    assert replace(made, p_value=0.001, low=0.001, flags=()).checked(0.95).flags == ()


def test_intervals_of_one_model():
    of_rates = {
        EffectiveRate(0.0, 300): "clopper_pearson",
        EffectiveRate(1.0, 300): "clopper_pearson",
        EffectiveRate(0.1, 50): "wilson",
        EffectiveRate(0.1, 50, 9): "wilson_effective",
        EffectiveRate(0.1, 50, 9, few=True): "korn_graubard",
        EffectiveRate(0.0, 50, 9): "korn_graubard",
        EffectiveRate(0.1, 0.0, 9): None,
    }
    for rate, method in of_rates.items():
        assert rate_interval(rate, 0.95).method == method
    values = np.arange(999.0)
    assert estimate_by("percentile", 0.1, np.full(999, 0.1), 0.95, 10).method is None
    assert estimate_by("percentile", 0.0, values, 0.95, 10).low == 24
    assert estimate_by("percentile", 0.0, values, 0.95, 1).method is None
    assert estimate_by("percentile", 0.1, np.array([0.1, np.nan] * 100), 0.95, 10).method is None
    assert estimate_by("percentile", 0.0, values[:20], 0.95, 10).method is None


def test_the_area_of_clusters_is_read_against_t():
    """Ten clusters of one target and one non-target: logit interval, clustered SE, t with 9 degrees."""
    rng = np.random.default_rng(5)
    label = np.tile([True, False], 10)
    score = rng.normal(size=20) + label
    cluster = np.repeat(np.arange(10, dtype=np.uint32), 2)
    beaten = [
        np.mean(score[~label] < s) if y else np.mean(score[label] > s)
        for s, y in zip(score, label, strict=True)
    ]
    placements = np.array(beaten)
    area = float(placements[label].mean())
    trials = Ranks(label, cluster, {}, paired=True)
    found = auc_interval(area, placements, trials, 0.95, Design(0.95, 9, math.sqrt(10 / 9)))
    se = clustered_se(influence(placements, label, area), cluster, math.sqrt(10 / 9))
    half = student_t.ppf(0.975, 9) * se / (area * (1 - area))
    assert (found.low, found.high) == pytest.approx(
        (expit(logit(area) - half), expit(logit(area) + half)), rel=1e-12
    )
    assert found.method == "logit_clustered"


def test_no_limit_is_beyond_what_a_difference_can_be():
    wide = PairedDifference(0.5, low=-8.8, high=9.8, band=(-12.0, 12.0)).within((0.0, 1.0))
    assert (wide.low, wide.high, wide.band) == (-1.0, 1.0, (-1.0, 1.0))
    assert PairedDifference(0.5, low=0.1, high=0.9).within((0.0, np.inf)).high == 0.9


def test_what_resamples_add_to_a_tested_difference():
    tested = PairedDifference(0.1, se=0.05).tested(0.95)
    replicates = np.array([0.3, 0.1, -0.1, 0.2, 0.0])
    found = tested.beside(replicates, 0.95, 0.01)
    assert (found.replicates, found.mc_error) == (5, 0.01)
    # Two of five lie at 0 or below: (2 + 1) / (5 + 1), twice.
    assert found.p_percentile == 1.0
    assert (found.low, found.high, found.p_value) == (tested.low, tested.high, tested.p_value)


def test_clusters_reach_further_by_student_s_t():
    """t and normal quantiles at .975 of 4 degrees of freedom: 2.7764 and 1.9600."""
    assert Design(0.95, df=4, inflation=1.5).factor == pytest.approx(1.5 * 2.7764451 / 1.9599640)
    assert Design(0.95, inflation=1.5).factor == 1.5


def test_replicates_of_decisions_that_lost_a_class_are_named():
    """Two clusters of one class each: half of all draws hold one of them twice. Four mixed ones lose none."""
    label, accepted = np.array([True, True, False, False] * 2), np.array([True, False] * 4)
    for unit, lost in (([0, 0, 1, 1] * 2, True), ([0, 1, 0, 1] * 2, False)):
        ranks = Ranks(label, np.array(unit, dtype=np.uint32), {}, paired=True)
        of = difference_of_decisions(ranks, (accepted, ~accepted), ("all", "a"), HTER, Inference(99))
        assert of.first.redrawn == of.second.redrawn == lost


def test_what_no_disagreement_moves_has_no_step():
    """Precision among targets alone is 1 whatever is decided: no trial parts the models."""
    targets = Discordant(0, 0, 0, 0, n_target=3, n_nontarget=0)
    assert step_of(read_measure("precision"), (3, 0), targets, (1.0, 1.0)) is None
    both = Discordant(0, 0, 0, 0, n_target=3, n_nontarget=2, nontarget_00=1)
    assert step_of(read_measure("precision"), (3, 2), both, (1.0, 1.0)) > 0


@pytest.mark.parametrize(
    ("targets", "method"),
    [
        # Against non-targets 0 to 9: three placements of .95, .85, .75 make an area of .85, 3 x .15 < 2 misplaced.
        ([9, 8, 7], "newcombe_delong"),
        # Placements .95 and .45, five of each: an area of .7, 10 x .3 misplaced.
        ([9, 4] * 5, "logit_delong"),
        # All above: DeLong's error is 0.
        ([10, 11, 12], "newcombe"),
    ],
)
def test_few_misplaced_trials_have_newcombe_s_interval(targets, method):
    nontargets = np.arange(10)
    label = np.repeat([True, False], [len(targets), 10])
    placed = np.concatenate(
        [
            [np.mean((nontargets < s) + (nontargets == s) / 2) for s in targets],
            [np.mean((np.array(targets) > s) + (np.array(targets) == s) / 2) for s in nontargets],
        ]
    )
    area = float(placed[label].mean())
    found = auc_interval(area, placed, Ranks(label, None, {}, paired=True), 0.95, Design(0.95))
    assert found.method == method
    se = area_se(placed, label)
    if method == "logit_delong":
        assert (found.low, found.high) == pytest.approx(logit_interval(area, se, 0.95))
    else:
        assert (found.low, found.high) == newcombe_auc(area, len(targets), 10, 0.95, se**2)
