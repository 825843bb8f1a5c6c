"""Few trials that two models decide differently: exchanges alone would exclude any margin."""

import math

import numpy as np
import pytest
from judging import decided, gate, judged, only, patterns
from proportions import clopper_pearson
from scipy.stats import binom, multinomial, norm

from reporting.core.resampling.margins import Exchanged, Percentile, Score
from reporting.core.resampling.paired import compare_swapped, one_more
from reporting.core.stats.paired import Discordant, score_reach
from reporting.features.further_tests.equivalence import non_inferiority, tost
from reporting.features.gates.bounds import Apart, Binomial
from tests.research.studies.paired_counts import evidence_of

FRR, HTER = (0.0, 1.0), (0.5, 0.5)


def evidence(plus: int, minus: int, n: int, m: int = 1999, seed: int = 0) -> Exchanged:
    """Of n trials of one class, ``plus`` and ``minus`` are decided differently; thresholds are given."""
    rng = np.random.default_rng(seed)
    moved = (2 * rng.binomial(plus + minus, 0.5, m) - plus - minus) / n
    difference = (plus - minus) / n
    both = difference + np.concatenate((moved, -moved))
    score = Score(difference, float(np.mean(moved**2)), 1 / n)
    return Exchanged(Percentile(difference, both, "swap"), score)


def missed(plus, minus, n) -> Score:
    """Of n targets the first model misses ``plus`` and the second ``minus`` that the other accepts."""
    return evidence_of(Discordant(0, 0, minus, plus, n_target=n, n_nontarget=1), FRR)


def test_one_trial_of_nine_excludes_no_margin():
    """D = -1/9; by exchanges alone p at 0.02 is the least there is. In trials r^3 = (z^2 + L^2) r + L^2 D."""
    tiny = evidence(0, 1, 9)
    assert tiny.se == pytest.approx(1 / 9)
    assert tiny.exchanges.p_below(0.02) == 1 / 3999
    squares = norm.isf(0.025) ** 2, math.log(0.025) ** 2
    (root,) = [r.real for r in np.roots([1, 0, -sum(squares), squares[1]]) if r.real > 1]
    assert tiny.upper(0.025) == pytest.approx((root - 1) / 9)
    assert tiny.p_below(tiny.upper(0.025)) == pytest.approx(0.025, rel=1e-6)
    assert tiny.p_below(0.02) > 0.15
    assert tiny.p_below(0.0) == tiny.exchanges.p_below(0.0)


def test_what_excludes_0_excludes_what_lies_beyond():
    clear = evidence(0, 12, 40)
    bounds = np.linspace(0, 0.5, 30)
    p = [clear.p_below(bound) for bound in bounds]
    assert p[0] == clear.exchanges.p_below(0.0) < 0.025
    assert max(p) == p[0]
    assert clear.upper(0.025) <= 0


def test_limits_are_the_rule_of_3_without_discordant_trials_and_tangos_of_many():
    for tail in (0.05, 0.025, 0.001):
        assert score_reach(0.0, 0.0, 0.01, tail) == pytest.approx(-math.log(tail) / 100)
        for n, plus, minus in ((10_000, 900, 800), (10_000, 600, 900), (50_000, 500, 500)):
            d, z = (plus - minus) / n, norm.isf(tail)
            reach = score_reach(d, (plus + minus) / n**2, 1 / n, tail)
            bound = d + reach
            # The likeliest share that only the second errs on, given the bound (Tango 1998, eq. 6).
            b, c = (2 * n - plus + minus) * bound - plus - minus, -minus * bound * (1 - bound)
            share = (math.sqrt(b * b - 8 * n * c) - b) / (4 * n)
            by_tango = n * (2 * share + bound * (1 - bound)) / n**2
            assert reach / math.sqrt(by_tango) == pytest.approx(z, rel=0.02)


CASES = [(30, 0.1), (50, 0.05), (50, 0.1), (100, 0.03), (100, 0.05), (200, 0.02), (200, 0.03), (500, 0.01),
         (1000, 0.005), (1000, 0.01)]  # fmt: skip


def wrong_passes(n, margin, also, passes):
    """The exact probability, at a true difference equal to the margin, where ``also`` trials err either way."""
    reach = 9 * math.sqrt(n * (margin + also)) + 9
    plus, minus = np.mgrid[: int(n * (margin + also) + reach) + 1, : int(n * also + reach * (also > 0)) + 1]
    within = plus + minus <= n
    counts = np.stack([plus[within], minus[within]], axis=1)
    chance = multinomial.pmf(
        np.column_stack([counts, n - counts.sum(axis=1)]), n, [margin + also, also, 1 - margin - 2 * also]
    )
    likely = chance > 1e-9
    return sum(p for (a, b), p in zip(counts[likely], chance[likely], strict=True) if passes(missed(a, b, n)))


@pytest.mark.parametrize(("n", "margin"), CASES)
def test_a_gate_seldom_passes_a_difference_equal_to_its_margin(n, margin):
    """Promised 2.5%; with the plug-in error up to 15%."""
    exact = wrong_passes(n, margin, 0.0, lambda found: found.p_below(margin) <= 0.025)
    assert exact <= 0.0251
    # Directly: the largest k that passes, of Bin(n, margin).
    passing = [k for k in range(n) if missed(k, 0, n).upper(0.025) < margin]
    assert exact == pytest.approx(binom.cdf(max(passing, default=-1), n, margin), abs=1e-8)


@pytest.mark.parametrize(("n", "margin"), [case for case in CASES if case[0] <= 200])
@pytest.mark.parametrize("also", [0.02, 0.1])
def test_nor_where_models_disagree_both_ways(n, margin, also):
    assert wrong_passes(n, margin, also, lambda found: found.p_below(margin) <= 0.025) <= 0.0255


@pytest.mark.parametrize(("n", "margin"), CASES)
def test_equivalence_and_non_inferiority_hold_their_level(n, margin):
    """Promised 5%."""
    assert wrong_passes(n, margin, 0.0, lambda d: tost(d, margin, 0.95).verdict == "equivalent") <= 0.051

    def passes(d):
        return non_inferiority(d, margin, 0.95, "lower").verdict == "not_inferior"

    assert wrong_passes(n, margin, 0.0, passes) <= 0.051


@pytest.mark.parametrize(("n_target", "n_nontarget"), [(30, 30), (30, 300), (100, 400)])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_weighted_sum_of_both_classes_holds_it_too(n_target, n_nontarget, share):
    """HTER, its difference equal to the margin: ``share`` of it is in FAR."""
    margin = 5 / n_target
    rates = 2 * margin * share, 2 * margin * (1 - share)
    exact = 0.0
    for alarms in range(n_nontarget + 1):
        first = binom.pmf(alarms, n_nontarget, rates[0])
        for misses in range(n_target + 1) if first > 1e-9 else ():
            chance = first * binom.pmf(misses, n_target, rates[1])
            if chance > 1e-9:
                d = Discordant(alarms, 0, 0, misses, n_target=n_target, n_nontarget=n_nontarget)
                exact += chance * (evidence_of(d, HTER).p_below(margin) <= 0.025)
    assert exact <= 0.0255


@pytest.mark.parametrize(
    ("n", "differ", "margin"), [(9, 0.2, 0.02), (20, 0.1, 0.02), (50, 0.1, 0.02), (50, 0.4, 0.05)]
)
def test_a_difference_as_large_as_the_margin_seldom_passes(n, differ, margin):
    """At most .025 of tables, and 3 Monte-Carlo errors; by exchanges alone up to .2 of them."""
    rng = np.random.default_rng(5)
    passed, alone, runs = 0, 0, 1000
    for run in range(runs):
        plus, minus, _ = rng.multinomial(n, [(differ + margin) / 2, (differ - margin) / 2, 1 - differ])
        if plus + minus:
            each = evidence(plus, minus, n, 399, run)
            passed += each.p_below(margin) <= 0.025
            alone += each.exchanges.p_below(margin) <= 0.025
    limit = 0.025 + 3 * math.sqrt(0.025 * 0.975 / runs)
    assert passed / runs <= limit
    assert (n, differ) == (50, 0.4) or alone / runs > limit


def test_a_run_on_nine_targets_is_undecided(tmp_path):
    """The first misses one trial that the second finds not, and no other decision differs."""
    rows = decided(patterns(9, 1, 0), patterns(290, 0, 0, (0, 0)))
    row = only(judged(tmp_path, rows, gate(measure="frr"), overrides=()))
    assert (row["estimate"], row["outcome"]) == (-1 / 9, "undecided")


def test_limits_of_few_discordant_trials_are_those_of_one_more():
    moved = np.repeat([-1 / 9, 1 / 9], 200)
    still = np.zeros((400, 0))
    alone = compare_swapped(-1 / 9, moved, still, 0.95, alike=False)
    assert (alone.low, alone.high) == (-2 / 9, 0.0)
    one = one_more((0.0, 1.0), (290, 9))
    wider = compare_swapped(-1 / 9, moved, still, 0.95, alike=False, further=one)
    reach = norm.isf(0.025) * math.sqrt(2) / 9
    assert (wider.low, wider.high) == pytest.approx((-1 / 9 - reach, -1 / 9 + reach))
    assert wider.p_value == alone.p_value == 1.0


def test_two_runs_on_other_trials_square_and_add_their_limits():
    """2 of 100 against 5 of 120, by hand from Clopper and Pearson's limits; and none against none."""
    now, before = Binomial(2, 100), Binomial(5, 120)
    apart = Apart(now, before)
    assert apart.estimate == pytest.approx(2 / 100 - 5 / 120)
    above, below = (clopper_pearson(*of, 0.95) for of in ((2, 100), (5, 120)))
    reach = math.hypot(above.high - 2 / 100, 5 / 120 - below.low)
    assert apart.upper(0.025) == pytest.approx(apart.estimate + reach)
    assert apart.lower(0.025) == pytest.approx(-apart.negative.upper(0.025))
    assert apart.p_below(apart.upper(0.025)) == pytest.approx(0.025, rel=1e-6)
    assert apart.p_below(apart.estimate - 0.01) == 1.0
    none = Apart(Binomial(0, 100), Binomial(0, 100))
    assert none.upper(0.025) == -none.lower(0.025) == pytest.approx(1 - 0.025**0.01)


@pytest.mark.parametrize(("n", "margin"), [(50, 0.1), (100, 0.05), (200, 0.02)])
def test_two_runs_seldom_pass_a_difference_equal_to_the_margin(n, margin):
    """Exactly, of two rates .01 and .01 more than the margin; by normal errors .035 to .044."""
    chances = [binom.pmf(np.arange(n + 1), n, rate) for rate in (0.01 + margin, 0.01)]
    exact = 0.0
    for a in np.flatnonzero(chances[0] > 1e-7):
        for b in np.flatnonzero(chances[1] > 1e-7):
            passes = Apart(Binomial(int(a), n), Binomial(int(b), n)).upper(0.025) < margin
            exact += chances[0][a] * chances[1][b] * passes
    assert exact <= 0.027
