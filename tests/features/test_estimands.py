"""What a report says of tuned systems, the best models, pair trials, runs and joint corrections."""

import dataclasses
import re

import polars as pl
import pytest
from reading import column, every_block, section, table
from simulated_results import World, simulate

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.engine.study import Primary
from reporting.core.measures.threshold import HTER
from reporting.document.blocks import Figure
from reporting.document.frames.comparisons import COMPARISONS, STANDING
from reporting.document.frames.epc import EPC
from reporting.document.frames.metrics import METRICS
from reporting.document.frames.trials import TRIALS
from reporting.document.words.view import views
from reporting.features.answer.verdict import verdict
from reporting.features.compose import compose


def test_fixed_thresholds_are_said_to_be_fixed():
    report = compose(
        simulate(World(models=("a", "b", "c"), comparisons="given_thresholds", baseline="a", step=0.5))
    )
    family = table(report, "comparisons")
    assert not [column.title for column in family.columns if "fixed" in column.title]
    assert any(
        note.endswith("with thresholds fixed, p adjusted (Holm, 2 comparisons); CIs are not.")
        for note in family.notes
    )
    assert any("(row minus a, with thresholds fixed)" in note for note in table(report, "summary").notes)
    both = table(compose(simulate(World(models=("a", "b", "c"), baseline="a", step=0.5))), "comparisons")
    assert "with thresholds fixed" in [column.title for column in both.columns]
    assert any(
        "scores swapped trial by trial 2,000 times, thresholds reset each time" in note for note in both.notes
    )


def methods_of(report):
    return " ".join(block.text for block in section(report, "methods").blocks)


@pytest.mark.parametrize(
    ("pools", "unit", "way"),
    [
        ("one", "pair members", "Trials pair two members of one population (enrol and probe)"),
        ("two", "enrols and probes", "Trials pair one enrol with one probe, of two populations"),
    ],
)
def test_pair_trials_are_told_by_their_members(pools, unit, way):
    report = compose(
        dataclasses.replace(simulate(World(cluster="enrol", pictures=False)), cluster_b="probe", pools=pools)
    )
    assert report.data_line.endswith(f", 50 {unit}.")
    assert f"development and test {unit} resampled" in report.verdict
    methods = methods_of(report)
    assert way in methods
    how = {
        "one": "the weight of a trial is the product of how often",
        "two": "the variance of a number is the sum of those over either, less what both count twice",
    }
    assert how[pools] in methods
    assert f"each resample of {unit} serves both models" in methods


def with_runs(results):
    """The results as the mean over two runs, of which each stands there too."""
    runs = [results.frame(TRIALS).with_columns(run=pl.lit(run)) for run in ("1", "2")]
    metrics = [results.frame(METRICS).with_columns(run=pl.lit(run)) for run in ("1", "2", "mean")]
    standing = results.frame(STANDING).with_columns(run=pl.lit("mean"))
    epc = pl.concat(results.frame(EPC).with_columns(run=pl.lit(run)) for run in ("1", "2", "mean"))
    return results.with_frames(
        {TRIALS: pl.concat(runs), METRICS: pl.concat(metrics), EPC: epc, STANDING: standing}
    )


def test_the_mean_over_runs_answers_and_single_runs_are_not_compared():
    results = with_runs(simulate(World(cluster="speaker", alphas=11)))
    found = views(results)
    assert [(view.run, view.whole, view.label) for view in found] == [
        ("mean", True, "mean over runs"),
        ("1", False, "run 1"),
        ("2", False, "run 2"),
    ]
    assert [len(view.comparisons) > 0 for view in found] == [True, False, False]
    report = compose(results)
    assert report.verdict.startswith("As the mean over runs: TC2 looks best (")
    assert report.verdict.count("looks best") == 1
    assert "mean" not in report.data_line
    assert "by the mean over their runs" in methods_of(report)
    captions = {f.name: f.caption for f in every_block(report, Figure)}
    assert captions["epc_mean"].startswith("HTER on the test set (mean over runs), when the threshold")
    assert captions["epc_run-1"].startswith("HTER on the test set of run 1, when the threshold")


def test_readers_are_random_and_the_report_says_so():
    results = with_runs(simulate(World(cluster="speaker", pictures=False)))
    study = dataclasses.replace(results.study, runs="reader")
    report = compose(dataclasses.replace(results, study=study))
    assert "development and test speakers resampled, readers random" in report.verdict
    assert "so that results extend to other readers and other" in methods_of(report)


def test_max_t_has_joint_intervals():
    results = simulate(World(models=("a", "b", "c"), pictures=False, baseline="a"))
    family = pl.col("family") == "primary"
    wider = results.frame(COMPARISONS).with_columns(
        band_low=pl.when(family).then(pl.col("ci_low") - 0.01),
        band_high=pl.when(family).then(pl.col("ci_high") + 0.01),
        correction=pl.when(family).then(pl.lit("maxt")),
    )
    report = compose(results.with_frames({COMPARISONS: wider}))
    found = table(report, "comparisons")
    view = views(results.with_frames({COMPARISONS: wider}))[0]
    row = next(row for row in view.headlines if row.family == "primary" and row.model == "b")
    place = [line[0].text for line in found.rows].index("b − a")
    adjusted = column(found, "adjusted CI")[place].text
    assert adjusted == view.printing(HTER).interval(row.band_low, row.band_high)
    drawn = next(r for r in table(report, "summary").rows if r[0].text == "b")[3].drawn
    assert (drawn.outer_low, drawn.outer_high) == (
        pytest.approx(100 * row.band_low),
        pytest.approx(100 * row.band_high),
    )
    assert "p-values are adjusted over 2 comparisons (max-T, step-down" in methods_of(report)


def test_fixed_thresholds_are_not_called_tuned():
    results = simulate(World(pictures=False, comparisons="given_thresholds"))
    fixed = read_criterion("fixed(threshold=0.5)")
    rows = results.frame(COMPARISONS).with_columns(
        criterion=pl.col("criterion").str.replace("min_hter", str(fixed))
    )
    metrics = results.frame(METRICS).with_columns(
        criterion=pl.col("criterion").str.replace("min_hter", str(fixed))
    )
    study = dataclasses.replace(results.study, primary=Primary(HTER, fixed), criteria=(fixed,))
    changed = dataclasses.replace(results, study=study).with_frames(
        {COMPARISONS: rows, METRICS: metrics, STANDING: STANDING.empty}
    )
    report = compose(changed)
    assert "tuned" not in report.verdict
    assert not [note for note in table(report, "summary").notes if "thresholds fixed" in note]


def test_an_answer_with_fixed_thresholds_says_so():
    world = World(step=0.8, cluster="speaker", comparisons="given_thresholds")
    said = verdict(simulate(world))
    assert "and ruled out as best (95% confidence, thresholds fixed)." in said
    assert "The two-sided p-value of their difference is .010 (speakers resampled)" in said
    against = verdict(simulate(dataclasses.replace(world, baseline="TC1")))
    assert re.search(r"Its test: p [<=] \.\d+ with thresholds fixed, speakers resampled\.$", against)
