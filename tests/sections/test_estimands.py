"""What a report says of tuned systems, the best models, pair trials, runs and joint corrections."""

import dataclasses
import re

import polars as pl
import pytest
from reading import every_block, section, table
from simulated_results import World, simulate

from reporting.criteria.catalogue import read_criterion
from reporting.engine.study import Primary
from reporting.frames import COMPARISONS, EPC, METRICS, STANDING, TRIALS
from reporting.measures.sweep import AUC
from reporting.measures.threshold import HTER
from reporting.report.blocks import Figure
from reporting.sections.compose import compose
from reporting.sections.verdict import verdict
from reporting.wording.view import views


def test_tuned_systems_alone_carry_their_label():
    report = compose(simulate(World(models=("a", "b", "c"), comparisons="given_thresholds")))
    family = table(report, "comparisons_1")
    assert "p, two tuned systems" in [c.title for c in family.columns]
    assert "two tuned systems: p" not in [c.title for c in family.columns]
    assert any("p is meant as a comparison of these two tuned systems" in note for note in family.notes)
    assert "Thresholds chosen again" not in family.caption
    assert "p, two tuned systems" in [c.title for c in table(report, "summary").columns]


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
    assert report.data_line.endswith(f", 50 {unit}")
    assert f"{unit} of dev and test resampled" in report.verdict
    methods = " ".join(block.text for block in section(report, "methods").blocks)
    assert way in methods
    assert "a trial counts as often as" in methods
    assert f"each draw of {unit} serves both" in methods


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
    assert report.verdict.startswith("As the mean over runs, at min-HTER thresholds chosen on dev, ")
    assert report.verdict.count("has the lowest") == 1
    assert "mean" not in report.data_line
    assert "by the mean over their runs" in section(report, "methods").blocks[-1].text
    captions = {f.name: f.caption for f in every_block(report, Figure)}
    assert captions["epc"].startswith("Test (mean over runs): HTER at thresholds")
    assert captions["epc_2"].startswith("Test of run 1: HTER at thresholds")


def test_readers_are_resampled_and_said():
    results = with_runs(simulate(World(cluster="speaker", pictures=False)))
    study = dataclasses.replace(results.study, runs="reader")
    report = compose(dataclasses.replace(results, study=study))
    assert "speakers and readers of dev and test resampled" in report.verdict
    assert "it speaks of other readers" in section(report, "methods").blocks[-1].text


def test_max_t_has_joint_intervals():
    results = simulate(World(models=("a", "b", "c"), pictures=False))
    family = pl.col("family") == "primary"
    wider = results.frame(COMPARISONS).with_columns(
        band_low=pl.when(family).then(pl.col("ci_low") - 0.01),
        band_high=pl.when(family).then(pl.col("ci_high") + 0.01),
        correction=pl.when(family).then(pl.lit("maxt")),
    )
    report = compose(results.with_frames({COMPARISONS: wider}))
    found = table(report, "comparisons_1")
    assert "joint 95 % interval" in [c.title for c in found.columns]
    assert any("joint intervals hold for all of the family at once" in note for note in found.notes)
    assert "adjusted by max-T over 3 comparisons (step-down" in section(report, "methods").blocks[-1].text


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
    assert "tuned" not in table(report, "comparisons_1").caption
    assert "p" in [c.title for c in table(report, "summary").columns]


def test_given_thresholds_speak_of_tuned_systems():
    world = World(baseline="TC1", step=0.8, cluster="speaker", comparisons="given_thresholds")
    assert re.search(
        r"; as a comparison of these two tuned systems p [<=] \.\d+, speakers resampled\."
        r" With 95 % confidence the lowest HTER of these tuned systems is that of TC2; TC1 is ruled out\.$",
        verdict(simulate(world)),
    )


def headline_p(results, p, tuned):
    """The results with other p-values: of the headline on the first question, and of the two tuned systems."""
    asked = (pl.col("measure") == "hter") & pl.col("criterion").eq_missing(pl.lit("min_hter"))
    afresh = pl.col("inference") == "procedure"
    rows = results.frame(COMPARISONS).with_columns(
        p_value=pl.when(asked & afresh).then(p).when(asked).then(tuned).otherwise("p_value"),
        p_adjusted=pl.when(asked & afresh).then(p).otherwise("p_adjusted"),
    )
    return results.with_frames({COMPARISONS: rows})


@pytest.mark.parametrize(
    ("p", "tuned", "said"),
    [
        (
            0.2,
            0.01,
            "As they stand, these two tuned systems are shown to differ on test (p = .010, unadjusted).",
        ),
        (
            0.01,
            0.2,
            "As they stand, these two tuned systems are not shown to differ on test (p = .20, unadjusted).",
        ),
        (0.01, 0.02, ""),
        (0.2, 0.1, ""),
    ],
)
def test_another_answer_of_the_two_tuned_systems_is_said_in_the_same_breath(p, tuned, said):
    text = verdict(headline_p(simulate(World()), p, tuned))
    assert said in text
    assert ("As they stand" in text) == bool(said)


def standing(results, **members):
    """The results with this set of models that may be the best."""
    rows = results.frame(STANDING).with_columns(
        may_be_best=pl.col("model").replace_strict(members, return_dtype=pl.Boolean)
    )
    return results.with_frames({STANDING: rows})


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ((False, True, True), "With 95 % confidence the highest AUC is that of c or b; a is ruled out."),
        (
            (False, False, True),
            "With 95 % confidence the highest AUC is that of c; the other 2 models are ruled out.",
        ),
        ((True, True, True), "All 3 models may still be the one with the highest AUC (95 % confidence)."),
        ((None, True, True), "Both models may still be the one with the highest AUC (95 % confidence)."),
    ],
)
def test_the_models_that_may_be_the_best_are_one_sentence(members, said):
    results = simulate(World(models=("a", "b", "c"), primary=AUC, step=1.0, strength=1.0, pictures=False))
    assert verdict(standing(results, **dict(zip("abc", members, strict=True)))).endswith(said)


@pytest.mark.parametrize(
    ("models", "ends"),
    [
        (("a", "b"), "; a is ruled out, which is a one-sided question."),
        (
            ("a", "b", "c"),
            "; the other 2 models are ruled out, a one-sided question that asks less than the 3 comparisons do.",
        ),
    ],
)
def test_ruled_out_but_not_shown_to_differ_is_explained(models, ends):
    results = simulate(World(models=models, step=1.0, strength=1.0, pictures=False))
    alone = standing(results, **{model: model == models[-1] for model in models})
    assert verdict(headline_p(alone, 0.08, 0.08)).endswith(ends)
    assert "one-sided" not in verdict(headline_p(alone, 0.01, 0.01))


def bold(results):
    found = table(compose(results), "summary")
    return [row[0].text for row in found.rows if any(cell.bold for cell in row)]


def test_only_the_model_that_alone_may_be_the_best_is_bold():
    results = simulate(World(models=("a", "b", "c", "d", "e"), baseline="a", step=1.0, pictures=False))
    leader = table(compose(results), "summary").rows[0][0].text
    alone = results.frame(STANDING).with_columns(may_be_best=pl.col("model") == leader)
    two = results.frame(STANDING).with_columns(may_be_best=pl.col("model").is_in([leader, "a"]))
    assert bold(results.with_frames({STANDING: alone})) == [leader]
    assert bold(results.with_frames({STANDING: two})) == []
    assert bold(results.with_frames({STANDING: STANDING.empty})) == []
    weak = results.frame(COMPARISONS).with_columns(p_adjusted=0.5 + 0 * pl.col("p_adjusted"))
    assert bold(results.with_frames({STANDING: alone, COMPARISONS: weak})) == []
