"""Few trials that two models decide differently: exchanges alone would exclude any margin."""

import math

import numpy as np
import pytest
from judging import decided, gate, judged, only, patterns
from scipy.stats import norm

from reporting.gates.evidence import Exchanged, Normal, Percentile
from reporting.significance.paired import compare_swapped, one_more


def evidence(plus: int, minus: int, n: int, m: int = 1999, seed: int = 0) -> Exchanged:
    """Of n trials of one class, ``plus`` and ``minus`` are decided differently; thresholds are given."""
    rng = np.random.default_rng(seed)
    moved = (2 * rng.binomial(plus + minus, 0.5, m) - plus - minus) / n
    difference = (plus - minus) / n
    both = difference + np.concatenate((moved, -moved))
    error = math.hypot(float(np.sqrt(np.mean(moved**2))), one_more((0.0, 1.0), (0, n)))
    return Exchanged(Percentile(difference, both, "swap"), Normal(difference, error))


def test_one_trial_of_nine_excludes_no_margin():
    """D = -1/9, SE = sqrt(1/81 + 1/81); by exchanges alone p at 0.02 is the least there is."""
    tiny = evidence(0, 1, 9)
    assert tiny.se == pytest.approx(math.sqrt(2) / 9)
    assert tiny.exchanges.p_below(0.02) == 1 / 3999
    assert tiny.p_below(0.02) == pytest.approx(norm.cdf((-1 / 9 - 0.02) * 9 / math.sqrt(2)))
    assert tiny.upper(0.025) == pytest.approx(-1 / 9 + norm.isf(0.025) * math.sqrt(2) / 9)
    assert tiny.p_below(0.0) == tiny.exchanges.p_below(0.0)


def test_what_excludes_0_excludes_what_lies_beyond():
    clear = evidence(0, 12, 40)
    bounds = np.linspace(0, 0.5, 30)
    p = [clear.p_below(bound) for bound in bounds]
    assert p[0] == clear.exchanges.p_below(0.0) < 0.025
    assert max(p) == p[0]
    assert clear.upper(0.025) <= 0


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
