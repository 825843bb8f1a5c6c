import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import auc, average_precision_score, f1_score, matthews_corrcoef, precision_recall_curve
from tied import labelled, score_lists, staircase_of

from reporting.core.stats import precision_recall as pr

LABELS = [1, 0, 1, 1, 0, 0, 1, 0]
BY_PREVALENCE = [
    pr.ap_step,
    pr.ap_dg,
    pr.ap_trapezoid,
    pr.ap_11pt,
    pr.break_even,
    pr.max_f1,
    pr.recall_at,
    pr.prg_area,
]


def errors_of(targets, nontargets):
    _, s = staircase_of(list(targets), list(nontargets))
    return s.misses, s.false_alarms


def hand(scores):
    score, label = np.array(scores, dtype=float), np.array(LABELS, dtype=bool)
    return errors_of(score[label], score[~label])


UNTIED, TIED = hand([8, 7, 6, 5, 4, 3, 2, 1]), hand([3, 3, 2, 2, 2, 1, 1, 1])


def test_the_hand_set():
    assert pr.ap_step(*UNTIED) == pytest.approx(251 / 336, abs=1e-15)
    assert pr.ap_trapezoid(*UNTIED) == pytest.approx(0.7068452380952381, abs=1e-15)
    assert pr.ap_dg(*UNTIED) == pytest.approx(0.7111001949895699, abs=1e-15)
    assert pr.ap_11pt(*UNTIED) == pytest.approx((3 + 5 * 3 / 4 + 3 * 4 / 7) / 11, abs=1e-15)
    assert pr.break_even(*UNTIED) == 0.75
    assert pr.max_f1(*UNTIED) == 0.75
    assert pr.max_mcc(*UNTIED) == 0.5
    assert [float(pr.precision_at(*UNTIED, k)) for k in (1, 2, 3, 4, 8)] == [1, 0.5, 2 / 3, 0.75, 0.5]
    assert [float(pr.recall_at(*UNTIED, p)) for p in (1, 0.7, 0.6, 0.5)] == [0.25, 0.75, 0.75, 1]


def test_the_hand_set_with_ties():
    assert pr.ap_step(*TIED) == pytest.approx(0.55, abs=1e-15)
    assert pr.ap_trapezoid(*TIED) == pytest.approx(0.6, abs=1e-15)
    assert pr.ap_dg(*TIED) == pytest.approx(0.5429842514787397, abs=1e-15)
    assert pr.break_even(*TIED) == pytest.approx((1 + 2 * 2 / 3) / 4, abs=1e-15)
    assert pr.precision_at(*TIED, 3) == pytest.approx((1 + 2 / 3) / 3, abs=1e-15)
    assert np.isnan(pr.recall_at(*TIED, 0.7))


def test_the_references(shared):
    known = json.loads((shared / "references" / "methods.json").read_text())["ap_hand"]
    assert known["labels_desc"] == LABELS
    assert pr.ap_step(*UNTIED) == pytest.approx(known["step"], abs=1e-15)
    assert pr.ap_trapezoid(*UNTIED) == pytest.approx(known["trapezoid"], abs=1e-15)
    assert pr.ap_dg(*UNTIED) == pytest.approx(known["davis_goadrich"], abs=1e-15)
    assert pr.ap_11pt(*UNTIED) == pytest.approx(known["eleven_point"], abs=1e-15)
    assert pr.break_even(*UNTIED) == known["bep"]
    tied = hand(known["tied_scores"])
    assert pr.ap_step(*tied) == pytest.approx(known["tied_step"], abs=1e-15)
    assert pr.ap_dg(*tied) == pytest.approx(known["tied_dg"], abs=1e-15)


@given(score_lists(), score_lists())
def test_constant_scores_are_worth_the_prevalence(targets, nontargets):
    """Methods, property P30. The trapezoid alone flatters them: its line comes down from (0, 1)."""
    errors = errors_of([0.0] * len(targets), [0.0] * len(nontargets))
    prevalence = len(targets) / (len(targets) + len(nontargets))
    for formula in (pr.ap_step, pr.ap_dg, pr.ap_11pt, pr.break_even):
        assert formula(*errors) == pytest.approx(prevalence, abs=1e-15)
    assert pr.ap_trapezoid(*errors) == pytest.approx((1 + prevalence) / 2, abs=1e-15)
    assert pr.prg_area(*errors) == pytest.approx(0, abs=1e-12)
    assert pr.lift_at(*errors) == pytest.approx(1, abs=1e-12)
    assert pr.max_mcc(*errors) == 0


@given(score_lists(), score_lists())
def test_separated_classes_are_perfect(targets, nontargets):
    errors = errors_of([2.0] * len(targets), [1.0] * len(nontargets))
    for formula in BY_PREVALENCE:
        assert formula(*errors) == pytest.approx(1, abs=1e-14)
    assert pr.max_mcc(*errors) == pytest.approx(1, abs=1e-14)


def tied_table(seed):
    rng = np.random.default_rng(seed)
    label = rng.random(60) < 0.35
    label[:2] = True, False
    return np.round(rng.normal(size=60) + label, 1), label


@pytest.mark.parametrize("seed", range(20))
def test_scikit_learn(seed):
    """Its precision-recall curve ends in (0, 1) as the trapezoid here starts there.

    That anchor is a convention and not a decision: where the highest scores hold non-targets, the line to it
    promises a precision that no order of the tied trials has. The continuous curve needs no anchor.
    """
    score, label = tied_table(seed)
    errors = errors_of(score[label], score[~label])
    precision, recall, threshold = precision_recall_curve(label, score)
    assert pr.ap_step(*errors) == pytest.approx(average_precision_score(label, score), abs=1e-12)
    assert pr.ap_trapezoid(*errors) == pytest.approx(auc(recall, precision), abs=1e-12)
    assert pr.max_f1(*errors) == pytest.approx(max(f1_score(label, score >= t) for t in threshold))
    assert pr.max_mcc(*errors) == pytest.approx(max(matthews_corrcoef(label, score >= t) for t in threshold))
    for least in (0.4, 0.6):
        reached = recall[:-1][precision[:-1] >= least]
        best = reached.max() if len(reached) else np.nan
        assert pr.recall_at(*errors, least) == pytest.approx(best, nan_ok=True)


@settings(max_examples=50)
@given(score_lists(odd=True, most=8), score_lists(odd=True, most=8))
def test_the_continuous_curve_is_its_integral(targets, nontargets):
    """Precision (A + t) / (A + t + B + h t), by quadrature over t."""
    misses, alarms = errors_of(targets, nontargets)
    tp = misses[-1] - misses
    area = 0.0
    for k in range(len(tp) - 1):
        gained = tp[k] - tp[k + 1]
        if gained:
            h = (alarms[k] - alarms[k + 1]) / gained
            before, wrong = tp[k + 1], alarms[k + 1]
            area += quad(lambda t, a=before, b=wrong, h=h: (a + t) / (a + t + b + h * t), 0, gained)[0]
    assert pr.ap_dg(misses, alarms) == pytest.approx(area / len(targets), abs=1e-7)


@given(score_lists(odd=True), score_lists(odd=True))
def test_eleven_points_by_their_definition(targets, nontargets):
    misses, alarms = errors_of(targets, nontargets)
    n1 = len(targets)
    cuts = [(n1 - int(m), int(a)) for m, a in zip(misses, alarms, strict=True) if n1 - m + a]
    best = [max(t / (t + f) for t, f in cuts if 10 * t >= j * n1) for j in range(11)]
    assert pr.ap_11pt(misses, alarms) == pytest.approx(np.mean(best), abs=1e-15)


@settings(max_examples=50)
@given(score_lists(odd=True, most=8), score_lists(odd=True, most=8))
def test_the_area_of_gains_is_its_integral(targets, nontargets):
    """Precision gain 1 - (N1/N0) FP/t over recall gain 1 - (N1/N0) (N1 - t)/t, by quadrature over t.

    The recall gain is 0 at t = N1^2 / N.
    """
    misses, alarms = errors_of(targets, nontargets)
    n1, n0 = len(targets), len(nontargets)
    tp = n1 - misses
    area = 0.0
    for k in range(len(tp) - 1):
        start = max(tp[k + 1], n1 * n1 / (n1 + n0))
        if start < tp[k]:
            slope = (alarms[k] - alarms[k + 1]) / (tp[k] - tp[k + 1])

            def gain(t, k=k, slope=slope):
                false_alarms = alarms[k + 1] + slope * (t - tp[k + 1])
                return (1 - n1 / n0 * false_alarms / t) * n1 / n0 * n1 / t**2

            area += quad(gain, start, tp[k])[0]
    assert pr.prg_area(misses, alarms) == pytest.approx(area, abs=1e-6)


@settings(max_examples=40)
@given(score_lists(odd=True, most=4), score_lists(odd=True, most=2), st.integers(1, 7))
def test_ties_at_the_last_place_are_in_random_order(targets, nontargets, k):
    """The mean over all orders of the trials, each sorted by score alone."""
    score, label = labelled(targets, nontargets)
    errors = errors_of(targets, nontargets)
    if k > len(score):
        assert np.isnan(pr.precision_at(*errors, k))
        return
    shuffles = np.array(list(permutations(range(len(score)))))
    found = np.mean([label[p][np.argsort(-score[p], kind="stable")[:k]].sum() for p in shuffles])
    assert pr.precision_at(*errors, k) == pytest.approx(found / k, abs=1e-12)
    share = k / len(score)
    assert pr.precision_at_share(*errors, share) == pytest.approx(found / k, abs=1e-12)
    assert pr.lift_at(*errors, share) == pytest.approx(found / k / label.mean(), abs=1e-12)
    if k == len(targets):
        assert pr.break_even(*errors) == pytest.approx(found / k, abs=1e-12)


@given(score_lists(odd=True), score_lists(odd=True))
def test_declaring_the_sample_prevalence_changes_nothing(targets, nontargets):
    errors = errors_of(targets, nontargets)
    prevalence = len(targets) / (len(targets) + len(nontargets))
    for formula in BY_PREVALENCE:
        if formula is not pr.recall_at:  # its bound may be met to the last digit
            declared = float(formula(*errors, prevalence=prevalence))
            assert declared == pytest.approx(float(formula(*errors)), abs=1e-12)


@given(score_lists(odd=True), score_lists(odd=True), st.integers(2, 6))
def test_declared_prevalence_is_as_if_nontargets_were_repeated(targets, nontargets, times):
    one, many = errors_of(targets, nontargets), errors_of(targets, nontargets * times)
    prevalence = len(targets) / (len(targets) + times * len(nontargets))
    for formula in BY_PREVALENCE:
        if formula is not pr.recall_at:
            declared = float(formula(*one, prevalence=prevalence))
            assert declared == pytest.approx(float(formula(*many)), abs=1e-11)


def test_recall_at_a_precision_of_the_population():
    """At prevalence 1/5 four times the false alarms: precisions 1, 1/3, 2/5 at the first cuts, then less."""
    assert pr.recall_at(*UNTIED, precision=0.39, prevalence=0.2) == 0.75
    assert pr.recall_at(*UNTIED, precision=0.5, prevalence=0.2) == 0.25


def test_the_trapezoid_errs_on_either_side():
    """Too high over a tied group, too low where a target follows on non-targets: 1/4 for 1 - ln 2."""
    assert pr.ap_trapezoid(*TIED) > pr.ap_dg(*TIED)
    late = errors_of([0], [1])
    assert pr.ap_trapezoid(*late) == 0.25
    assert pr.ap_dg(*late) == pytest.approx(1 - np.log(2), abs=1e-15)


def test_the_highest_scores_of_one_class_hold_no_target_or_nothing_else():
    none, all_of_them = errors_of([], [1.0, 2.0]), errors_of([1.0, 2.0], [])
    for formula, size in ((pr.precision_at, {"k": 1}), (pr.precision_at_share, {"share": 0.5})):
        assert formula(*none, **size) == 0
        assert formula(*all_of_them, **size) == 1
    assert np.isnan(pr.lift_at(*none))  # 0 over a prevalence of 0
    assert pr.lift_at(*all_of_them) == 1
    nothing = np.array([0]), np.array([0])
    assert all(np.isnan(f(*nothing)) for f in (pr.precision_at, pr.precision_at_share, pr.lift_at))


def test_an_empty_class_is_undefined():
    for errors in (errors_of([], [1.0, 2.0]), errors_of([1.0, 2.0], []), (np.array([0]), np.array([0]))):
        for formula in BY_PREVALENCE:
            assert np.isnan(formula(*errors))
            assert np.isnan(formula(*errors, prevalence=0.3))
        assert np.isnan(pr.max_mcc(*errors))
