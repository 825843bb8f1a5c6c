import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import rates, score_lists, staircase_of

from reporting.core.stats import choice
from reporting.core.stats import steps as epc_areas
from reporting.core.stats.choice import Staircases
from reporting.core.stats.staircase import cut_at, threshold_of
from reporting.core.stats.steps import (
    precision_recall_steps,
    target_far_steps,
    target_frr_steps,
    target_steps,
    weighted_error_steps,
)
from reporting.core.stats.sweep import auc

BOUNDS = st.tuples(st.floats(0, 1), st.floats(0, 1)).map(sorted)


def judged(distinct, staircase, threshold):
    """FAR and FRR on test at thresholds of dev."""
    cut = cut_at(distinct, threshold)
    return staircase.false_alarms[cut] / staircase.n_nontarget, staircase.misses[cut] / staircase.n_target


def carried(dev, test, steps_of):
    """The steps of dev, their thresholds, and what these do on test."""
    distinct, staircase = staircase_of(*dev)
    steps = steps_of(staircase)
    threshold = threshold_of(distinct, steps.cut)
    return steps, threshold, judged(*staircase_of(*test), threshold)


def q_hat(score, steps, threshold):
    """Methods 7.5: 0 below the first threshold, the breakpoint between two, 1 from the last."""
    at = np.searchsorted(threshold, score, side="right")
    at[score == np.inf] = (threshold < np.inf).sum()  # a threshold of +inf rejects all
    return np.concatenate((steps.edges[:-1], [1.0]))[at]


LISTS = st.tuples(score_lists(odd=True), score_lists(odd=True))


@given(LISTS, LISTS, BOUNDS)
def test_areas_equal_the_closed_forms_on_any_range(dev, test, bounds):
    """Methods, property P13: clipped q-hat for FAR, FRR and HTER; the balanced Brier score for the weighted error."""
    low, high = bounds
    steps, threshold, (far, frr) = carried(dev, test, weighted_error_steps)
    positive, negative = (q_hat(np.array(s, dtype=float), steps, threshold) for s in test)

    def clipped(q):
        return np.clip(q, low, high) - low

    of_far, of_frr = clipped(negative).mean(), (high - low - clipped(positive)).mean()
    assert epc_areas.area(steps, far, low, high) == pytest.approx(of_far, abs=1e-12)
    assert epc_areas.area(steps, frr, low, high) == pytest.approx(of_frr, abs=1e-12)
    hter = epc_areas.area(steps, (far + frr) / 2, low, high)
    assert hter == pytest.approx((of_far + of_frr) / 2, abs=1e-12)
    brier = ((negative**2).mean() + ((1 - positive) ** 2).mean()) / 2
    assert epc_areas.weighted_error_area(steps, far, frr) == pytest.approx(brier, abs=1e-12)


@given(LISTS, LISTS, BOUNDS)
def test_an_area_is_the_sum_of_its_parts(dev, test, bounds):
    low, high = bounds
    steps, _, (far, frr) = carried(dev, test, weighted_error_steps)
    parts = [(0.0, low), (low, high), (high, 1.0)]
    for area, values in ((epc_areas.area, (far,)), (epc_areas.weighted_error_area, (far, frr))):
        assert sum(area(steps, *values, *part) for part in parts) == pytest.approx(area(steps, *values))


@given(LISTS, LISTS)
def test_a_posteriori_the_weighted_error_is_never_larger(dev, test):
    """Methods, property P14, at every alpha and hence in every area; P17 beside it."""
    distinct, staircase = staircase_of(*test)
    dev_distinct, dev_staircase = staircase_of(*dev)
    alpha = np.linspace(0, 1, 41)
    threshold = threshold_of(
        dev_distinct, choice.weighted_error(Staircases.of(dev_staircase), "balanced", alpha).cut[0]
    )
    far, frr = judged(distinct, staircase, threshold)
    best_far, best_frr = judged(
        distinct,
        staircase,
        threshold_of(distinct, choice.weighted_error(Staircases.of(staircase), "balanced", alpha).cut[0]),
    )
    posterior = alpha * best_far + (1 - alpha) * best_frr
    assert (posterior <= alpha * far + (1 - alpha) * frr + 1e-12).all()
    every_far, every_frr = np.array(rates(staircase), dtype=float).T
    lowest = (alpha[:, None] * every_far + (1 - alpha[:, None]) * every_frr).min(axis=1)
    assert posterior == pytest.approx(lowest, abs=1e-12)
    steps, _, rates_prior = carried(dev, test, weighted_error_steps)
    own, _, rates_own = carried(test, test, weighted_error_steps)
    prior_area = epc_areas.weighted_error_area(steps, *rates_prior)
    assert epc_areas.weighted_error_area(own, *rates_own) <= prior_area + 1e-12


@pytest.mark.parametrize("steps_of", [weighted_error_steps, precision_recall_steps])
@given(score_lists(odd=True), score_lists(odd=True))
def test_steps_tile_the_unit_interval(steps_of, targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    steps = steps_of(staircase)
    assert (steps.low[0], steps.high[-1]) == (0.0, 1.0)
    assert (steps.high > steps.low).all()
    assert len(steps.cut) == len(steps.low)


@pytest.mark.parametrize("how", ["nearest", "at_most", "at_least"])
@given(score_lists(odd=True), score_lists(odd=True))
def test_target_steps_are_what_targets_choose(how, targets, nontargets):
    """Inside every step its cut is chosen, and the steps tile the unit interval."""
    _, staircase = staircase_of(targets, nontargets)
    far, frr = (np.array([float(v) for v in rate]) for rate in zip(*rates(staircase), strict=True))
    rows = Staircases.of(staircase)
    named = [
        (target_far_steps(staircase, how), lambda at: choice.choose_rate(rows, "far", at, how)),
        (target_frr_steps(staircase, how), lambda at: choice.choose_rate(rows, "frr", at, how)),
        (
            target_steps(staircase, 1 - far, how),
            lambda at: choice.choose_level(rows, 1 - far[None], at, how, "higher"),
        ),
        (
            target_steps(staircase, far + frr - 0.5, how),
            lambda at: choice.choose_level(rows, (far + frr - 0.5)[None], at, how),
        ),
    ]
    for steps, choose in named:
        assert (steps.low[0], steps.high[-1]) == (0.0, 1.0)
        assert (steps.high > steps.low).all()
        chosen = choose((steps.low + steps.high) / 2).cut[0]
        wide = steps.high - steps.low > 1e-9  # narrower ones are rounding
        assert chosen[wide].tolist() == steps.cut[wide].tolist()


@given(st.lists(st.integers(0, 40), min_size=2, max_size=20, unique=True), st.integers(1, 19), st.randoms())
def test_finite_sample_identities(scores, share, random):
    """Methods, property P15: without ties between the classes, dev = test; A = 1 - AUC."""
    random.shuffle(scores)
    share = min(share, len(scores) - 1)
    dev = scores[:share], scores[share:]
    _, staircase = staircase_of(*dev)
    error_area = 1 - float(auc(staircase.misses, staircase.false_alarms))
    points = rates(staircase)
    r0 = float(min(frr for far, frr in points if far == 0))
    q0 = float(min(far for far, frr in points if frr == 0))
    e = {}
    for name, steps_of in (("far", target_far_steps), ("frr", target_frr_steps)):
        steps, _, (far, frr) = carried(dev, dev, steps_of)
        e[name] = float(epc_areas.area(steps, (far + frr) / 2))
    slack_far, slack_frr = r0 / (2 * staircase.n_nontarget), q0 / (2 * staircase.n_target)
    assert e["far"] == pytest.approx((0.5 + error_area - slack_far) / 2, abs=1e-12)
    assert e["frr"] == pytest.approx((0.5 + error_area - slack_frr) / 2, abs=1e-12)
    g = (e["far"] + e["frr"]) / 2
    assert 2 * g - 0.5 == pytest.approx(error_area - (slack_far + slack_frr) / 2, abs=1e-12)


@given(score_lists(), score_lists())
def test_with_ties_it_is_the_trapezoid_of_the_best_rates(targets, nontargets):
    """Methods, property P15: E_FAR = (1/2 + trapezoid of the smallest FRR over the FAR levels) / 2."""
    _, staircase = staircase_of(targets, nontargets)
    best = {}
    for far, frr in rates(staircase):
        best[far] = min(frr, best.get(far, frr))
    x = sorted(best)
    trapezoid = sum((b - a) * (best[a] + best[b]) / 2 for a, b in pairwise(x))
    steps, _, (far, frr) = carried((targets, nontargets), (targets, nontargets), target_far_steps)
    expected = float((Fraction(1, 2) + trapezoid) / 2)
    assert epc_areas.area(steps, (far + frr) / 2) == pytest.approx(expected, abs=1e-12)


def test_the_hand_set(shared):
    """Methods 7.9, as integers and fractions."""
    hand = json.loads((shared / "references" / "methods.json").read_text())["epc_hand"]
    dev = hand["dev_pos"], hand["dev_neg"]
    test = hand["test_pos"], hand["test_neg"]
    steps, threshold, (far, frr) = carried(dev, test, weighted_error_steps)
    assert steps.edges[1:-1].tolist() == hand["alpha_e"] == [5 / 9]
    assert threshold.tolist() == hand["thresholds"]
    assert far.tolist() == hand["test_far"]
    assert frr.tolist() == hand["test_frr"]
    area = epc_areas.area(steps, (far + frr) / 2)
    assert area == pytest.approx(hand["area_hter"], abs=1e-15)
    assert epc_areas.area(steps, far) == pytest.approx(0.6 * 5 / 9 + 0.2 * 4 / 9)  # .4222
    assert epc_areas.area(steps, frr) == pytest.approx(0.25 * 5 / 9 + 0.5 * 4 / 9)  # .3611
    for steps_of, name in ((target_far_steps, "E_FAR"), (target_frr_steps, "E_FRR")):
        for judged, suffix in ((test, "prior"), (dev, "post_dev")):
            steps, _, (far, frr) = carried(dev, judged, steps_of)
            e = epc_areas.area(steps, (far + frr) / 2)
            assert e == pytest.approx(hand[f"{name}_{suffix}"], abs=1e-15)


def test_a_perfect_system_and_chance_by_two_ways():
    """G is 1/4 and 1/2 (methods, erratum E10): with many trials, up to the finite-sample terms."""
    perfect = [float(k) for k in range(1000, 2000)], [float(k) for k in range(1000)]
    chance = [float(k) for k in range(0, 4000, 2)], [float(k) for k in range(1, 4000, 2)]
    for dev, expected in ((perfect, 0.25), (chance, 0.5)):
        e = []
        for steps_of in (target_far_steps, target_frr_steps):
            steps, _, (far, frr) = carried(dev, dev, steps_of)
            e.append(epc_areas.area(steps, (far + frr) / 2))
        assert sum(e) / 2 == pytest.approx(expected, abs=5e-4)


def test_a_step_of_no_width_may_be_undefined_and_replicates_are_rows():
    steps, _, (far, frr) = carried(([1.0], [0.0]), ([1.0], [0.0]), target_far_steps)
    value = np.array([[0.25, np.nan], [0.25, 0.5]])
    assert steps.edges.tolist() == [0, 0.5, 1]
    assert epc_areas.area(steps, value, 0, 0.5).tolist() == [0.125, 0.125]
    assert np.isnan(epc_areas.area(steps, value)).tolist() == [True, False]
    assert epc_areas.area(steps, value, 0.25, 0.75)[1] == 0.1875
    assert epc_areas.weighted_error_area(steps, far, frr, 0.25, 0.25) == 0
