import json
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from confusion_formulas import AT_PREVALENCE, EVERY, NAME_OF, of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tied import labelled, staircase_of

from reporting.core.stats import confusion, rates

NAN = math.nan

SKEWED = (3330, 370, 1295, 2405)
"""3700 targets and 3700 non-targets at TPR .90 and FPR .35 (methods 13)."""


def test_as_many_targets_as_nontargets():
    assert of(confusion.accuracy, SKEWED) == 0.775
    assert of(confusion.precision, SKEWED) == 0.72
    assert of(confusion.f1, SKEWED) == 0.8
    assert of(confusion.recall, SKEWED) == 0.9
    assert of(confusion.specificity, SKEWED) == 0.65
    assert of(confusion.mcc, SKEWED) == pytest.approx(math.sqrt(Fraction(121, 375)), abs=1e-15)
    assert of(confusion.mcc, SKEWED) == pytest.approx(0.5680, abs=5e-5)


@pytest.mark.parametrize(
    ("formula", "value", "printed"),
    [
        (confusion.accuracy, Fraction(3330 * 2 + 481, 8140), 0.8773),
        (confusion.precision, Fraction(6660, 6660 + 259), 0.9626),
        (confusion.f1, Fraction(4 * 3330, 4 * 3330 + 2 * 370 + 259), 0.9302),
        (confusion.mcc, None, 0.4428),
    ],
)
def test_a_tenth_of_the_nontargets_by_declared_prevalence(formula, value, printed):
    """370 non-targets beside 3700 targets: 129.5 false alarms, which only a declared prevalence can have."""
    declared = of(formula, SKEWED, prevalence=10 / 11)
    assert declared == pytest.approx(printed, abs=5e-5)
    assert declared == pytest.approx(of(formula, (3330, 370, 129.5, 240.5)), abs=1e-14)
    if value is not None:
        assert declared == pytest.approx(float(value), abs=1e-15)


def test_the_hand_example_of_the_epc(shared):
    hand = json.loads((shared / "references" / "methods.json").read_text())["epc_hand"]
    score, label = labelled(hand["test_pos"], hand["test_neg"])
    for threshold, far, expected in zip(hand["thresholds"], hand["test_far"], (0.6, 4 / 7), strict=True):
        accepted = score >= threshold
        misses, alarms = int((~accepted & label).sum()), int((accepted & ~label).sum())
        errors = misses, alarms, int(label.sum()), int((~label).sum())
        assert rates.far(*errors) == far
        assert confusion.f1(*errors) == expected
    assert hand["test_f1"] == pytest.approx([0.6, 4 / 7])


def test_the_nine_cut_hand_set(shared):
    hand = json.loads((shared / "references" / "methods.json").read_text())["hand9"]
    _, s = staircase_of(hand["tar"], hand["non"])
    errors = s.misses, s.false_alarms, s.n_target, s.n_nontarget
    youden, corner = confusion.youden(*errors), confusion.corner_distance(*errors)
    assert (int(youden.argmax()), int(corner.argmin())) == (3, 3)
    assert youden.max() == pytest.approx(7 / 15, abs=1e-15)
    assert youden.max() == pytest.approx(hand["youden"], abs=1e-15)
    assert corner.min() == pytest.approx(hand["corner"], abs=1e-14)
    assert corner.min() == pytest.approx(math.sqrt(Fraction(34, 225)), abs=1e-15)


def test_the_optimum_of_the_key_terms_is_none():
    """Methods, erratum E26: (FPR, TPR) = (.35, .90) beats (.45, .95) by Youden's index and by the distance."""
    first, second = (90, 10, 35, 65), (95, 5, 45, 55)
    assert of(confusion.youden, first) == 0.55
    assert of(confusion.youden, second) == 0.5
    assert of(confusion.corner_distance, first) == pytest.approx(0.364, abs=5e-4)
    assert of(confusion.corner_distance, second) == pytest.approx(0.453, abs=5e-4)


def test_one_table_worked_out():
    """TP 6, FN 2, FP 3, TN 9."""
    table = (6, 2, 3, 9)
    by_hand = {
        "recall": 3 / 4, "specificity": 3 / 4, "balanced_accuracy": 3 / 4, "g_mean": 3 / 4, "youden": 1 / 2,
        "corner_distance": math.sqrt(1 / 8), "lr_positive": 3, "lr_negative": 1 / 3, "odds_ratio": 9,
        "accuracy": 3 / 4, "error_rate": 1 / 4, "acceptance_rate": 9 / 20, "rejection_rate": 11 / 20,
        "precision": 2 / 3, "npv": 9 / 11, "fdr": 1 / 3, "false_omission_rate": 2 / 11,
        "markedness": 16 / 33, "lift": 5 / 3, "net_benefit": 3 / 20, "f1": 12 / 17, "f_beta": 12 / 17,
        "number_needed_to_evaluate": 3 / 2,
        "jaccard": 6 / 11, "gilbert_skill": 12 / 37, "fowlkes_mallows": math.sqrt(1 / 2), "mcc": math.sqrt(8 / 33), "kappa": 48 / 98,
        "chi_squared": 160 / 33, "p4": 72 / 97,
    }  # fmt: skip
    assert {*by_hand, "mutual_information"} == {NAME_OF[formula] for formula in EVERY}
    for name, value in by_hand.items():
        assert of(getattr(confusion, name), table) == pytest.approx(value, abs=1e-15), name
    assert of(confusion.f_beta, table, beta=2) == pytest.approx(30 / 41, abs=1e-15)
    assert of(confusion.net_benefit, table, p_threshold=0.2) == pytest.approx(21 / 80, abs=1e-15)
    assert of(confusion.precision, table, prevalence=0.01) == pytest.approx(1 / 34, abs=1e-15)
    assert of(confusion.npv, table, prevalence=0.25) == pytest.approx(9 / 10, abs=1e-15)
    assert of(confusion.mutual_information, (1, 1, 0, 2)) == pytest.approx(
        1.5 - 0.75 * math.log2(3), abs=1e-15
    )
    assert of(confusion.mutual_information, (5, 0, 0, 5)) == 1


@pytest.mark.parametrize(
    ("table", "values"),
    [
        # No non-targets, and one target is missed.
        ((3, 1, 0, 0), {"recall": 0.75, "specificity": NAN, "balanced_accuracy": NAN, "youden": NAN,
                        "corner_distance": NAN, "g_mean": NAN, "lr_positive": NAN, "lr_negative": NAN,
                        "odds_ratio": NAN, "precision": 1, "npv": 0, "f1": 6 / 7, "mcc": 0, "chi_squared": NAN,
                        "net_benefit": NAN, "accuracy": 0.75, "mutual_information": 0, "lift": 1, "p4": 0}),
        # No targets.
        ((0, 0, 1, 3), {"recall": NAN, "specificity": 0.75, "precision": 0, "npv": 1, "f1": 0, "jaccard": 0,
                        "fowlkes_mallows": NAN, "lift": NAN, "mcc": 0, "kappa": 0, "lr_positive": NAN, "p4": 0}),
        # No targets and no false alarms: the only tables without F.
        ((0, 0, 0, 4), {"f1": NAN, "f_beta": NAN, "jaccard": NAN, "kappa": NAN, "mcc": 0, "precision": NAN,
                        "npv": 1, "specificity": 1, "accuracy": 1, "acceptance_rate": 0, "p4": NAN}),
        # Everything is rejected.
        ((0, 2, 0, 2), {"precision": NAN, "fdr": NAN, "recall": 0, "f1": 0, "npv": 0.5, "mcc": 0, "kappa": 0,
                        "lift": NAN, "markedness": NAN, "lr_positive": NAN, "lr_negative": 1, "chi_squared": NAN,
                        "net_benefit": 0, "youden": 0, "mutual_information": 0, "fowlkes_mallows": NAN,
                        "p4": 0}),
        # Everything is accepted.
        ((2, 0, 2, 0), {"npv": NAN, "false_omission_rate": NAN, "precision": 0.5, "lr_positive": 1,
                        "lr_negative": NAN, "markedness": NAN, "mcc": 0, "odds_ratio": NAN, "lift": 1, "p4": 0}),
        # No error: quotients that would be infinite are undefined.
        ((2, 0, 0, 3), {"lr_positive": NAN, "lr_negative": 0, "odds_ratio": NAN, "mcc": 1, "kappa": 1, "youden": 1,
                        "corner_distance": 0, "f1": 1, "lift": 2.5, "chi_squared": 5, "markedness": 1, "p4": 1}),
        # Errors only.
        ((0, 2, 3, 0), {"lr_positive": 0, "lr_negative": NAN, "odds_ratio": 0, "mcc": -1, "kappa": -12 / 13,
                        "number_needed_to_evaluate": NAN,
                        "youden": -1, "f1": 0, "corner_distance": math.sqrt(2), "markedness": -1, "p4": 0}),
        # Targets only, all accepted: no error to make P4 0, no non-target to make it 1.
        ((4, 0, 0, 0), {"p4": NAN, "f1": 1, "recall": 1, "npv": NAN, "specificity": NAN, "kappa": NAN}),
        # No trial at all.
        ((0, 0, 0, 0), {NAME_OF[formula]: NAN for formula in EVERY}),
    ],
)  # fmt: skip
def test_edges(table, values):
    for name, value in values.items():
        assert of(getattr(confusion, name), table) == pytest.approx(value, abs=1e-15, nan_ok=True), name


@pytest.mark.parametrize("table", [(3, 1, 0, 0), (0, 0, 1, 3)])
def test_a_declared_prevalence_needs_both_classes(table):
    for formula in AT_PREVALENCE:
        assert math.isnan(of(formula, table, prevalence=0.3)), NAME_OF[formula]


def test_a_wrong_word_for_the_prevalence_is_refused():
    with pytest.raises(ValueError, match="smaple"):
        confusion.precision(1, 1, 2, 2, prevalence="smaple")


def test_products_of_ten_million_trials_do_not_overflow():
    """9.6 M trials: the product of the margins is near 5e26, far beyond int64."""
    tp, fn, fp, tn = table = (4_700_123, 99_877, 312_345, 4_487_655)
    counts = [np.int64(x) for x in (fn, fp, tp + fn, fp + tn)]
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    assert product > 2**63
    matthews = (tp * tn - fp * fn) / math.isqrt(product * 10**30) * 10**15
    assert float(confusion.mcc(*counts)) == pytest.approx(matthews, rel=1e-15)
    for formula in EVERY:
        assert float(formula(*counts)) == of(formula, table), NAME_OF[formula]


def test_counts_a_hair_beyond_the_edge_warn_of_nothing():
    """Slopes taken by differences step over the edge; what has no value there is NaN."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = [float(formula(-1e-3, -1e-3, 5 - 1e-3, 4.0)) for formula in EVERY]
        beyond = [float(formula(5.0, -1e-3, 5.0, 4.0)) for formula in EVERY]
    assert not np.isinf([*values, *beyond]).any()


def test_scikit_learn_agrees_on_tied_tables():
    metrics = pytest.importorskip("sklearn.metrics")
    difference, rng = 0.0, np.random.default_rng(3)
    for _ in range(20):
        label = rng.permutation(np.arange(60) < rng.integers(15, 45))
        score = np.round(rng.normal(label, 1.5))
        decision = score >= np.median(score)
        errors = (
            int((~decision & label).sum()),
            int((decision & ~label).sum()),
            int(label.sum()),
            int((~label).sum()),
        )
        lr_positive, lr_negative = metrics.class_likelihood_ratios(label, decision)
        outside = {
            "precision": metrics.precision_score(label, decision),
            "recall": metrics.recall_score(label, decision),
            "specificity": metrics.recall_score(label, decision, pos_label=False),
            "npv": metrics.precision_score(label, decision, pos_label=False),
            "f1": metrics.f1_score(label, decision),
            "mcc": metrics.matthews_corrcoef(label, decision),
            "kappa": metrics.cohen_kappa_score(label, decision),
            "balanced_accuracy": metrics.balanced_accuracy_score(label, decision),
            "youden": metrics.balanced_accuracy_score(label, decision, adjusted=True),
            "accuracy": metrics.accuracy_score(label, decision),
            "error_rate": metrics.zero_one_loss(label, decision),
            "mutual_information": metrics.mutual_info_score(label, decision) / math.log(2),
            "jaccard": metrics.jaccard_score(label, decision),
            "lr_positive": lr_positive,
            "lr_negative": lr_negative,
        }
        ours = {name: float(getattr(confusion, name)(*errors)) for name in outside}
        for beta in (0.5, 2.0):
            outside[f"f{beta}"] = metrics.fbeta_score(label, decision, beta=beta)
            ours[f"f{beta}"] = float(confusion.f_beta(*errors, beta=beta))
        assert all(map(math.isfinite, outside.values()))
        difference = max(difference, *(abs(ours[name] - outside[name]) for name in outside))
    assert difference < 1e-12


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
        "number_needed_to_evaluate": over(yes, tp),
        "net_benefit": over(tp - fp, n) if both else None,
        "f1": over(2 * tp, 2 * tp + fp + fn),
        "f_beta": over(2 * tp, 2 * tp + fp + fn),
        "jaccard": over(tp, tp + fp + fn),
        "gilbert_skill": None if chance is None else over(tp - over(n1 * yes, n), tp + fp + fn - over(n1 * yes, n)),
        "p4": 4 / (1 / ppv + 1 / tpr + 1 / (1 - fpr) + 1 / negative) if tp * tn else (0 if fp + fn else None),
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


@given(TABLES, st.floats(1e-3, 1 - 1e-3))
def test_p4_is_the_harmonic_mean_of_f1_for_either_class(table, prior):
    """So it lies between the least and four times the least of the four shares."""
    for at, turned in (({}, {}), ({"prevalence": prior}, {"prevalence": 1 - prior})):
        p4 = of(confusion.p4, table, **at)
        one, other = of(confusion.f1, table, **at), of(confusion.f1, table[::-1], **turned)
        if one * other > 0:
            assert p4 == pytest.approx(2 / (1 / one + 1 / other), rel=1e-12)
            shares = [of(confusion.recall, table), of(confusion.specificity, table),
                      of(confusion.precision, table, **at), of(confusion.npv, table, **at)]  # fmt: skip
            assert min(shares) * (1 - 1e-12) <= p4 <= 4 * min(shares) * (1 + 1e-12)
        else:
            assert not p4 > 0


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
             "chi_squared", "mutual_information", "markedness", "odds_ratio", "p4")  # fmt: skip
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
