"""Wrong calls get one sentence that says what was found and what to write; right ones in unusual forms work."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import reporting
from reporting.errors import ReportingError

Y = np.tile([1, 0], 20)
SCORES = {"A": Y + np.arange(40) % 7, "B": Y + np.arange(40) % 5}
TABLE = reporting.trial_table(Y, SCORES)
WIDE = pd.DataFrame(SCORES)
JUDGED = pl.DataFrame({"y_true": Y, **{name: scores + 0.5 for name, scores in SCORES.items()}})
WIDE_KEYS = {"layout": "wide", "scores": ["A", "B"], "columns": {"label": "y_true"}}
"""The scores with their labels in one table, and what it needs said."""

WRONG = {
    "a number": (lambda: reporting.make_report(42), "trials (reporting.make_report): expected a table (Polars, pandas, Arrow, DuckDB, a list of rows) or the path of one, found int"),
    "nothing": (lambda: reporting.make_report(), "expected labels and scores, a table, or a config file"),
    "labels alone": (lambda: reporting.make_report(Y), "found one column of 40 values"),
    "scores first": (lambda: reporting.make_report(SCORES, Y), "expected labels before the scores, found a mapping; write make_report(y, scores)"),
    "a table and scores": (lambda: reporting.make_report(TABLE, SCORES), "expected labels before the scores, found a table"),
    "a config and scores": (lambda: reporting.make_report("report.yaml", SCORES), "expected labels before the scores, found a path"),
    "scores alone": (lambda: reporting.make_report(None, SCORES), "expected labels before the scores, found nothing"),
    "a table twice": (lambda: reporting.make_report(TABLE, trials=TABLE), "trials (reporting.make_report): the first argument names the trials already; leave one out"),
    "a table with a source": (lambda: reporting.make_report(TABLE, trials={"source": TABLE}), "the first argument names the trials already; leave one out"),
    "metrics of a wide table": (lambda: reporting.metrics(JUDGED), f"(reporting.metrics): its columns are not all called model, label and score; it looks like a table with one column of scores per model. If these are its columns, write trials={WIDE_KEYS!r}"),
    "a comparison of a wide table": (lambda: reporting.compare(JUDGED.to_pandas()), f"write trials={WIDE_KEYS!r}"),
    "a long table of other names": (lambda: reporting.cuts(TABLE.rename({"model": "system", "label": "truth"})), "it looks like a table with one row per trial and model. If these are its columns, write trials={'columns': {'label': 'truth', 'model': 'system'}}"),
    "a table of no trials": (lambda: reporting.metrics(pl.DataFrame({"x": ["a", "b"]})), "column 'model' (the model) is missing (found: x)"),
    "a criterion without a split": (lambda: reporting.make_report(Y, SCORES, criteria=["best(measure=f1)"]), "reporting.make_report: a criterion needs trials to choose its threshold on; pass split= with 'dev' for those trials, folds=cv.split(X, y) to from_predictions"),
    "a number of folds": (lambda: reporting.from_predictions(Y, SCORES, folds=5), "folds (reporting.from_predictions): a number of folds does not show which trial is in which; pass the splits that the scores were predicted with, such as folds=cv.split(X, y)"),
    "a misspelt curve": (lambda: reporting.make_report(Y, SCORES, curves=["relability"]), "'relability' is not allowed; did you mean 'reliability'?"),
    "gains": (lambda: reporting.plot(TABLE, "cumulative gains"), "did you mean 'gain'?"),
    "a misspelt key": (lambda: reporting.make_report(Y, SCORES, baselin="A"), "baselin (reporting.make_report): unknown key; did you mean 'baseline'?"),
    "a misspelt column": (lambda: reporting.make_report(Y, SCORES, spilt=Y), "spilt (reporting.make_report): unknown key"),
    "a folder that is none": (lambda: reporting.make_report(Y, SCORES, out=42), "out (reporting.make_report): expected the path of a folder, found int"),
    "frames in a list": (lambda: reporting.make_report(Y, SCORES, frames=[TABLE]), "frames (reporting.make_report): expected frames by name"),
    "a section alone": (lambda: reporting.make_report(Y, SCORES, sections=len), "sections (reporting.make_report): expected a list of functions, found builtin_function_or_method"),
    "an override alone": (lambda: reporting.make_report(Y, SCORES, overrides="epc=none"), "overrides (reporting.make_report): expected a list of texts such as 'significance.replicates=999', found one text"),
    "an override of no text": (lambda: reporting.make_report(Y, SCORES, overrides=[3]), "overrides (reporting.make_report): expected a list of texts"),
    "models in columns": (lambda: reporting.trial_table(Y, WIDE.to_numpy()), "scores (reporting.trial_table): expected one value per trial, shape (N,), found shape (40, 2); take the column of the target (scores[:, 1]), or give several models by name: {'A': scores[:, 0], ...}"),
    "rows of unequal lengths": (lambda: reporting.trial_table(Y, {"A": [[1, 2], [3]]}), "scores['A'] (reporting.trial_table): expected one value per trial, found rows of unequal lengths"),
    "words in a table": (lambda: reporting.trial_table(Y, pd.DataFrame({"a": ["x"] * 40})), "scores['a'] (reporting.trial_table): expected numbers, found 'x'"),
    "labels and scores": (lambda: reporting.metrics(Y, SCORES["A"]), "found one column of 40 values; make a table of labels and scores with reporting.trial_table(labels, scores)"),
    "a list of labels": (lambda: reporting.metrics(list(Y), list(SCORES["A"])), "reporting.trial_table(labels, scores)"),
    "scores by model": (lambda: reporting.compare(SCORES), "found dict; make a table of labels and scores with reporting.trial_table(labels, scores)"),
    "a class": (lambda: reporting.roc(pl.DataFrame), "or the path of one, found type"),
    "nothing to plot": (lambda: reporting.plot(None), "or the path of one, found nothing"),
    "a measure that is a number": (lambda: reporting.metrics(TABLE, 5), "measures"),
    "a measure of an array": (lambda: reporting.metrics(TABLE, np.array([0.5])), "measures[0] (reporting.metrics): '0.5' is not a measure"),
    "a baseline of a table": (lambda: reporting.compare(TABLE, TABLE), "baseline (reporting.compare): expected text, found a list"),
    "a fit of numbers": (lambda: reporting.fit(TABLE, [1]), "fits[0] (reporting.fit): '1' is not a fit"),
    "no kind of picture": (lambda: reporting.plot(TABLE, 3), "kind (reporting.plot): '3' is no picture"),
    "rows without names": (lambda: reporting.cuts([[1, 2], [3, 4]]), "found one column of 2 values"),
    "no frame": (lambda: reporting.to_pandas(WIDE), "to_pandas: expected a Polars frame, found DataFrame of pandas"),
    "a lazy frame": (lambda: reporting.to_pandas(TABLE.lazy()), "to_pandas: expected a Polars frame, found LazyFrame; collect() it first"),
}  # fmt: skip


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_gets_a_sentence(call):
    ask, message = WRONG[call]
    with pytest.raises(ReportingError) as caught:
        ask()
    assert message in str(caught.value)
    assert not re.search(r"Traceback|polars\.|NoneType", str(caught.value))


@pytest.mark.parametrize(
    "scores",
    [
        WIDE,
        pl.DataFrame(SCORES),
        pl.LazyFrame(SCORES),
        WIDE.astype("Float64"),
        pl.DataFrame(SCORES).to_dicts(),
    ],
    ids=["pandas", "polars", "lazy", "nullable", "rows"],
)
def test_columns_of_a_table_are_models(scores):
    assert_frame_equal(reporting.trial_table(Y, scores), TABLE)


@pytest.mark.parametrize(
    "labels",
    [pd.Series(Y, index=range(100, 140)), pl.Series(Y), list(Y), tuple(Y), pd.Series(Y).astype("boolean"), pd.Categorical(Y)],
    ids=["pandas", "polars", "list", "tuple", "nullable", "categorical"],
)  # fmt: skip
def test_labels_may_come_in_any_form(labels):
    assert_frame_equal(reporting.trial_table(labels, SCORES), TABLE)


def test_a_missing_score_of_a_nullable_column_is_missing():
    scores = pd.DataFrame({"A": pd.array([1, None, 3], dtype="Int64"), "B": [0.5, float("nan"), 1.0]})
    table = reporting.trial_table([1, 0, 1], scores)
    assert table["score"].is_nan().sum() == 2


def test_the_keys_of_a_wide_table_go_with_it_in_every_call():
    of_arrays = reporting.metrics(reporting.trial_table(Y, {key: SCORES[key] + 0.5 for key in SCORES}), "auc")
    report = reporting.make_report(JUDGED, trials=WIDE_KEYS, measures=["auc"])
    for frame in (report.frames["metrics"], reporting.metrics(JUDGED, "auc", trials=WIDE_KEYS)):
        assert frame["value"].to_list() == of_arrays["value"].to_list()


def test_what_a_report_from_python_lacks_is_named_by_the_caller_s_own_keywords():
    report = reporting.from_predictions(Y, {"A": (SCORES["A"] + 1) / 9}, measures=["auc", "brier"])
    texts = {caution.code: caution.text for caution in report.cautions}
    assert "folds=cv.split(X, y) to from_predictions" in texts["TR214"]
    assert "trials.columns" not in texts["TR214"]
    assert texts["TR108"].endswith("declare it: models={'A': {'scale': 'probability'}}.")
