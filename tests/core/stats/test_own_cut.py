"""Limits of the least cost and of the equal error rate: by hand, by laws, and against another program."""

import importlib.util

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tied import score_lists, staircase_of

from reporting.core.stats import own_cut, sweep
from reporting.core.stats.intervals import wilson
from reporting.core.stats.own_cut import ByClass, effective_size, equal_error, least_cost, limits

Z = 1.959963984540054


@pytest.fixture(scope="module")
def other(shared):
    """The interval of another program."""
    place = shared / "references" / "own_cut_interval.py"
    spec = importlib.util.spec_from_file_location("own_cut_interval", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_best_cut_of_five_scores_by_hand():
    """Targets 2, 3, 3; non-targets 0, 1, 2: rejecting 0 and 1 leaves FAR 1/3, rejecting 2 too FRR 1/3."""
    _, s = staircase_of([2, 3, 3], [0, 1, 2])
    best = least_cost(s, 0.5, 0.6)
    assert (best.cost, *best.rate) == pytest.approx((1 / 6, 1 / 3, 0))
    assert best.rejected.tolist() == [1, 1, 0, 0]
    assert best.most == 0.5


def test_limits_at_one_cut_by_hand():
    """Two scores: one cut between them, and the cuts that accept or reject all, whose limits lie higher."""
    _, s = staircase_of([0] * 3 + [1] * 17, [0] * 40 + [1] * 10)
    best = least_cost(s, 1.0, 2.0)
    low, high = limits(s, best, ByClass(50, 20), 0.95, None)
    far, frr = wilson(10, 50, 0.95), wilson(3, 20, 0.95)
    assert low == pytest.approx(0.5 - np.hypot(0.2 - far.low, 2 * (0.15 - frr.low)))
    assert high == pytest.approx(0.5 + np.hypot(far.high - 0.2, 2 * (frr.high - 0.15)))


def test_part_of_a_tied_group_is_rejected_at_the_equal_error_rate():
    """All scores equal: half of each trial is rejected, and none differs from another."""
    _, s = staircase_of([1, 1], [1, 1, 1])
    best = equal_error(s)
    assert best.cost == 0.5
    assert best.rejected.tolist() == [0.5]
    assert best.effect == (0, 0)


def test_a_vertex_at_the_equal_error_rate_weighs_as_both_its_edges():
    """FAR = FRR = 1/4 after rejecting 0; before it FAR falls by 3/4 alone, behind it FRR rises by 3/4 alone."""
    _, s = staircase_of([0, 1, 1, 1], [0, 0, 0, 1])
    assert equal_error(s).weight == pytest.approx((0.5, 0.5))
    _, perfect = staircase_of([1], [0] * 1000)
    best = equal_error(perfect)
    assert (best.cost, *best.weight) == (0, 0.5, 0.5)
    far, frr = wilson(0, 1000, 0.95).high, wilson(0, 1, 0.95).high
    assert limits(perfect, best, ByClass(1000, 1), 0.95, None).high == pytest.approx(np.hypot(far, frr) / 2)


@given(score_lists(), score_lists())
def test_costs_at_the_best_cut_are_the_measures(targets, nontargets):
    _, s = staircase_of(targets, nontargets)
    assert equal_error(s).cost == pytest.approx(float(sweep.eer_rocch(s.misses, s.false_alarms)), abs=1e-12)
    cost = sweep.mindcf(s.misses, s.false_alarms, p_target=0.1, c_miss=5, normalised=False)
    assert least_cost(s, 0.9, 0.5).cost == pytest.approx(float(cost), abs=1e-12)


@given(score_lists(), score_lists())
def test_rejected_shares_give_the_staircase_rate(targets, nontargets):
    """At the crossing of the staircase both classes err equally often."""
    distinct, s = staircase_of(targets, nontargets)
    rejected = equal_error(s).rejected
    place = {score: at for at, score in enumerate(distinct)}
    frr = np.mean([rejected[place[score]] for score in targets])
    far = np.mean([1 - rejected[place[score]] for score in nontargets])
    eer = float(sweep.eer_interp(s.misses, s.false_alarms))
    assert (frr, far) == pytest.approx((eer, eer), abs=1e-12)
    errors = (
        [rejected[place[score]] for score in targets],
        [1 - rejected[place[score]] for score in nontargets],
    )
    for of_class, effect in zip(errors, reversed(equal_error(s).effect), strict=True):
        assert effect * eer * (1 - eer) == pytest.approx(np.var(of_class), abs=1e-12)


@given(
    score_lists(),
    score_lists(),
    st.sampled_from([None, (1.0, 1.0), (0.99, 0.1), (1.0, 9.9)]),
    st.sampled_from([None, 9]),
    st.floats(0, 0.2),
)
def test_limits_are_those_of_the_other_program(other, targets, nontargets, weights, df, optimism):
    """But where the line FAR = FRR meets a vertex: it takes the edge behind it alone."""
    _, s = staircase_of(targets, nontargets)
    best = equal_error(s) if weights is None else least_cost(s, *weights)
    assume(weights is not None or not at_vertex(s))
    design = 1.0 if df is None else 2.5
    sizes = ByClass(len(nontargets) / design, len(targets) / design)
    low, high = limits(s, best, sizes, 0.95, df)
    theirs = other.own_cut_interval(
        s.misses,
        s.false_alarms,
        np.array([best.cost - optimism]),
        None if weights is None else weights[::-1],
        (design, design),
        df=df,
    )
    assert low == pytest.approx(theirs[0], abs=1e-9)
    assert high + optimism == pytest.approx(theirs[1], abs=1e-9)
    assert 0 <= low <= best.cost <= high


def at_vertex(s):
    """Whether a vertex of the hull has FAR = FRR."""
    far, frr = s.false_alarms[s.hull] * s.n_target, s.misses[s.hull] * s.n_nontarget
    return bool((far == frr).any())


def test_effective_sizes():
    assert effective_size(100, 4.0) == 25
    assert effective_size(100, 0.01) == pytest.approx(100 / own_cut.LEAST_OF_TIED)
