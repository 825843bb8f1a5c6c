"""a-DCF and t-DCF: fractions by hand, against direct sums over scores, and laws of the mix."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.measures.catalogue import read_measure
from reporting.core.stats import spoofing
from reporting.errors import ConfigError

TARGET, ZERO_EFFORT, SPOOF = [3, 4, 4, 6, 7], [0, 1, 2, 3], [1, 2, 4, 5, 5, 6]
COSTS = {"p_nontarget": 0.05, "p_spoof": 0.05, "c_miss": 1.0, "c_fa": 10.0, "c_spoof": 20.0}


def rate(scores, threshold, *, below=False):
    """The share of scores from a threshold on, or below it."""
    accepted = sum(score >= threshold for score in scores)
    return Fraction(len(scores) - accepted if below else accepted, len(scores))


def adcf(threshold, target=TARGET, zero=ZERO_EFFORT, spoof=SPOOF, normalised=True, **costs):
    """a-DCF of the paper, summed directly: no mixing, no counts, no hull."""
    p = {key: Fraction(repr(value)) for key, value in costs.items()}
    p_target = 1 - p["p_nontarget"] - p["p_spoof"]
    miss, false_alarm, attack = (
        p["c_miss"] * p_target,
        p["c_fa"] * p["p_nontarget"],
        p["c_spoof"] * p["p_spoof"],
    )
    cost = (
        miss * rate(target, threshold, below=True)
        + false_alarm * rate(zero, threshold)
        + attack * rate(spoof, threshold)
    )
    return cost / min(miss, false_alarm + attack) if normalised else cost


def mixed(target, zero, spoof, shares):
    """Misses and false alarms of the mix at every cut between distinct scores, as the engine counts them."""
    a, b = shares
    levels = sorted({*target, *zero, *spoof})
    misses = [sum(score < at for score in target) for at in [*levels, np.inf]]
    false_alarms = [
        a * len(spoof) * sum(score >= at for score in zero)
        + b * len(zero) * sum(score >= at for score in spoof)
        for at in [*levels, np.inf]
    ]
    return np.array(misses), np.array(false_alarms)


def test_a_dcf_by_hand():
    """At 4: FRR 1/5, FAR of zero-effort 0, of spoofs 4/6; 0.9/5 + 1 * 4/6 over min(0.9, 1.5)."""
    by_hand = (Fraction(9, 50) + Fraction(2, 3)) / Fraction(9, 10)
    assert adcf(4, **COSTS) == by_hand == Fraction(127, 135)
    shares = spoofing.adcf_mix(**COSTS)
    assert shares == (1, 2)  # 10 * 0.05 to 20 * 0.05
    misses, false_alarms = mixed(TARGET, ZERO_EFFORT, SPOOF, shares)
    at = sorted({*TARGET, *ZERO_EFFORT, *SPOOF}).index(4)
    measure = read_measure("adcf")
    value = measure.formula(misses[at], false_alarms[at], misses[-1], false_alarms[0], **measure.arguments)
    assert float(value) == pytest.approx(float(by_hand), rel=1e-15)
    plain = measure.at(normalised=False)
    value = plain.formula(misses[at], false_alarms[at], misses[-1], false_alarms[0], **plain.arguments)
    assert float(value) == pytest.approx(float(Fraction(127, 150)), rel=1e-15)


def test_t_dcf_by_hand():
    """C0 = .9405 .02 + .0095 10 .04 = .02261, C1 = .91789, C2 = .05 10 .3 = .15; FRR 1/5, FAR 1/2."""
    c0, c1, c2 = Fraction("0.02261"), Fraction("0.91789"), Fraction("0.15")
    measure = read_measure("tdcf(asv_miss=0.02,asv_fa=0.04,asv_spoof_fa=0.3,normalised=false)")
    value = float(measure.formula(1, 4, 5, 8, **measure.arguments))
    assert value == pytest.approx(float(c0 + c1 / 5 + c2 / 2), rel=1e-14)
    normalised = measure.at(normalised=True)
    value = float(normalised.formula(1, 4, 5, 8, **normalised.arguments))
    assert value == pytest.approx(float((c0 + c1 / 5 + c2 / 2) / (c0 + min(c1, c2))), rel=1e-14)
    # Rejecting all costs C0 + C1, accepting all C0 + C2: the lesser of them is 1.
    misses, false_alarms = np.array([0, 5]), np.array([8, 0])
    least = read_measure("mintdcf(asv_miss=0.02,asv_fa=0.04,asv_spoof_fa=0.3)")
    assert float(least.formula(misses, false_alarms, **least.arguments)) == pytest.approx(1.0, rel=1e-15)


SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=8)
PARTS = st.sampled_from([0.01, 0.0095, 0.05, 0.2, 0.33])
PRICES = st.sampled_from([0.5, 1.0, 3.0, 10.0, 20.0])


@given(
    target=SCORES, zero=SCORES, spoof=SCORES, p_nontarget=PARTS, p_spoof=PARTS,
    c_miss=PRICES, c_fa=PRICES, c_spoof=PRICES, normalised=st.booleans(),
)  # fmt: skip
def test_every_cut_of_the_mix_has_the_cost_of_the_paper(target, zero, spoof, normalised, **costs):
    misses, false_alarms = mixed(target, zero, spoof, spoofing.adcf_mix(**costs))
    values = spoofing.adcf(misses, false_alarms, misses[-1], false_alarms[0], normalised=normalised, **costs)
    levels = [*sorted({*target, *zero, *spoof}), np.inf]
    direct = [adcf(at, target, zero, spoof, normalised, **costs) for at in levels]
    assert values == pytest.approx([float(cost) for cost in direct], rel=1e-12)
    least = spoofing.minadcf(misses, false_alarms, normalised=normalised, **costs)
    assert float(least) == pytest.approx(float(min(direct)), rel=1e-12)
    if normalised:
        assert float(least) <= 1 + 1e-12


@given(
    target=SCORES, zero=SCORES, spoof=SCORES, share=st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]), alpha=PARTS
)
def test_shares_of_one_kind_alone_leave_the_other_out(target, zero, spoof, share, alpha):
    misses, false_alarms = mixed(target, zero, spoof, spoofing.share_mix(spoof_share=share))
    values = spoofing.spoofing_error(misses, false_alarms, misses[-1], false_alarms[0], alpha, share)
    levels = [*sorted({*target, *zero, *spoof}), np.inf]
    direct = [
        alpha * ((1 - share) * float(rate(zero, at)) + share * float(rate(spoof, at)))
        + (1 - alpha) * float(rate(target, at, below=True))
        for at in levels
    ]
    assert values == pytest.approx(direct, rel=1e-12, abs=1e-15)


def test_weights_are_kept_in_exact_proportion():
    given = {"p_nontarget": 0.0095, "p_spoof": 0.05, "c_fa": 10.0, "c_spoof": 10.0}
    assert spoofing.adcf_mix(**given) == (19, 100)
    assert spoofing.share_mix(spoof_share=0.1) == (9, 1)
    assert spoofing.share_mix(spoof_share=0.0) == (1, 0)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("adcf(p_nontarget=0.6,p_spoof=0.5)", "'adcf': p_nontarget + p_spoof must be below 1, found 1.1"),
        ("tdcf", "'tdcf' needs the error rates of the ASV system behind the countermeasure, such as"),
        ("tdcf(asv_miss=0.1,asv_fa=0.1)", "'tdcf(asv_miss=0.1,asv_fa=0.1)' needs the error rates"),
        ("min t-DCF", "'min t-DCF' needs the error rates of the ASV system"),
        (
            "tdcf(asv_miss=1,asv_fa=0,asv_spoof_fa=0.5)",
            "'tdcf': with these error rates the ASV system costs no less than rejecting all",
        ),
        (
            "mintdcf(asv_miss=0.1,asv_fa=0,asv_spoof_fa=0)",
            "'mintdcf': asv_spoof_fa = 0: the ASV system accepts no spoof",
        ),
        ("adcf(p_target=0.9)", "'adcf' has no parameter 'p_target'"),
    ],
)
def test_parameters_without_a_meaning(name, why):
    with pytest.raises(ConfigError) as raised:
        read_measure(name)
    assert str(raised.value).startswith(why)


def test_criteria_of_tandems_need_their_rates_too():
    with pytest.raises(ConfigError, match="'min_tdcf' needs the error rates"):
        read_criterion("min_tdcf")
    name = "min_tdcf(asv_miss=0.05,asv_fa=0.05,asv_spoof_fa=0.5)"  # rates are never left out
    assert str(read_criterion(name)) == name
    assert str(read_measure(name.replace("min_tdcf", "tdcf"))) == name.replace("min_tdcf", "tdcf")
