"""What holds for every measure over the sweep: the catalogue's word on each is put to the test."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from in_r import printed_by_r
from tied import score_lists, staircase_of

from reporting.core.measures.catalogue import MEASURES, read_measure
from reporting.core.measures.sweep import allows_fewer, below_rule_of_30, errors_allowed
from reporting.core.stats.staircase import truth_runs
from reporting.errors import ConfigError

VARIANTS = [
    "pauc(far_max=0.3)",
    "pauc(far_min=0.1,far_max=0.4,mcclish=true)",
    "pauc_tpr(tpr_min=0.45)",
    "h_measure(severity_ratio=0.2)",
    "h_measure(severity_ratio=hand2014)",
    *(f"{key}(prevalence=0.1)" for key in ("ap_step", "ap_dg", "ap_trapezoid", "ap_11pt", "break_even")),
    *(f"{key}(prevalence=0.1)" for key in ("max_f1", "prg_area", "recall_at")),
    "recall_at(precision=0.5)",
    "precision_at(k=1)",
    "precision_at(k=3)",
    "lift_at(share=0.35)",
    *(
        f"{key}({bound}=0.3,how={how})"
        for key, bound in (("frr_at_far", "far"), ("far_at_frr", "frr"))
        for how in ("at_most", "nearest", "interp")
    ),
    "sensitivity_at(specificity=0.6,how=interp)",
    "specificity_at(sensitivity=0.6,how=nearest)",
]
ONE_CLASS = ("precision_at", "precision_at_share", "lift_at")
"""The highest scores of one class hold targets alone, or none: these are defined where the others are not."""
SWEPT = [*(m for m in MEASURES.values() if m.over == "sweep"), *map(read_measure, VARIANTS)]
ON_RUNS = [measure for measure in SWEPT if measure.sees_runs]
LISTS = score_lists(odd=True, most=12)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def cumulated(p, n):
    """Misses and false alarms of counts at ascending scores (last axis)."""
    start = np.zeros((*p.shape[:-1], 1), dtype=np.int64)
    misses, rejected = (np.concatenate([start, np.cumsum(x, axis=-1)], axis=-1) for x in (p, n))
    return misses, rejected[..., -1:] - rejected


def resampled(targets, nontargets, seed, replicates=6):
    """Counts at the distinct scores under weights of 0 to 2; rows may lose a class, or everything."""
    _, s = staircase_of(targets, nontargets)
    p, n = np.diff(s.misses), -np.diff(s.false_alarms)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, size=(2, replicates, len(p))) * (rng.random((2, replicates, 1)) < 0.9)
    return p * weights[0], n * weights[1], truth_runs(p, n)


def value(measure, misses, false_alarms):
    return measure.formula(misses, false_alarms, **measure.arguments)


SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=40)
@given(LISTS, LISTS, SEEDS)
def test_replicates_are_rows_one_by_one_within_bounds(targets, nontargets, seed):
    p, n, _ = resampled(targets, nontargets, seed)
    misses, false_alarms = cumulated(p, n)
    for measure in SWEPT:
        block = value(measure, misses, false_alarms)
        assert block.shape == (len(misses),)
        assert block.dtype == np.float64
        alone = [float(value(measure, m, a)) for m, a in zip(misses, false_alarms, strict=True)]
        np.testing.assert_array_equal(block, alone, err_msg=str(measure))
        deep = value(measure, misses.reshape(2, 3, -1), false_alarms.reshape(2, 3, -1))
        np.testing.assert_array_equal(deep.ravel(), block, err_msg=str(measure))
        low, high = measure.bounds
        inside = (low - 1e-12 <= block) & (block <= high + 1e-12)
        assert (inside | np.isnan(block)).all(), measure
        empty = (misses[:, -1] == 0) | (false_alarms[:, 0] == 0)
        if measure.key not in ONE_CLASS:
            assert np.isnan(block[empty]).all(), measure


def test_replicates_are_rows_one_by_one_on_long_rows():
    """Long enough for sums in blocks: the order of a sum must not hang on the number of rows."""
    rng = np.random.default_rng(5)
    p, n = rng.integers(0, 3, size=(2, 3, 20_000))
    n = n[:, ::-1] * (np.arange(20_000) < 15_000)
    misses, false_alarms = cumulated(p, n)
    for measure in SWEPT:
        alone = [float(value(measure, m, a)) for m, a in zip(misses, false_alarms, strict=True)]
        np.testing.assert_array_equal(value(measure, misses, false_alarms), alone, err_msg=str(measure))


@settings(max_examples=40)
@given(LISTS, LISTS, SEEDS)
def test_cuts_that_repeat_change_nothing(targets, nontargets, seed):
    """A score without weight makes a cut like its neighbour."""
    p, n, _ = resampled(targets, nontargets, seed, 1)
    there = np.flatnonzero((p + n)[0])
    for measure in SWEPT:
        with_all, with_some = (
            value(measure, *cumulated(p, n)),
            value(measure, *cumulated(p[:, there], n[:, there])),
        )
        np.testing.assert_allclose(with_all, with_some, rtol=0, atol=1e-13, err_msg=str(measure))


@settings(max_examples=60)
@given(LISTS, LISTS, SEEDS)
def test_runs_of_one_class_may_be_merged_where_the_catalogue_says_so(targets, nontargets, seed):
    p, n, run = resampled(targets, nontargets, seed)
    starts = np.flatnonzero(np.diff(run, prepend=-1))
    merged = cumulated(np.add.reduceat(p, starts, axis=-1), np.add.reduceat(n, starts, axis=-1))
    for measure in ON_RUNS:
        whole = value(measure, *cumulated(p, n))
        np.testing.assert_allclose(value(measure, *merged), whole, rtol=0, atol=1e-12, err_msg=str(measure))


@pytest.mark.parametrize(
    ("name", "targets", "nontargets"),
    [
        ("ap_step", [0, 2, 3], [1, 4]),
        ("ap_trapezoid", [0, 2, 3], [1, 4]),
        ("eer_discrete", [0, 3, 4], [1, 2]),
        ("frr_at_far(far=0.7,how=nearest)", [0, 2], [1, 1.2, 1.4, 1.6]),
        ("far_at_frr(frr=0.7,how=nearest)", [1, 1.2, 1.4, 1.6], [0, 2]),
        ("sensitivity_at(specificity=0.3,how=nearest)", [0, 2], [1, 1.2, 1.4, 1.6]),
        ("specificity_at(sensitivity=0.3,how=nearest)", [1, 1.2, 1.4, 1.6], [0, 2]),
    ],
)
def test_where_merging_runs_changes_the_value_the_catalogue_says_so(name, targets, nontargets):
    measure = read_measure(name)
    _, s = staircase_of(targets, nontargets)
    p, n = np.diff(s.misses), -np.diff(s.false_alarms)
    starts = np.flatnonzero(np.diff(truth_runs(p, n), prepend=-1))
    merged = cumulated(np.add.reduceat(p, starts), np.add.reduceat(n, starts))
    assert not measure.sees_runs
    assert value(measure, s.misses, s.false_alarms) != value(measure, *merged)


def test_what_the_catalogue_says_of_runs_is_proven_either_way():
    not_on_runs = {measure.key for measure in SWEPT if measure.on_runs is False}
    assert not_on_runs == {"ap_step", "ap_trapezoid", "eer_discrete"}
    assert all(read_measure(key).sees_runs for key in ("frr_at_far", "specificity_at(how=interp)"))


@given(LISTS, LISTS, SEEDS)
def test_order_among_measures(targets, nontargets, seed):
    p, n, _ = resampled(targets, nontargets, seed)
    errors = cumulated(p, n)
    of = {key: value(MEASURES[key], *errors) for key in ("auc", "auch", "gini", "error_area", "ks")}
    there = ~np.isnan(of["auc"])
    for values in of.values():
        np.testing.assert_array_equal(np.isnan(values), ~there)
    assert (of["auch"][there] >= of["auc"][there] - 1e-15).all()
    np.testing.assert_allclose(of["gini"], 1 - 2 * of["error_area"], atol=1e-15)
    half = value(read_measure("mindcf"), *errors)
    np.testing.assert_allclose(of["ks"], 1 - half, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "sizes", "allowed"),
    [
        ("frr_at_far", (5, 100), 1),
        ("frr_at_far", (5000, 99), 0.99),
        ("frr_at_far(far=0.001,how=interp)", (5, 30_000), 30),
        ("far_at_frr", (200, 5), 2),
        ("sensitivity_at", (5, 10), 1),
        ("sensitivity_at(specificity=0.99)", (5, 99), 0.99),
        ("specificity_at", (10, 5), 1),
        ("frr_at_far(far=0)", (5, 10), 0),
        ("frr_at_far(far=1e-05)", (5, 100_000), 1),
    ],
)
def test_errors_that_a_fixed_rate_allows(name, sizes, allowed):
    measure = read_measure(name)
    assert float(errors_allowed(measure, *sizes)) == allowed
    assert allows_fewer(1, measure, *sizes) == (0 < allowed < 1)
    assert below_rule_of_30(measure, *sizes) == (allowed < 30)


def test_other_measures_fix_no_rate():
    for measure in (MEASURES["auc"], MEASURES["far"], MEASURES["recall_at"]):
        assert errors_allowed(measure, 1, 1) is None
        assert not allows_fewer(1, measure, 1, 1)
        assert not below_rule_of_30(measure, 1, 1)


def test_names_and_parameters():
    assert str(read_measure("pauc(mcclish=true, far_max=0.1)")) == "pauc(far_max=0.1,mcclish=true)"
    assert str(read_measure("pauc(far_max=1)")) == "pauc"
    assert str(read_measure("h_measure(severity_ratio=sample)")) == "h_measure"
    assert str(read_measure("frr_at_far(how=nearest,far=0.001)")) == "frr_at_far(far=0.001,how=nearest)"
    with pytest.raises(ConfigError, match="how=at_least: expected at_most or nearest or interp"):
        read_measure("frr_at_far(how=at_least)")
    with pytest.raises(ConfigError, match="far_max=2 is outside"):
        read_measure("pauc(far_max=2)")


@pytest.mark.parametrize("measure", MEASURES.values(), ids=str)
def test_every_measure_says_what_it_is(measure):
    assert measure.definition
    assert measure.source


ASAH = """
suppressMessages(library(pROC)); data(aSAH)
f <- function(r, x) coords(r, x, input = "specificity", ret = "sensitivity", transpose = FALSE)[[1]]
scores <- list(s100b = aSAH$s100b, ndka = aSAH$ndka, wfns = as.numeric(aSAH$wfns))
for (name in names(scores)) {
  r <- roc(aSAH$outcome, scores[[name]], levels = c("Good", "Poor"), direction = "<", quiet = TRUE)
  cat(name, "score", sprintf("%.17g", scores[[name]]), "\\n")
  cat(name, "sensitivity", sprintf("%.17g", sapply(c(0.83, 0.9, 0.97), function(x) f(r, x))), "\\n")
}
cat("label score", as.integer(aSAH$outcome == "Poor"), "\\n")
"""


@pytest.fixture(scope="module")
def asah():
    """Three markers and the outcome of 113 patients, and pROC's word on them, by (name, what)."""
    lines = (line.split() for line in printed_by_r(ASAH).splitlines())
    return {(name, what): np.array(numbers, dtype=float) for name, what, *numbers in lines}


REFERENCES = {
    "auc": ("auc", 1e-13),
    "pauc(far_max=0.1)": ("pauc_spec_0.9_1", 1e-13),
    "pauc(far_max=0.1,mcclish=true)": ("pauc_spec_0.9_1_mcclish", 1e-13),
    "pauc_tpr(tpr_min=0.9)": ("pauc_sens_0.9_1", 1e-13),
    "h_measure": ("hmeasure", 1e-13),
    "auch": ("auch", 1e-13),
    "ks": ("ks", 1e-13),
    "prg_area": ("auprg", 1e-11),
    "ap_step": ("average_precision_sklearn", 1e-13),
    "ap_dg": ("auprc_prroc_integral", 1e-13),
}


@pytest.mark.parametrize("marker", ["s100b", "ndka", "wfns"])
def test_diagnostic_references(asah, shared, marker):
    """pROC, hmeasure, prg, scikit-learn and PRROC on the same patients."""
    known = json.loads((shared / "references" / "diagnostic.json").read_text())["asah"]
    score, poor = asah[marker, "score"], asah["label", "score"] == 1
    _, s = staircase_of(score[poor].tolist(), score[~poor].tolist())
    for name, (reference, tolerance) in REFERENCES.items():
        found = value(read_measure(name), s.misses, s.false_alarms)
        assert found == pytest.approx(known[reference][marker], abs=tolerance), name
    theirs = asah[marker, "sensitivity"]
    for specificity, expected in zip((0.83, 0.9, 0.97), theirs, strict=True):
        measure = read_measure(f"sensitivity_at(specificity={specificity},how=interp)")
        assert value(measure, s.misses, s.false_alarms) == pytest.approx(expected, abs=1e-13)


def test_partial_areas_of_the_methods(asah, shared):
    known = json.loads((shared / "references" / "methods.json").read_text())["delong_asah"]["pauc_s100b"]
    score, poor = asah["s100b", "score"], asah["label", "score"] == 1
    _, s = staircase_of(score[poor].tolist(), score[~poor].tolist())
    ranges = {
        "fpr0-.1": "pauc(far_max=0.1",
        "fpr.1-.2": "pauc(far_min=0.1,far_max=0.2",
        "tpr.9-1": "pauc_tpr(tpr_min=0.9",
    }
    for name, call in ranges.items():
        both = [
            float(value(read_measure(f"{call}{end}"), s.misses, s.false_alarms))
            for end in (")", ",mcclish=true)")
        ]
        assert both == pytest.approx(known[name], abs=1e-13)
