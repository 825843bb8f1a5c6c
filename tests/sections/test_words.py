"""What every report must print (methods 18), tied cuts, and what is called equivalent."""

import dataclasses
from fractions import Fraction

import polars as pl
import pytest
from reading import column, every_block, section, table
from simulated_results import World, simulate

from reporting.criteria.catalogue import read_criterion
from reporting.criteria.rates import EER, MIN_HTER
from reporting.frames import METRICS, ROC, TESTS, TRIALS
from reporting.report.blocks import Table
from reporting.sections.cautions import cuts_as_good, tied_cuts
from reporting.sections.compose import compose
from reporting.sections.verdict import verdict
from reporting.wording.view import views

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
    weighted = dataclasses.replace(view.results, weighted=True)
    assert cuts_as_good(views(weighted)[0], MIN_HTER, view.results.models[0]) is None


def test_the_methods_name_tied_cuts_with_their_count():
    results = flagged(with_dev(simulate(World(pictures=False)), TIES), "tied_cut")
    assert list(tied_cuts(views(results)[0])) == [
        "The rule had to choose among equally good cuts on dev by minimum HTER: TC1 (2 cuts)."
    ]
    assert "among equally good cuts on dev by minimum HTER: TC1 (2 cuts)." in methods_of(results)
    assert "No cut chosen on dev was tied with another." in methods_of(simulate(World(pictures=False)))


def test_every_report_prints_what_methods_18_demands():
    results = simulate(World(models=("a", "b", "c"), baseline="a", cluster="speaker"))
    report = compose(results)
    said = methods_of(results)
    for demanded in (
        "thresholds minimising HTER on the development set",  # the source of thresholds
        "A posteriori means",
        "percentile bootstrap for",  # the method of intervals
        "2000 replicates, seed 1",
        "Monte-Carlo standard error",
        "The unit of resampling is the speaker",
        "adjusted (Holm, 2 comparisons)",
        "No cut chosen on dev was tied",
        "there it can hardly guide the choice",  # alphas without an event on dev
        "that of the sample, as its design or its source made it",
        "fewer than 30 errors of a kind",
        "Computed by reporting 0.1.0, with numpy 2.4.0 and polars 2.1.0.",
    ):
        assert demanded in said, demanded
    assert [c.text for c in column(table(report, "data"), "targets")] == ["300", "300"]


def test_a_declared_share_is_said_not_to_be_estimated():
    results = simulate(World(pictures=False))
    declared = dataclasses.replace(results, study=dataclasses.replace(results.study, prevalence=0.01))
    assert "declared as 0.01, that of the use which is meant, and not estimated" in methods_of(declared)


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
        ["sex=f", "dev", "7", "9"],
        ["sex=f", "test", "7", "9"],
    ]
    assert [t for t in every_block(compose(results), Table) if t.name == "data_groups"] == []


@pytest.mark.parametrize(
    ("verdict_of", "said"),
    [("equivalent", "Equivalence of a and b within ±2 points is established (p = .010, unadjusted)."),
     ("not_shown_equivalent", "Equivalence of a and b within ±2 points is not established (p = .010, unadjusted).")],
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
    assert "can be ruled out as best" in verdict(asked)
