"""Verdicts by hand, their agreement with the limits, Holm over gates, and what is still needed."""

import dataclasses
import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proportions import clopper_pearson
from scipy.special import ndtri

from reporting.core.resampling.margins import Normal, Percentile, Score
from reporting.core.resampling.paired import adjust
from reporting.core.stats.effective_size import EffectiveRate
from reporting.core.stats.intervals import percentile
from reporting.core.stats.paired import Discordant
from reporting.core.stats.planning import power
from reporting.features.gates.betting import Night, log_e_above, pooled, stake
from reporting.features.gates.bounds import AtEveryLevel, Binomial
from reporting.features.gates.evidence import Looks, State, look
from reporting.features.gates.past import trials_of_night
from reporting.features.gates.verdict import GateCase, judge
from tests.research.studies.paired_counts import evidence_of

ERROR = 0.025


def asked(found, bound=0.0, side="below", error=ERROR, n=1000):
    return GateCase(found, side, bound, error, n)


def alone(found, bound=0.0, side="below", **more):
    (made,) = judge([asked(found, bound, side, **more)])
    return made


def test_non_inferiority_by_hand():
    # Limits are 0.001 -+ 1.96 * 0.0005: below the margin of 0.002 by a hair, above 0 by another.
    inside = Normal(0.001, 0.0005)
    assert alone(inside, 0.002).outcome == "pass"
    assert alone(inside, 0.002).high == pytest.approx(0.00197998, abs=1e-8)
    assert alone(inside, 0.0019).outcome == "undecided"
    assert alone(inside, 0.0).outcome == "fail"
    assert alone(inside, 0.0).p == pytest.approx(0.0455003, abs=1e-7)


@pytest.mark.parametrize(("estimate", "outcome"), [(-0.02, "pass"), (0.001, "undecided"), (0.02, "fail")])
def test_sides_mirror_each_other(estimate, outcome):
    below = alone(Normal(estimate, 0.005), 0.0, "below")
    above = alone(Normal(-estimate, 0.005), 0.0, "above")
    assert below.outcome == above.outcome == outcome
    assert (below.low, below.high) == (-above.high, -above.low)
    assert below.p == above.p
    assert below.needed == above.needed


def test_a_rate_below_its_limit_is_an_exact_test():
    # 2 errors of 400 against 2%: P(K <= 2) = 0.0130 at the limit.
    exact = float(
        sum(Fraction(comb(400, k)) * Fraction(1, 50) ** k * Fraction(49, 50) ** (400 - k) for k in range(3))
    )
    found = Binomial(2, 400)
    assert found.p_below(0.02) == pytest.approx(exact, rel=1e-10)
    assert found.p_above(0.02) == pytest.approx(1 - exact + math.comb(400, 2) * 0.02**2 * 0.98**398, rel=1e-9)
    assert alone(found, 0.02).outcome == "pass"
    assert (alone(found, 0.02).low, alone(found, 0.02).high) == pytest.approx(clopper_pearson(2, 400, 0.95))
    assert alone(found, 0.015).outcome == "undecided"


def test_models_that_decide_alike_are_not_worse_once_there_are_enough_trials():
    """No discordant trial of n in either class: the rule of 3, -log(0.025) w / n."""
    few, many = (evidence_of(Discordant(0, 0, 0, 0, n, n), HTER) for n in (150, 3000))
    assert few.upper(ERROR) == pytest.approx(-math.log(0.025) / 2 / 150)
    assert alone(few, 0.01).outcome == "undecided"
    assert alone(few, 0.01, n=600).needed == pytest.approx(600 * (few.upper(ERROR) / 0.01 - 1), abs=1)
    assert alone(many, 0.01).outcome == "pass"
    assert alone(many, 0.0).outcome == "undecided"
    assert alone(many, -0.01).outcome == "fail"


def test_percentile_limits_are_those_of_the_report():
    values = np.random.default_rng(1).normal(0.1, 0.01, 999)
    found = Percentile(0.1, values)
    assert (found.lower(ERROR), found.upper(ERROR)) == percentile(values, 0.95)
    assert alone(Percentile(0.1, values[:30]), 0.2).reason == "too_few_replicates"
    assert alone(Percentile(0.1, values[:30]), 0.2).high is None


def test_intervals_of_few_replicates_decide_where_they_have_limits():
    """A tail below 1 / (M + 1) has no limit: the p of a bound that all replicates are below is not 1."""
    values = np.random.default_rng(1).normal(0.1, 0.01, 99)

    def limits(level):
        return percentile(values, level) or (math.nan, math.nan)

    found = AtEveryLevel(0.1, limits, "lowered")
    assert found.p_below(0.2) == pytest.approx(1 / 100)
    assert found.p_below(0.1) == pytest.approx(Percentile(0.1, values).p_below(0.1), abs=0.01)
    assert found.p_above(0.2) == pytest.approx(99 / 100)
    assert alone(found, 0.2).outcome == "pass"
    assert alone(found, 0.0).outcome == "fail"


EVIDENCE = st.one_of(
    st.builds(Normal, st.floats(-0.1, 0.1), st.floats(1e-4, 0.05), st.sampled_from([None, 4.0])),
    st.builds(lambda n, k: Binomial(min(n, k), n), st.integers(1, 500), st.integers(0, 500)),
    st.builds(
        lambda rate, n, df: AtEveryLevel(rate, EffectiveRate(rate, n, df).limits, "korn_graubard"),
        st.sampled_from([0.0, 0.01, 0.3, 1.0]),
        st.floats(1, 1000),
        st.sampled_from([None, 1, 9]),
    ),
    st.builds(
        lambda seed: Percentile(0.0, np.random.default_rng(seed).integers(-40, 41, 399) / 400),
        st.integers(0, 9),
    ),
    st.builds(
        lambda counts, p: Score(
            (counts[0] - counts[1]) / 500,
            (counts[0] + counts[1]) / 500**2,
            1 / 500,
            at_zero=None if p is None else (p, 1 - p),
        ),
        st.tuples(st.integers(0, 40), st.integers(0, 40)),
        st.none() | st.floats(0.001, 0.999),
    ),
)
BOUND = st.integers(1, 199).map(lambda k: k / 200)
ASKED = st.builds(
    asked, EVIDENCE, BOUND, st.sampled_from(["below", "above"]), st.sampled_from([0.025, 0.05, 0.005])
)


@settings(max_examples=150)
@given(st.lists(ASKED, min_size=1, max_size=5))
def test_verdicts_agree_with_limits_and_adjusted_p_also_among_others(gates):
    for one, made in zip(gates, judge(gates), strict=True):
        if (
            made.low is None
            or made.high is None
            or min(abs(made.low - one.bound), abs(made.high - one.bound)) < 1e-9
        ):
            continue
        wholly = {"below": made.high < one.bound, "above": made.low > one.bound}
        good, bad = wholly[one.side], wholly["above" if one.side == "below" else "below"]
        assert made.outcome == ("pass" if good else "fail" if bad else "undecided")
        if abs(made.p_adjusted - 2 * one.error) > 1e-9:
            assert (made.p_adjusted <= 2 * one.error) == (made.outcome != "undecided")
        assert made.p <= made.p_adjusted + 1e-15


@settings(max_examples=50)
@given(st.lists(ASKED, min_size=2, max_size=5), st.randoms())
def test_the_order_of_gates_does_not_matter(gates, shuffling):
    order = list(range(len(gates)))
    shuffling.shuffle(order)
    assert [judge(gates)[at] for at in order] == judge([gates[at] for at in order])


@settings(max_examples=30)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_each_side_is_adjusted_as_holm_has_it(z):
    gates = [asked(Normal(each, 1.0), 0.0) for each in z]
    sides = [
        np.array([found(one.evidence)(0.0) for one in gates])
        for found in (lambda e: e.p_below, lambda e: e.p_above)
    ]
    holm = np.minimum(1, 2 * np.min([adjust(p, "holm") for p in sides], axis=0))
    assert [made.p_adjusted for made in judge(gates)] == pytest.approx(holm)


def test_a_gate_that_passes_alone_may_be_undecided_among_others():
    weak, other = asked(Normal(-0.0021, 0.001)), asked(Normal(0.0, 0.001))
    assert judge([weak])[0].outcome == "pass"
    together = judge([weak, other, other])[0]
    assert (together.outcome, together.reason) == ("undecided", "after_adjustment")
    assert together.high == pytest.approx(-0.0021 - float(ndtri(ERROR / 3)) * 0.001)
    assert together.high > 0
    # A strong one first eases the next step.
    assert judge([weak, asked(Normal(-0.01, 0.001))])[0].outcome == "pass"


def test_gates_without_numbers_keep_their_place_in_the_family():
    nothing = GateCase(None, "below", 0.0, ERROR, status="no_targets")
    weak = asked(Normal(-0.0021, 0.001))
    first, second = judge([weak, nothing])
    assert first.outcome == "undecided"
    assert (second.outcome, second.reason, second.p, second.low) == ("undecided", "no_targets", None, None)


def test_what_is_needed_would_decide_four_times_in_five():
    estimate, se, n = 0.001, 0.001, 1000
    made = alone(Normal(estimate, se), 0.002, n=n)
    then = se * math.sqrt(n / (n + made.needed))
    assert power(0.001, then, 0.95) == pytest.approx(0.8, abs=1e-3)
    assert (alone(Normal(0.002, se), 0.002).needed, alone(Normal(0.002, se), 0.002).reason) == (
        None,
        "on_the_bound",
    )
    assert alone(Normal(0.00199, se), 0.002).reason == "on_the_bound"


# Always valid gates.

DISCORDANT = st.builds(
    Discordant,
    *(st.integers(0, 20) for _ in range(4)),
    n_target=st.integers(40, 80),
    n_nontarget=st.integers(40, 90),
)
HTER = (0.5, 0.5)


def at_look(d, bound=0.0, side="below", before=None, ceiling=math.inf):
    return look(before or State(), (), trials_of_night(d, HTER), side, bound, ceiling)


def exchanged(d):
    return dataclasses.replace(
        d,
        nontarget_10=d.nontarget_01,
        nontarget_01=d.nontarget_10,
        target_10=d.target_01,
        target_01=d.target_10,
    )


@settings(max_examples=30)
@given(DISCORDANT, st.floats(-0.1, 0.1))
def test_exchanging_the_models_mirrors_pass_and_fail(d, bound):
    one, two = at_look(d, bound), at_look(exchanged(d), -bound)
    assert (one.state.e_pass, one.state.e_fail) == (two.state.e_fail, two.state.e_pass)
    assert (one.lower(ERROR), one.upper(ERROR)) == (-two.upper(ERROR), -two.lower(ERROR))
    plain = [evidence_of(each, HTER) for each in (d, exchanged(d))]
    if all(plain):
        verdicts = [alone(found, b).outcome for found, b in zip(plain, (bound, -bound), strict=True)]
        mirror = {"pass": "fail", "fail": "pass", "undecided": "undecided"}
        assert verdicts[0] == mirror[verdicts[1]]


def test_a_look_at_no_new_trial_changes_nothing():
    before = State(3.0, 0.5, 4, 900)
    none = Discordant(0, 0, 0, 0, n_target=0, n_nontarget=0)
    again = at_look(none, before=before)
    assert again.state == before
    assert math.isnan(again.upper(ERROR))


def test_capital_decides_where_one_over_it_is_below_the_tail():
    def looks(e_pass, e_fail):
        return Looks(State(e_pass, e_fail, 3, 100), (), 0, math.inf, 0.01, 0.01)

    for e_pass, e_fail, outcome in (
        (40, 0.1, "pass"),
        (39, 0.1, "undecided"),
        (0.1, 41, "fail"),
        (50, 50, "undecided"),
    ):
        assert alone(looks(e_pass, e_fail)).outcome == outcome
    assert alone(looks(50, 50)).reason == "conflict"
    # Among two gates a capital of 80 is needed, whether the other is looked at always or once.
    for other in (looks(1, 1), Normal(0.0, 1.0), Normal(-9.0, 1.0)):
        assert judge([asked(looks(79, 1)), asked(other)])[0].outcome == "undecided"
        assert judge([asked(looks(81, 1)), asked(other)])[0].outcome == "pass"


def test_a_ceiling_that_is_reached_decides_in_spite_of_rounding():
    strong = Discordant(0, 20, 15, 0, n_target=40, n_nontarget=60)
    state = State()
    for _ in range(4):
        state = at_look(strong, before=state, ceiling=3 / ERROR * (1 + 1e-9)).state
    made = Looks(state, (), 0, math.inf, -0.1, 0.01)
    assert judge([asked(made), asked(Normal(0.0, 1.0)), asked(Normal(0.0, 1.0))])[0].outcome == "pass"
    # One bad night is enough to lose the verdict.
    assert at_look(exchanged(strong), before=state).state.e_pass < 2 / ERROR


@settings(max_examples=25)
@given(st.lists(DISCORDANT, min_size=1, max_size=4), st.floats(-0.3, 0.3), st.sampled_from([0.01, 0.3]))
def test_limits_of_all_looks_leave_out_the_bound_where_the_capital_says_so(nights, bound, tail):
    """A confidence sequence: E > 1 / tail against one side of the bound and the limit beyond it are the same."""
    state, earlier = State(), ()
    for night in nights:
        made = look(state, earlier, trials_of_night(night, HTER), "below", bound, math.inf)
        state, earlier = made.state, made.nights
    if abs(math.log(made.state.e_pass * tail)) > 1e-6:
        assert (made.upper(tail) < bound) == (made.state.e_pass > 1 / tail)
    if abs(math.log(made.state.e_fail * tail)) > 1e-6:
        assert (made.lower(tail) > bound) == (made.state.e_fail > 1 / tail)
    n0, n1 = (sum(getattr(night, size) for night in nights) for size in ("n_nontarget", "n_target"))
    far = sum(night.nontarget_10 - night.nontarget_01 for night in nights) / n0
    frr = sum(night.target_01 - night.target_10 for night in nights) / n1
    assert made.estimate == pytest.approx((far + frr) / 2)


def test_limits_narrow_from_night_to_night():
    night, state, earlier, widths = Discordant(6, 4, 5, 5, 80, 90), State(), (), []
    for _ in range(12):
        made = look(state, earlier, trials_of_night(night, HTER), "below", 0.0, math.inf)
        state, earlier = made.state, made.nights
        widths.append(made.upper(ERROR) - made.lower(ERROR))
    assert widths[11] < 0.6 * widths[0]
    same = look(state, earlier, trials_of_night(Discordant(0, 0, 0, 0, 0, 0), HTER), "below", 0.0, math.inf)
    assert (same.lower(ERROR), same.upper(ERROR)) == (made.lower(ERROR), made.upper(ERROR))


def test_the_needed_trials_shrink_with_the_capital():
    night = trials_of_night(Discordant(2, 8, 9, 3, n_target=50, n_nontarget=50), HTER)

    def needed(e_pass):
        found = Looks(State(e_pass, 0.1, 3, 100), (night,), 100, math.inf, -0.06, 0.025)
        return alone(found, n=100).needed

    assert needed(1.0) > needed(10.0) > 0


def test_the_standard_error_over_nights_by_hand():
    """HTER: half the FAR's difference and half the FRR's; each by the trials of all nights."""
    first = Discordant(6, 4, 5, 1, n_target=80, n_nontarget=90)
    second = Discordant(2, 0, 3, 3, n_target=20, n_nontarget=110)
    state, earlier = State(), ()
    for night in (first, second):
        made = look(state, earlier, trials_of_night(night, HTER), "below", 0.0, math.inf)
        state, earlier = made.state, made.nights
    far, frr = Fraction(8 - 4, 200), Fraction(-8 + 4, 100)
    variance = (Fraction(12, 200) - far**2) / 200 / 4 + (Fraction(12, 100) - frr**2) / 100 / 4
    assert made.estimate == pytest.approx(float((far + frr) / 2), abs=1e-15)
    assert made.se == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_times_more_by_hand():
    """So many times the same units win what is lacking, a stake being paid for the next look."""
    night = trials_of_night(Discordant(2, 8, 9, 3, n_target=50, n_nontarget=50), HTER)
    found = Looks(State(1.0, 1.0, 3, 100), (night,), 100, math.inf, *pooled([night]))
    assert found.estimate == -0.12
    for owned in (0.0, 30.0):
        times = found.times_more(0.0, 0.025, owned)
        won = log_e_above(dataclasses.replace(night, times=times * night.times), 0.0)
        assert won == pytest.approx(-math.log(0.025) - math.log(max(owned, stake(4))))
    # One that has nearly enough still needs a tenth of a unit of log E.
    times = found.times_more(0.0, 0.025, 39.99)
    assert log_e_above(dataclasses.replace(night, times=times * night.times), 0.0) == pytest.approx(0.1)
    assert found.times_more(-0.12, 0.025, 1.0) == math.inf
    assert math.isnan(dataclasses.replace(found, se=0.0).times_more(0.0, 0.025, 1.0))


def test_the_largest_cluster_bounds_the_bets_behind_what_is_needed():
    """One of 9 clusters has 92% of the trials: it allows bets of about 1/2, and the best would be 20 times that.

    "About 8 more" was promised where limits were -100 and 100 points.
    """
    net, size = np.array([[-2.0] * 8 + [-90.0]]), np.array([[10.0] * 8 + [900.0]])
    night = Night.of_clusters((1.0,), net, size)
    found = Looks(State(1.0, 1.0, 1, 980), (night,), 9, math.inf, *pooled([night]))
    assert (found.lower(0.025), found.upper(0.025)) == (-1.0, 1.0)
    times = found.times_more(0.0, 0.025, 1.0)
    best = -math.log(0.025) / ((found.estimate / found.se) ** 2 / 2)
    assert times > 10 * best
    again = dataclasses.replace(night, times=times * night.times)
    assert log_e_above(again, 0.0) == pytest.approx(-math.log(0.025))
    needed = alone(found, n=found.units_used).needed
    assert needed == math.ceil(times * 9)
