"""Bundles of several sites, added up, give the numbers of the table the sites have together."""

import numpy as np
import polars as pl
import pytest

from reporting.app.run.tabulate import Naming
from reporting.errors import ConfigError, DataError
from tests.inputs.bundles.sites import SPEAKER_OF, differing, frames, table_of_sites

ASKED = (
    "measures: [hter, auc, 'mindcf(p_target=0.01)', eer_rocch, mincllr, ap_step]",
    "curves: [roc, det, pr, llr, histogram, decision]",
)
NAMES = Naming("names")
LAST_DIGITS = {
    "metrics": {"se", "ci_low", "ci_high"},
    "comparisons": {"se", "ci_low", "ci_high", "p_value"},
    "winners": {"ci_low", "ci_high"},
    "epc": {"ci_low", "ci_high", "band_low", "band_high"},
    "drift": {"design_effect", "p_value", "p_adjusted"},
}


def beyond_se(exact, found):
    """What differs, apart from the last digits of standard errors and limits: clusters are summed in another order."""
    changed = differing(exact, found)
    for name, of_errors in LAST_DIGITS.items():
        for column in of_errors & set(changed.get(name, [])):
            values = [frame[name][column].to_numpy() for frame in (exact, found)]
            np.testing.assert_allclose(*values, rtol=1e-12)
            changed[name].remove(column)
    return {name: columns for name, columns in changed.items() if columns}


def test_without_keys_and_clusters_all_frames_are_the_same_to_the_byte(sites):
    made = sites("trial", "speaker", "gender")
    counted = made.counted(made.bundles(), "", *ASKED)
    assert differing(frames(made.joined("", *ASKED)), frames(counted)) == {}


def test_three_sites_in_any_order_are_one(sites):
    made = sites("gender")
    names = made.bundles(SPEAKER_OF, naming=NAMES)
    first = frames(made.counted(names, SPEAKER_OF, *ASKED))
    for order in ([2, 0, 1], [1, 2, 0]):
        again = made.counted([names[at] for at in order], SPEAKER_OF, *ASKED)
        assert differing(first, frames(again)) == {}


def test_with_clusters_by_name_only_what_pairs_trials_is_missing(sites):
    made = sites()
    asked = (
        *ASKED, "by: [gender]",
        "significance: {tests: [delong, permutation, equivalence, non_inferiority, power], margin: 0.05}",
    )  # fmt: skip
    exact = frames(made.joined(SPEAKER_OF, *asked))
    found = frames(made.counted(made.bundles(SPEAKER_OF, "by: [gender]", naming=NAMES), SPEAKER_OF, *asked))
    # Without pairs nobody knows how many trials of a cluster would disagree: margins allow for all of them.
    assert beyond_se(exact, found) == {
        "comparisons": ["design_effect", "flags"],
        "tests": ["high", "p_value"],
    }
    assert (exact["tests"]["high"].drop_nulls() <= found["tests"]["high"].drop_nulls()).all()
    assert found["comparisons"]["design_effect"].is_null().all()
    without = pl.col("flags").list.set_difference(["few_discordant"]).list.sort()
    assert exact["comparisons"].select(without).equals(found["comparisons"].select("flags"))


def test_patterns_with_clusters_by_name_differ_in_the_last_digit_of_the_design_effect_alone(sites):
    made = sites()
    asked = (*ASKED, "by: [gender]", "significance: {tests: [mcnemar, delong, permutation]}")
    exact = frames(made.joined(SPEAKER_OF, *asked))
    names = made.bundles(SPEAKER_OF, "by: [gender]", naming=NAMES, paired=True)
    found = frames(made.counted(names, SPEAKER_OF, *asked))
    changed = beyond_se(exact, found)
    assert changed.keys() <= {"comparisons"}
    assert set(changed.get("comparisons", [])) <= {"design_effect"}
    effects = [frame["comparisons"]["design_effect"].to_numpy() for frame in (exact, found)]
    np.testing.assert_allclose(*effects, rtol=1e-12)


def test_contrasts_of_groups_are_those_of_the_table(sites):
    made = sites()
    asked = ("across: {columns: gender, measures: [far, frr, f1]}", "by: [gender]")
    exact = frames(made.joined(SPEAKER_OF, *asked))
    names = made.bundles(SPEAKER_OF, "by: [gender]", naming=NAMES, paired=True)
    found = frames(made.counted(names, SPEAKER_OF, *asked))
    for name in ("group_metrics", "disparities", "disparity_comparisons"):
        assert exact[name].height == found[name].height > 0
        for column, values in exact[name].to_dict().items():
            others = found[name][column]
            if values.dtype.is_float():
                np.testing.assert_allclose(values.to_numpy(), others.to_numpy(), rtol=1e-9, err_msg=column)
            else:
                assert values.to_list() == others.to_list(), (name, column)


SAME_WITHOUT_CLUSTERS = {"trials", "epc", "areas", "epc_steps", "roc", "pr", "histogram", "decision"}


def test_patterns_without_clusters_keep_all_values_and_draw_other_replicates(sites):
    made = sites("speaker", "gender")
    given = ("significance: {comparisons: given_thresholds, tests: [mcnemar, cochran_q]}", *ASKED)
    exact = frames(made.joined("", *given))
    found = frames(made.counted(made.bundles(paired=True), "", *given))
    changed = differing(exact, found)
    assert SAME_WITHOUT_CLUSTERS.isdisjoint(changed)
    assert "tests" not in changed
    same = ("value", "threshold", "status", "misses", "false_alarms", "ci_method")
    assert set(changed["metrics"]).isdisjoint(same)
    linear = [f["comparisons"].filter(pl.col("measure") == "hter") for f in (exact, found)]
    assert differing(*({"comparisons": frame} for frame in linear)) == {}
    areas = [f["comparisons"].filter(pl.col("measure") == "auc") for f in (exact, found)]
    for column in ("difference", "ci_low", "ci_high", "p_value"):
        np.testing.assert_allclose(*(frame[column] for frame in areas), rtol=1e-9)


def test_digests_of_clusters_change_draws_and_no_value(sites):
    made = sites("gender")
    exact = frames(made.joined(SPEAKER_OF, *ASKED))
    found = frames(made.counted(made.bundles(SPEAKER_OF, naming=Naming(salt="x")), SPEAKER_OF, *ASKED))
    changed = differing(exact, found)
    assert {"trials", "roc", "areas", "pr"}.isdisjoint(changed)
    assert {"value", "threshold", "n_units", "status"}.isdisjoint(changed["metrics"])
    assert {"difference", "n_units", "status"}.isdisjoint(changed["comparisons"])
    width = [(f["metrics"]["ci_high"] - f["metrics"]["ci_low"]).mean() for f in (exact, found)]
    assert width[1] == pytest.approx(width[0], rel=0.25)


def test_counts_without_keys_do_not_pair_models_by_breakdowns(sites):
    made = sites("speaker")
    found = frames(made.counted(made.bundles("", "by: [gender]"), "", "by: [gender]"))
    assert set(found["comparisons"]["status"]) == {"no_trial_key"}
    exact = frames(made.joined("", "by: [gender]"))
    assert exact["metrics"]["value"].equals(found["metrics"]["value"])


def test_breakdowns_that_nobody_asks_for_are_added_up(sites):
    made = sites("speaker", "trial")
    exact = frames(made.joined())
    made.table = made.table.with_columns(trial=pl.int_range(pl.len()).over("model", "split").cast(pl.String))
    assert differing(exact, frames(made.counted(made.bundles("", "by: [gender]")))) == {}


READ = (
    "n_unlabelled",
    "n_missing",
    "n_missing_target",
    "n_missing_nontarget",
    "n_infinite",
    "rows_read",
    "rows_dropped",
)


@pytest.mark.parametrize("lacks", [True, False])
@pytest.mark.parametrize("missing", ["reject", "drop"])
def test_of_a_group_counts_tell_what_was_left_out_where_nothing_was(sites, missing, lacks):
    rows = table_of_sites()
    of_one = (pl.col("model") == rows["model"][0]) & (pl.col("trial") == rows["trial"][0]) & lacks
    kept = rows.with_columns(score=pl.when(of_one).then(None).otherwise(pl.col("score").fill_null(0.0)))
    made, asked = sites("speaker", rows=kept), (f", missing: {missing}", "by: [gender]")
    exact, found = (
        frames(made.joined(*asked))["trials"],
        frames(made.counted(made.bundles(*asked), *asked))["trials"],
    )
    of_groups, on_lacking = pl.col("group") != "", pl.col("split") == rows["split"][0]
    assert exact.filter(~of_groups).equals(found.filter(~of_groups))
    assert exact.drop(READ).equals(found.drop(READ))
    untold = found.filter(of_groups & on_lacking & lacks).select(READ)
    assert (len(untold) > 0) == lacks
    assert untold.null_count().row(0) == (len(untold),) * len(READ)
    told = of_groups & ~(on_lacking & lacks)
    assert exact.filter(told).equals(found.filter(told))


def test_what_was_dropped_at_the_sites_is_told(sites):
    made = sites("speaker", "gender", "trial")
    score = pl.when(pl.int_range(pl.len()) % 50 == 0).then(None).otherwise("score").alias("score")
    made.table = made.table.with_columns(score)
    names = made.bundles(", missing: reject")
    exact = frames(made.joined(", missing: reject"))
    assert exact["trials"]["n_missing"].sum() > 0
    assert differing(exact, frames(made.counted(names))) == {}


def test_scores_that_were_turned_are_not_turned_again(sites):
    made = sites("trial", "speaker", "gender")
    turned = "models: {a: {higher_is: nontarget}}"
    exact = frames(made.joined("", turned))
    names = made.bundles("", turned)
    assert differing(exact, frames(made.counted(names, "", turned))) == {}
    unsaid = differing(exact, frames(made.counted(names)))
    assert unsaid.keys() == {"metrics", "epc", "epc_steps", "roc"}, "thresholds are those of the counts then"
    assert unsaid["metrics"] == unsaid["epc"] == unsaid["epc_steps"] == ["threshold"]


def test_the_words_of_the_config_hold_for_bundles_too(sites):
    made = sites("trial", "speaker", "gender")
    exact = frames(made.joined())
    words = ", columns: {model: system, label: truth}, values: {target: tgt, dev: D, test: T}"
    assert differing(exact, frames(made.counted(made.bundles(), words))) == {}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("significance: {unit: trial}", "significance.unit: 'trial' is requested, but the counts link models by clusters, not by trials"),
        ("significance: {tests: [mcnemar]}", "significance.tests: 'mcnemar' would pair trials"),
        ("significance: {tests: [venkatraman, fragility]}", "'venkatraman', 'fragility' would pair trials"),
        ("report: {sections: [rest, agreement]}", "report.sections: 'agreement' would pair trials"),
    ],
)  # fmt: skip
def test_questions_that_pair_trials_are_refused(sites, said, message):
    made = sites("gender")
    with pytest.raises(ConfigError, match=message):
        frames(made.counted(made.bundles(SPEAKER_OF), SPEAKER_OF, said))


@pytest.mark.parametrize(
    ("without", "trials", "said", "message"),
    [
        (("speaker", "gender"), ", coarse: 18", "", "trials.coarse: 18 is requested, but the file was counted at 17"),
        (("speaker", "gender"), ", columns: {cluster: speaker}", "", "column 'speaker' .the cluster. is missing"),
        (("speaker", "gender"), "", "by: [gender]", "column 'gender' .the breakdown. is missing"),
        (("speaker", "gender"), "", "thresholds: {policy: kfold}", "'kfold' parts .* count again with clusters .* or --paired"),
        (("speaker", "gender"), ", runs: fold", "", "counts have no folds; make the report from the trials themselves"),
    ],
)  # fmt: skip
def test_what_counts_cannot_say_is_refused(sites, without, trials, said, message):
    made = sites(*without)
    with pytest.raises(DataError, match=message):
        frames(made.counted(made.bundles(), trials, said))


TURNED = "models: {b: {higher_is: nontarget}}"


@pytest.mark.parametrize("counted", [(), ("models: {a: {higher_is: nontarget}}",)])
def test_scores_are_turned_where_they_are_counted_or_not_at_all(sites, counted):
    """Counts keep the direction: what the config of the report says of it would turn thresholds alone."""
    made = sites("speaker", "gender")
    names = made.bundles("", *counted)
    with pytest.raises(
        DataError, match="^models: higher_is: nontarget is set for b, but the file was counted without;"
    ):
        frames(made.counted(names, "", TURNED))


def test_directions_must_agree_to_be_summed(sites):
    made = sites("speaker", "gender")
    first, *_ = made.bundles()
    (made.folder / first).rename(made.folder / "plain.counts.parquet")
    second = made.bundles("", TURNED)[0]
    with pytest.raises(DataError, match="the models with higher_is: nontarget"):
        frames(made.counted(["plain.counts.parquet", second], "", TURNED))


@pytest.mark.parametrize("paired", [False, True])
def test_runs_and_datasets_are_kept_apart(sites, paired):
    made = sites("speaker", "gender", *([] if paired else ["trial"]))
    shifted = made.table.with_columns(pl.col("score") * 0.9 + 0.3)
    second = shifted.with_columns(pl.lit("1").alias("run"))
    made.table = pl.concat([made.table.with_columns(pl.lit("0").alias("run")), second])
    made.table = made.table.with_columns(pl.lit("x").alias("dataset"))
    made.table = pl.concat(
        [made.table, made.table.with_columns(pl.lit("y").alias("dataset"), -pl.col("score"))]
    )
    asked = "thresholds: {from: {y: x}}"
    exact = frames(made.joined("", asked), "significance.replicates=49")
    found = frames(made.counted(made.bundles(paired=paired), "", asked), "significance.replicates=49")
    changed = differing(exact, found)
    assert {"trials", "roc"}.isdisjoint(changed)
    assert "value" not in changed.get("metrics", [])
    assert paired or not changed


@pytest.mark.parametrize("pools", ["one", "two"])
def test_trials_with_two_clusters_pair_models_by_both(sites, pools):
    made = sites("gender")
    sides = f", columns: {{cluster: [speaker, other], trial: trial}}, clusters: {{pools: {pools}}}"
    place = pl.int_range(pl.len()).over("model", "split")
    made.table = made.table.with_columns(other=pl.format("s{}", place % 13))
    exact = frames(made.joined(sides, *ASKED))
    names = made.bundles(sides, naming=NAMES)
    found = frames(made.counted(names, sides, *ASKED))
    changed = beyond_se(exact, found)
    assert changed.pop("comparisons") == ["design_effect", "flags"]
    assert set(changed.get("metrics", [])) <= {"ci_low", "ci_high"}
    areas = [f["metrics"].filter(measure="auc")["ci_low"].drop_nulls() for f in (exact, found)]
    np.testing.assert_allclose(*areas, rtol=1e-12)
    assert set(changed) <= {"metrics"}
    with pytest.raises(DataError, match="the file has two clusters per trial; name two columns"):
        frames(made.counted(names, SPEAKER_OF))
    with pytest.raises(ConfigError, match="'permutation' would pair trials"):
        frames(made.counted(names, sides, "significance: {tests: [permutation]}"))
