from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tied import rates, score_lists, staircase_of

from reporting.core.stats import choice
from reporting.core.stats.choice import Choice, Staircases
from reporting.core.stats.staircase import threshold_of

DEV = ([-0.5, 0.5, 1.5, 2.5], [-3, -2, -1, 0, 1])


def choose_rate(staircase, rate, target, how="nearest"):
    chosen, shape = (
        choice.choose_rate(Staircases.of(staircase), rate, np.ravel(target), how),
        np.shape(target),
    )
    return Choice(chosen.cut.reshape(shape), chosen.tied.reshape(shape))


def choose_level(staircase, value, target, how="nearest", better="lower"):
    rows, shape = Staircases.of(staircase), np.shape(target)
    chosen = choice.choose_level(rows, np.asarray(value, dtype=np.float64)[None], target, how, better)
    return Choice(chosen.cut.reshape(shape), chosen.tied.reshape(shape))


def brute_force(points, rate, how, target):
    """Methods 7.2 on exact fractions over all cuts; what is to be at most the target, while it can be."""
    own, other = (0, 1) if rate == "far" else (1, 0)
    allowed = points
    if how != "nearest":
        side = 1 if how == "at_most" else -1
        allowed = [p for p in points if side * p[own] <= side * target] or points
    return min(allowed, key=lambda p: (abs(target - p[own]), p[own], p[other]))


def midpoints(points, rate):
    """Every level and every midpoint between neighbouring ones."""
    found = sorted({p[0] if rate == "far" else p[1] for p in points})
    return found + [(a + b) / 2 for a, b in pairwise(found)]


@pytest.mark.parametrize("rate", ["far", "frr"])
@pytest.mark.parametrize("how", ["nearest", "at_most", "at_least"])
@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=60))
def test_targets_equal_brute_force(rate, how, targets, nontargets, share):
    """Methods, property P11 for (12) and (13): any target, every level, and every midpoint, where two levels are equally near."""
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    wanted = [share, *midpoints(points, rate)]
    chosen = choose_rate(staircase, rate, np.array([float(w) for w in wanted]), how)
    for target, cut in zip(wanted, chosen.cut, strict=True):
        assert points[cut] == brute_force(points, rate, how, target), target


@pytest.mark.parametrize("rate", ["far", "frr"])
@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=60))
def test_any_measure_follows_the_rule_of_the_rates(rate, targets, nontargets, share):
    """The general levels, built from values at all cuts, choose the same cuts."""
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    value = [float(far if rate == "far" else frr) for far, frr in points]
    wanted = np.array([float(w) for w in [share, *midpoints(points, rate)]])
    for how in ("nearest", "at_most", "at_least"):
        one = choose_rate(staircase, rate, wanted, how)
        other = choose_level(staircase, value, wanted, how)
        assert (one.cut == other.cut).all()
        assert (one.tied == other.tied).all()


@given(score_lists(), score_lists(), st.fractions(0, 1, max_denominator=30))
def test_swapping_the_classes_swaps_far_and_frr(targets, nontargets, share):
    """Methods, property P4: cut k of the negated, relabelled scores is cut H - k, for all targets, ties included."""
    distinct, staircase = staircase_of(targets, nontargets)
    _, swapped = staircase_of([-s for s in nontargets], [-s for s in targets])
    for target in map(float, [share, *midpoints(rates(staircase), "far")]):
        far = choose_rate(staircase, "far", target)
        frr = choose_rate(swapped, "frr", target)
        assert int(far.cut) + int(frr.cut) == len(distinct)
        assert int(far.tied) == int(frr.tied)


@given(score_lists(odd=True), score_lists(odd=True), st.fractions(0, 1, max_denominator=40))
def test_a_measure_that_rises_and_falls_equals_brute_force(targets, nontargets, target):
    """|FAR - FRR|: many cuts at a level, on both sides of the equal error, so every key of the rule counts."""
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    exact = [abs(far - frr) for far, frr in points]
    value = [float(v) for v in exact]
    for better, sign in (("lower", 1), ("higher", -1)):
        expected = min(
            range(len(points)),
            key=lambda k: (abs(exact[k] - target), sign * exact[k], sum(points[k]), points[k][0]),
        )
        assert int(choose_level(staircase, value, float(target), better=better).cut) == expected


def test_the_hand_set():
    """Methods 7.9."""
    distinct, staircase = staircase_of(*DEV)
    far = choose_rate(staircase, "far", np.array([0.1, 0.2, 0.3, 0.5, 1]))
    assert threshold_of(distinct, far.cut).tolist() == [1.25, 0.25, 0.25, -0.75, -np.inf]
    assert far.tied.tolist() == [2, 1, 2, 1, 1]  # FAR .4 beats .6 at the same FRR
    frr = choose_rate(staircase, "frr", np.array([0.125, 0.25, 0.5, 1]))
    assert threshold_of(distinct, frr.cut).tolist() == [-0.75, 0.25, 1.25, np.inf]
    assert frr.tied.tolist() == [2, 1, 1, 1]


def test_of_equally_near_levels_the_better_is_taken_and_without_one_allowed_the_nearest():
    _, staircase = staircase_of([2.0, 3.0], [1.0])
    value = np.array([np.nan, 0.2, 0.6, 0.2])  # at cuts 0 to 3
    assert choice.levels_of(Staircases.of(staircase), value).value.tolist() == [0.2, 0.6]
    for better, cut in (("lower", 1), ("higher", 2)):
        chosen = choose_level(staircase, value, 0.4, better=better)
        assert (int(chosen.cut), int(chosen.tied)) == (cut, 1)  # cut 1 beats cuts 2 and 3 outright
    assert int(choose_level(staircase, value, 0.1, "at_most").cut) == 1
    assert int(choose_level(staircase, value, 0.7, "at_least").cut) == 2
    assert choose_level(staircase, value, np.array([[0.1, 0.7]])).cut.tolist() == [[1, 2]]


def test_values_that_rounding_tells_apart_are_one_level():
    _, staircase = staircase_of([1.0, 3.0], [2.0, 4.0])  # cuts (FP, FN): 20 21 11 12 02
    value = np.array([0.5, 0.3, 0.1 + 0.2, 0.5, 0.5])
    chosen = choose_level(staircase, value, 0.3)
    # Cut 1 (1, 1/2), cut 2 (1/2, 1/2): the same FRR, so cut 2 beats it.
    assert (int(chosen.cut), int(chosen.tied)) == (2, 1)
