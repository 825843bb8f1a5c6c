"""Two thresholds with review between them, and errors among confident decisions: by hand, by brute force."""

from __future__ import annotations

import itertools
import math
from dataclasses import astuple
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.stats.staircase import cumulate
from reporting.features.abstention.formulas import (
    COVERAGES,
    ConfidenceReader,
    Decided,
    TwoCuts,
    area_under_risk,
    cheapest_cuts,
    chow_ratios,
    risk_at,
)
from reporting.features.abstention.keys import ReviewCosts

CLASSES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=7).filter(
    lambda counts: all(sum(each) for each in zip(*counts, strict=True))
)
"""Targets and non-targets at each distinct score, tied where there are several; neither class is empty."""
COST = st.sampled_from([0.1, 0.25, 0.5, 1.0, 3.0])
COSTS = st.builds(ReviewCosts, COST, COST, st.sampled_from([0.0, 0.05, 0.1, 0.3, 1.0]))
CAPACITY = st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])
SHARE = st.sampled_from([None, 0.01, 0.3, 0.5])


def exact(number: float) -> Fraction:
    """Return the decimal number that is written."""
    return Fraction(repr(number))


def mean(counts: list[tuple[int, int]], of_targets: Any, of_nontargets: Any, share: float | None) -> Fraction:
    """Return pi a / N1 + (1 - pi) b / N0 as a fraction."""
    n_target, n_nontarget = (sum(each) for each in zip(*counts, strict=True))
    pi = Fraction(n_target, n_target + n_nontarget) if share is None else exact(share)
    return pi * of_targets / n_target + (1 - pi) * of_nontargets / n_nontarget


def pairs(
    counts: list[tuple[int, int]], costs: ReviewCosts, share: float | None
) -> dict[TwoCuts, tuple[Fraction, Fraction]]:
    """Return the mean cost and the share reviewed of every pair of cuts."""
    false_positive, false_negative, review = map(exact, astuple(costs))
    found = {}
    for lower, upper in itertools.combinations_with_replacement(range(len(counts) + 1), 2):
        misses = sum(target for target, _ in counts[:lower])
        alarms = sum(nontarget for _, nontarget in counts[upper:])
        between = [sum(each) for each in zip(*counts[lower:upper], strict=True)] or [0, 0]
        of_targets = false_negative * misses + review * between[0]
        of_nontargets = false_positive * alarms + review * between[1]
        found[TwoCuts(lower, upper)] = (
            mean(counts, of_targets, of_nontargets, share),
            mean(counts, between[0], between[1], share),
        )
    return found


def chosen(
    counts: list[tuple[int, int]], costs: ReviewCosts, capacity: float = 1.0, share: float | None = None
) -> TwoCuts:
    """Return the cuts of counts at each distinct score."""
    targets, nontargets = (np.array(each, dtype=np.int64) for each in zip(*counts, strict=True))
    return cheapest_cuts(*cumulate(targets, nontargets), costs, capacity, share)


EIGHT = [(0, 2), (1, 1), (1, 1), (2, 0)]
"""Scores 1 to 4: two non-targets, one of each, one of each, two targets."""


def test_cuts_by_hand() -> None:
    # Between the second and the third score one is missed and one accepted: 2/8. To review both middle
    # scores leaves no error, and costs 4 r / 8; to review one of them 2 r / 8 + 1/8.
    assert chosen(EIGHT, ReviewCosts(1, 1, 0.4)) == (1, 3)
    assert chosen(EIGHT, ReviewCosts(1, 1, 0.6)) == (1, 1)
    # At r = 1/2 all three cost as much: fewest reviews, and of the cuts without any the lowest.
    assert chosen(EIGHT, ReviewCosts(1, 1, 0.5)) == (1, 1)
    # Two of eight can be reviewed: the lower of two pairs that cost 2 r / 8 + 1/8.
    assert chosen(EIGHT, ReviewCosts(1, 1, 0), 0.25) == (1, 2)
    # A miss costs five times as much: the missed target of the lower cut is not worth it.
    assert chosen(EIGHT, ReviewCosts(1, 5, 0), 0.25) == (1, 2)
    assert chosen(EIGHT, ReviewCosts(5, 1, 0), 0.25) == (2, 3)
    # 0.24 of eight are less than two, and no two scores can be parted.
    assert chosen(EIGHT, ReviewCosts(1, 1, 0), 0.24) == (1, 1)
    assert chosen(EIGHT, ReviewCosts(1, 1, 0), 0.0) == (1, 1)


def test_capacity_is_a_share_in_use_where_it_is_declared() -> None:
    counts = [(0, 8), (1, 1), (1, 0)]
    # To review the middle score takes half of the targets and a ninth of the others.
    assert chosen(counts, ReviewCosts(), 0.15, 0.1) == (1, 2)  # .1 / 2 + .9 / 9 = .15, exactly
    assert chosen(counts, ReviewCosts(), 0.15, 0.11).upper == chosen(counts, ReviewCosts(), 0.15, 0.11).lower


@given(CLASSES, COSTS, CAPACITY, SHARE)
def test_no_pair_of_cuts_is_cheaper(
    counts: list[tuple[int, int]], costs: ReviewCosts, capacity: float, share: float | None
) -> None:
    every = pairs(counts, costs, share)
    allowed = {cuts: each for cuts, each in every.items() if each[1] <= exact(capacity)}
    cuts = chosen(counts, costs, capacity, share)
    assert cuts in allowed
    assert allowed[cuts] == min(allowed.values())  # the least cost, and of these the fewest reviews
    assert cuts == min(c for c, each in allowed.items() if each == allowed[cuts] and c.upper == cuts.upper)
    assert cuts.upper == min(c.upper for c, each in allowed.items() if each == allowed[cuts])


@given(CLASSES, COSTS, CAPACITY)
def test_other_units_of_cost_and_repeated_trials_change_nothing(
    counts: list[tuple[int, int]], costs: ReviewCosts, capacity: float
) -> None:
    cuts = chosen(counts, costs, capacity)
    assert chosen(counts, ReviewCosts(*(8 * cost for cost in astuple(costs))), capacity) == cuts
    assert chosen([(3 * a, 3 * b) for a, b in counts], costs, capacity) == cuts


def test_very_many_trials_still_fit() -> None:
    counts = [(0, 10**9), (10**8, 10**8), (10**9, 0)]
    assert chosen(counts, ReviewCosts(1, 1, 0.123456789012345)) == (1, 2)
    assert chosen(counts, ReviewCosts(1, 1, 0.623456789012345)) == (1, 1)
    assert chosen(counts, ReviewCosts(1, 1, 0.123456789012345), 1.0, 0.223456789012345) == (1, 2)
    # A review that costs as much as the miss that it avoids is none.
    assert chosen(counts, ReviewCosts(1, 1, 0.123456789012345), 1.0, 0.123456789012345) == (2, 2)


def test_decided_by_hand() -> None:
    # Of EIGHT with cuts (1, 2): below are two non-targets, between one of each, above one non-target.
    decided = Decided(0, 1, 1, 1, 4, 4)
    assert float(decided.rejected) == 2 / 8
    assert float(decided.reviewed) == 2 / 8
    assert float(decided.accepted) == 4 / 8
    assert float(decided.error) == pytest.approx(1 / 6)
    assert float(decided.frr) == 0
    assert float(decided.far) == pytest.approx(1 / 3)
    assert float(decided.cost(ReviewCosts(1, 5, 0.5))) == (1 + 2 * 0.5) / 8
    in_use = Decided(0, 1, 1, 1, 4, 4, prevalence=0.2)
    assert float(in_use.reviewed) == pytest.approx(0.25)
    assert float(in_use.accepted) == pytest.approx(0.2 * 3 / 4 + 0.8 / 4)
    assert float(in_use.error) == pytest.approx((0.8 / 4) / 0.75)
    assert float(in_use.cost(ReviewCosts(1, 5, 0.5))) == pytest.approx(0.2 * 0.5 / 4 + 0.8 * 1.5 / 4)
    assert float(in_use.far) == pytest.approx(1 / 3)


def test_nothing_is_decided() -> None:
    nothing = Decided(0, 0, 3, 4, 3, 4)
    assert all(math.isnan(rate) for rate in (nothing.error, nothing.far, nothing.frr))
    assert float(nothing.cost(ReviewCosts(review=0.3))) == pytest.approx(0.3)


@given(CLASSES, COSTS, CAPACITY, SHARE)
def test_the_cost_of_the_cuts_is_the_fraction(
    counts: list[tuple[int, int]], costs: ReviewCosts, capacity: float, share: float | None
) -> None:
    lower, upper = chosen(counts, costs, capacity, share)
    targets, nontargets = (np.array(each) for each in zip(*counts, strict=True))
    misses, alarms = cumulate(targets, nontargets)
    ends = ((misses[cut], alarms[cut]) for cut in (lower, upper))
    decided = Decided.between(next(ends), next(ends), (targets.sum(), nontargets.sum()), share)
    cost, reviewed = pairs(counts, costs, share)[TwoCuts(lower, upper)]
    assert float(decided.cost(costs)) == pytest.approx(float(cost))
    assert float(decided.reviewed) == pytest.approx(float(reviewed))
    assert float(decided.rejected + decided.reviewed + decided.accepted) == pytest.approx(1)


def test_chow_by_hand() -> None:
    # p c_fn = c_r at p = .2 / 4; (1 - p) c_fp = c_r at p = 1 - .2.
    ratios = chow_ratios(ReviewCosts(1, 4, 0.2), 0.5)
    assert ratios.lower == pytest.approx(math.log(0.05 / 0.95))
    assert ratios.upper == pytest.approx(math.log(0.8 / 0.2))
    shifted = chow_ratios(ReviewCosts(1, 4, 0.2), 0.1)
    assert shifted.lower == pytest.approx(math.log(0.05 / 0.95 * 9))
    # A review that costs c_fp c_fn / (c_fp + c_fn) never pays: Bayes' threshold.
    assert chow_ratios(ReviewCosts(1, 4, 0.8), 0.5) == pytest.approx((math.log(1 / 4),) * 2)
    assert chow_ratios(ReviewCosts(1, 4, 0.79), 0.5)[0] < chow_ratios(ReviewCosts(1, 4, 0.79), 0.5)[1]
    assert chow_ratios(ReviewCosts(1, 1, 0), 0.5) == (-math.inf, math.inf)


@given(COST, COST, st.floats(0.01, 3), st.floats(0.01, 0.99), st.floats(-8, 8))
def test_chow_takes_the_cheapest_decision(
    false_positive: float, false_negative: float, review: float, share: float, llr: float
) -> None:
    costs = ReviewCosts(false_positive, false_negative, review)
    ratios = chow_ratios(costs, share)
    p = 1 / (1 + (1 - share) / share * math.exp(-llr))
    by_decision = {"reject": p * false_negative, "accept": (1 - p) * false_positive, "review": review}
    decision = "accept" if llr >= ratios.upper else "reject" if llr < ratios.lower else "review"
    assert by_decision[decision] == pytest.approx(min(by_decision.values()))


@given(COST, COST, st.sampled_from([0.02, 0.1, 0.3]), st.sampled_from([0.2, 0.5]))
def test_cuts_of_known_likelihood_ratios_are_those_of_chow(
    false_positive: float, false_negative: float, review: float, share: float
) -> None:
    """Counts in exactly the ratio of the posterior at every score: the empirical rule is Chow's."""
    p = np.arange(1, 40) / 40
    counts = [(round(40 * each), round(40 * (1 - each))) for each in p]
    costs = ReviewCosts(false_positive, false_negative, review)
    lower, upper = chosen(counts, costs)
    ends = [1 / (1 + math.exp(-llr)) for llr in chow_ratios(costs, 0.5)]
    least = sum(min(q * false_negative, (1 - q) * false_positive, review) * 40 for q in p)
    cost = sum(
        40 * (q * false_negative if at < lower else (1 - q) * false_positive if at >= upper else review)
        for at, q in enumerate(p)
    )
    assert cost == pytest.approx(least)
    by_chow = sum(
        40 * (q * false_negative if q < ends[0] else (1 - q) * false_positive if q >= ends[1] else review)
        for q in p
    )
    assert by_chow == pytest.approx(least)


def one(values: list[int]) -> Any:
    """Return counts as those of one replicate."""
    return np.array([values], dtype=np.float64)


def test_areas_by_hand() -> None:
    # Right, wrong, right, wrong: 0, 1/2, 1/3, 2/4.
    area = area_under_risk(one([0, 1, 0, 1]), one([1, 1, 1, 1]))
    assert area[0] == pytest.approx(float((Fraction(1, 2) + Fraction(1, 3) + Fraction(1, 2)) / 4))
    # The two in the middle tied: 0, (0 + 1/2) / 2, 1/3, 2/4.
    area = area_under_risk(one([0, 1, 1]), one([1, 2, 1]))
    assert area[0] == pytest.approx(float((Fraction(1, 4) + Fraction(1, 3) + Fraction(1, 2)) / 4))
    # All tied: the overall error.
    assert area_under_risk(one([3]), one([7]))[0] == pytest.approx(3 / 7)
    # No trial has this confidence.
    assert area_under_risk(one([0, 0, 1, 0]), one([1, 0, 3, 0]))[0] == pytest.approx(
        area_under_risk(one([0, 1]), one([1, 3]))[0]
    )
    assert math.isnan(area_under_risk(one([0]), one([0]))[0])


GROUPS = st.lists(
    st.integers(0, 4).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=4
).filter(lambda groups: 0 < sum(n for _, n in groups) <= 6)
"""Errors and trials of groups of equal confidence."""


@given(GROUPS)
def test_areas_are_means_over_all_orders_of_ties(groups: list[tuple[int, int]]) -> None:
    n = sum(trials for _, trials in groups)
    expected = [Fraction(0)] * n
    orders = list(itertools.product(*(itertools.permutations([1] * e + [0] * (g - e)) for e, g in groups)))
    for order in orders:
        wrong = list(itertools.accumulate(itertools.chain(*order)))
        for k in range(n):
            expected[k] += Fraction(wrong[k], (k + 1) * len(orders))
    errors, trials = (one(list(each)) for each in zip(*groups, strict=True))
    assert area_under_risk(errors, trials)[0] == pytest.approx(float(sum(expected) / n))
    at = risk_at(errors, trials, np.arange(1, n + 1) / n)[0]
    assert at == pytest.approx([float(risk) for risk in expected])


@given(st.permutations(range(8)), st.lists(st.booleans(), min_size=8, max_size=8))
def test_areas_weigh_errors_by_their_rank(order: list[int], wrong: list[bool]) -> None:
    """The form with one weight an error: H_N - H_(r - 1) of the r-th most confident, over N (Zhou et al. 2024)."""
    errors = [int(wrong[trial]) for trial in order]
    harmonic = [sum(1 / j for j in range(1, k + 1)) for k in range(9)]
    expected = sum(harmonic[8] - harmonic[rank] for rank, error in enumerate(errors) if error) / 8
    assert area_under_risk(one(errors), one([1] * 8))[0] == pytest.approx(expected)


@given(st.lists(GROUPS, min_size=2, max_size=4))
def test_replicates_are_read_by_themselves(several: list[list[tuple[int, int]]]) -> None:
    longest = max(map(len, several))
    rows = [[*groups, *[(0, 0)] * (longest - len(groups))] for groups in several]
    errors, trials = (np.array([[group[at] for group in row] for row in rows], float) for at in (0, 1))
    together = risk_at(errors, trials), area_under_risk(errors, trials)
    for row in range(len(rows)):
        own = risk_at(errors[[row]], trials[[row]])[0], area_under_risk(errors[[row]], trials[[row]])[0]
        assert together[0][row] == pytest.approx(own[0])
        assert together[1][row] == pytest.approx(own[1])


def test_the_reader_by_hand() -> None:
    # The surest group has a rejected target and two rejected non-targets, the next an accepted one of each.
    targets, nontargets = one([1, 0, 0, 1]), one([2, 0, 0, 1])
    all_trials, of_targets, of_nontargets = ConfidenceReader(None).of_cells(targets, nontargets)[0]
    # Of three trials 1/3 wrong in any order, then 3/8 and 2/5.
    assert all_trials[-1] == pytest.approx(float((3 * Fraction(1, 3) + Fraction(3, 8) + Fraction(2, 5)) / 5))
    assert of_targets[-1] == pytest.approx(float((1 + Fraction(1, 2)) / 2))
    assert of_nontargets[-1] == pytest.approx(float(Fraction(1, 3) / 3))
    assert all_trials[-2] == pytest.approx(2 / 5)
    assert (of_targets[-2], of_nontargets[-2]) == pytest.approx((1 / 2, 1 / 3))
    assert len(all_trials) == len(COVERAGES) + 1
    # The trials at hand, half of them targets: 2.5 of each class.
    half = ConfidenceReader(0.5).of_cells(targets, nontargets)[0]
    assert half[0][-2] == pytest.approx(1 / 4 + 1 / 6)
    assert half[1:] == pytest.approx(np.stack((of_targets, of_nontargets)))


@given(CLASSES)
def test_what_is_read_between_cuts_is_what_is_read_of_cells(counts: list[tuple[int, int]]) -> None:
    targets, nontargets = (np.repeat(np.array([each]), 2, axis=1) for each in zip(*counts, strict=True))
    errors = cumulate(targets[0], nontargets[0])
    reader = ConfidenceReader(None, (0.1, 0.2, 0.3))
    read, of_cells = reader(*(each[None] for each in errors)), reader.of_cells(targets, nontargets)
    assert read == pytest.approx(of_cells, nan_ok=True)
