"""Every measure that scikit-learn computes too, on twenty tied tables; where they differ, ours by hand."""

import math

import numpy as np
import pytest
from scipy.special import logit
from sklearn import metrics
from sklearn.calibration import calibration_curve

from reporting.core.measures.catalogue import read_measure
from tests.research.benchmarks.peers_rows import NOTES
from tests.research.benchmarks.peers_scikit_learn import FUNCTIONS
from tests.research.benchmarks.peers_tables import LARGEST, SMALLEST, TABLES, Table, in_turn, ours, tables

DRAWN = tables()
DIFFER = [key for key in FUNCTIONS if key in NOTES]
EQUAL = [key for key in FUNCTIONS if key not in NOTES]


def named(key):
    return " = ".join(key)


def pairs(key):
    """Our values and theirs of all tables."""
    own = [ours(key[0], *two) for two in in_turn(DRAWN)]
    theirs = [np.ravel(FUNCTIONS[key](table)).astype(float) for table in DRAWN]
    assert [len(a) for a in own] == [len(a) for a in theirs]
    return np.concatenate(own), np.concatenate(theirs)


def table(targets, nontargets):
    labels = np.array([True] * len(targets) + [False] * len(nontargets))
    return Table(np.array([*targets, *nontargets], dtype=float), labels)


def of(name, targets, nontargets):
    """Our value over the sweep of two lists of scores."""
    staircase = table(targets, nontargets).cuts.staircase
    measure = read_measure(name)
    return float(measure.formula(staircase.misses, staircase.false_alarms, **measure.arguments))


def at(name, misses, false_alarms, n_target, n_nontarget):
    """Our value at a threshold with these counts."""
    measure = read_measure(name)
    return float(measure.formula(misses, false_alarms, n_target, n_nontarget, **measure.arguments))


def stated(name, probability, n_target, n_nontarget):
    """Our value of probabilities, in ascending order, with the trials at each."""
    measure = read_measure(name)
    counts = (np.array(counts) for counts in (n_target, n_nontarget))
    p = np.array(probability)
    needed = logit(p) if measure.needs == "log_odds" else p
    return float(measure.formula(needed, *counts, **measure.arguments))


def test_the_tables_are_tied_within_and_across_classes_and_some_are_below_chance():
    sizes = [len(drawn.label) for drawn in DRAWN]
    assert (len(sizes), min(sizes), max(sizes)) == (TABLES, SMALLEST, LARGEST)
    for drawn in DRAWN:
        cuts = drawn.cuts
        assert min(cuts.totals) >= 3
        assert min(cuts.n_target.max(), cuts.n_nontarget.max()) > 1
        assert ((cuts.n_target > 0) & (cuts.n_nontarget > 0)).any()
        accepted = [int(drawn.accepted(t).sum()) for t in drawn.thresholds]
        assert accepted[:4] == [len(drawn.label), len(drawn.label), 0, 0]
        assert set(drawn.thresholds[4:8]) <= set(drawn.score)
        assert drawn.thresholds[8] not in drawn.score
    areas = [ours("auc", *two)[0] for two in in_turn(DRAWN)]
    assert min(areas) < 0.45
    assert max(areas) > 0.85


@pytest.mark.parametrize("key", EQUAL, ids=named)
def test_measure_equals(key):
    own, theirs = pairs(key)
    np.testing.assert_array_equal(np.isnan(own), np.isnan(theirs))
    defined = ~np.isnan(own)
    assert defined.any()
    assert np.abs(own[defined] - theirs[defined]).max() < 1e-12


@pytest.mark.parametrize("key", DIFFER, ids=named)
def test_noted_difference_is_there(key):
    own, theirs = pairs(key)
    one = np.isnan(own) != np.isnan(theirs)
    both = ~np.isnan(own) & ~np.isnan(theirs)
    assert one.any() or np.abs(own[both] - theirs[both]).max() > 1e-3


@pytest.mark.filterwarnings("ignore:Precision is ill-defined")
def test_precision_without_acceptances_is_undefined_not_0():
    assert metrics.precision_score([1, 0], [0, 0]) == 0
    assert math.isnan(at("precision", 1, 0, 1, 1))
    assert at("precision", 1, 1, 3, 4) == 2 / 3


def test_fowlkes_mallows_is_of_decisions_not_of_clusterings():
    assert metrics.fowlkes_mallows_score([1, 1, 0, 0], [0, 0, 1, 1]) == 1
    assert at("fowlkes_mallows", 2, 2, 2, 2) == 0
    assert at("fowlkes_mallows", 3, 0, 4, 1) == 1 / 2  # precision 1, recall 1/4


def test_mutual_information_is_in_bits():
    assert metrics.mutual_info_score([1, 0], [1, 0]) == pytest.approx(math.log(2), abs=1e-15)
    assert at("mutual_information", 0, 0, 1, 1) == 1


def test_the_end_of_the_precision_recall_curve_is_no_decision():
    precision, recall, _ = metrics.precision_recall_curve([1, 0], [1.0, 2.0])
    assert (precision.tolist(), recall.tolist()) == ([1 / 2, 0, 1], [1, 0, 0])
    assert [at("precision", m, a, 1, 1) for m, a in ((0, 1), (1, 1))] == [1 / 2, 0]
    assert math.isnan(at("precision", 1, 0, 1, 1))


def test_straight_lines_between_precisions_are_optimistic():
    precision, recall, _ = metrics.precision_recall_curve([1, 0], [1.0, 1.0])
    assert metrics.auc(recall, precision) == of("ap_trapezoid", [1], [1]) == 3 / 4
    assert of("ap_dg", [1], [1]) == of("ap_step", [1], [1]) == 1 / 2


def test_average_precision_by_steps_and_along_the_curve():
    assert metrics.average_precision_score([1, 0, 1], [3.0, 2.0, 1.0]) == pytest.approx(5 / 6, abs=1e-15)
    assert of("ap_step", [3, 1], [2]) == pytest.approx(5 / 6, abs=1e-15)
    assert of("ap_dg", [3, 1], [2]) == pytest.approx(1 - math.log(3 / 2) / 2, abs=1e-15)


def test_recall_at_a_precision_that_no_cut_has_is_undefined_not_0():
    precision, recall, _ = metrics.precision_recall_curve([1, 0], [1.0, 2.0])
    assert recall[precision >= 0.9].max() == 0
    assert math.isnan(of("recall_at(precision=0.9)", [1], [2]))
    assert of("recall_at(precision=0.5)", [1], [2]) == 1
    assert of("recall_at(precision=0.9)", [3, 1], [2]) == 1 / 2


def test_a_probability_on_a_border_belongs_to_the_bin_above():
    true, mean = calibration_curve([1, 0], [0.45, 0.5], n_bins=10)
    assert (true.tolist(), mean.tolist()) == ([1 / 2], [0.475])  # theirs: one bin, |0.475 - 1/2| = 1/40
    assert stated("calibration_error", [0.45, 0.5], [1, 0], [0, 1]) == pytest.approx(21 / 40, abs=1e-15)


def test_a_target_without_any_probability_costs_infinitely_much():
    clipped = (52 * math.log(2) + math.log(2)) / 2
    assert metrics.log_loss([1, 0], [0.0, 0.5]) == pytest.approx(clipped, abs=1e-12)
    assert stated("log_loss", [0.0, 0.5], [1, 0], [0, 1]) == math.inf


def test_infinite_scores_have_an_area():
    with pytest.raises(ValueError, match="infinity"):
        metrics.roc_auc_score([0, 0, 1, 1], [np.inf, 0, 1, 2])
    assert of("auc", [1, 2], [math.inf, 0]) == 1 / 2
