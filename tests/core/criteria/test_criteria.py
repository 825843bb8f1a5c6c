import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from tied import rates, score_lists, staircase_of

from reporting.core.criteria.catalogue import CRITERIA, oracle, read_criterion
from reporting.core.engine.scales import Scaling
from reporting.core.measures.catalogue import read_measure
from reporting.core.stats.staircase import cut_at, threshold_of
from reporting.errors import ConfigError, DataError

ON_DEV = [
    "weighted_error(alpha=0.3)",
    "precision_recall(alpha=0.3)",
    "target_far(far=0.2)",
    "target_frr(frr=0.2,how=at_most)",
    "min_hter",
    "min_dcf(p_target=0.1)",
    "eer",
    "best",
    "best(measure=mcc)",
    "target(measure=precision,value=0.9,how=at_least)",
    "break_even(v1=precision,v2=recall)",
    "weighted(v1=npv,v2=recall,alpha=0.3)",
    "guarantee(far=0.9,confidence=0.1)",
    "guarantee_frr(frr=0.9,confidence=0.1)",
    "guarantee_precision(precision=0.1,confidence=0.1)",
]
SWEPT = {
    "weighted_error": "alpha",
    "precision_recall": "alpha",
    "target_far": "far",
    "target_frr": "frr",
    "target": "value",
    "weighted": "alpha",
    "bayes": "alpha",
    "spoofing_error": "alpha",
}


def chosen(name, staircase, ties="balanced", **swept):
    return read_criterion(name).choose(staircase, ties, **swept)


@pytest.mark.parametrize(
    "name",
    [*ON_DEV, *map(str, CRITERIA.values()), "oracle(best(measure=f_beta(beta=2)))", "fixed(threshold=-1.5)"],
)
def test_names_round_trip(name):
    assert str(read_criterion(name)) == ("best(measure=f1)" if name == "best" else name)
    assert read_criterion(str(read_criterion(name))) == read_criterion(name)


def test_what_curves_run_along():
    assert {key: value.swept for key, value in CRITERIA.items() if value.swept} == SWEPT
    assert list(CRITERIA["target_far"].replaced()) == ["far"]
    assert list(CRITERIA["bayes"].at(c_fa=2).replaced().items()) == [
        ("p_target", (0.5, 0.5)),
        ("c_miss", (1.0, 1.0)),
        ("c_fa", (2.0, 1.0)),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("oracle(bayes)", "'oracle(bayes)': 'bayes' is not chosen on data; leave 'oracle' out"),
        ("oracle(fixed(threshold=1))", "'oracle(fixed(threshold=1))': 'fixed' is not chosen on data"),
        ("oracle(guarantee)", "'oracle(guarantee)': 'guarantee' promises something of other data"),
        ("best(measure=auc)", "'auc' is computed over all thresholds; a criterion takes measures at a"),
        ("break_even(v2=cllr)", "'cllr' is computed over the scores; a criterion takes measures at a"),
        (
            "target(how=at_mots)",
            "how=at_mots: expected nearest or at_most or at_least; did you mean 'at_most'?",
        ),
        ("target_far(far=1.5)", "far=1.5 is outside [0, 1]"),
        ("min_dcf(p_target=1)", "p_target=1 is outside [1e-12, 0.999999999999]"),
        ("guarantee(confidence=1)", "confidence=1 is outside [1e-09, 0.999999999]"),
        ("min_htre", "'min_htre' is not a criterion; did you mean 'min_hter'?"),
        ("best(measure=f11)", "'f11' is not a measure; did you mean 'f1'?"),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(ConfigError) as caught:
        read_criterion(text)
    assert said in str(caught.value)


def test_measures_of_another_kind_are_refused_as_values_too():
    _, staircase = staircase_of([1.0], [0.0])
    with pytest.raises(ConfigError, match="'auc' is computed over all thresholds"):
        CRITERIA["best"].at(measure=read_measure("auc")).choose(staircase, "balanced")


@pytest.mark.parametrize("name", ["bayes", "fixed"])
def test_what_is_given_chooses_no_cut(name):
    _, staircase = staircase_of([1.0], [0.0])
    with pytest.raises(ConfigError, match=f"'{name}' has no threshold that is chosen on data"):
        chosen(name, staircase)
    assert read_criterion(name).steps(staircase) is None


@pytest.mark.parametrize(("scale", "half"), [("probability", 0.5), ("logit", 0.0)])
def test_a_half_lies_at_the_bayes_threshold_of_the_declared_share(scale, half):
    """A last bit of log 9 put the threshold above it at a share of .1."""
    for share in (0.001, 0.01, 0.05, 0.1, 0.15, 0.25, 0.3, 0.45, 0.7, 0.9):
        bayes = read_criterion(f"bayes(p_target={share})")
        wanted = np.array([bayes.threshold(**bayes.arguments)])
        (threshold,) = Scaling(scale, share, None).threshold_of_llr(wanted)
        assert half - 1e-12 < threshold <= half


def test_bayes_thresholds():
    """Methods 4.4: the point of SRE08; along a curve the logit of alpha, 0 and 1 included."""
    bayes = read_criterion("bayes(p_target=0.01,c_miss=10)")
    assert bayes.on == "llr"
    assert bayes.threshold(**bayes.arguments) == pytest.approx(2.2925347571, abs=1e-10)
    alpha = 0.99 / (0.99 + 0.1)  # the weight of FAR
    assert bayes.threshold(**bayes.arguments, alpha=alpha) == pytest.approx(2.2925347571, abs=1e-10)
    grid = bayes.threshold(**bayes.arguments, alpha=np.array([0, 0.25, 0.5, 1]))
    assert grid.tolist() == pytest.approx([-math.inf, -math.log(3), 0, math.inf])
    fixed = read_criterion("fixed(threshold=1.5)")
    assert (fixed.on, fixed.threshold(**fixed.arguments)) == ("score", 1.5)


@given(
    score_lists(odd=True),
    score_lists(odd=True),
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100),
    st.integers(1, 20),
)
def test_the_least_cost_is_the_least_of_all_cuts(targets, nontargets, prior, cost):
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    found = chosen(f"min_dcf(p_target={float(prior)!r},c_miss={cost})", staircase)
    costs = [cost * prior * frr + (1 - prior) * far for far, frr in points]
    assert costs[int(found.cut)] == min(costs)
    share = (1 - prior) / (cost * prior + 1 - prior)
    same = chosen(f"weighted_error(alpha={float(share)!r})", staircase)
    assert points[int(found.cut)] == points[int(same.cut)]


EQUAL = {
    "best(measure=hter)": "min_hter",
    "best(measure=weighted_error(alpha=0.3))": "weighted_error(alpha=0.3)",
    "best(measure=far)": "weighted_error(alpha=1)",
    "weighted(alpha=0.3)": "weighted_error(alpha=0.3)",
    "weighted(v1=frr,v2=far,alpha=0.3)": "weighted_error(alpha=0.7)",
    "weighted(v1=far,v2=hter,alpha=0.4)": "weighted_error(alpha=0.7)",
    "weighted(v1=precision,v2=recall,alpha=0.3)": "precision_recall(alpha=0.3)",
    "weighted(v1=recall,v2=precision,alpha=0.6)": "precision_recall(alpha=0.4)",
    "best(measure=dcf(p_target=0.1,c_miss=10))": "min_dcf(p_target=0.1,c_miss=10)",
    "break_even": "eer",
    "break_even(v1=frr,v2=far)": "eer",
    "target(value=0.2)": "target_far(far=0.2)",
    "target(value=0.2,how=at_most)": "target_far(far=0.2,how=at_most)",
    "target(measure=frr,value=0.2)": "target_frr(frr=0.2)",
    "target(measure=specificity,value=0.8)": "target_far(far=0.2)",
    "target(measure=recall,value=0.8,how=at_least)": "target_frr(frr=0.2,how=at_most)",
    "weighted(v1=recall,v2=specificity,alpha=0.3)": "weighted_error(alpha=0.7)",
}


@pytest.mark.parametrize(
    "text",
    [
        "precision_recall(alpha=1)",
        "weighted(v1=precision,v2=recall,alpha=1)",
        "weighted(v1=recall,v2=precision,alpha=0)",
    ],
)
def test_a_tie_of_precision_and_recall_goes_to_the_same_cut_however_it_is_asked(text):
    """From 3 on precision is 2/4, from 5 on 1/2: the larger recall counts."""
    _, staircase = staircase_of([0, 3, 5], [1, 2, 2, 2, 3, 5])
    criterion = read_criterion(text)
    choice = criterion.choose(staircase, "balanced")
    assert np.ravel(choice.cut).tolist() == [3]


@pytest.mark.parametrize(("general", "special"), EQUAL.items())
@settings(max_examples=40)
@given(targets=score_lists(odd=True), nontargets=score_lists(odd=True))
def test_the_general_criteria_contain_the_special_ones(general, special, targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    points = rates(staircase)
    one, other = chosen(general, staircase), chosen(special, staircase)
    if general.startswith("weighted(v1=recall"):  # as good, though ties between two sums are broken otherwise
        cost = [0.7 * float(far) + 0.3 * float(frr) for far, frr in points]
        assert cost[int(one.cut)] == pytest.approx(cost[int(other.cut)], abs=1e-12)
    else:
        assert points[int(one.cut)] == points[int(other.cut)]
    assert int(one.tied) == int(other.tied)


@given(targets=score_lists(odd=True), nontargets=score_lists(odd=True))
def test_any_measure_at_its_best_equals_brute_force(targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    counts = staircase.misses, staircase.false_alarms, staircase.n_target, staircase.n_nontarget
    for name in ("f_beta(beta=2)", "mcc", "corner_distance", "precision", "net_benefit(p_threshold=0.2)"):
        measure = read_measure(name)
        value = measure.formula(*counts, **measure.arguments)
        extreme = np.nanmax(value) if measure.better == "higher" else np.nanmin(value)
        found = chosen(f"best(measure={name})", staircase)
        assert value[int(found.cut)] == pytest.approx(extreme, rel=1e-12, abs=1e-15)


def test_a_measure_that_is_nowhere_defined_is_told():
    _, staircase = staircase_of([1.0], [1.0])  # accept all has no NPV, reject all no precision
    with pytest.raises(DataError, match="'npv' and 'precision' are defined at no common threshold"):
        chosen("weighted(v1=npv,v2=precision)", staircase)
    with pytest.raises(DataError, match="'markedness' is undefined at every threshold"):
        chosen("best(measure=markedness)", staircase)


ALONG_A_TARGET = [
    f"target(measure={measure},how={how})"
    for measure in ("far", "frr", "precision")
    for how in ("nearest", "at_most", "at_least")
]


@pytest.mark.parametrize(
    "name", [*(key for key, value in CRITERIA.items() if value.exact_steps), *ALONG_A_TARGET]
)
@given(targets=score_lists(odd=True), nontargets=score_lists(odd=True))
def test_steps_are_what_is_chosen_along_the_curve(name, targets, nontargets):
    _, staircase = staircase_of(targets, nontargets)
    criterion = read_criterion(name)
    steps = criterion.steps(staircase)
    middle = (steps.low + steps.high) / 2
    assert (
        criterion.choose(staircase, "balanced", **{criterion.swept: middle}).cut.tolist()
        == steps.cut.tolist()
    )


@pytest.mark.parametrize("name", ON_DEV)
@settings(max_examples=40)
@given(targets=score_lists(), nontargets=score_lists(), others=score_lists())
def test_decisions_on_test_are_invariant(name, targets, nontargets, others):
    """Methods, property P16: affine maps with midpoints, any increasing map with thresholds at the score above."""

    def decided(at, moved):
        lists = [moved(np.array(scores)) for scores in (targets, nontargets)]
        distinct, staircase = staircase_of(*(scores.tolist() for scores in lists))
        threshold = threshold_of(distinct, chosen(name, staircase).cut, at)
        return int(cut_at(np.unique(moved(np.array(others))), threshold))

    assert decided("midpoint", lambda s: s) == decided("midpoint", lambda s: 4 * s - 3)
    assert decided("upper", lambda s: s) == decided("upper", np.exp)


def test_the_hand_set(shared):
    """Methods 7.9, through the names of the config."""
    references = json.loads((shared / "references" / "methods.json").read_text())
    hand = references["epc_hand"]
    distinct, staircase = staircase_of(hand["dev_pos"], hand["dev_neg"])

    def threshold(name):
        return float(threshold_of(distinct, chosen(name, staircase).cut))

    for criterion, table in (
        ("target_far(far=", "far_target"),
        ("target_frr(frr=", "frr_target"),
        ("precision_recall(alpha=", "pr_criterion"),
    ):
        assert {at: threshold(f"{criterion}{at})") for at in hand[table]} == hand[table]
    assert threshold("eer") == hand["eer_discrete_threshold"]
    assert threshold("min_hter") == -0.75
    tie = references["tie_hand"]
    distinct, staircase = staircase_of(tie["pos"], tie["neg"])
    for ties in ("balanced", "high", "low"):
        for name in ("weighted_error", "best(measure=hter)", "weighted(v1=far,v2=frr)"):
            found = chosen(name, staircase, ties)
            assert float(threshold_of(distinct, found.cut)) == tie[ties]
            assert int(found.tied) == len(tie["tied"])


@pytest.mark.parametrize(
    ("name", "targets", "nontargets", "said"),
    [
        (
            "guarantee",
            5,
            298,
            "'guarantee' (far=0.01, confidence=0.95): the development set has 298 non-targets; at least 299 are needed",
        ),
        (
            "guarantee(far=0.1)",
            5,
            28,
            "'guarantee' (far=0.1, confidence=0.95): the development set has 28 non-targets; at least 29 are needed",
        ),
        (
            "guarantee_frr(confidence=0.9)",
            20,
            5,
            "'guarantee_frr' (frr=0.01, confidence=0.9): the development set has 20 targets; at least 230 are needed",
        ),
    ],
)
def test_a_promise_that_dev_cannot_support_is_refused(name, targets, nontargets, said):
    _, staircase = staircase_of([1.0 + k for k in range(targets)], [-1.0 - k for k in range(nontargets)])
    with pytest.raises(DataError) as caught:
        chosen(name, staircase)
    assert str(caught.value) == said


@pytest.mark.parametrize("rounded", [False, True])
def test_promises_are_kept(rounded):
    """True error rates exceed the limit in at most 1 of 5 samples; scores rounded to 0.1 tie.

    2 errors of 50 may be made: continuous scores exceed between P(Binomial(50, .1) <= 1) = .034 (threshold
    just below the second) and P(Binomial(50, .1) <= 2) = .112 (just above the third) of the time.
    """
    rng = np.random.default_rng(3)
    criteria = [CRITERIA["guarantee"].at(far=0.1, confidence=0.8)]
    criteria += [CRITERIA["guarantee_frr"].at(frr=0.1, confidence=0.8)]
    exceeded, runs = np.zeros(2), 600
    for scores in rng.normal(size=(runs, 2, 50)):
        drawn = np.round(scores, 1) if rounded else scores
        distinct, staircase = staircase_of(drawn[0].tolist(), drawn[1].tolist())
        cuts = [criterion.choose(staircase, "balanced").cut for criterion in criteria]
        threshold = threshold_of(distinct, cuts)
        if rounded:  # the first score of the grid that is accepted, and what is rounded to it
            threshold = np.ceil(np.round(threshold * 10, 6)) / 10 - 0.05
        far = ndtr(-threshold)
        exceeded += (far[0] > 0.1, 1 - far[1] > 0.1)
    share, error = exceeded / runs, 3 * math.sqrt(0.1 * 0.9 / runs)
    assert (share < (0.1117 if rounded else 0.1117 + error)).all()
    assert (share > (0 if rounded else 0.0338 - error)).all()


def test_the_promise_takes_the_most_errors_it_may():
    # 50 non-targets, at most 2 above: P(Binomial(50, .1) <= 2) = .11 <= .2 < P(<= 3) = .25.
    _, staircase = staircase_of([100.0], [float(k) for k in range(50)])
    cut = int(chosen("guarantee(far=0.1,confidence=0.8)", staircase).cut)
    assert staircase.false_alarms[cut] == 2
    # Three non-targets tie at the place: none of them may be accepted.
    _, staircase = staircase_of([100.0], [float(min(k, 48)) for k in range(51)])
    cut = int(chosen("guarantee(far=0.1,confidence=0.8)", staircase).cut)
    assert (staircase.false_alarms[cut], staircase.misses[cut]) == (0, 0)


def test_how_criteria_are_printed():
    """The words of tables (``label``) and of sentences (``rule``), before parameters are filled in."""
    assert {key: (value.label, value.rule) for key, value in CRITERIA.items()} == {
        "weighted_error": ("minimum weighted error", "minimising the weighted error"),
        "precision_recall": ("maximum weighted precision and recall", "maximising weighted precision and recall"),
        "target_far": ("FAR {how} {far}", "with FAR {how} {far}"),
        "target_frr": ("FRR {how} {frr}", "with FRR {how} {frr}"),
        "min_hter": ("minimum HTER", "minimising HTER"),
        "min_dcf": ("minimum DCF", "minimising DCF"),
        "eer": ("EER", "with equal FAR and FRR"),
        "best": ("{best} {measure}", "{optimising} {measure}"),
        "target": ("{measure} {how} {value}", "with {measure} {how} {value}"),
        "break_even": ("{v1} nearest to {v2}", "with {v1} nearest to {v2}"),
        "weighted": ("best weighted sum of {v1} and {v2}", "optimising a weighted sum of {v1} and {v2}"),
        "bayes": ("Bayes threshold", ""),
        "fixed": ("fixed threshold {threshold}", ""),
        "guarantee": ("FAR of at most {far} with {confidence} confidence", "guaranteeing FAR of at most {far} with {confidence} confidence"),
        "guarantee_frr": ("FRR of at most {frr} with {confidence} confidence", "guaranteeing FRR of at most {frr} with {confidence} confidence"),
        "guarantee_precision": ("precision of at least {precision} with {confidence} confidence", "guaranteeing precision of at least {precision} with {confidence} confidence"),
        "worst_far": ("highest FAR of at most {far}", "with FAR of at most {far} for every group of non-targets"),
        "min_adcf": ("minimum a-DCF", "minimising a-DCF"),
        "spoofing_error": ("minimum spoofing-aware weighted error", "minimising the spoofing-aware weighted error"),
        "min_tdcf": ("minimum t-DCF", "minimising t-DCF"),
    }  # fmt: skip
    assert {key for key, value in CRITERIA.items() if value.always_said} == {
        *("min_dcf", "bayes", "min_adcf", "spoofing_error", "min_tdcf")
    }


def test_oracle_is_kept_for_what_has_one():
    assert str(oracle(read_criterion("target_far(far=0.05)"))) == "oracle(target_far(far=0.05))"
    assert [key for key, value in CRITERIA.items() if not value.has_oracle] == [
        "bayes",
        "fixed",
        "guarantee",
        "guarantee_frr",
        "guarantee_precision",
        "worst_far",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f1", "'f1' is a measure; the threshold at its best value is written best(measure=f1)"),
        ("f1_score", "'f1_score' is a measure; the threshold at its best value is written best(measure=f1)"),
        ("oracle(mcc)", "'mcc' is a measure; the threshold at its best value is written best(measure=mcc)"),
        ("auc", "'auc' is a measure over all thresholds, so no threshold can be chosen by it alone"),
        ("0.5", "'0.5' is a number; a fixed threshold is written fixed(threshold=0.5)"),
        ("-2", "'-2' is a number; a fixed threshold is written fixed(threshold=-2)"),
    ],
)
def test_what_a_number_or_a_measure_stands_for(text, words):
    with pytest.raises(ConfigError) as caught:
        read_criterion(text)
    assert str(caught.value) == words


def test_best_is_named_with_its_measure():
    assert str(read_criterion("best")) == str(read_criterion("best(measure=f1)")) == "best(measure=f1)"
    assert str(read_criterion("oracle(best)")) == "oracle(best(measure=f1))"
