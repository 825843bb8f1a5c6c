"""What every report must print (methods 18), tied cuts, and what is called equivalent."""

import dataclasses
from fractions import Fraction

import polars as pl
import pytest
from reading import every_block, section, table
from simulated_results import World, simulate

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.rates import EER, MIN_HTER
from reporting.core.measures.catalogue import read_measure
from reporting.document.blocks import Table
from reporting.document.formula import formula
from reporting.document.frames.comparisons import COMPARISONS
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.roc import ROC
from reporting.document.frames.tests import TESTS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.terms import DETECTION, terms
from reporting.document.words.view import views
from reporting.features.answer.verdict import verdict
from reporting.features.compose import compose
from reporting.features.methods.section import _Stated
from reporting.features.methods.ties import cuts_as_good

pytestmark = pytest.mark.usefixtures("undrawn")

TIES = [(0, 4), (0, 3), (0, 2), (0, 1), (1, 1), (1, 0), (2, 0), (3, 0), (4, 0)]
"""Misses and false alarms of neg {1,2,3,4}, pos {2.5,3.5,4.5,5.5}, in another order of cuts than theirs."""


def methods_of(results):
    return " ".join(block.text for block in section(compose(results), "methods").blocks)


def with_dev(results, counts):
    """Put these corners on the dev of the first model."""
    model = results.models[0]
    rows = [
        {
            "model": model, "run": "0", "dataset": "all", "split": "dev", "group": "", "threshold": float(k),
            "misses": misses, "false_alarms": alarms, "p_miss": misses / 4, "p_fa": alarms / 4,
            "on_hull": False, "llr": None,
        }
        for k, (misses, alarms) in enumerate(counts)
    ]  # fmt: skip
    others = results.frame(ROC).filter(~((pl.col("model") == model) & (pl.col("split") == "dev")))
    return results.with_frames({ROC: pl.concat([others, ROC.build(rows)])})


def flagged(results, flag):
    where = (pl.col("model") == results.models[0]) & (pl.col("criterion") == "min_hter")
    flags = pl.when(where).then(pl.lit([flag], pl.List(pl.String))).otherwise("flags")
    return results.with_frames({METRICS: results.frame(METRICS).with_columns(flags=flags)})


def test_tied_cuts_are_counted_on_integers():
    counts = [(0, 3), (0, 1), (1, 1), (1, 0), (2, 0), (4, 0), (0, 4)]
    view = views(with_dev(simulate(World(pictures=False)), counts))[0]
    # (0, 1) and (1, 0): both HTER 1/8, of 4 targets and 4 non-targets.
    assert cuts_as_good(view, MIN_HTER, view.results.models[0]) == 2
    assert min(Fraction(m + a, 8) for m, a in counts) == Fraction(1, 8)
    heavy = read_criterion("weighted_error(alpha=0.75)")
    assert cuts_as_good(view, heavy, view.results.models[0]) == 1
    assert cuts_as_good(view, EER, view.results.models[0]) is None
    # Of 4 targets and 8 non-targets one miss weighs as much as two false alarms.
    uneven = views(with_dev(view.results, [(0, 8), (0, 2), (1, 1), (1, 0), (4, 0)]))[0]
    assert cuts_as_good(uneven, MIN_HTER, view.results.models[0]) == 2
    weighted = dataclasses.replace(view.results, weights={"a": 1, "b": 2})
    assert cuts_as_good(views(weighted)[0], MIN_HTER, view.results.models[0]) is None


def test_the_methods_name_tied_thresholds_with_their_count():
    results = flagged(with_dev(simulate(World(pictures=False)), TIES), "tied_cut")
    assert "Several thresholds were equally good for TC1 (2 thresholds)" in methods_of(results)
    assert "No threshold was tied with another." in methods_of(simulate(World(pictures=False)))


def test_every_report_prints_what_methods_18_demands():
    results = simulate(World(models=("a", "b", "c"), baseline="a", cluster="speaker"))
    report = compose(results)
    said = methods_of(results)
    for demanded in (
        "threshold was set on the development set, minimising HTER",  # the source of thresholds
        "At criteria with thresholds tuned on test, values are marked (optimistic) and have no CI.",
        "95% CIs: percentile bootstrap (2,000 resamples of speakers)",  # the method of intervals
        "random seed 1",
        "Monte-Carlo standard error",
        "All trials of one speaker are resampled together; one in both sets is drawn once for both.",
        "p-values are adjusted over 2 comparisons (Holm).",
        "No threshold was tied with another.",
        "Thresholds are poorly determined where some model makes",  # alphas without an event on dev
        "Computed with reporting 0.1.0",
    ):
        assert demanded in said, demanded
    assert "targets 300, non-targets 700" in table(report, "data").caption


@pytest.mark.parametrize("method", ["best_cut", "wilson"])
def test_the_methods_name_what_does_not_use_strata_of_the_sample(method):
    results = dataclasses.replace(simulate(World(pictures=False)), sampled="region")
    rows = results.frame(METRICS).with_columns(ci_method=pl.lit(method))
    trials = results.frame(TRIALS).with_columns(n_strata=8, least_stratum=2)
    text = methods_of(results.with_frames({METRICS: rows, TRIALS: trials}))
    assert (
        "The sample was drawn in 8 strata (region) of at least 2 trials: trials are resampled within" in text
    )
    assert ("CIs by the error rates at the best threshold do not use the strata" in text) == (
        method == "best_cut"
    )


def test_whether_the_share_of_targets_is_estimated_or_declared():
    results = simulate(World(pictures=False))
    measures = (*results.study.measures, read_measure("precision"))
    asked = dataclasses.replace(results.study, measures=measures)
    assert "which need not be that of the application" in methods_of(
        dataclasses.replace(results, study=asked)
    )
    declared = dataclasses.replace(results, study=dataclasses.replace(asked, prevalence=0.01))
    assert "use 1%, declared as that of the application and not estimated." in methods_of(declared)


def test_no_criterion_contradicts_the_estimand():
    """Thresholds that are fixed, or guaranteed, are not re-selected, whatever is said of the others."""
    results = simulate(World(models=("a", "b"), baseline="a", cluster="speaker", pictures=False))
    held = read_criterion("guarantee(far=0.1)")
    rows = results.frame(COMPARISONS).filter(criterion="min_hter", inference="procedure")
    fixed = rows.with_columns(criterion=pl.lit(str(held)), inference=pl.lit("given_thresholds"))
    study = dataclasses.replace(results.study, criteria=(*results.study.criteria, held))
    frames = {COMPARISONS: pl.concat([results.frame(COMPARISONS), fixed])}
    text = methods_of(dataclasses.replace(results.with_frames(frames), study=study))
    assert text.count("Thresholds are re-selected in each resample") == 1
    assert "Thresholds are held fixed: the comparison" not in text
    assert "Comparisons at these thresholds hold them fixed: " in text
    assert "tuned afresh" not in text


def test_only_the_primary_measure_is_defined_and_all_others_are_named():
    many = tuple(read_measure(f"mindcf(p_target={p})") for p in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005))
    text = methods_of(simulate(World(pictures=False, measures=(*World().measures, *many))))
    assert "C_miss" not in text
    for share in ("50%", "20%", "10%", "5%", "2%", "1%", "0.5%"):
        assert f"minDCF (prior {share})" in text
    assert "MEASURES.md" not in text


COST = "(C_miss·P_target·FRR + C_fa·(1 − P_target)·FAR)"


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (
            "dcf(p_target=0.01)",
            f"DCF = {COST} / min(C_miss·P_target, C_fa·(1 − P_target)), with P_target = 0.01, C_miss = C_fa = 1.",
        ),
        (
            "dcf(p_target=0.01, norm=miss, c_miss=10)",
            f"DCF = {COST} / (C_miss·P_target), with P_target = 0.01, C_miss = 10, C_fa = 1.",
        ),
        (
            "dcf(p_target=0.01, normalised=false)",
            f"DCF = {COST[1:-1]}, with P_target = 0.01, C_miss = C_fa = 1.",
        ),
        (
            "mindcf",
            f"minDCF = min over thresholds of {COST} / min(C_miss·P_target, C_fa·(1 − P_target)),"
            " with P_target = 0.5, C_miss = C_fa = 1.",
        ),
        (
            "actdcf(p_target=0.01)",
            f"{COST} / min(C_miss·P_target, C_fa·(1 − P_target)), with P_target = 0.01, C_miss = C_fa = 1,"
            " where log likelihood ratios are accepted from log((C_fa·(1 − P_target)) / (C_miss·P_target)) on.",
        ),
    ],
)
def test_a_cost_is_printed_with_its_normalisation_and_its_costs(name, printed):
    measure = read_measure(name)
    stated = _Stated()
    assert f"{stated.definition(measure, DETECTION)}." == f", {printed}"
    assert all(formula(each) is not None for each in stated.formulas)
    assert COST[1:-1] in " ".join(stated.formulas)


def test_a_cost_is_defined_in_the_words_of_the_field():
    printed = _Stated().definition(read_measure("dcf(p_target=0.01)"), terms("biometrics"))
    assert printed.startswith(", DCF = (C_miss·P_target·FNMR + C_fa·(1 − P_target)·FMR) / min(")


def test_the_methods_are_of_the_length_of_a_journal():
    section_ = section(compose(simulate(World(models=("a", "b", "c"), cluster="speaker"))), "methods")
    assert [block.title for block in section_.blocks] == [
        "Data.", "Thresholds.", "Primary analysis.", "Secondary analyses.", "Software.",
    ]  # fmt: skip
    primary = [block.text for block in section_.blocks[:3]]
    assert len(" ".join(primary).split()) < 320
    assert section_.blocks[2].formulas[0] == "HTER = (FAR + FRR) / 2"


def test_groups_of_a_breakdown_have_their_counts_in_both_splits():
    results = simulate(World(pictures=False))
    group = pl.lit("sex=f").alias("group")
    of_sex = {"group_columns": pl.lit(["sex"]), "group_values": pl.lit(["f"])}
    fewer = results.frame(TRIALS).with_columns(
        group, n_target=pl.lit(7, pl.Int64), n_nontarget=pl.lit(9, pl.Int64)
    )
    study = dataclasses.replace(results.study, by=(("sex",),))
    more = dataclasses.replace(results, study=study).with_frames(
        {
            TRIALS: pl.concat([results.frame(TRIALS), fewer]),
            METRICS: pl.concat(
                [results.frame(METRICS), results.frame(METRICS).with_columns(group, **of_sex)]
            ),
        }
    )
    found = table(compose(more), "data_groups")
    assert [[c.text for c in row] for row in found.rows] == [
        ["sex=f", "development", "7", "9"],
        ["sex=f", "test", "7", "9"],
    ]
    assert [t for t in every_block(compose(results), Table) if t.name == "data_groups"] == []


@pytest.mark.parametrize(
    ("verdict_of", "said"),
    [("equivalent", "Equivalence of a and b within ±2 percentage points is established (p = .010, unadjusted)."),
     ("not_shown_equivalent", "Equivalence of a and b within ±2 percentage points is not established (p = .010, unadjusted).")],
)  # fmt: skip
def test_models_are_called_equivalent_only_by_a_margin_and_its_test(verdict_of, said):
    results = simulate(World(models=("a", "b"), step=0.05, pictures=False, n_target=150, n_nontarget=150))
    assert "quivalen" not in verdict(results)
    margin = dataclasses.replace(results.study.inference, margin=0.02, tests=("equivalence",))
    row = dict.fromkeys(TESTS.schema) | {
        "dataset": "all", "split": "test", "group": "", "test": "equivalence", "measure": "hter", "model": "b",
        "baseline": "a", "p_value": 0.01, "verdict": verdict_of, "flags": [],
    }  # fmt: skip
    asked = dataclasses.replace(
        results, study=dataclasses.replace(results.study, inference=margin)
    ).with_frames({TESTS: TESTS.build([row])})
    assert verdict(asked).count(said) == 1
    assert "looks best" in verdict(asked)
