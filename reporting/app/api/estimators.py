"""Reports of models as scikit-learn has them: predictions, fitted estimators, cross-validations.

scikit-learn itself is not imported: an estimator is what has ``classes_`` after ``fit``, and
``predict_proba`` or ``decision_function``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from reporting.app.api.alignment import Named, aligned, index_of, joined_index
from reporting.app.api.arguments import as_text, column_of, is_unlabelled, named_values, shown_value
from reporting.app.api.notebook import NotebookReport
from reporting.app.api.reports import OF_TRIALS, make_report
from reporting.app.api.tables import is_table, trial_table
from reporting.app.config.values import SCALARS
from reporting.base.legible import counted
from reporting.errors import ConfigError, DataError, did_you_mean, kind_of_value, listed, quoted
from reporting.inputs.spec import FALSE_WORDS, TRUE_WORDS

Array = npt.NDArray[Any]
FOLD = "fold"
"""The column of folds."""
PROBABILITY = "predict_proba"
WAYS = (PROBABILITY, "decision_function")
"""What an estimator may call its scores; the first that all of them have is taken."""


def from_predictions(
    y_true: Any, scores: Any, *, folds: Any = None, pos_label: Any = None, **keys: Any
) -> NotebookReport:
    """Make a report of predictions: labels, and the scores of one model or a dict of them by model.

    What carries an index (pandas) is aligned on it, as ``trial_table`` does; arrays go by position.
    ``pos_label`` is the class whose detection is judged (the target); higher scores favour it. It may be left
    out where labels are true and false, 1 and 0, or 1 and -1. ``split`` names the trials that are ``dev`` and
    choose thresholds. Or ``folds`` names the fold of every trial, for scores that a cross-validation
    predicted out of fold: its thresholds are then chosen on the other folds (policy ``kfold``). It is one
    name per trial, the pairs of ``cv.split(X, y)``, or what ``cross_validate(..., return_indices=True)``
    returned. Further keywords are those of ``make_report``.

    Raises ConfigError, DataError and OutputError.
    """
    where = "reporting.from_predictions"
    labels, target = _targets(column_of(y_true, "y_true", where), pos_label, where)
    if isinstance(scores, Mapping):
        for name, each in scores.items():
            column_of(each, f"scores[{quoted(str(name))}]", where)
    elif not is_table(scores):
        column_of(scores, "scores", where)
    return _report(_indexed(labels, y_true), scores, folds, _titled(keys, target), where)


def from_estimators(
    estimators: Mapping[str, Any],
    X_dev: Any,  # noqa: N803 - as scikit-learn calls it
    y_dev: Any,
    X_test: Any,  # noqa: N803
    y_test: Any,
    *,
    pos_label: Any = None,
    response_method: str = "auto",
    **keys: Any,
) -> NotebookReport:
    """Make a report of fitted estimators by name, at thresholds of the development set.

    Scores favour the class ``pos_label`` (the target; the second one of ``classes_`` where two are left
    unnamed). ``response_method`` is where they come from: ``predict_proba`` or ``decision_function``;
    ``auto`` takes ``predict_proba`` where all estimators have it, else ``decision_function`` where all have
    it, else the one that each has, which a caution of the report names. Scores of ``predict_proba`` get
    ``scale: probability``. Neither of the two sets should be the one the models were fitted on. Further
    keywords are those of ``make_report``.

    Raises ConfigError, DataError and OutputError.
    """
    where = "reporting.from_estimators"
    by_name = _by_name(estimators, "estimators", where)
    target = _class_of(by_name, pos_label, where)
    ways = _ways(by_name, response_method, where)
    y_dev = aligned({"X_dev": X_dev, "y_dev": y_dev}, where)["y_dev"]
    y_test = aligned({"X_test": X_test, "y_test": y_test}, where)["y_test"]
    sets = [(X_dev, column_of(y_dev, "y_dev", where)), (X_test, column_of(y_test, "y_test", where))]
    labels = np.concatenate([_targets(y, target, where)[0] for _, y in sets])
    scores = {
        name: np.concatenate([_scores_of(name, model, X, len(y), target, ways[name], where) for X, y in sets])
        for name, model in by_name.items()
    }
    split = np.repeat(["dev", "test"], [len(y) for _, y in sets])
    rows = joined_index(_first_index(X_dev, y_dev), _first_index(X_test, y_test))
    keys = dict(_in_order(keys, where, rows, "X_dev and X_test"))
    return _report(labels, scores, None, {**_described(keys, target, ways), "split": split}, where)


def from_cross_validate(
    results: Mapping[str, Any],
    X: Any,  # noqa: N803
    y: Any,
    *,
    pos_label: Any = None,
    response_method: str = "auto",
    **keys: Any,
) -> NotebookReport:
    """Make a report of cross-validations by name, over the same folds.

    ``results`` are what ``cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)``
    returned. Every trial is scored by the estimator that did not see it, and judged at thresholds chosen on
    the other folds. Curves pool the folds, as if the scores of their estimators had one scale.
    ``response_method`` is that of ``from_estimators``. Further keywords are those of ``make_report``.

    Raises ConfigError, DataError and OutputError.
    """
    where = "reporting.from_cross_validate"
    by_name = _by_name(results, "results", where)
    parts = {name: _parts_of(name, each, where) for name, each in by_name.items()}
    first_of = {name: estimators[0] for name, (estimators, _) in parts.items()}
    target = _class_of(first_of, pos_label, where)
    ways = _ways(first_of, response_method, where)
    if aligned({"X": X, "y": y}, where)["y"] is not y:
        raise DataError(
            f"y ({where}): its index has another order than that of X, and cross_validate pairs their rows by"
            " position: the estimators were fitted on the labels of other rows"
        )
    keys = dict(_in_order(keys, where, _first_index(X, y), "X and y"))
    truth = column_of(y, "y", where)
    folds = {name: _fold_of_each(tests, len(truth), where) for name, (_, tests) in parts.items()}
    first = next(iter(folds))
    for name, fold in folds.items():
        if not np.array_equal(fold, folds[first]):
            raise DataError(
                f"results[{quoted(name)}] ({where}): its folds differ from those of {quoted(first)}; pass the"
                " same cv to cross_validate, with a fixed random_state where it shuffles"
            )
    scores = {}
    for name, (estimators, tests) in parts.items():
        scores[name] = np.empty(len(truth))
        for model, members in zip(estimators, tests, strict=True):
            rows = _rows_of(X, members, len(truth), where)
            scores[name][members] = _scores_of(name, model, rows, len(members), target, ways[name], where)
    labels, _ = _targets(truth, target, where)
    return _report(labels, scores, folds[first], _described(keys, target, ways), where)


def _first_index(*given: Any) -> Any | None:
    return next((index for each in given if (index := index_of(each)) is not None), None)


def _in_order(keys: Mapping[str, Any], where: str, rows: Any | None, of: str) -> Named:
    columns = {name: keys[name] for name in OF_TRIALS if name in keys}
    return {**keys, **aligned(columns, where, rows, of)}


def _indexed(values: Any, given: Any) -> Any:
    index = index_of(given)
    return values if index is None else type(given)(values, index=index)


def _report(labels: Any, scores: Any, folds: Any, keys: Mapping[str, Any], where: str) -> NotebookReport:
    columns = {name: keys[name] for name in OF_TRIALS if name in keys}
    if folds is None:
        return make_report(labels, scores, **keys)
    left = {name: value for name, value in keys.items() if name not in columns}
    if "split" in columns:
        raise ConfigError(f"split ({where}): folds choose the thresholds; leave split or folds out")
    named = folds if isinstance(folds, np.ndarray) else _fold_names(folds, len(labels), where)
    columns[FOLD] = _indexed([as_text(name) for name in named], folds)
    table = trial_table(labels, scores, **columns)
    thresholds = left.pop("thresholds", {})
    if not isinstance(thresholds, Mapping):
        raise ConfigError(f"thresholds ({where}): expected a mapping, found {kind_of_value(thresholds)}")
    thresholds = {"policy": "kfold", "column": FOLD, **thresholds}
    return make_report(table, thresholds=thresholds, **left)


def _titled(keys: Mapping[str, Any], target: Any) -> Mapping[str, Any]:
    return keys if target is None or "out" in keys else {"title": f"Target: {as_text(target)}", **keys}


def _by_name(given: Any, name: str, where: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping) or not given:
        shown = "none" if isinstance(given, Mapping) else kind_of_value(given)
        raise ConfigError(f"{name} ({where}): expected a dict by model, such as {{'A': ...}}, found {shown}")
    return named_values(given, name, where)


def _targets(y: Array, pos_label: Any, where: str) -> tuple[Array, Any]:
    """Return labels that are true for the target, and what the target is called; None where that is plain."""
    values = y.tolist()
    missing = [at for at, value in enumerate(values) if is_unlabelled(value) and value != pos_label]
    if missing:
        raise DataError(
            f"y_true ({where}): {len(missing)} of {len(values)} labels are missing; first at index"
            f" {missing[0]}"
        )
    strange = next((value for value in values if not isinstance(value, SCALARS)), None)
    if strange is not None:
        raise DataError(f"y_true ({where}): expected classes, found {kind_of_value(strange)}")
    classes = list(dict.fromkeys(values))
    if pos_label is None:
        words = {as_text(each) for each in classes}
        if words <= {*TRUE_WORDS, *FALSE_WORDS}:
            return y, None
        if words <= {"1", "-1", "1.0", "-1.0"}:
            return y == 1, None
        raise ConfigError(
            f"pos_label ({where}): expected the class to detect, found nothing"
            f" (labels: {listed(map(_shown, classes))})"
        )
    if not isinstance(pos_label, SCALARS) or pos_label not in classes:
        raise _absent(pos_label, "labels", classes, where)
    return y == pos_label, pos_label


def _class_of(estimators: Mapping[str, Any], pos_label: Any, where: str) -> Any:
    """Return the target: the class that is named, or the second of two; ConfigError where models differ."""
    classes = {name: _classes(name, model, where) for name, model in estimators.items()}
    first, own = next(iter(classes.items()))
    for name, others in classes.items():
        if others != own:
            raise ConfigError(
                f"estimators[{quoted(name)}] ({where}): its classes are {listed(map(_shown, others))}, those"
                f" of {quoted(first)} {listed(map(_shown, own))}; expected the same"
            )
    if pos_label is None and len(own) != 2:
        raise ConfigError(
            f"pos_label ({where}): {len(own)} classes; name the one to detect, the others are non-targets"
            f" (found: {listed(map(_shown, own))})"
        )
    if pos_label is not None and not (isinstance(pos_label, SCALARS) and pos_label in own):
        raise _absent(pos_label, "classes", own, where)
    return own[1] if pos_label is None else pos_label


def _absent(pos_label: Any, what: str, there: Sequence[Any], where: str) -> ConfigError:
    guess = did_you_mean(as_text(pos_label), map(as_text, there))
    return ConfigError(
        f"pos_label ({where}): {shown_value(pos_label)} is not among the {what}{guess}"
        f" (found: {listed(map(_shown, there))})"
    )


def _shown(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else as_text(value)


def _classes(name: str, model: Any, where: str) -> list[Any]:
    if isinstance(model, type) or not any(hasattr(model, way) for way in ("fit", "predict_proba")):
        kind = f"the class {model.__name__}" if isinstance(model, type) else kind_of_value(model)
        raise ConfigError(f"estimators[{quoted(name)}] ({where}): expected a fitted estimator, found {kind}")
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise ConfigError(
            f"estimators[{quoted(name)}] ({where}): {kind_of_value(model)} has no classes_; expected a"
            " classifier that was fitted"
        )
    return list(column_of(classes, f"estimators[{quoted(name)}].classes_", where).tolist())


def _ways(estimators: Mapping[str, Any], response_method: str, where: str) -> dict[str, str]:
    """Return the method that scores for every estimator: one that all have, else the first of its own."""
    if response_method not in ("auto", *WAYS):
        guess = did_you_mean(str(response_method), ("auto", *WAYS))
        raise ConfigError(
            f"response_method ({where}): expected {listed(map(repr, ('auto', *WAYS)))}, found"
            f" {quoted(str(response_method))}{guess}"
        )
    own = {name: [way for way in WAYS if hasattr(model, way)] for name, model in estimators.items()}
    for name, ways in own.items():
        what = f"estimators[{quoted(name)}] ({where}): {kind_of_value(estimators[name])} has"
        if not ways:
            raise ConfigError(
                f"{what} neither predict_proba nor decision_function; its decisions alone are no scores"
                " (CalibratedClassifierCV makes some of them)"
            )
        if response_method not in ("auto", *ways):
            raise ConfigError(
                f"{what} no {response_method}; expected one that has it, or response_method='auto'"
            )
    shared = [
        way for way in WAYS if response_method in ("auto", way) and all(way in ways for ways in own.values())
    ]
    return {name: (shared or ways)[0] for name, ways in own.items()}


def _scores_of(name: str, model: Any, rows: Any, n: int, target: Any, way: str, where: str) -> Array:
    classes = _classes(name, model, where)
    if target not in classes:
        raise _absent(target, "classes", classes, where)
    at = classes.index(target)
    given = np.asarray(getattr(model, way)(rows))
    if given.shape not in ((n,), (n, len(classes))) or given.dtype.kind not in "biuf":
        raise DataError(
            f"estimators[{quoted(name)}] ({where}): expected of {way} one number per trial ({n}), or one per"
            f" trial and class, found shape {given.shape} of {given.dtype}"
        )
    scores = given.astype(np.float64)
    if scores.ndim == 1:  # that of the second of two classes
        return scores if at == 1 else -scores
    return np.asarray(scores[:, at])


def _described(keys: Mapping[str, Any], target: Any, ways: Mapping[str, str]) -> Mapping[str, Any]:
    given = keys.get("models", {})
    if not isinstance(given, Mapping):
        return dict(_titled(keys, target))  # a config is checked as a whole, elsewhere
    models = {name: {"scale": "probability"} if way == PROBABILITY else {} for name, way in ways.items()}
    for name, own in given.items():
        scaled = isinstance(own, Mapping) and "higher_is" not in own
        models[name] = {**models.get(name, {}), **own} if scaled else own
    return {**_titled(keys, target), "models": models}


def _parts_of(name: str, result: Any, where: str) -> tuple[Sequence[Any], list[Array]]:
    """Return the estimators of a cross-validation and the trials that each is judged on."""
    lacking = [
        key for key in ("estimator", "indices") if not isinstance(result, Mapping) or key not in result
    ]
    if lacking:
        raise ConfigError(
            f"results[{quoted(name)}] ({where}): {listed(map(repr, lacking))} missing; call"
            " cross_validate(..., return_estimator=True, return_indices=True)"
        )
    estimators, tests = result["estimator"], _tests_of(result["indices"], f"results[{quoted(name)}]", where)
    if not isinstance(estimators, Sequence) or len(estimators) != len(tests):
        raise ConfigError(
            f"results[{quoted(name)}] ({where}): expected a list of estimators, one per fold ({len(tests)})"
        )
    return estimators, tests


def _tests_of(indices: Any, name: str, where: str) -> list[Array]:
    if not isinstance(indices, Mapping) or "test" not in indices:
        raise ConfigError(f"{name} ({where}): no indices; call cross_validate(..., return_indices=True)")
    tests = indices["test"]
    if not isinstance(tests, list | tuple) and np.ndim(tests) == 0:
        raise ConfigError(
            f"{name} ({where}): expected a list of indices per fold, found {kind_of_value(tests)}"
        )
    return [_members(members, name, where) for members in tests]


def _members(given: Any, name: str, where: str) -> Array:
    members = column_of(given, name, where)
    if len(members) and members.dtype.kind not in "iu":
        raise DataError(f"{name} ({where}): expected indices of trials, found {shown_value(members[0])}")
    return members.astype(np.int64)


def _fold_names(folds: Any, n: int, where: str) -> Array:
    """Return the fold of every trial, in whichever of the three forms it comes."""
    if hasattr(folds, "split") and hasattr(folds, "get_n_splits"):
        raise ConfigError(
            f"folds ({where}): {kind_of_value(folds)} is a splitter; pass its splits, such as cv.split(X, y)"
        )
    if isinstance(folds, Mapping):
        return _fold_of_each(_tests_of(folds.get("indices", folds), "folds", where), n, where)
    if isinstance(folds, Iterable) and not isinstance(folds, str | type) and not hasattr(folds, "__array__"):
        folds = list(islice(folds, n + 1))
        if folds and all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in folds):
            return _fold_of_each([_members(test, "folds", where) for _, test in folds], n, where)
    if isinstance(folds, int | np.integer):
        raise ConfigError(
            f"folds ({where}): a number of folds does not show which trial is in which; pass the splits that"
            " the scores were predicted with, such as folds=cv.split(X, y)"
        )
    names = column_of(folds, "folds", where)
    if len(names) != n:
        raise DataError(
            f"folds ({where}): {counted(len(names), 'fold')} for {counted(n, 'trial')}; expected one"
            " per trial"
        )
    return names


def _fold_of_each(tests: Sequence[Array], n: int, where: str) -> Array:
    """Return the number of the fold that tests each trial; DataError unless there is exactly one."""
    times = np.zeros(n, dtype=np.int64)
    fold = np.zeros(n, dtype=np.int64)
    for number, members in enumerate(tests):
        if len(members) and (members.min() < 0 or members.max() >= n):
            raise DataError(f"folds ({where}): index {int(members.max())} is beyond the {n} trials")
        np.add.at(times, members, 1)
        fold[members] = number
    if (times != 1).any():
        at = int(np.flatnonzero(times != 1)[0])
        raise DataError(
            f"folds ({where}): {int((times != 1).sum())} of {n} trials are not tested once; first index {at},"
            f" tested {int(times[at])} times; expected a partition, such as StratifiedKFold makes"
        )
    return fold


def _rows_of(X: Any, members: Array, n: int, where: str) -> Any:  # noqa: N803
    there = np.shape(X)[0] if hasattr(X, "shape") and np.ndim(X) else len(X) if isinstance(X, Sequence) else 0
    if there != n or isinstance(X, str):
        raise ConfigError(f"X ({where}): expected rows for {n} trials, found {there or kind_of_value(X)}")
    if hasattr(X, "iloc"):
        return X.iloc[members]
    return [X[at] for at in members] if isinstance(X, list | tuple) else X[members]
