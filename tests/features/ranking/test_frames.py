"""The frames ``ranking`` and ``pairs``: from the replicates that all models share, and where there are none."""

import numpy as np
import polars as pl
import pytest
from build import build
from simulated_parts import rows_of

from reporting.document.frames.comparisons import STANDING
from reporting.document.frames.ranking import RANKING
from reporting.features.ranking.formulas import rank_sets, ranked_pairs
from reporting.features.ranking.frame import PAIRS, degrees_of_freedom, ranked

CONFIG = "measures: [hter, auc]\ncriteria: [min_hter]\ncurves: []\nepc: none\n"
TWELVE = tuple("abcdefghijkl")
ASKED = "report.sections=[ranking, rest]"


def ranking(tmp_path, *overrides, config=CONFIG, **table):
    built = build(tmp_path, rows_of(**{"models": TWELVE, "n": 60, "step": 0.2} | table), config, *overrides)
    return built.frames, built


def test_ranks_are_those_of_the_joint_replicates(tmp_path):
    frames, built = ranking(tmp_path)
    rows = RANKING.rows(frames["ranking"])
    judged = built.judged()
    models, drawn, criterion = judged.models, judged.drawn, built.study.primary.criterion
    replicates = np.column_stack(
        [
            drawn.at(m, m.single[criterion], "procedure").values(built.study.primary.measure)[:, 0]
            for m in models
        ]
    )
    values = np.array([row.value for row in rows])
    df = degrees_of_freedom(min(models[0].test.trials) - 1, 99)
    sets = rank_sets(ranked_pairs(values, replicates, 0.95, df), 12, 0.95)
    assert [row.rank for row in rows] == sets.rank.tolist()
    assert [row.rank_low for row in rows] == sets.low.tolist()
    assert [row.rank_high for row in rows] == sets.high.tolist()
    assert [row.tier for row in rows] == sets.tier.tolist()
    assert [row.p_separated for row in rows] == sets.p.tolist()
    assert {(row.inference, row.n_models, row.replicates, row.unit) for row in rows} == {
        ("procedure", 12, 99, "trial")
    }
    assert all(row.band_low <= row.value <= row.band_high for row in rows)
    assert frames["comparisons"].is_empty()


def test_what_rules_a_model_out_of_the_first_tier_rules_it_out_as_best(tmp_path):
    frames, _ = ranking(tmp_path, step=0.5)
    joined = frames["ranking"].join(frames["standing"], on="model")
    assert joined["tier"].max() > 1
    assert not joined.filter((pl.col("tier") > 1) & pl.col("may_be_best")).height
    assert (joined["p_separated"] >= joined["p_best"]).all()


def test_a_copy_ties_and_the_order_of_rows_and_a_map_of_the_scores_change_nothing(tmp_path):
    rows = pl.DataFrame(rows_of(models=TWELVE[:3], n=60))
    copy = rows.filter(model="b").with_columns(model=pl.lit("z"))
    rows = pl.concat([rows, copy])
    table = build(tmp_path, rows, CONFIG, ASKED).frames["ranking"]
    by_model = {row.model: row for row in RANKING.rows(table)}
    assert (by_model["z"].identical_to, by_model["b"].identical_to) == ("b", None)
    for name in ("value", "rank", "rank_low", "rank_high", "tier", "p_separated"):
        assert getattr(by_model["z"], name) == getattr(by_model["b"], name)
    shuffled = rows.sample(fraction=1, shuffle=True, seed=3).with_columns(score=4 * pl.col("score"))
    assert build(tmp_path, shuffled, CONFIG, ASKED).frames["ranking"].equals(table)


def test_two_models_agree_with_their_comparison(tmp_path):
    frames, _ = ranking(tmp_path, ASKED, "primary.measure=auc", models=("a", "b"), step=1.5, n=200)
    (compared,) = frames["comparisons"].filter(measure="auc")["p_value"]
    low, high = sorted(frames["ranking"].select("rank_low", "rank_high").rows())
    assert compared < 0.001
    assert (low, high) == ((1, 1), (2, 2))
    assert frames["ranking"]["p_separated"].sort().to_list() == [1 / 100, 1.0]


def test_all_pairs_are_tested_where_the_config_asks_for_them(tmp_path):
    frames, built = ranking(tmp_path, "significance.pairs=all", "significance.correction=maxt", step=0.5)
    pairs = frames["pairs"]
    assert pairs.height == 66
    assert pairs.schema == PAIRS.schema
    judged = built.judged()
    result = ranked(judged.models, judged.drawn, built.study)
    assert sorted(pairs["p_adjusted"]) == sorted(result.pairs.p)
    assert (pairs["behind"] >= 0).all()
    assert (pairs["p_adjusted"] >= pairs["p_value"] - 2 / 100).all()
    shown = pairs.filter(pl.col("p_adjusted") <= 0.05)
    ahead = dict(shown.group_by("other").len().rows())
    ranks = frames["ranking"]
    assert [1 + ahead.get(model, 0) for model in ranks["model"]] == ranks["rank_low"].to_list()
    single_step = pairs.filter(pl.col("behind_low") > 0)
    assert set(single_step.select("model", "other").rows()) <= set(shown.select("model", "other").rows())
    holm, _ = ranking(tmp_path, "significance.pairs=all", step=0.5)
    assert set(holm["pairs"]["correction"]) == {"holm"}
    smallest = holm["pairs"].sort("p_value").row(0, named=True)
    assert smallest["p_adjusted"] == pytest.approx(66 * smallest["p_value"])
    assert "pairs" not in ranking(tmp_path)[0]


def test_clusters_are_resampled_and_take_at_least_holm(tmp_path):
    config = "trials: {source: trials.parquet, columns: {cluster: speaker}}\n" + CONFIG
    frames, built = ranking(tmp_path, config=config, step=0.6)
    assert set(frames["ranking"]["unit"]) == {"cluster"}
    result = ranked(built.judged().models, built.judged().drawn, built.study)
    without = ranked_pairs(
        result.joint.loss, result.joint.losses, 0.95, degrees_of_freedom(14, 99), result.design.inflation
    )
    assert (result.pairs.p >= without.p).all()
    assert (result.pairs.p > without.p).any()


def test_limits_of_few_uneven_clusters_end_at_what_rates_can_differ_by(tmp_path):
    rows = pl.DataFrame(rows_of(models=TWELVE, n=60, step=0.2))
    at = pl.col("trial").str.extract(r"(\d+)").cast(pl.Int64)
    # Sizes 1, 2, 4, 8, 16, and the rest.
    uneven = rows.with_columns(source=pl.col("split") + (at + 1).log(2).floor().cast(pl.String))
    config = "trials: {source: trials.parquet, columns: {cluster: source}}\n" + CONFIG
    pairs = build(tmp_path, uneven, config, "significance.pairs=all").frames["pairs"]
    assert pairs["behind_low"].min() == -1
    assert pairs["behind_high"].max() == 1


def test_thresholds_that_few_errors_choose_are_given_where_no_pairs_are_swapped(tmp_path):
    config = CONFIG.replace("min_hter", "target_far(far=0.1)")  # 3 of about 36 non-targets on dev
    asked = "primary.criterion=target_far(far=0.1)", "report.sections=[ranking, rest]"
    many, _ = ranking(tmp_path, *asked, config=config)
    assert set(many["ranking"]["inference"]) == set(many["standing"]["inference"]) == {"given_thresholds"}
    few, _ = ranking(tmp_path, *asked, config=config, models=TWELVE[:3])
    assert set(few["ranking"]["inference"]) == {"given_thresholds"}
    assert set(few["standing"].select("inference", "p_method").rows()) == {("procedure", "swap")}


def test_without_trial_keys_there_are_ranks_without_limits(tmp_path):
    frames, built = ranking(tmp_path, keyed=False)
    rows = RANKING.rows(frames["ranking"])
    assert sorted(row.rank for row in rows)[0] == 1
    assert {(row.rank_low, row.tier, row.status) for row in rows} == {(None, None, "no_trial_key")}
    assert "standing" not in built.frames


def test_an_undefined_measure_ranks_nobody(tmp_path):
    frames, _ = ranking(tmp_path, "primary.measure=cllr", config=CONFIG.replace("auc", "cllr"))
    rows = RANKING.rows(frames["ranking"])
    assert {(row.value, row.rank, row.n_models) for row in rows} == {(None, None, 0)}
    assert all(row.status for row in rows)


def test_few_models_are_ranked_only_where_the_section_is_named(tmp_path):
    frames, _ = ranking(tmp_path, models=TWELVE[:3])
    assert "ranking" not in frames
    assert not frames["comparisons"].is_empty()
    asked, _ = ranking(tmp_path, ASKED, models=TWELVE[:3])
    assert asked["ranking"].height == 3
    assert asked["comparisons"].equals(frames["comparisons"])
    assert asked["standing"].equals(frames["standing"])
    assert STANDING.name in asked
