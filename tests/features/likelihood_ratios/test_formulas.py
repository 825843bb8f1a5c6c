"""The Bayes error along the prior: hand values, areas, and the minimum against all cuts."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from tied import labelled, score_lists

from reporting.core.counts.cuts import count_cuts
from reporting.core.curves.scores import Scaled
from reporting.core.stats.likelihood import empirical_cross_entropy, minece
from reporting.features.likelihood_ratios.formulas import (
    actual_bayes_error,
    cost_curve,
    entropy_curve,
    hull_breakpoints,
    min_bayes_error,
    trivial_bayes_error,
    weighed_by_prior,
)

TARGETS, NONTARGETS = [0.5, 1.5, 1.5, 2.5, 3.5], [-1, 0, 0.5, 0.5, 1.5, 2]
TWICE_LN2 = 2 * np.log(2)


def cuts_of(targets, nontargets):
    return count_cuts(*labelled(targets, nontargets))[0]


def scaled(cuts):
    return Scaled(cuts.score, cuts.n_target, cuts.n_nontarget)


def area(function, breakpoints):
    """Integrate over all priors, piece by piece between the points where the function changes its form."""
    ends = np.concatenate(([-60.0], np.sort(breakpoints), [60.0], np.arange(-60.0, 61.0)))
    ends = np.unique(ends[np.abs(ends) <= 60])
    nodes, weights = np.polynomial.legendre.leggauss(12)
    middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
    tau = (middle[:, None] + half[:, None] * nodes).ravel()
    return float((function(tau).reshape(len(half), -1) * weights * half[:, None]).sum())


def actual_area(cuts):
    finite = cuts.score[np.isfinite(cuts.score)]
    return area(lambda tau: actual_bayes_error(*scaled(cuts), tau), -finite)


def least_area(cuts):
    return area(lambda tau: min_bayes_error(cuts.staircase, tau), hull_breakpoints(cuts.staircase))


def test_the_hand_set_changes_its_best_threshold_where_its_hull_bends():
    cuts = cuts_of(TARGETS, NONTARGETS)
    np.testing.assert_allclose(hull_breakpoints(cuts.staircase), [-np.log(1.2), -np.log(0.6)], rtol=1e-15)


def test_the_hand_set_at_even_odds_and_at_nine_to_one():
    cuts = cuts_of(TARGETS, NONTARGETS)
    tau = np.array([0.0, np.log(9)])
    # Accepting from 0 on misses nobody and lets five of six through.
    np.testing.assert_allclose(actual_bayes_error(*scaled(cuts), tau), [0.5 * 5 / 6, 0.1], rtol=1e-14)
    # At even odds the best cut rejects up to 0.5 (FAR 2/6, FRR 1/5); at 9:1 up to 0 (FAR 4/6, no miss).
    np.testing.assert_allclose(min_bayes_error(cuts.staircase, tau), [4 / 15, 1 / 15], rtol=1e-14)
    np.testing.assert_allclose(trivial_bayes_error(tau), [0.5, 0.1], rtol=1e-14)


def test_a_threshold_on_a_score_accepts_it():
    cuts = cuts_of([1.0], [1.0])
    rates = actual_bayes_error(*scaled(cuts), np.array([-1.0, -np.nextafter(1.0, 2)]))
    np.testing.assert_allclose(rates, [expit(1.0), expit(-1.0)], rtol=1e-14)


def test_areas_of_the_hand_set_are_cllr_and_its_minimum():
    cuts = cuts_of(TARGETS, NONTARGETS)
    assert actual_area(cuts) / TWICE_LN2 == pytest.approx(0.9576557451913541, abs=1e-12)
    assert least_area(cuts) / TWICE_LN2 == pytest.approx(0.6189934783215414, abs=1e-12)
    assert area(trivial_bayes_error, np.zeros(1)) / TWICE_LN2 == pytest.approx(1, abs=1e-12)


def test_areas_of_real_likelihood_ratios(shared):
    expected = json.loads((shared / "references/verification.json").read_text())
    trials = pl.read_parquet(shared / "data/ru2009.parquet").filter(pl.col("split") == "test")
    for system in ("TC1", "TC6"):
        one = trials.filter(pl.col("system") == system)
        cuts = count_cuts(one["score"].to_numpy(), one["target"].to_numpy())[0]
        outside = expected[f"ru2009/{system}/test"]
        assert actual_area(cuts) / TWICE_LN2 == pytest.approx(outside["cllr_bits_natural_llr"], abs=1e-9)
        assert least_area(cuts) / TWICE_LN2 == pytest.approx(outside["cllr_min_bits"], abs=1e-9)


def test_perfect_separation_costs_nothing_and_constant_scores_cost_what_no_scores_cost():
    tau = np.linspace(-9, 9, 37)
    apart, equal = cuts_of([2, 3], [0, 1]).staircase, cuts_of([1, 1], [1, 1, 1]).staircase
    assert not min_bayes_error(apart, tau).any()
    assert not len(hull_breakpoints(apart))
    np.testing.assert_allclose(min_bayes_error(equal, tau), trivial_bayes_error(tau), rtol=1e-14)
    np.testing.assert_allclose(hull_breakpoints(equal), [0], atol=1e-15)


@pytest.mark.parametrize(("targets", "nontargets"), [([1.0, 2.0], []), ([], [1.0, 2.0])])
def test_an_empty_class_has_no_bayes_error(targets, nontargets):
    curve = cost_curve(cuts := cuts_of(targets, nontargets), scaled(cuts))
    assert np.isnan(curve.actual).all()
    assert np.isnan(curve.minimum).all()
    assert np.isfinite(curve.trivial).all()


@given(score_lists(odd=True), score_lists(odd=True))
def test_the_minimum_is_that_of_all_cuts_and_no_decision_does_better(targets, nontargets):
    cuts = cuts_of(targets, nontargets)
    curve = cost_curve(cuts, scaled(cuts))
    stairs = cuts.staircase
    rates = stairs.misses / stairs.n_target, stairs.false_alarms / stairs.n_nontarget
    every = weighed_by_prior(*rates, curve.prior_log_odds[:, None]).min(axis=1)
    np.testing.assert_allclose(curve.minimum, every, atol=1e-15)
    assert (curve.minimum <= curve.actual + 1e-15).all()
    assert (curve.minimum <= curve.trivial + 1e-15).all()


@given(score_lists(), score_lists(), st.integers(0, 2**32))
def test_the_order_and_the_grouping_of_likelihood_ratios_do_not_matter(targets, nontargets, seed):
    cuts = cuts_of(targets, nontargets)
    order = np.random.default_rng(seed).permutation(len(cuts.score))
    shuffled = Scaled(*(column[order] for column in scaled(cuts)))
    split = Scaled(
        np.concatenate((cuts.score, cuts.score)),
        np.concatenate((cuts.n_target, 0 * cuts.n_target)),
        np.concatenate((0 * cuts.n_nontarget, cuts.n_nontarget)),
    )
    expected = cost_curve(cuts, scaled(cuts)).actual
    np.testing.assert_array_equal(cost_curve(cuts, shuffled).actual, expected)
    np.testing.assert_array_equal(cost_curve(cuts, split).actual, expected)


@given(score_lists(), score_lists())
def test_the_grid_holds_even_odds_and_every_change_of_threshold_in_reach(targets, nontargets):
    cuts = cuts_of(targets, nontargets)
    tau = cost_curve(cuts, None).prior_log_odds
    assert (tau[0], tau[-1]) == (-10, 10)
    assert {0.0, 0.05, -9.95} <= set(tau.tolist())
    assert set(hull_breakpoints(cuts.staircase).tolist()) <= set(tau.tolist())
    assert (np.diff(tau) > 0).all()


def test_the_cross_entropy_is_that_of_the_measures_at_the_same_priors():
    cuts = cuts_of(TARGETS, NONTARGETS)
    curve = entropy_curve(cuts, scaled(cuts))
    assert curve.prior_log10_odds[[0, 60, -1]].tolist() == [-3, 0, 3]
    errors = cuts.staircase.misses, cuts.staircase.false_alarms
    for odds, actual, minimum in zip(curve.prior_log10_odds, curve.actual, curve.minimum, strict=True):
        prior = float(expit(odds * np.log(10)))
        assert actual == pytest.approx(float(empirical_cross_entropy(*scaled(cuts), prior)), abs=1e-15)
        assert minimum == pytest.approx(float(minece(*errors, prior)), abs=1e-15)
    assert (curve.minimum <= np.minimum(curve.actual, curve.neutral) + 1e-15).all()


def test_without_evidence_the_cross_entropy_is_the_entropy_of_the_prior():
    cuts = cuts_of([0.0, 0.0], [0.0, 0.0, 0.0])
    curve = entropy_curve(cuts, scaled(cuts))
    odds = 10.0 ** np.arange(-3, 4)
    p = odds / (1 + odds)
    by_hand = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    for column in (curve.actual, curve.minimum, curve.neutral):
        np.testing.assert_allclose(column[::20], by_hand, atol=1e-13)


def test_an_infinite_cross_entropy_is_undefined_in_the_frame():
    cuts = cuts_of([-np.inf, 1.0], [0.0])
    assert np.isnan(entropy_curve(cuts, scaled(cuts)).actual).all()
