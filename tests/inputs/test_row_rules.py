"""Every rule of the trial table, one by one: the message, its counts, and the first bad rows."""

from functools import partial

import polars as pl
import pytest
import small_tables
from small_tables import counted, faults_of
from snapshot import snapshot

from reporting.base.execution import SerialExecutor
from reporting.core.counts.count import count_trials
from reporting.errors import DataError
from reporting.inputs.spec import File, TrialSpec, Values
from reporting.inputs.table import check_names, read_trials

GOOD = {
    "model": ["a"] * 6 + ["b"] * 6,
    "split": ["dev", "dev", "dev", "test", "test", "test"] * 2,
    "trial": ["1", "2", "3", "1", "2", "3"] * 2,
    "label": ["1", "0", "0", "1", "0", "1"] * 2,
    "score": ["2.0", "1.0", "0.5", "3", "1", "-1", "2.5", "1.5", "0", "2", "0.5", "0.25"],
    "cluster": ["x", "x", "y", "x", "y", "z"] * 2,
}


write = partial(small_tables.write, good=GOOD)


def counts_of(spec):
    return counted(spec)[1]


def test_the_good_table_is_read(tmp_path):
    counts = counts_of(TrialSpec((write(tmp_path),)))
    assert counts.n_clusters == {("all", "dev"): 2, ("all", "test"): 3}
    assert counts.ranks["all", "test"].label.tolist() == [True, False, True]
    assert counts.ranks["all", "test"].rank["a", "0"].tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split": {4: "tst", 7: "train"}}, "column 'split' (the split): 2 of 12 rows hold unknown values: 'tst' (row 5 of trials.csv), 'train' (row 8 of trials.csv); did you mean 'test'? Map them: trials: {values: {dev: ..., test: ...}}, or leave rows out with unused: [...] (known: dev, test)"),
        ({"label": {2: "maybe"}}, "column 'label' (the label): 1 of 12 rows hold unknown values: 'maybe' (row 3 of trials.csv). Map them: trials: {values: {target: ..., nontarget: ...}} (known: true, True, TRUE, 1, 1.0, target, false, False, FALSE, 0, 0.0, nontarget)"),
        ({"label": {2: None}}, "column 'label' (the label): 1 of 12 rows without a label (trials.unlabelled: drop leaves them out); first row 3 of trials.csv"),
        ({"score": {0: "NaN", 5: None}}, "column 'score' (the score): 2 of 12 rows missing or NaN (trials.missing: drop or reject allows them); first 'NaN' at row 1 of trials.csv, row 6 of trials.csv"),
        ({"score": {3: "high"}}, "column 'score' (the score): 1 of 12 rows not numbers; first 'high' at row 4 of trials.csv"),
        ({"trial": {1: None}}, "column 'trial' (the trial): 1 of 12 rows empty; first row 2 of trials.csv"),
        ({"cluster": {1: None}}, "column 'cluster' (the cluster): 1 of 12 rows empty; first row 2 of trials.csv"),
        ({"model": {0: None}}, "column 'model' (the model): 1 of 12 rows empty; first row 1 of trials.csv"),
        ({"trial": {1: "1"}}, "column 'trial' (the trial): one key occurs more than once for model 'a' in split dev: '1'"),
        ({"trial": {11: "9"}}, "model 'b' in split test: its trials differ from those of the other models: 1 missing, first '3'; 1 not in the other models, first '9'; trials.missing: shared compares the trials that all have"),
        ({"label": {9: "0"}}, "column 'label' (the label): 1 trial of model 'b' in split test disagrees with the other models; first '1'"),
        ({"cluster": {9: "z"}}, "column 'cluster' (the cluster): 1 trial of model 'b' in split test disagrees with the other models; first '1'"),
        ({"split": ["dev"] * 12, "trial": [str(i) for i in range(6)] * 2}, "the table has no test rows (column 'split'); thresholds are chosen on dev rows and evaluated on test rows"),
        ({"split": ["test"] * 12, "trial": [str(i) for i in range(6)] * 2}, "the table has no dev rows (column 'split'); thresholds.policy offers choices without them: split_clients, kfold, leave_one_client_out, none"),
        ({"split": ["test"] * 12, "trial": [str(i) for i in range(6)] * 2, "dataset": ["all"] * 12}, "column 'split' (the split): dataset 'all' has no dev rows; thresholds are chosen on dev rows and evaluated on test rows"),
        ({"label": {0: "0", 6: "0"}}, "split dev: no targets; a threshold cannot be chosen there"),
        ({"label": {1: "1", 2: "1", 7: "1", 8: "1"}}, "split dev: no non-targets; a threshold cannot be chosen there"),
    ],
)  # fmt: skip
def test_each_broken_rule_has_one_message(tmp_path, changes, message):
    assert faults_of(TrialSpec((write(tmp_path, **changes),))) == [message]


def test_several_broken_rules_are_told_at_once(tmp_path):
    path = write(tmp_path, split={0: "x"}, label={1: "y"}, score={2: "z"})
    assert len(faults_of(TrialSpec((path,)))) == 3


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_missing_column_is_guessed(tmp_path, suffix):
    path = write(tmp_path, suffix, score=None)
    spec = TrialSpec((path,), {"label": "labl"})
    assert faults_of(spec) == [
        f"trials.{suffix}: column 'labl' (the label) is missing; did you mean 'label'? (found: model, split, trial, label, cluster)",
        f"trials.{suffix}: column 'score' (the score) is missing (found: model, split, trial, label, cluster)",
    ]


def test_an_optional_column_that_the_config_names_must_exist(tmp_path):
    spec = TrialSpec((write(tmp_path),), {"cluster": "speaker"})
    assert faults_of(spec)[0].startswith("trials.csv: column 'speaker' (the cluster) is missing")


def test_files_must_have_the_same_columns(tmp_path):
    paths = (write(tmp_path, name="one"), write(tmp_path, name="two", cluster=None))
    assert faults_of(TrialSpec(paths)) == [
        "two.csv: column cluster is in some of the files and not in others"
    ]


def test_rows_are_numbered_within_their_file(tmp_path):
    paths = (
        write(tmp_path, name="one"),
        write(tmp_path, name="two", split={1: "tst"}, model=["c"] * 6 + ["d"] * 6),
    )
    snapshot("inputs/row_rules_rows_are_numbered_within_their_file", "\n".join(faults_of(TrialSpec(paths))))


def test_a_duplicate_across_files_is_found(tmp_path):
    paths = (write(tmp_path, name="one"), write(tmp_path, name="two"))
    assert faults_of(TrialSpec(paths))[0].startswith(
        "column 'trial' (the trial): 3 keys occur more than once for model 'a' in split dev"
    )


def test_values_and_columns_of_the_users_own(tmp_path):
    path = write(
        tmp_path, label=["yes", "no", "no", "yes", "no", "yes"] * 2, split=["A", "A", "A", "B", "B", "B"] * 2
    )
    for nontarget in (("no",), None, "rest"):
        values = Values(("yes",), nontarget, "A", "B")
        counts = counts_of(TrialSpec((path,), values=values))
        assert counts.ranks["all", "test"].label.tolist() == [True, False, True]


def test_one_other_value_may_be_the_nontarget_but_not_two(tmp_path):
    path = write(tmp_path, label=["yes", "no", "perhaps", "yes", "no", "yes"] * 2)
    snapshot(
        "inputs/row_rules_one_other_value_may_be_the_nontarget_but_not_two",
        "\n".join(faults_of(TrialSpec((path,), values=Values(("yes",), None)))),
    )
    assert counts_of(TrialSpec((path,), values=Values(("yes",), "rest"))).ranks["all", "dev"].label.sum() == 1


def test_missing_drop_leaves_out_the_trial_of_every_model(tmp_path):
    table = read_trials(TrialSpec((write(tmp_path, score={1: "NaN", 9: None}),), missing="drop"))
    counts = count_trials(table, SerialExecutor())
    assert [len(r.label) for _, r in sorted(counts.ranks.items())] == [2, 2]
    assert table.tally["n_missing"].to_list() == [1, 0, 0, 1]


def test_missing_reject_scores_minus_infinity(tmp_path):
    counts = counts_of(TrialSpec((write(tmp_path, score={3: "NaN", 4: ""}),), missing="reject"))
    test = counts.cuts["a", "0", "all", "test", ""]
    assert test.score.tolist() == [float("-inf"), -1.0]
    assert test.n_target.tolist() == [1, 1]


def test_unlabelled_drop_counts_what_it_drops(tmp_path):
    table = read_trials(TrialSpec((write(tmp_path, label={2: None, 8: None}),), unlabelled="drop"))
    assert len(count_trials(table, SerialExecutor()).ranks["all", "dev"].label) == 2
    assert table.tally["n_unlabelled"].to_list() == [1, 0, 1, 0]


def test_infinite_scores_and_an_empty_class_in_test_are_legal(tmp_path):
    path = write(tmp_path, score={0: "inf", 4: "-inf"}, label={3: "0", 5: "0", 9: "0", 11: "0"})
    table = read_trials(TrialSpec((path,)))
    assert table.tally["n_infinite"].to_list() == [1, 1, 0, 0]
    assert count_trials(table, SerialExecutor()).cuts["b", "0", "all", "test", ""].totals == (0, 3)


def test_lower_scores_may_speak_for_the_target(tmp_path):
    path = write(tmp_path)
    plain, negated = (counts_of(TrialSpec((path,), negated=frozenset(n))) for n in ((), ("a",)))
    key = ("a", "0", "all", "dev", "")
    assert negated.cuts[key].score.tolist() == [-s for s in plain.cuts[key].score[::-1]]
    assert negated.cuts["b", *key[1:]].score.tolist() == plain.cuts["b", *key[1:]].score.tolist()


def test_keys_stay_text(tmp_path):
    path = write(tmp_path, trial=["007", "7", "07"] * 4)
    counts = counts_of(TrialSpec((path,)))
    # In byte order 007 < 07 < 7: three trials, not one.
    assert counts.ranks["all", "dev"].label.tolist() == [True, False, False]


def test_keys_sort_by_their_bytes(tmp_path):
    path = write(tmp_path, trial=["é", "z", "Z"] * 4)
    counts = counts_of(TrialSpec((path,)))
    order = sorted(["é", "z", "Z"], key=lambda t: t.encode())
    labels = dict(zip(["é", "z", "Z"], [True, False, False], strict=True))
    assert counts.ranks["all", "dev"].label.tolist() == [labels[t] for t in order]


def test_without_trial_keys_rows_are_units_and_nothing_is_paired(tmp_path):
    counts = counts_of(TrialSpec((write(tmp_path, trial=None, cluster=None),)))
    assert not counts.ranks["all", "dev"].paired
    assert counts.cuts["a", "0", "all", "dev", ""].totals == (1, 2)


def test_clusters_need_trial_keys(tmp_path):
    assert faults_of(TrialSpec((write(tmp_path, trial=None),)))[0].startswith(
        "column 'cluster' (the cluster) needs"
    )


def test_without_trial_keys_the_models_must_have_as_many_trials_of_each_class(tmp_path):
    path = write(tmp_path, trial=None, cluster=None, label={9: "0"})
    snapshot(
        "inputs/row_rules_without_trial_keys_the_models_must_have_as_many_trials_of_each_class",
        "\n".join(faults_of(TrialSpec((path,)))),
    )


def test_typed_columns_of_parquet(tmp_path):
    path = tmp_path / "typed.parquet"
    frame = pl.DataFrame(GOOD).with_columns(
        pl.col("label") == "1",
        pl.col("score").cast(pl.Float32),
        pl.col("trial").cast(pl.Int16),
        pl.col("model").cast(pl.Categorical),
    )
    frame.write_parquet(path)
    assert counts_of(TrialSpec((path,))).ranks["all", "test"].label.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.parquet", b""),
        ("a.parquet", b"PAR1 not really"),
        ("a.csv", b""),
        ("a.csv", b"model,split,trial,label,score\na,dev,1,1,1,1,1\n"),
    ],
)
def test_files_that_are_not_what_they_say(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    (fault,) = faults_of(TrialSpec((path,)))
    assert "cannot be read" in fault
    assert "\n" not in fault


def test_a_name_that_looks_like_a_glob_is_that_file_alone(tmp_path):
    write(tmp_path, "parquet", name="a1", model=["x"] * 6 + ["y"] * 6)
    folder = tmp_path / "[old] run"
    folder.mkdir()
    for path in (write(tmp_path, "parquet", name="a[1]"), write(folder, "csv", name="b[1]")):
        assert read_trials(TrialSpec((path,))).models == ["a", "b"]


def test_a_header_that_names_a_column_twice(tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("model,split,trial,label,score,score\na,dev,1,1,1,2\n")
    snapshot("inputs/row_rules_a_header_that_names_a_column_twice", "\n".join(faults_of(TrialSpec((path,)))))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["model", "trial", "cluster"])
def test_empty_text_is_no_key(tmp_path, suffix, name):
    path = write(tmp_path, suffix, **{name: {0: ""}})
    (fault,) = faults_of(TrialSpec((path,)))
    assert fault.startswith(f"column {name!r} (the {name}): 1 of 12 rows empty; first")


def test_columns_that_hold_no_values(tmp_path):
    path = tmp_path / "nested.parquet"
    pl.DataFrame(GOOD).with_columns(label=pl.concat_list("label")).write_parquet(path)
    snapshot("inputs/row_rules_columns_that_hold_no_values", "\n".join(faults_of(TrialSpec((path,)))))


def test_the_unreadable_file_of_several_is_named(tmp_path):
    paths = tuple(
        write(tmp_path, name=name, model=[name] * 12, trial=[str(i) for i in range(12)]) for name in "pqr"
    )
    paths[1].write_text(paths[1].read_text() + "q,dev,99,1,1,x,extra\n")
    (fault,) = faults_of(TrialSpec(paths))
    assert fault.startswith("q.csv: cannot be read: ")


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_doubled_quote_in_the_header_is_one_quote(tmp_path, blank):
    path = write(tmp_path)
    path.write_text(blank + path.read_text().replace("score", '"a ""b"", c"', 1))
    counts = counts_of(TrialSpec((path,), {"score": 'a "b", c'}))
    assert counts.ranks["all", "test"].rank["a", "0"].tolist() == [2, 1, 0]


@pytest.mark.parametrize("row", ["q,dev,99,1,1,x,extra", "q,dev"])
def test_the_row_with_too_many_fields_is_told(tmp_path, row):
    path = write(tmp_path)
    path.write_text(path.read_text() + f"\n{row}\nq,dev,99,1,1,x,extra\n")
    assert faults_of(TrialSpec((path,))) == [
        "trials.csv: cannot be read: row 13 has another number of fields than the header:"
        f" {row.count(',') + 1}, not 6"
    ]


@pytest.mark.parametrize(("where", "line"), [("model", 1), ("2.5", 8)])
def test_a_table_in_no_encoding_that_is_known(tmp_path, where, line):
    path = write(tmp_path)
    path.write_bytes(path.read_text().replace(where, "\x81", 1).encode("latin-1"))
    assert faults_of(TrialSpec((path,))) == [
        f"trials.csv: cannot be read: not UTF-8 text (byte 0x81 in line {line}); save as UTF-8"
    ]


def test_long_names_are_cut(tmp_path):
    path = write(tmp_path, model=["m" * 100] * 6 + ["b"] * 6, trial={11: "9"}, extra=["x"] * 12)
    assert f"model '{'m' * 79}…' in split test" in faults_of(TrialSpec((path,)))[0]
    (fault,) = faults_of(TrialSpec((path,), {"score": "s" * 100}))
    assert fault.startswith(f"trials.csv: column '{'s' * 79}…' (the score) is missing")


def test_blank_lines_are_no_rows(tmp_path):
    path = write(tmp_path)
    path.write_text(path.read_text() + "\n\n")
    assert read_trials(TrialSpec((path,))).tally["rows_read"].sum() == 12


def test_a_dataset_that_lacks_a_model_is_told_as_such(tmp_path):
    path = write(tmp_path, dataset=["d1"] * 6 + ["d2"] * 6)
    assert faults_of(TrialSpec((path,))) == [
        f"model 'a' has no rows in dataset 'd2', split {split}: the table has none"
        for split in ("dev", "test")
    ]


def test_unlabelled_rows_of_one_model_are_dropped_for_all(tmp_path):
    path = write(tmp_path, label={2: None})
    counts = counts_of(TrialSpec((path,), unlabelled="drop"))
    assert [len(r.label) for _, r in sorted(counts.ranks.items())] == [2, 3]


def test_the_nearest_split_is_guessed_and_told_once(tmp_path):
    path = write(tmp_path, split=["Dev"] * 3 + ["test"] * 3 + ["Dev"] * 3 + ["test"] * 3)
    (fault,) = faults_of(TrialSpec((path,)))
    assert fault.count("did you mean 'dev'?") == fault.count("'Dev'") == 1


def test_a_table_without_rows(tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("model,split,trial,label,score\n")
    assert faults_of(TrialSpec((path,))) == ["none.csv: the trial table has no rows"]


def test_names_of_the_config_must_be_models_of_the_table(tmp_path):
    table = read_trials(TrialSpec((write(tmp_path, model=["alpha"] * 6 + ["beta"] * 6),)))
    with pytest.raises(DataError) as caught:
        check_names(table, ["alpha", "bta"], "alpa")
    assert caught.value.faults == (
        "models: 'bta' is not a model of the trial table; did you mean 'beta'? (found: alpha, beta)",
        "baseline: 'alpa' is not a model of the trial table; did you mean 'alpha'? (found: alpha, beta)",
    )


IMPROBABLE = "column 'score' (the score): {} of 12 rows outside [0, 1], though the scale of their model is probability; first {}"


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, [IMPROBABLE.format(2, "'2' at row 1 of trials.csv, '-1e-9' at row 6 of trials.csv")]),
        ({"score": {0: "inf", 1: "-inf", 5: "1"}}, [IMPROBABLE.format(2, "'inf' at row 1 of trials.csv, '-inf' at row 2 of trials.csv")]),
        ({"score": {0: "x", 5: "0"}}, ["column 'score' (the score): 1 of 12 rows not numbers; first 'x' at row 1 of trials.csv"]),
        ({"score": {0: "", 5: "0"}}, ["column 'score' (the score): 1 of 12 rows missing or NaN (trials.missing: drop or reject allows them); first '' at row 1 of trials.csv"]),
    ],
)  # fmt: skip
def test_probabilities_lie_between_0_and_1(tmp_path, changes, faults):
    score = ["2", "1", "0", "0.5", "1e-300", "-1e-9", "7", "8", "9", "-7", "-8", "-9"]
    for row, text in changes.get("score", {}).items():
        score[row] = text
    assert faults_of(TrialSpec((write(tmp_path, score=score),), probabilities=frozenset("a"))) == faults


@pytest.mark.parametrize("missing", ["reject", "drop"])
def test_a_missing_probability_may_be_rejected(tmp_path, missing):
    path = write(tmp_path, score=["NaN", "1", "0", "0.5", "0", "1"] * 2)
    spec = TrialSpec((path,), missing=missing, probabilities=frozenset(("a", "b")), unlabelled="drop")
    if missing == "reject":
        assert counts_of(spec).cuts["a", "0", "all", "dev", ""].score.tolist() == [float("-inf"), 0, 1]
    else:
        assert faults_of(spec) == ["split dev: no targets; a threshold cannot be chosen there"]


def test_files_of_one_name_are_called_by_their_whole_paths(tmp_path):
    files = []
    for folder in ("A", "B"):
        (tmp_path / folder).mkdir()
        files.append(File(tmp_path / folder / "eval_scores.csv"))
        files[-1].path.write_text("split,trial,label,score\ntest,1,1,2\n")
    alone = File(tmp_path / "A" / "other.csv")
    alone.path.write_text(files[0].path.read_text())
    faults = faults_of(TrialSpec((*files, alone)))
    assert [fault.partition(": ")[0] for fault in faults] == [
        f"{files[0].path} (eval_scores.csv)", f"{files[1].path} (eval_scores.csv)", "other.csv",
    ]  # fmt: skip
