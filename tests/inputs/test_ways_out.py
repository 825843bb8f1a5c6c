"""No dead ends: every message names a way, and the way works."""

from __future__ import annotations

import polars as pl
import pytest
from build import build
from snapshot import snapshot

import reporting
from reporting.app.run.check import check_report
from reporting.document.words.view import views
from reporting.errors import ConfigError, DataError
from reporting.features.cautions import cautions
from tests.app.init.examples import long_table

TEST = long_table(("A", "B"), ("test",)).drop("split")
PAIRS = TEST.drop("speaker").with_columns(
    said=pl.lit("s") + pl.col("trial").str.slice(-1), heard=pl.lit("h") + pl.col("trial").str.slice(-1)
)
COUNTED = TEST.group_by("model", "label", "score").len("count").sort(pl.all())
PAIRED = "trials.columns.cluster=[said, heard]"


@pytest.fixture
def checked(tmp_path):
    def check(table: pl.DataFrame, *overrides: str) -> str:
        """Check a table with overrides; what was found, or the faults."""
        table.write_csv(tmp_path / "t.csv")
        (tmp_path / "report.yaml").write_text("trials: {source: t.csv}\n")
        try:
            return check_report(tmp_path / "report.yaml", overrides)
        except DataError as error:
            return "\n".join(error.faults)

    return check


def test_pair_trials_without_dev_are_led_to_none(checked):
    by_policy = {policy: checked(PAIRS, PAIRED, f"thresholds.policy={policy}") for policy in ("dev", "kfold")}
    assert by_policy["dev"].endswith("let thresholds.policy do without (none), or give thresholds in criteria: fixed(threshold=0.5), or an a posteriori threshold, oracle(best(measure=youden)), which is optimistic")  # fmt: skip
    assert "choose none, which sets no thresholds; or name one column in" in by_policy["kfold"]
    assert checked(PAIRS, PAIRED, "thresholds.policy=none").startswith("48 rows, 2 models")
    assert checked(PAIRS, PAIRED, "criteria=['fixed(threshold=0.5)']").startswith("48 rows, 2 models")
    assert checked(
        PAIRS, "trials.columns.cluster=said", "thresholds.policy=kfold", "thresholds.folds=5"
    ).startswith("48 rows")


def test_pair_trials_whose_split_has_no_dev_are_led_to_none(checked):
    table = PAIRS.with_columns(split=pl.lit("test"))
    snapshot(
        "inputs/ways_out_pair_trials_whose_split_has_no_dev_are_led_to_none",
        checked(table, PAIRED, "thresholds.policy=dev"),
    )
    assert "or dev where the table has dev rows" in checked(table, PAIRED, "thresholds.policy=kfold")
    assert checked(table, PAIRED, "thresholds.policy=none").startswith("48 rows")


@pytest.mark.parametrize("policy", ["split_clients", "kfold", "leave_one_client_out", "none"])
def test_what_is_offered_without_dev_works(checked, policy):
    table = TEST.with_columns(
        split=pl.lit("test"),
        cluster=pl.lit("c") + (pl.col("trial").str.slice(-2).cast(pl.Int64) // 4).cast(pl.String),
    )
    offered = checked(table, "thresholds.policy=dev")
    assert offered.endswith("choices without them: split_clients, kfold, leave_one_client_out, none")
    assert checked(table, f"thresholds.policy={policy}", "thresholds.folds=5").startswith("48 rows")


def test_counted_rows_without_dev_are_led_to_none(checked):
    for policy in ("kfold", "split_clients"):
        assert checked(COUNTED, f"thresholds.policy={policy}") == f"thresholds.policy: '{policy}' needs a cluster or a trial key; choose none, which sets no thresholds"  # fmt: skip
    assert "do without (none)" in checked(COUNTED, "thresholds.policy=dev")
    assert "test 24 trials" in checked(COUNTED, "thresholds.policy=none")


def test_counted_rows_with_a_cluster_are_led_to_leave_it_out(checked):
    table = TEST.group_by("model", "label", "score", "speaker").len("count").sort(pl.all())
    named = table.rename({"speaker": "cluster"})
    fault = checked(named, "thresholds.policy=none")
    snapshot("inputs/ways_out_counted_rows_with_a_cluster_are_led_to_leave_it_out", fault)
    assert "test 24 trials" in checked(named, "thresholds.policy=none", "trials.columns.cluster=none")


def test_clusters_without_keys_are_led_to_a_key_or_to_none(checked):
    table = TEST.rename({"speaker": "cluster"})
    fault = checked(table.drop("trial"), "thresholds.policy=none")
    assert "name it in trials.columns.trial, or write cluster" in fault
    assert "8 clusters" in checked(
        table.rename({"trial": "utt"}), "thresholds.policy=none", "trials.columns.trial=utt"
    )
    assert "test 24 trials" in checked(
        table.drop("trial"), "thresholds.policy=none", "trials.columns.cluster=none"
    )
    wide = table.pivot("model", index=["trial", "label", "cluster"], values="score").drop("trial")
    assert "8 clusters" in checked(wide, "thresholds.policy=none", "trials.layout=wide")


def test_a_count_beside_keys_is_led_to_none(checked):
    table = TEST.with_columns(count=7)
    assert "or write count: none in trials.columns" in checked(table, "thresholds.policy=none")
    assert "test 24 trials" in checked(table, "thresholds.policy=none", "trials.columns.count=none")


def test_repeated_keys_are_led_to_none(checked):
    table = pl.concat([TEST, TEST.filter(pl.col("trial") == "test-03")])
    fault = checked(table, "thresholds.policy=none")
    assert fault.endswith("column names something else, write trial: none in trials.columns")
    assert "test 25 trials" in checked(
        table.drop("speaker"), "thresholds.policy=none", "trials.columns.trial=none"
    )


def test_other_splits_are_led_to_unused(checked):
    table = long_table(("A", "B"), ("train", "dev", "test"))
    fault = checked(table)
    assert "'train' (row 1 of t.csv). Map them: trials: {values: {dev: ..., test: ...}}, or leave rows out with unused: [...]" in fault  # fmt: skip
    assert checked(table, "trials.values.unused=[train]").startswith(
        "96 rows, 2 models (A, B): dev 24 trials"
    )


def test_rows_that_are_left_out_are_in_no_message_and_no_count(checked):
    table = pl.concat(
        [
            long_table(("A", "B"), ("train",)).with_columns(label=pl.lit("?"), score=pl.lit("none of it")),
            long_table(("A", "B")).with_columns(pl.col("label", "score").cast(pl.String)),
        ]
    )
    assert checked(table, "trials.values.unused=train").startswith("96 rows, 2 models")
    broken = table.with_columns(
        score=pl.when(pl.int_range(pl.len()) == 60).then(pl.lit("x")).otherwise("score")
    )
    snapshot(
        "inputs/ways_out_rows_that_are_left_out_are_in_no_message_and_no_count",
        checked(broken, "trials.values.unused=train"),
    )


def test_a_split_cannot_be_used_and_unused(checked):
    with pytest.raises(ConfigError, match="'dev' is dev and cannot be unused too"):
        checked(TEST, "trials.values.unused=[dev]")


@pytest.mark.parametrize("key", ["trial", "cluster", "dataset", "run", "count", "split"])
def test_a_column_that_is_called_so_can_be_something_else(checked, key):
    """The name alone decides nothing: with none it is as if the column were not there."""
    table = TEST.rename({"trial": "utt"}).with_columns(pl.lit("x").alias(key))
    plain = checked(TEST.rename({"trial": "utt"}), "trials.columns.trial=utt", "thresholds.policy=none")
    more = ["trials.columns.trial=utt"] * (key != "trial")
    assert checked(table, *more, f"trials.columns.{key}=none", "thresholds.policy=none") == plain


def test_wide_rows_with_a_key_that_repeats_can_be_their_own(checked):
    wide = TEST.pivot("model", index=["trial", "label"], values="score").with_columns(trial=pl.lit("same"))
    found = checked(wide, "trials.layout=wide", "trials.columns.trial=none", "thresholds.policy=kfold")
    assert found.startswith("48 rows, 2 models (A, B): test 24 trials (8 targets)")


@pytest.mark.parametrize(
    ("target", "nontarget", "found", "guess"),
    [
        (None, None, "-1", ""),
        (None, None, "Target", "; did you mean 'target'?"),
        (None, None, "non-target", "; did you mean 'nontarget'?"),
        (None, None, "targt", "; did you mean 'target'?"),
        (None, None, "notarget", ""),
        (None, None, "2", ""),
        (None, None, "tru", "; did you mean 'true'?"),
        ("tgt", "nontarget", "Target", ""),
        ("genuine", "nongenuine", "Genuine", "; did you mean 'genuine'?"),
        ("genuine", "impostor", "imposter", "; did you mean 'impostor'?"),
        ("genuine", "impostor", "GENIUNE", "; did you mean 'genuine'?"),
        ("match", "nonmatch", "mismatch", ""),
        ("1", "-1", "-2", ""),
    ],
)  # fmt: skip
def test_a_guess_never_turns_labels_round(checked, target, nontarget, found, guess):
    words = [target or "target", nontarget or "nontarget"]
    label = pl.when(pl.col("trial") == "test-01").then(pl.lit(found)).when("label").then(pl.lit(words[0]))
    more = [f"trials.values={{target: '{target}', nontarget: '{nontarget}'}}"] if target else []
    fault = checked(
        TEST.with_columns(label=label.otherwise(pl.lit(words[1]))), "thresholds.policy=none", *more
    )
    assert f"hold unknown values: '{found}' (row 2 of t.csv){guess or '.'} Map them" in fault


def test_files_that_name_no_models_are_shown_the_placeholder(tmp_path):
    rows = pl.DataFrame({"trial": ["1", "2"], "label": [0, 1], "score": [0.25, 0.5]})
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in paths:
        rows.write_ndjson(path)
    with pytest.raises(DataError, match=r"every file is one model's, write source: '\{model\}\.jsonl'"):
        reporting.read_trials(paths)


def test_lists_of_splits_are_refused_with_a_way():
    with pytest.raises(ConfigError) as error:
        reporting.read_trials(TEST, trials={"values": {"dev": ["a", "b"]}})
    assert "expected one split, found a list of 2; give the rows of both one name" in str(error.value)


def test_dates_as_splits_are_refused_with_a_way(checked):
    dated = TEST.with_columns(split=pl.lit("2026-03-") + pl.col("trial").str.slice(-1))
    assert "These look like dates: write trials: {values: {dev" in checked(dated)


def test_the_caution_about_no_dev_advises_no_folds_of_pairs(tmp_path):
    config = (
        "trials: {source: trials.parquet, columns: {cluster: [said, heard]}}\nprimary: {measure: auc}\n"
        "criteria: [min_hter]\nthresholds: {policy: none}\nepc: none"
    )
    (view,) = views(build(tmp_path, PAIRS, config).results)
    (caution,) = (each for each in cautions(view) if each.code == "TR214")
    assert "kfold" not in caution.text
    assert "(pair trials cannot be dealt to folds)" in caution.text
