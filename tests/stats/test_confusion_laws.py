import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from confusion_formulas import AT_PREVALENCE, EVERY, NAME_OF, of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reporting.stats import confusion, rates

NAN = math.nan
COUNTS = st.integers(0, 6) | st.integers(0, 10**7)
TABLES = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS)
PRIORS = st.integers(1, 10**6 - 1).map(lambda k: Fraction(k / 10**6))


def over(part, whole):
    return None if part is None or not whole else Fraction(part) / whole


def exactly(tp, fn, fp, tn):
    """Rational measures from their textbook definitions; None where undefined."""
    n1, n0, yes, no = tp + fn, fp + tn, tp + fp, fn + tn
    n = n1 + n0
    tpr, fpr, ppv, negative = over(tp, n1), over(fp, n0), over(tp, yes), over(tn, no)
    both, decisions = n1 and n0, yes and no
    chance = over(n1 * yes + n0 * no, n * n)
    expected = [n1 * yes, n1 * no, n0 * yes, n0 * no]
    return {
        "recall": tpr,
        "specificity": over(tn, n0),
        "balanced_accuracy": (tpr + 1 - fpr) / 2 if both else None,
        "youden": tpr - fpr if both else None,
        "lr_positive": over(tpr, fpr),
        "lr_negative": over(1 - tpr, 1 - fpr) if both else None,
        "odds_ratio": over(over(tp, fn), over(fp, tn)) if tn else (None if not fp * fn else 0),
        "chi_squared": sum((o * n - e) ** 2 / Fraction(e * n) for o, e in zip((tp, fn, fp, tn), expected, strict=True))
        if all(expected) else None,
        "accuracy": over(tp + tn, n),
        "error_rate": over(fp + fn, n),
        "acceptance_rate": over(yes, n),
        "rejection_rate": over(no, n),
        "precision": ppv,
        "npv": negative,
        "fdr": None if ppv is None else 1 - ppv,
        "false_omission_rate": None if negative is None else 1 - negative,
        "markedness": ppv + negative - 1 if decisions else None,
        "lift": over(ppv, over(n1, n)),
        "net_benefit": over(tp - fp, n) if both else None,
        "f1": over(2 * tp, 2 * tp + fp + fn),
        "f_beta": over(2 * tp, 2 * tp + fp + fn),
        "jaccard": over(tp, tp + fp + fn),
        "kappa": None if chance is None else over(over(tp + tn, n) - chance, 1 - chance),
    }  # fmt: skip


def compare(table, oracle, **parameters):
    for name, value in oracle.items():
        got = of(getattr(confusion, name), table, **parameters)
        wanted = NAN if value is None else float(value)
        assert got == pytest.approx(wanted, rel=1e-11, abs=1e-13, nan_ok=True), name


@given(TABLES)
def test_exact_fractions(table):
    compare(table, exactly(*table))


@given(TABLES, PRIORS)
def test_exact_masses_at_a_declared_prevalence(table, prior):
    tp, fn, fp, tn = table
    if tp + fn == 0 or fp + tn == 0:
        return
    masses = [prior * over(x, tp + fn) for x in (tp, fn)] + [(1 - prior) * over(x, fp + tn) for x in (fp, tn)]
    oracle = exactly(*masses)
    declared = {NAME_OF[f]: oracle[NAME_OF[f]] for f in AT_PREVALENCE if NAME_OF[f] in oracle}
    assert len(declared) == len(AT_PREVALENCE) - 3
    compare(table, declared, prevalence=float(prior))


@given(TABLES)
def test_the_samples_own_prevalence_as_a_number_changes_nothing(table):
    tp, fn, fp, tn = table
    if tp + fn == 0 or fp + tn == 0:
        return
    for formula in AT_PREVALENCE:
        own = of(formula, table)
        declared = of(formula, table, prevalence=(tp + fn) / sum(table))
        assert declared == pytest.approx(own, rel=1e-9, abs=1e-12, nan_ok=True), NAME_OF[formula]


@given(TABLES, st.floats(1e-12, 1 - 1e-12))
def test_laws_between_measures(table, prior):
    for at in ({}, {"prevalence": prior}):
        precision, recall = of(confusion.precision, table, **at), of(confusion.recall, table)
        if precision * recall > 0:
            assert of(confusion.f1, table, **at) == pytest.approx(2 / (1 / precision + 1 / recall), rel=1e-12)
            fm = of(confusion.fowlkes_mallows, table, **at)
            assert fm == pytest.approx(math.sqrt(precision * recall), rel=1e-12)
        assert of(confusion.f_beta, table, beta=1, **at) == pytest.approx(
            of(confusion.f1, table, **at), nan_ok=True
        )
        assert not of(confusion.kappa, table, **at) > 1 + 1e-12
        assert not abs(of(confusion.mcc, table, **at)) > 1 + 1e-12
        lifted = of(confusion.lift, table, **at) * at.get(
            "prevalence", (table[0] + table[1]) / max(1, sum(table))
        )
        if table[0] + table[1]:
            assert lifted == pytest.approx(precision, rel=1e-12, nan_ok=True)
    shares = of(confusion.fdr, table) + of(confusion.precision, table)
    assert shares == pytest.approx(1 if table[0] + table[2] else NAN, abs=1e-15, nan_ok=True)


@given(TABLES)
def test_likelihood_ratios_and_the_indices_of_two_rates(table):
    tp, fn, fp, tn = table
    errors = fn, fp, tp + fn, fp + tn
    far, frr = float(rates.far(*errors)), float(rates.frr(*errors))
    assert of(confusion.youden, table) == pytest.approx(1 - far - frr, abs=1e-14, nan_ok=True)
    hter = float(rates.hter(*errors))
    assert of(confusion.balanced_accuracy, table) == pytest.approx(1 - hter, abs=1e-15, nan_ok=True)
    squares = {confusion.g_mean: (1 - far) * (1 - frr), confusion.corner_distance: far**2 + frr**2}
    for formula, square in squares.items():
        assert of(formula, table) ** 2 == pytest.approx(square, abs=1e-14, nan_ok=True)
    if all(table):
        quotient = of(confusion.lr_positive, table) / of(confusion.lr_negative, table)
        assert of(confusion.odds_ratio, table) == pytest.approx(quotient, rel=1e-13)
        product = of(confusion.youden, table) * of(confusion.markedness, table)
        assert of(confusion.mcc, table) ** 2 == pytest.approx(product, rel=1e-12, abs=1e-15)
        assert of(confusion.chi_squared, table) == pytest.approx(
            sum(table) * of(confusion.mcc, table) ** 2, rel=1e-12, abs=1e-9
        )


@given(TABLES)
def test_what_treats_the_classes_alike_and_what_swaps(table):
    """The other class as target, and every decision turned."""
    swapped = table[::-1]
    alike = ("mcc", "kappa", "accuracy", "balanced_accuracy", "g_mean", "youden", "corner_distance",
             "chi_squared", "mutual_information", "markedness", "odds_ratio")  # fmt: skip
    for name in alike:
        formula = getattr(confusion, name)
        assert of(formula, table) == pytest.approx(of(formula, swapped), rel=1e-12, abs=1e-14, nan_ok=True), (
            name
        )
    for one, other in (("precision", "npv"), ("fdr", "false_omission_rate"), ("recall", "specificity"),
                       ("acceptance_rate", "rejection_rate")):  # fmt: skip
        assert of(getattr(confusion, one), table) == pytest.approx(
            of(getattr(confusion, other), swapped), nan_ok=True
        )


def bits(*parts):
    whole = sum(parts)
    return -sum(p / whole * math.log2(p / whole) for p in parts if p)


@given(TABLES, st.floats(1e-6, 1 - 1e-6))
@example((5, 5, 5, 5), 0.5)
def test_mutual_information_lies_between_nothing_and_the_labels_entropy(table, prior):
    tp, fn, fp, tn = table
    if sum(table):
        value = of(confusion.mutual_information, table)
        by_cells = bits(tp + fn, fp + tn) + bits(tp + fp, fn + tn) - bits(*table)
        assert value == pytest.approx(by_cells, abs=1e-13)
        assert 0 <= value <= bits(tp + fn, fp + tn) + 1e-13
    if tp + fn and fp + tn:
        assert (
            0 <= of(confusion.mutual_information, table, prevalence=prior) <= bits(prior, 1 - prior) + 1e-13
        )
    if tp * tn == fp * fn and sum(table):
        assert of(confusion.mutual_information, table) == pytest.approx(0, abs=1e-13)


@settings(max_examples=30)
@example([(0, 0, 0, 0), (12199, 0, 0, 9119)], 0.5)
@given(st.lists(TABLES, min_size=2, max_size=3), st.floats(1e-6, 1 - 1e-6))
def test_a_block_of_replicates_equals_one_by_one(tables, prior):
    """Replicates and thresholds: errors of shape (M, T) beside class sizes of shape (M, 1)."""
    tp, fn, fp, tn = (np.array(column)[:, None] for column in zip(*tables, strict=True))
    n1, n0 = tp + fn, fp + tn
    misses, alarms = np.hstack([fn, n1]), np.hstack([fp, 0 * n0])
    for formula, parameters in [(f, {}) for f in EVERY] + [(f, {"prevalence": prior}) for f in AT_PREVALENCE]:
        block = formula(misses, alarms, n1, n0, **parameters)
        assert block.shape == misses.shape
        assert block.dtype == np.float64
        for m, row in enumerate(block):
            alone = [float(formula(int(a), int(b), int(n1[m, 0]), int(n0[m, 0]), **parameters))
                     for a, b in zip(misses[m], alarms[m], strict=True)]  # fmt: skip
            assert np.array_equal(row, alone, equal_nan=True), NAME_OF[formula]


@given(TABLES)
def test_nothing_warns_and_nothing_is_infinite(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [of(formula, table) for formula in EVERY]
    assert not np.isinf(values).any()
