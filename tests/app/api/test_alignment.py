"""Rows go together by their labels, never by position where they have labels: pandas' index, keys of Polars."""
# ruff: noqa: N806 - matrices have the names that scikit-learn gives them

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate

import reporting
from reporting import trial_table
from reporting.errors import DataError

Y = pd.Series([1, 1, 0, 0], index=list("abcd"))
SCORES = pd.DataFrame({"m": [0.9, 0.8, 0.2, 0.1], "n": [0.9, 0.5, 0.8, 0.2]}, index=list("abcd"))
GROUP = pd.Series(["f", "m", "f", "m"], index=list("abcd"))
INPUT_ORDER = trial_table(
    Y.to_numpy(), {name: SCORES[name].to_numpy() for name in SCORES}, cluster=GROUP.to_list()
)


def turned(each: pd.Series | pd.DataFrame) -> pd.Series | pd.DataFrame:
    return each.iloc[::-1]


def test_the_auc_of_reversed_rows_is_that_of_the_rows():
    areas = {"m": 1.0, "n": 0.75}
    for scores in (SCORES, turned(SCORES), {name: turned(SCORES[name]) for name in SCORES}):
        found = reporting.metrics(trial_table(Y, scores), ["auc"], intervals=False)
        assert dict(found.select("model", "value").iter_rows()) == areas


@given(st.permutations(range(4)), st.permutations(range(4)), st.permutations(range(4)))
def test_no_order_of_labelled_rows_changes_the_table(of_scores, of_group, of_one):
    scores = {"m": SCORES["m"].iloc[of_scores], "n": SCORES["n"].iloc[of_one]}
    assert trial_table(Y, scores, cluster=GROUP.iloc[of_group]).equals(INPUT_ORDER)
    assert trial_table(Y, SCORES.iloc[of_scores], cluster=GROUP.iloc[of_group]).equals(INPUT_ORDER)


@given(st.permutations(range(4)))
def test_the_first_index_gives_the_order_of_trials(order):
    """Scores of an array go with the labels, so they are permuted as these are."""
    table = trial_table(
        Y.iloc[order], SCORES["m"].to_numpy()[order], trial=pd.Series(list("abcd"), list("abcd"))
    )
    assert table["trial"].to_list() == [Y.index[at] for at in order]
    assert dict(table.select("trial", "score").iter_rows()) == SCORES["m"].to_dict()


def test_a_permuted_default_index_is_followed_as_pandas_follows_it():
    """Sorting a column of a table with the index 0, 1, 2, 3 changes nothing."""
    y, score = Y.reset_index(drop=True), SCORES["n"].reset_index(drop=True)
    assert trial_table(y, score.sort_values()).equals(trial_table(y.to_numpy(), score.to_numpy()))


def test_positions_are_positions():
    """The default index against an array, and of two sides; an index that both have, though it repeats."""
    plain = trial_table(Y.to_numpy(), SCORES["m"].to_numpy())
    default = Y.reset_index(drop=True), SCORES["m"].reset_index(drop=True)
    twice = [each.set_axis([0, 1, 0, 1]) for each in default]
    for y, score in (default, (default[0], SCORES["m"].to_list()), (Y.to_list(), SCORES["m"]), twice):
        assert trial_table(y, score).equals(plain)


def test_labels_of_several_levels_are_labels():
    index = pd.MultiIndex.from_tuples([("s", 1), ("s", 2), ("t", 1), ("t", 2)])
    y, score = Y.set_axis(index), SCORES["m"].set_axis(index)
    assert trial_table(y, turned(score)).equals(trial_table(y, score))
    with pytest.raises(DataError, match="different labels: 8 are in only one of them"):
        trial_table(y, SCORES["m"])


def test_scores_of_classes_go_together_by_label():
    targets, nontargets = SCORES.iloc[:2], SCORES.iloc[2:]
    by_class = ({name: part[name] for name in part} for part in (targets, nontargets))
    expected = trial_table(targets=next(by_class), nontargets=next(by_class), cluster=GROUP)
    assert expected.drop("cluster").equals(INPUT_ORDER.drop("cluster"))
    mixed = (
        {"m": targets["m"], "n": turned(targets["n"])},
        {"m": nontargets["m"], "n": turned(nontargets["n"])},
    )
    assert trial_table(targets=mixed[0], nontargets=mixed[1], cluster=turned(GROUP)).equals(expected)
    with pytest.raises(DataError, match="of targets and nontargets have different labels"):
        trial_table(targets=mixed[0], nontargets=mixed[1], cluster=GROUP.set_axis(list("abcx")))


OTHER = SCORES["m"].set_axis(list("abce"))
REPEATED = SCORES["m"].set_axis(list("abca"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trial_table(Y, OTHER), "scores (reporting.trial_table): its index and that of y_true have different labels: 2 are in only one of them, first 'd'; select the same rows with .loc; where rows correspond by position, pass .to_numpy()"),
        (lambda: trial_table(Y, SCORES["m"].reset_index(drop=True)), "its index and that of y_true have different labels: 8 are"),
        (lambda: trial_table(Y, SCORES["m"].iloc[:3]), "different labels: 1 are in only one of them, first 'd'"),
        (lambda: trial_table(Y, {"A": SCORES["m"], "B": OTHER}), "scores['B'] (reporting.trial_table): its index"),
        (lambda: trial_table(Y.set_axis(list("abca")), turned(REPEATED)), "scores (reporting.trial_table): its index has another order than that of y_true, and 'a' occurs more than once in that of y_true; give every row a label of its own"),
        (lambda: trial_table(Y.to_numpy(), SCORES["m"], cluster=turned(GROUP)), "cluster (reporting.trial_table): its index has another order than that of scores, and y_true has no index to follow either; pass y_true as a Series with its index"),
        (lambda: trial_table(Y, SCORES["m"], split=GROUP.set_axis(list("abcx"))), "split (reporting.trial_table): its index"),
        (lambda: reporting.make_report(Y, SCORES, cluster=GROUP.set_axis(list("abcx"))), "cluster (reporting.trial_table): its index"),
        (lambda: reporting.from_predictions(Y, OTHER), "scores (reporting.trial_table): its index"),
    ],
)  # fmt: skip
def test_what_cannot_be_aligned_is_refused(call, message):
    with pytest.raises(DataError) as caught:
        call()
    assert message in str(caught.value)


def test_a_column_of_keys_puts_scores_in_order():
    """Of Polars, of pandas and of rows; also where labels and keys have an index of their own."""
    keys = ["k1", "k2", "k3", "k4"]
    expected = trial_table(Y.to_numpy(), {"m": SCORES["m"].to_numpy()}, trial=keys)
    scores = pl.DataFrame({"m": SCORES["m"].to_numpy(), "trial": keys})
    labelled = pd.Series(keys, index=list("abcd"))
    for table in (
        scores,
        scores.reverse(),
        scores.reverse().to_dicts(),
        pd.DataFrame(scores.reverse().to_dict(as_series=False)),
    ):
        assert trial_table(Y.to_numpy(), table, trial=keys).equals(expected)
        assert trial_table(Y, table, trial=turned(labelled)).equals(expected)
    assert trial_table(Y.to_numpy(), scores).equals(expected)
    assert trial_table(Y, pd.DataFrame({"m": SCORES["m"], "trial": labelled}).iloc[::-1]).equals(expected)
    with pytest.raises(DataError, match="hold different keys: 2 are in only one of them, first 'k4'"):
        trial_table(Y.to_numpy(), scores, trial=["k1", "k2", "k3", "k5"])
    with pytest.raises(DataError, match="'k1' occurs more than once"):
        trial_table(Y.to_numpy(), pl.concat([scores, scores[:1]]), trial=keys)
    with pytest.raises(DataError, match="3 scores for the 4 labels"):
        trial_table(Y.to_numpy(), scores.drop("trial")[:3])


def test_levels_of_an_index_with_our_names_are_columns():
    """Else the keys would be lost, and models compared as if on other trials."""
    wide = trial_table(Y, SCORES)
    table = pd.DataFrame(wide.to_dict(as_series=False))
    indexed = reporting.read_trials(table.set_index(["model", "trial"]), thresholds={"policy": "none"})
    assert indexed.equals(reporting.read_trials(table, thresholds={"policy": "none"}))
    assert "trial" in indexed.columns


@pytest.fixture(scope="module")
def features() -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(0)
    y = np.tile([True, False], 60)
    X = pd.DataFrame({"x": y + rng.normal(size=120).round(1)}, index=[f"r{at}" for at in range(120)])
    return X, pd.Series(y, X.index)


QUICK = {
    "significance": {"replicates": 99},
    "curves": [],
    "epc": "none",
    "measures": ["auc"],
    "criteria": ["min_hter"],
}


def test_labels_of_features_are_aligned(features):
    X, y = features
    model = {"logistic": LogisticRegression().fit(X, y)}
    parts = X.iloc[:60], y.iloc[:60], X.iloc[60:], y.iloc[60:]
    subject = pd.Series([f"s{at // 4}" for at in range(120)], X.index)
    expected = reporting.from_estimators(model, *parts, cluster=subject, **QUICK).frames["metrics"]
    mixed = parts[0], turned(parts[1]), turned(parts[2]), parts[3]
    found = reporting.from_estimators(model, *mixed, cluster=turned(subject), **QUICK).frames["metrics"]
    assert found.equals(expected)
    with pytest.raises(DataError, match="y_test .*different labels"):
        reporting.from_estimators(model, parts[0], parts[1], parts[2], parts[1], **QUICK)


def test_predictions_and_folds_are_aligned(features):
    X, y = features
    folds = pd.Series(np.arange(120) % 5, X.index)
    expected = reporting.from_predictions(y, X["x"], folds=folds, **QUICK).frames["metrics"]
    found = reporting.from_predictions(y, turned(X["x"]), folds=folds.iloc[::-1], **QUICK).frames["metrics"]
    assert found.equals(expected)


def test_a_cross_validation_of_mismatched_rows_is_refused(features):
    X, y = features
    cv = StratifiedKFold(3)
    results = {
        "a": cross_validate(LogisticRegression(), X, y, cv=cv, return_estimator=True, return_indices=True)
    }
    assert reporting.from_cross_validate(results, X, y, **QUICK).frames["metrics"].height
    with pytest.raises(DataError, match="the estimators were fitted on the labels of other rows"):
        reporting.from_cross_validate(results, X, turned(y), **QUICK)
