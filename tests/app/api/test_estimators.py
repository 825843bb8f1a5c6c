"""Reports of real scikit-learn models on its own data sets; numbers are counted by hand, or by scikit-learn."""
# ruff: noqa: N806 - matrices have the names that scikit-learn gives them

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import reporting
from reporting.errors import ReportingError

QUICK = {
    "significance": {"replicates": 99, "bands": "none"},
    "curves": [],
    "epc": "none",
    "measures": ["hter", "far", "frr", "auc"],
    "criteria": ["min_hter"],
}
DATA = load_breast_cancer(as_frame=True)
X, Y = DATA.data.iloc[:, :2], DATA.target_names[DATA.target]
"""Two features, which leave errors; the classes are called benign and malignant."""


def value(report: object, model: str, measure: str, split: str = "test") -> float:
    return report.frames["metrics"].filter(model=model, measure=measure, split=split)["value"][0]


def threshold(report: object, model: str) -> float:
    rows = report.frames["metrics"].filter(model=model, measure="hter", split="test", criterion="min_hter")
    return rows["threshold"][0]


def hter(score: np.ndarray, target: np.ndarray, at: float) -> float:
    return (np.mean(score[target] < at) + np.mean(score[~target] >= at)) / 2


@pytest.fixture(scope="module")
def sets():
    X_fit, X_rest, y_fit, y_rest = train_test_split(X, Y, test_size=0.6, random_state=0, stratify=Y)
    return X_fit, y_fit, *train_test_split(X_rest, y_rest, test_size=0.5, random_state=0, stratify=y_rest)


@pytest.fixture(scope="module")
def fitted(sets):
    X_fit, y_fit, *_ = sets
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "bayes": GaussianNB(),
        "neighbours": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [5, 9]}, cv=3),
    }
    return {name: model.fit(X_fit, y_fit) for name, model in models.items()}


@pytest.mark.parametrize("pos_label", ["malignant", "benign"])
def test_fitted_estimators_are_judged_at_thresholds_of_dev(sets, fitted, pos_label):
    _, _, X_dev, X_test, y_dev, y_test = sets
    report = reporting.from_estimators(fitted, X_dev, y_dev, X_test, y_test, pos_label=pos_label, **QUICK)
    assert report.title == f"Target: {pos_label}"
    at = list(fitted["bayes"].classes_).index(pos_label)
    for name, model in fitted.items():
        dev, test = (model.predict_proba(part)[:, at] for part in (X_dev, X_test))
        assert value(report, name, "auc") == pytest.approx(
            roc_auc_score(y_test == pos_label, test), abs=1e-12
        )
        cut, positive = threshold(report, name), y_dev == pos_label
        least = min(hter(dev, positive, each) for each in [*dev, np.inf])
        assert hter(dev, positive, cut) == pytest.approx(least, abs=1e-12)
        assert value(report, name, "hter") == pytest.approx(hter(test, y_test == pos_label, cut), abs=1e-12)
        false_alarms = np.mean(test[y_test != pos_label] >= cut)
        assert value(report, name, "far") == pytest.approx(false_alarms, abs=1e-12)
    counts = report.frames["trials"].filter(group="").unique(["split"]).sort("split")
    assert counts["n_target"].to_list() == [(y_dev == pos_label).sum(), (y_test == pos_label).sum()]


def test_two_classes_without_a_name_have_the_second_as_target(sets, fitted):
    _, _, X_dev, X_test, y_dev, y_test = sets
    report = reporting.from_estimators({"bayes": fitted["bayes"]}, X_dev, y_dev, X_test, y_test, **QUICK)
    assert report.title == "Target: malignant"


def test_predictions_are_those_of_make_report(sets, fitted):
    _, _, X_dev, X_test, y_dev, y_test = sets
    scores = np.concatenate([fitted["bayes"].predict_proba(part)[:, 1] for part in (X_dev, X_test)])
    split = ["dev"] * len(y_dev) + ["test"] * len(y_test)
    y = np.concatenate([y_dev, y_test])
    report = reporting.from_predictions(y, {"bayes": scores}, split=split, pos_label="malignant", **QUICK)
    same = reporting.make_report(y == "malignant", {"bayes": scores}, split=split, **QUICK)
    assert report.frames["metrics"].equals(same.frames["metrics"])
    signed = reporting.from_predictions(
        np.where(y == "malignant", 1, -1), {"bayes": scores}, split=split, **QUICK
    )
    assert signed.frames["metrics"].equals(same.frames["metrics"])


CV = StratifiedKFold(4, shuffle=True, random_state=1)


@pytest.fixture(scope="module")
def validated():
    models = {"bayes": GaussianNB(), "logistic": make_pipeline(StandardScaler(), LogisticRegression())}
    return {
        name: cross_validate(model, X, Y, cv=CV, return_estimator=True, return_indices=True)
        for name, model in models.items()
    }


def test_a_cross_validation_is_judged_at_thresholds_of_the_other_folds(validated):
    report = reporting.from_cross_validate(validated, X, Y, **QUICK)
    target, fold = Y == "malignant", np.empty(len(Y), dtype=int)
    for number, (_, members) in enumerate(CV.split(X, Y)):
        fold[members] = number
    by_hand = {
        "bayes": cross_val_predict(GaussianNB(), X, Y, cv=CV, method="predict_proba")[:, 1],
        "logistic": cross_val_predict(
            make_pipeline(StandardScaler(), LogisticRegression()), X, Y, cv=CV, method="predict_proba"
        )[:, 1],
    }
    for name, score in by_hand.items():
        assert value(report, name, "auc") == pytest.approx(roc_auc_score(target, score), abs=1e-12)
        misses = false_alarms = 0
        for number in range(4):
            own = fold == number
            one = reporting.metrics(
                reporting.trial_table(target, score, split=np.where(own, "test", "dev")),
                ["hter"], ["min_hter"], intervals=False,
            ).filter(split="test", criterion="min_hter")  # fmt: skip
            cut = one["threshold"][0]
            least = min(hter(score[~own], target[~own], each) for each in [*score[~own], np.inf])
            assert hter(score[~own], target[~own], cut) == pytest.approx(least, abs=1e-12)
            misses += int((score[own & target] < cut).sum())
            false_alarms += int((score[own & ~target] >= cut).sum())
        assert misses + false_alarms > 20
        row = (
            report.frames["metrics"]
            .filter(model=name, measure="hter", criterion="min_hter")
            .row(0, named=True)
        )
        assert (row["misses"], row["false_alarms"], row["folds"]) == (misses, false_alarms, 4)
        assert row["threshold_source"] == "cv"


def test_folds_come_in_every_form_that_scikit_learn_has(validated):
    scores = {"bayes": cross_val_predict(GaussianNB(), X, Y, cv=CV, method="predict_proba")[:, 1]}
    numbers = np.empty(len(Y), dtype=int)
    for number, (_, members) in enumerate(CV.split(X, Y)):
        numbers[members] = number
    expected = reporting.from_cross_validate({"bayes": validated["bayes"]}, X, Y, **QUICK).frames
    for folds in (
        numbers,
        [f"fold {number}" for number in numbers],
        pl.Series(numbers),
        CV.split(X, Y),
        validated["bayes"],
        validated["bayes"]["indices"],
    ):
        report = reporting.from_predictions(Y, scores, folds=folds, pos_label="malignant", **QUICK)
        assert report.frames["metrics"].equals(expected["metrics"])


def test_groups_are_clusters_within_folds():
    groups = np.arange(len(Y)) // 4
    cv = GroupKFold(5)
    scores = cross_val_predict(GaussianNB(), X, Y, cv=cv, groups=groups, method="predict_proba")[:, 1]
    report = reporting.from_predictions(
        Y, {"bayes": scores, "worse": np.round(scores, 1)}, folds=cv.split(X, Y, groups),
        cluster=groups, pos_label="malignant", **QUICK,
    )  # fmt: skip
    assert set(report.frames["comparisons"].filter(measure="hter")["unit"]) == {"cluster"}
    with pytest.raises(
        ReportingError,
        match=r"clusters \(column 'cluster' \(the cluster\)\) are in several folds .*GroupKFold",
    ):
        reporting.from_predictions(
            Y, scores, folds=CV.split(X, Y), cluster=groups, pos_label="malignant", **QUICK
        )


def test_a_saved_report_says_where_its_folds_come_from(validated, tmp_path):
    report = reporting.from_cross_validate(
        validated, X, Y, **QUICK | {"measures": ["hter", "far"], "report": {"formats": ["markdown-full"]}}
    )
    text = (report.save(tmp_path / "out") / "report-full.md").read_text()
    assert "on all other folds" in text
    assert "each of the 10 folds" not in text


IRIS = load_iris()
THREE = GaussianNB().fit(IRIS.data, IRIS.target)
TWO = GaussianNB().fit(X, Y)
PARTS = (X, Y, X, Y)
WRONG = {
    "labels without a target": (lambda: reporting.from_predictions(Y, np.arange(len(Y))), "pos_label (reporting.from_predictions): expected the class to detect, found nothing (labels: 'malignant', 'benign')"),
    "a target that is none": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="Malignant"), "'Malignant' is not among the labels; did you mean 'malignant'?"),
    "three classes": (lambda: reporting.from_estimators({"A": THREE}, IRIS.data, IRIS.target, IRIS.data, IRIS.target), "pos_label (reporting.from_estimators): 3 classes; name the one to detect"),
    "an estimator alone": (lambda: reporting.from_estimators(TWO, *PARTS), "estimators (reporting.from_estimators): expected a dict by model, such as {'A': ...}, found GaussianNB"),
    "no estimators": (lambda: reporting.from_estimators({}, *PARTS), "found none"),
    "not fitted": (lambda: reporting.from_estimators({"A": GaussianNB()}, *PARTS), "estimators['A'] (reporting.from_estimators): GaussianNB has no classes_; expected a classifier that was fitted"),
    "a class": (lambda: reporting.from_estimators({"A": GaussianNB}, *PARTS), "expected a fitted estimator, found the class GaussianNB"),
    "other classes": (lambda: reporting.from_estimators({"A": TWO, "B": THREE}, *PARTS), "estimators['B'] (reporting.from_estimators): its classes are 0, 1, 2, those of 'A' 'benign', 'malignant'"),
    "decisions alone": (lambda: reporting.from_estimators({"A": _Decides()}, *PARTS), "_Decides has neither predict_proba nor decision_function"),
    "no estimators kept": (lambda: reporting.from_cross_validate({"A": cross_validate(GaussianNB(), X, Y, cv=2)}, X, Y), "'estimator', 'indices' missing; call cross_validate(..., return_estimator=True, return_indices=True)"),
    "other folds": (lambda: reporting.from_cross_validate({"A": _validated(2), "B": _validated(3)}, X, Y), "results['B'] (reporting.from_cross_validate): its folds differ from those of 'A'"),
    "no partition": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="malignant", folds=ShuffleSplit(3, random_state=0).split(X)), "trials are not tested once; first index"),
    "folds of others": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="malignant", folds=[1, 2]), "folds (reporting.from_predictions): 2 folds for 569 trials"),
    "one fold": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="malignant", folds=["a"] * len(Y)), "all trials have the same fold (column 'fold' (the fold)); at least 2 are needed"),
    "folds and splits": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="malignant", folds=CV.split(X, Y), split="test"), "split (reporting.from_predictions): folds choose the thresholds; leave split or folds out"),
    "results without indices": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="malignant", folds=cross_validate(GaussianNB(), X, Y, cv=2)), "folds (reporting.from_predictions): no indices; call cross_validate(..., return_indices=True)"),
    "a splitter": (lambda: reporting.from_predictions(Y, np.arange(len(Y)), pos_label="malignant", folds=CV), "folds (reporting.from_predictions): StratifiedKFold is a splitter; pass its splits, such as cv.split(X, y)"),
    "both columns": (lambda: reporting.from_predictions(Y, {"A": TWO.predict_proba(X)}, pos_label="malignant"), "scores['A'] (reporting.from_predictions): expected one value per trial, shape (N,), found shape (569, 2); take the column of the target's class, such as [:, 1]"),
    "a response that is none": (lambda: reporting.from_estimators({"A": TWO}, *PARTS, response_method="predict_probs"), "response_method (reporting.from_estimators): expected 'auto', 'predict_proba', 'decision_function', found 'predict_probs'; did you mean 'predict_proba'?"),
    "a response that it lacks": (lambda: reporting.from_estimators({"A": TWO}, *PARTS, response_method="decision_function"), "estimators['A'] (reporting.from_estimators): GaussianNB has no decision_function"),
}  # fmt: skip


class _Decides:
    """An estimator that gives no scores."""

    classes_ = np.array(["benign", "malignant"])

    def fit(self, *_):
        return self


def _validated(n):
    return cross_validate(GaussianNB(), X, Y, cv=n, return_estimator=True, return_indices=True)


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_call_gets_a_sentence(call):
    ask, message = WRONG[call]
    with pytest.raises(ReportingError, match=re.escape(message)):
        ask()


def test_decisions_of_a_margin_are_scores(sets):
    X_fit, y_fit, X_dev, X_test, y_dev, y_test = sets
    model = LinearSVC(random_state=0).fit(X_fit, y_fit)
    report = reporting.from_estimators({"margin": model}, X_dev, y_dev, X_test, y_test, **QUICK)
    expected = roc_auc_score(y_test == "malignant", model.decision_function(X_test))
    assert value(report, "margin", "auc") == pytest.approx(expected, abs=1e-12)


FIXED = QUICK | {"measures": ["f1", "hter"], "criteria": ["fixed(threshold=0.5)"]}
FIXED |= {"primary": {"measure": "f1", "criterion": "fixed(threshold=0.5)"}}


def test_a_fixed_threshold_is_a_probability_where_all_models_have_some(sets, fitted):
    _, _, X_dev, X_test, y_dev, y_test = sets
    report = reporting.from_estimators(
        {name: fitted[name] for name in ("logistic", "bayes")}, X_dev, y_dev, X_test, y_test, **FIXED
    )
    for name in ("logistic", "bayes"):
        at_half = f1_score(y_test == "malignant", fitted[name].predict_proba(X_test)[:, 1] >= 0.5)
        assert value(report, name, "f1") == pytest.approx(at_half, abs=1e-12)
    assert "different kinds" not in report._repr_html_()
    margins = reporting.from_estimators(
        {"logistic": fitted["logistic"]},
        X_dev,
        y_dev,
        X_test,
        y_test,
        response_method="decision_function",
        **FIXED,
    )
    at_half = f1_score(y_test == "malignant", fitted["logistic"].decision_function(X_test) >= 0.5)
    assert value(margins, "logistic", "f1") == pytest.approx(at_half, abs=1e-12)


def test_scores_of_different_kinds_are_cautioned_against_at_one_threshold(sets, fitted):
    X_fit, y_fit, X_dev, X_test, y_dev, y_test = sets
    models = {"bayes": fitted["bayes"], "margin": LinearSVC(random_state=0).fit(X_fit, y_fit)}
    report = reporting.from_estimators(models, X_dev, y_dev, X_test, y_test, **FIXED)
    assert (
        "those of bayes are probabilities, those of margin are of no declared scale" in report._repr_html_()
    )


def test_brier_needs_no_more_than_predict_proba(sets, fitted):
    _, _, X_dev, X_test, y_dev, y_test = sets
    report = reporting.from_estimators(
        {"bayes": fitted["bayes"]}, X_dev, y_dev, X_test, y_test, **QUICK | {"measures": ["brier", "hter"]}
    )
    own = fitted["bayes"].predict_proba(X_test)[:, 1]
    assert value(report, "bayes", "brier") == pytest.approx(np.mean((own - (y_test == "malignant")) ** 2))
