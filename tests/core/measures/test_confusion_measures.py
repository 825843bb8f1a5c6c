import math
import pickle

import numpy as np
import pytest
from confusion_formulas import EVERY
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.measures import threshold
from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.measures.measure import Measure
from reporting.core.measures.threshold import DCF, FAR, FRR, HTER, WEIGHTED_ERROR
from reporting.core.stats import rates
from reporting.errors import ConfigError

OURS = [
    value
    for value in vars(threshold).values()
    if isinstance(value, Measure) and value not in (FAR, FRR, HTER, WEIGHTED_ERROR, DCF)
]
AT_THRESHOLD = [FAR, FRR, HTER, WEIGHTED_ERROR, DCF, *OURS]
WITH_PREVALENCE = [m for m in OURS if "prevalence" in m.arguments]
COUNTS = st.integers(0, 6) | st.integers(0, 10**6)
TABLES = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS)


def errors(table):
    """Misses, false alarms and class sizes of (TP, FN, FP, TN)."""
    tp, fn, fp, tn = table
    return fn, fp, tp + fn, fp + tn


def value(measure, table):
    return float(measure.formula(*errors(table), **measure.arguments))


def test_all_are_in_the_catalogue():
    assert {measure.formula for measure in OURS} == set(EVERY)
    assert all(MEASURES[m.key] is m for m in AT_THRESHOLD)


@pytest.mark.parametrize("measure", AT_THRESHOLD, ids=str)
def test_a_measure_says_what_it_is(measure):
    assert measure.over == "threshold"
    assert not measure.own_cut
    assert measure.definition
    assert measure.source
    assert read_measure(str(measure)) == measure
    assert not {measure.key, measure.label, measure.name} & set(measure.synonyms)
    assert len(set(measure.synonyms)) == len(measure.synonyms)


@pytest.mark.parametrize("measure", OURS, ids=str)
def test_a_formula_survives_the_way_to_another_process(measure):
    assert pickle.loads(pickle.dumps(measure.formula)) == measure.formula


@given(table=TABLES, prevalence=st.floats(1e-12, 1 - 1e-12))
def test_values_lie_within_the_bounds(table, prevalence):
    for measure in (*AT_THRESHOLD, *(m.at(prevalence=prevalence) for m in WITH_PREVALENCE)):
        low, high = measure.bounds
        assert not value(measure, table) < low - 1e-12, measure
        assert not value(measure, table) > high + 1e-12, measure


@pytest.mark.parametrize("measure", AT_THRESHOLD, ids=str)
def test_the_better_of_two_tables_is_the_one_with_fewer_errors(measure):
    good, bad = value(measure, (45, 5, 7, 53)), value(measure, (30, 20, 25, 35))
    assert good < bad if measure.better == "lower" else good > bad


def test_the_better_sense_of_a_share_of_work_is_fewer_acceptances():
    assert (threshold.ACCEPTANCE_RATE.better, threshold.REJECTION_RATE.better) == ("lower", "higher")


LINEAR = (
    *("far", "frr", "hter", "weighted_error(alpha=0.2)", "dcf", "dcf(p_target=0.01,c_miss=10)"),
    *("dcf(p_target=0.01,c_fa=3,normalised=false)", "dcf(p_target=0.7,norm=miss)"),
)


@given(table=TABLES)
def test_linear_measures_are_the_weighted_sum_they_claim(table):
    far, frr = float(rates.far(*errors(table))), float(rates.frr(*errors(table)))
    for measure in map(read_measure, LINEAR):
        far_weight, frr_weight = measure.linear()
        claimed = sum(w * x for w, x in ((far_weight, far), (frr_weight, frr)) if w)
        assert value(measure, table) == pytest.approx(claimed, rel=1e-14, nan_ok=True), measure


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("dcf", (1, 1)),
        ("dcf(p_target=0.01,c_miss=10)", (9.9, 1)),
        ("dcf(p_target=0.01,c_fa=3,normalised=false)", (2.97, 0.01)),
        ("dcf(p_target=0.75,norm=miss)", (1 / 3, 1)),
        ("dcf(p_target=0.75)", (1, 3)),
    ],
)
def test_the_weights_of_a_detection_cost(name, weights):
    assert str(read_measure(name)) == name
    assert read_measure(name).linear() == pytest.approx(weights, rel=1e-15)


def test_only_weighted_sums_of_the_two_rates_claim_to_be():
    assert [m.key for m in AT_THRESHOLD if m.linear()] == ["far", "frr", "hter", "weighted_error", "dcf"]


COUNTED = [m for m in AT_THRESHOLD if m.counted]


def test_proportions_of_trials():
    assert {m.key for m in COUNTED} == {
        *("far", "frr", "recall", "specificity", "accuracy", "error_rate", "precision", "npv", "fdr"),
        *("false_omission_rate", "acceptance_rate", "rejection_rate"),
    }


@given(table=TABLES)
def test_a_proportion_is_what_it_counts(table):
    for measure in COUNTED:
        part, whole = measure.counted.counts(*errors(table), **measure.arguments)
        assert 0 <= part <= whole
        assert np.array_equal(value(measure, table), part / whole if whole else math.nan, equal_nan=True), (
            measure
        )


@pytest.mark.parametrize("measure", [m for m in COUNTED if "prevalence" in m.arguments], ids=str)
def test_at_a_declared_prevalence_nothing_is_counted(measure):
    declared = measure.at(prevalence=0.1)
    assert declared.counted.counts(1, 2, 3, 4, **declared.arguments)[1] is None


def test_the_prevalence_is_a_word_or_a_number():
    declared = read_measure("precision(prevalence=1e-2)")
    assert str(declared) == "precision(prevalence=0.01)"
    assert value(declared, (6, 2, 3, 9)) == pytest.approx(1 / 34, abs=1e-15)
    assert read_measure("precision(prevalence=sample)") == MEASURES["precision"]
    assert str(read_measure("f_beta(prevalence=0.5,beta=2)")) == "f_beta(beta=2,prevalence=0.5)"
    assert str(read_measure("net_benefit(p_threshold=0.1)")) == "net_benefit(p_threshold=0.1)"
    for refused in (
        "precision(prevalence=0)",
        "mcc(prevalence=1)",
        "f1(prevalence=smaple)",
        "recall(prevalence=0.5)",
    ):
        with pytest.raises(ConfigError, match="prevalence"):
            read_measure(refused)


@given(table=TABLES)
def test_what_takes_no_prevalence_does_not_move_with_it(table):
    """Five times the non-targets at the same rates; chi-squared grows with the trials themselves."""
    tp, fn, fp, tn = table
    for measure in AT_THRESHOLD:
        if measure not in WITH_PREVALENCE and measure.key != "chi_squared":
            same = pytest.approx(value(measure, table), rel=1e-12, abs=1e-12, nan_ok=True)
            assert value(measure, (tp, fn, 5 * fp, 5 * tn)) == same, measure


@pytest.mark.parametrize("measure", WITH_PREVALENCE, ids=str)
def test_what_takes_a_prevalence_moves_with_it(measure):
    assert abs(value(measure, (6, 2, 3, 12)) - value(measure, (6, 2, 15, 60))) > 0.01
    declared = value(measure.at(prevalence=8 / 83), (6, 2, 3, 12))
    assert declared == pytest.approx(value(measure, (6, 2, 15, 60)), rel=1e-12)


ROCR = {
    "accuracy": "acc", "error_rate": "err", "far": "fpr fall", "recall": "tpr rec sens", "frr": "fnr miss",
    "specificity": "tnr spec", "precision": "ppv prec", "npv": "npv", "fdr": "pcfall",
    "false_omission_rate": "pcmiss", "acceptance_rate": "rpp", "rejection_rate": "rnp", "mcc": "phi mat",
    "mutual_information": "mi", "chi_squared": "chisq", "odds_ratio": "odds", "lift": "lift", "f1": "f",
    "dcf": "cost",
}  # fmt: skip


@pytest.mark.parametrize(("key", "names"), ROCR.items())
def test_names_of_the_field_are_found(key, names):
    measure = MEASURES[key]
    known = {name.lower() for name in (measure.key, measure.label, *measure.synonyms)}
    assert set(names.split()) <= known
