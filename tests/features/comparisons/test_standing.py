"""Which models may be the best: by the formula, by estimand, and where nothing can be said."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from simulated_parts import resampled

from reporting.core.measures.catalogue import MEASURES
from reporting.core.stats.swap import Swaps
from reporting.document.frames.comparisons import STANDING
from reporting.features.comparisons.best_set import standing_rows
from reporting.features.comparisons.formulas import best_by_swaps, best_set

CONFIG = "measures: [hter, auc, f1, calibration_slope]\ncriteria: [min_hter]\nepc: none\n"
THREE = ("a", "b", "c")


def standing(tmp_path, *overrides, config=CONFIG, **table):
    part, drawn, study = resampled(tmp_path, config, *overrides, **({"models": THREE} | table))
    return STANDING.build(list(standing_rows(part.models, drawn, study))), part, drawn, study


def test_the_set_is_that_of_the_joint_replicates(tmp_path):
    frame, part, drawn, study = standing(tmp_path, step=1.2)
    measure, criterion = study.primary.measure, study.primary.criterion
    replicates = np.column_stack(
        [drawn.at(m, m.single[criterion], "procedure").values(measure)[:, 0] for m in part.models]
    )
    values = frame["value"].to_numpy()
    centred = replicates - replicates.mean(axis=0) + values
    expected = best_set(values, centred, 0.95, lower_is_better=True)
    assert frame["model"].to_list() == list(THREE)
    assert frame["p_best"].to_list() == pytest.approx(expected.p.tolist())
    assert frame["may_be_best"].to_list() == expected.member.tolist() == [False, True, True]
    assert set(frame["inference"]) == {"procedure"}
    assert set(frame["n_models"]) == {3}
    assert set(frame["replicates"]) == {99}
    assert set(frame["level"]) == {0.95}


def test_the_best_in_the_sample_always_stays(tmp_path):
    frame, *_ = standing(tmp_path, step=0.1)
    best = frame.filter(pl.col("value") == frame["value"].min())
    assert best["may_be_best"].all()
    assert best["p_best"].to_list() == [1.0]


def test_a_shift_of_all_replicates_of_a_model_is_no_evidence(tmp_path):
    part, drawn, study = resampled(tmp_path, CONFIG, "primary.measure=auc", models=THREE)
    before = STANDING.build(list(standing_rows(part.models, drawn, study)))
    drawn.sweeps[part.models[0].id][study.primary.measure] -= 0.05
    after = STANDING.build(list(standing_rows(part.models, drawn, study)))
    assert before["p_best"].to_list() == after["p_best"].to_list()


def test_equal_models_stay_together(tmp_path):
    frame, *_ = standing(tmp_path, same=True)
    assert frame["may_be_best"].all()
    assert frame["p_best"].to_list() == [1.0] * 3


def test_where_higher_is_better_the_highest_stays(tmp_path):
    frame, *_ = standing(tmp_path, "primary.measure=auc", step=1.2)
    assert frame["value"].is_sorted()
    assert frame["may_be_best"].to_list() == [False, False, True]
    assert set(frame["inference"]) == {None}
    assert set(frame["criterion"]) == {None}


def test_where_a_value_is_ideal_the_nearest_stays(tmp_path):
    """Of a measure with an ideal value, what is above it counts like what is below."""
    part, drawn, study = resampled(tmp_path, CONFIG, "primary.measure=auc", models=THREE, step=1.2)
    ideal = dataclasses.replace(MEASURES["auc"], ideal=part.models[0].value(MEASURES["auc"]).number)
    asked = dataclasses.replace(study, primary=dataclasses.replace(study.primary, measure=ideal))
    for model in part.models:
        drawn.sweeps[model.id][ideal] = drawn.sweeps[model.id][MEASURES["auc"]]
    frame = STANDING.build(list(standing_rows(part.models, drawn, asked)))
    assert frame["may_be_best"].to_list() == [True, False, False]


def test_separate_draws_say_nothing_of_all_models(tmp_path):
    fixed = ("significance.comparisons=given_thresholds",)
    frame, *_ = standing(tmp_path / "trials", *fixed)
    assert frame.is_empty()
    joint, *_ = standing(tmp_path / "maxt", *fixed, "significance.correction=maxt")
    assert set(joint["inference"]) == {"given_thresholds"}
    clusters = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n" + CONFIG
    joint, *_ = standing(tmp_path / "clusters", *fixed, config=clusters)
    assert joint.height == 3


def test_the_mean_over_runs_stands_for_the_model(tmp_path):
    config = "trials: {source: trials.parquet, columns: {run: run}}\n" + CONFIG
    frame, part, drawn, study = standing(tmp_path, config=config, runs=("1", "2"))
    assert frame.select("model", "run").rows() == [(m, "mean") for m in THREE]
    criterion, measure = study.primary.criterion, study.primary.measure
    of_a = [
        drawn.at(m, m.single[criterion], "procedure").values(measure)[:, 0]
        for m in part.models
        if m.key.model == "a"
    ]
    assert len(of_a) == 2
    assert frame["may_be_best"].any()


def test_groups_keyless_tables_and_single_models_have_none(tmp_path):
    part, drawn, study = resampled(tmp_path / "group", CONFIG + "by: [gender]\n", at=1, models=THREE)
    assert list(standing_rows(part.models, drawn, study)) == []
    assert standing(tmp_path / "keyless", keyed=False)[0].is_empty()
    assert standing(tmp_path / "one", models=("a",))[0].is_empty()


def test_a_model_without_a_value_takes_no_part(tmp_path):
    part, drawn, study = resampled(tmp_path, CONFIG, "primary.measure=auc", models=THREE)
    del drawn.sweeps[part.models[1].id][study.primary.measure]
    frame = STANDING.build(list(standing_rows(part.models, drawn, study)))
    assert frame["may_be_best"].to_list()[1] is None
    assert frame["p_best"].to_list()[1] is None
    assert set(frame["n_models"]) == {2}


TARGET = "criteria: ['target_far(far={0})']\nprimary: {{criterion: 'target_far(far={0})'}}\nepc: none\n"


def test_where_few_errors_of_dev_set_a_rate_pairs_decide(tmp_path):
    """Resamples of so few errors spread too little: max-T would exclude a best model too often."""
    frame, part, drawn, study = standing(tmp_path / "few", config=TARGET.format(0.02), step=1.2)
    assert set(frame["p_method"]) == {"swap"}
    assert part.models[0].dev.trials[1] * 0.02 < 10
    measure, values = study.primary.measure, frame["value"].to_numpy()
    exchanged = {}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        place = (THREE[i], "0", THREE[j], "0"), str(study.primary.criterion)
        both = drawn.swapped[place].values(measure)[:, 0]
        exchanged[i, j] = Swaps.of(values[i] - values[j], both[0::2] - both[1::2], drawn.imbalance)
    expected = best_by_swaps(values, exchanged, 0.95)
    assert frame["p_best"].to_list() == pytest.approx(expected.p.tolist())
    assert frame["may_be_best"].to_list() == expected.member.tolist()
    assert frame["behind_high"].to_list() == pytest.approx(expected.high.tolist())
    many, part, *_ = standing(tmp_path / "many", config=TARGET.format(0.4), step=1.2)
    assert part.models[0].dev.trials[1] * 0.4 >= 10
    assert set(many["p_method"]) == {"maxt"}


def test_a_limit_that_so_few_exchanges_do_not_have_is_that_of_the_measure(tmp_path):
    """Of seven models limits of pairs are at 1 - .04 / 6, and 99 exchanges have none there."""
    config = TARGET.format(0.02) + "significance: {level: 0.98}\n"
    frame, *_ = standing(tmp_path, config=config, models=tuple("abcdefg"), step=0.4)
    assert set(frame["p_method"]) == {"swap"}
    in_contention = frame.filter(pl.col("may_be_best"))
    assert len(in_contention) > 1
    assert set(in_contention["behind_high"]) == {1.0}
