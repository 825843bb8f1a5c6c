"""``make_report(df)`` reads a table of any columns as ``init`` reads its file, or names the argument to give."""

from __future__ import annotations

import logging

import numpy as np
import pandas as pd
import polars as pl
import pytest
import yaml
from polars.testing import assert_frame_equal

import reporting
from reporting.app.init.starter import write_starter
from reporting.errors import ConfigError, DataError, ReportingError

N = 120
FEW = {"significance": {"replicates": 99}, "epc": "none"}
RANDOM = np.random.default_rng(4)
SICK = RANDOM.integers(0, 2, N)


def scored(shift: float) -> np.ndarray:
    return np.round(1 / (1 + np.exp(-(shift * SICK + RANDOM.normal(size=N)))), 4)


CLINIC = pl.DataFrame(
    {
        "patient": [f"p{at:03}" for at in range(N)],
        "age": RANDOM.integers(20, 80, N),
        "diagnosis": np.where(SICK == 1, "malignant", "benign"),
        "prob_old": scored(1),
        "prob_new": scored(2),
    }
)
WARDS = CLINIC.drop("patient").with_columns(ward=pl.Series([f"w{at % 15}" for at in range(N)]))
SETS = CLINIC.with_columns(part=pl.Series(["tuning", "eval"] * (N // 2)))
LONG = (
    SETS.unpivot(["prob_old", "prob_new"], index=["patient", "part", "diagnosis"], variable_name="system")
    .rename({"value": "likelihood", "diagnosis": "truth"})
)  # fmt: skip
TABLES = {
    "wide": CLINIC,
    "without keys": WARDS,
    "with splits": SETS,
    "long": LONG.rename({"likelihood": "score"}),
    "one model": CLINIC.drop("prob_old").rename({"diagnosis": "label"}),
    "classes": pl.DataFrame({"genuine": [*scored(2)[:60]], "impostor": [*scored(0)[:59], None]}),
    "items": pl.DataFrame({"task": [f"t{i}" for i in range(40)] * 2, "model": ["a"] * 40 + ["b"] * 40, "solved": [1, 0, 1, 1] * 20}),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_the_report_is_that_of_the_file_through_init(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = TABLES[name]
    model = next((column for column in table.columns if column.startswith("prob_")), "scores")
    table.write_csv(f"{model}.csv")
    write_starter([f"{model}.csv"], tmp_path / "report.yaml")
    config = yaml.safe_load((tmp_path / "report.yaml").read_text())
    of_file = reporting.make_report(config={**config, **FEW}, out=tmp_path / "report")
    of_table = reporting.make_report(table, **FEW)
    assert of_table.frames.keys() == of_file.frames.keys()
    for frame in of_file.frames:
        assert_frame_equal(of_table.frames[frame], of_file.frames[frame])


def test_what_was_taken_is_logged(caplog):
    with caplog.at_level(logging.WARNING, logger="reporting"):
        reporting.make_report(WARDS, **FEW)
    (record,) = caplog.records
    assert "trials.columns.label: diagnosis  (2 values: 'benign', 'malignant')" in record.getMessage()
    assert "trials.values.target: malignant  (by its name)" in record.getMessage()
    assert "? trials.columns.cluster: 'ward': 15 values repeat" in record.getMessage()


def test_a_table_of_the_contract_is_taken_as_it_is(caplog):
    table = reporting.trial_table(SICK, {"a": scored(1)}).with_columns(speaker=pl.lit("s"))
    reporting.make_report(table, primary="auc", thresholds={"policy": "none"}, **FEW)
    assert not caplog.records


WORDS = CLINIC.with_columns(diagnosis=pl.Series(np.where(SICK == 1, "xx", "yy"))).rename({"diagnosis": "it"})
RIVALS = CLINIC.rename({"diagnosis": "outcome"}).with_columns(
    truth=pl.Series(np.where(RANDOM.random(N) < 0.8, CLINIC["diagnosis"], "benign"))
)
ASKED = {
    "the target": (WORDS.rename({"it": "label"}), {}, ["which of 2 values: 'xx', 'yy' is the target?", "answer with pos_label='xx' or pos_label='yy'"]),
    "the label": (WORDS, {"pos_label": "xx"}, ["is 'it' the label?", "answer with label='it'"]),
    "both": (WORDS, {}, ["answer with label='it'", "answer with pos_label='xx'"]),
    "which label": (RIVALS, {}, ["which of 'truth', 'outcome' is the truth", "answer with label='truth'"]),
    "the score": (CLINIC.drop("prob_old").rename({"prob_new": "x"}), {}, ["is 'x' the score?; not 'age'", "answer with score='x'"]),
    "classes": (pl.DataFrame({"genuine": scored(2), "impostor": scored(0)}), {}, ["each hold the scores of the trials of one class?", "answer with trials={'layout': 'classes'}"]),
    "missing scores": (CLINIC.with_columns(prob_new=pl.col("prob_new").replace(CLINIC["prob_new"][0], None)), {}, ["1 score is missing", "answer with trials={'missing': 'drop'}"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_what_init_asks_is_an_error_that_names_the_argument(name):
    table, given, texts = ASKED[name]
    with pytest.raises(ConfigError) as caught:
        reporting.make_report(table, **given, **FEW)
    assert all(text in str(caught.value) for text in texts), str(caught.value)


ANSWERS = {
    "the target": (WORDS.rename({"it": "label"}), {"pos_label": "xx"}),
    "both": (WORDS, {"label": "it", "pos_label": "xx"}),
    "a pandas table": (WORDS.to_pandas(), {"label": "it", "pos_label": "xx"}),
    "one score": (WORDS, {"label": "it", "pos_label": "xx", "score": "prob_new"}),
    "several scores": (WORDS, {"label": "it", "pos_label": "xx", "score": ["prob_new", "age"]}),
    "the keys of the config": (WORDS, {"trials": {"columns": {"label": "it"}, "values": {"target": "xx", "nontarget": "yy"}}}),
    "numbers as labels": (WORDS.with_columns(it=pl.Series(SICK.astype(float) + 1)), {"label": "it", "pos_label": 2}),
    "truths as labels": (WORDS.with_columns(it=pl.Series(SICK == 1)), {"label": "it", "pos_label": True}),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_arguments_answer(name):
    table, given = ANSWERS[name]
    metrics = reporting.make_report(table, **given, measures=["auc"], **FEW).frames["metrics"]
    values = dict(metrics.filter(measure="auc", split="test").select("model", "value").iter_rows())
    scores = given.get("score", ["prob_old", "prob_new"])
    scores = [scores] if isinstance(scores, str) else scores
    of_arrays = reporting.trial_table(SICK, {name: CLINIC[name].to_numpy() for name in scores})
    expected = reporting.metrics(of_arrays, "auc", intervals=False).select("model", "value")
    assert values == dict(expected.iter_rows())


def test_a_cluster_of_the_user_s_choice():
    report = reporting.make_report(WARDS, cluster="ward", **FEW)
    assert "cluster" in report.frames["comparisons"]["p_method"][0] or "15 " in report.verdict + repr(report)


def test_nested_columns_and_objects_are_left_alone():
    table = WARDS.with_columns(notes=pl.Series([[1, 2]] * N), raw=pl.Series([b"x"] * N))
    assert reporting.make_report(table, **FEW).frames["metrics"].height


WRONG = {
    "no such column": ({"label": "diagnose"}, "label (reporting.make_report): the table has no column 'diagnose'; did you mean 'diagnosis'?"),
    "no such label": ({"pos_label": "ill"}, "pos_label: 'ill' is no label of column 'diagnosis' (labels: 'benign', 'malignant')"),
    "a slip": ({"lable": "diagnosis"}, "lable (reporting.make_report): unknown key; did you mean 'label'?"),
    "twice": ({"label": "prob_new", "score": "prob_new"}, "column 'prob_new' is named for label and score"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_gets_a_sentence(name):
    given, message = WRONG[name]
    with pytest.raises(ReportingError) as caught:
        reporting.make_report(CLINIC, **given, **FEW)
    assert message in str(caught.value)


def test_of_files_init_infers(tmp_path):
    CLINIC.write_csv(tmp_path / "t.csv")
    with pytest.raises(ConfigError, match="label .*: names a column of a table in memory"):
        reporting.make_report(str(tmp_path / "t.csv"), label="diagnosis")


def test_a_table_without_trials_is_refused():
    with pytest.raises(DataError, match="no column can be the score"):
        reporting.make_report(pd.DataFrame({"x": ["a", "b"]}))


def test_the_layout_of_classes_answers():
    table = pl.DataFrame({"genuine": scored(2), "impostor": scored(0)})
    report = reporting.make_report(table, trials={"layout": "classes"}, **FEW)
    assert report.frames["trials"].filter(split="test")["n_target"].to_list() == [N]
