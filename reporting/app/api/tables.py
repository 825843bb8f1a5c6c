"""Plain arrays -> a trial table: labels with the scores of several models, or the scores of two classes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl
from polars.exceptions import PolarsError

from reporting.app.api.alignment import Named, aligned, index_of, joined_index
from reporting.app.api.arguments import (
    as_text,
    column_of,
    is_unlabelled,
    name_of,
    named_values,
    numbers_of,
    series_of,
    shown_value,
)
from reporting.base.legible import counted
from reporting.errors import ConfigError, DataError, kind_of_value, listed, quoted, refuse, repeated
from reporting.inputs.files import first_line
from reporting.inputs.spec import COLUMNS, FALSE_WORDS, TRUE_WORDS

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[Any]
WHERE = "reporting.trial_table"
RESERVED = ("label", "score")
KEY = "trial"
"""The column of keys, also in a table of scores."""
MOST_NESTED = 8
"""How deep lists in a column may lie in each other."""


def trial_table(
    y_true: Any = None,
    scores: Any = None,
    *,
    targets: Any = None,
    nontargets: Any = None,
    model: str = "A",
    split: Any = "test",
    trial: Any = None,
    pos_label: Any = None,
    **columns: Any,
) -> pl.DataFrame:
    """Make a trial table of arrays: one row per trial and model; columns model, split, trial, label, score.

    Either ``y_true`` (shape (N,): true, 1 or target; false, 0 or nontarget; or two labels of any kind, of
    which ``pos_label`` is that of targets) with ``scores``, one array of
    shape (N,) or a dict of them by model; or ``targets`` and ``nontargets``, the scores of either class
    (targets come first), each one array or a dict by model. One array is of the model called ``model``.
    ``split``, ``trial`` and further ``columns`` (cluster, dataset, gender, ...) hold one value for all
    trials or one a trial. Without ``trial`` the keys are row numbers from 0, padded with zeros: the k-th
    score of every model is of the same trial. Models with unequal numbers of targets or of non-targets
    get no keys, and cannot be compared in pairs. A missing score stays NaN, for ``missing`` to judge.

    What carries an index (pandas Series and tables) is put in the order of the first that does, by its
    labels, as pandas aligns columns; what carries none goes by position. In a table of scores a column
    ``trial`` holds keys: its rows are put in the order of ``trial``, or else give the trials their keys.

    Raises ConfigError for arguments that do not go together, DataError for arrays that do not.
    """
    model = name_of(model, "model", WHERE)
    for name in columns:
        name_of(name, "columns", WHERE)
    for name in RESERVED:
        if name in columns:
            raise ConfigError(f"{name} ({WHERE}): the column is made of the labels and scores; leave it out")
    if (
        (y_true is None) != (scores is None)
        or (targets is None) != (nontargets is None)
        or (y_true is None) == (targets is None)
    ):
        raise ConfigError(
            f"{WHERE}: expected either y_true and scores, or targets and nontargets; both of a pair, and not"
            " both pairs"
        )
    if pos_label is not None and y_true is None:
        raise ConfigError(f"pos_label ({WHERE}): it names a label of y_true, and there is none; leave it out")
    of_trials = {"split": split, **({} if trial is None else {KEY: trial}), **columns}
    parts, given = (
        _of_classes(targets, nontargets, model, of_trials)
        if y_true is None
        else _of_labels(y_true, scores, model, of_trials, pos_label)
    )
    if KEY not in given and len({(len(label), int(label.sum())) for _, label, _ in parts}) == 1:
        n = len(parts[0][1])
        width = len(str(max(n - 1, 0)))
        given[KEY] = [f"{number:0{width}d}" for number in range(n)]
    table = pl.concat([_rows(*part, given) for part in parts])
    first = [name for name in ("model", "split", "trial", "label", "score") if name in table.columns]
    return table.select(*first, pl.exclude(first))


Part = tuple[str, npt.NDArray[np.bool_], Array]
"""A model with its labels and scores."""


def _of_labels(
    y_true: Any, scores: Any, model: str, given: Mapping[str, Any], pos_label: Any
) -> tuple[list[Part], Named]:
    """Return every model, and what is given of the trials, all in the order of the labels."""
    if is_table(scores) and index_of(scores) is None:
        scores = table_of(scores, WHERE)  # read once: it may be a stream
    by_key = is_table(scores) and KEY in scores.columns
    if by_key and KEY not in given:
        keys, scores = scores[KEY], scores[[name for name in scores.columns if name != KEY]]
        given, by_key = {**given, KEY: keys}, False
    arguments = {} if by_key else _arguments("scores", scores)
    together = aligned({"y_true": y_true, **arguments, **given}, WHERE)
    if by_key:
        together["scores"] = _in_order_of(together[KEY], scores)
    labels, by_model = _label_of(together["y_true"], pos_label), _by_model(scores, "scores", model, together)
    refuse(
        f"scores[{quoted(name)}] ({WHERE}): {counted(len(score), 'score')} for the"
        f" {counted(len(labels), 'label')} of y_true"
        for name, score in by_model.items()
        if len(score) != len(labels)
    )
    return [(name, labels, score) for name, score in by_model.items()], {
        name: together[name] for name in given
    }


def _arguments(name: str, given: Any) -> Named:
    """Return scores by what messages call them: one of each model of a dict, or all together."""
    if isinstance(given, Mapping) and not is_table(given):
        return {f"{name}[{quoted(as_text(key))}]": scores for key, scores in given.items()}
    return {name: given}


def _by_model(given: Any, name: str, model: str, ordered: Mapping[str, Any]) -> dict[str, Array]:
    if not isinstance(given, Mapping):
        if not is_table(ordered[name]):
            return {model: numbers_of(ordered[name], name, WHERE)}
        table = table_of(ordered[name], WHERE)
        assert table is not None
        return {
            column.name: numbers_of(column.to_numpy(), f"{name}[{quoted(column.name)}]", WHERE)
            for column in table
        }
    if not given:
        raise DataError(f"{name} ({WHERE}): expected at least one model, found none")
    names = [(key, f"{name}[{quoted(key)}]") for key in named_values(given, name, WHERE)]
    return {key: numbers_of(ordered[argument], argument, WHERE) for key, argument in names}


def _in_order_of(keys: Any, scores: Any) -> pl.DataFrame:
    """Return a table of scores with its rows in the order of the trials' keys, and without its own keys."""
    table = table_of(scores, WHERE)
    assert table is not None
    own = series_of(KEY, table[KEY], len(table), WHERE, text=True)
    wanted = series_of(KEY, keys, len(column_of(keys, KEY, WHERE)), WHERE, text=True)
    twice, what = (own, "scores") if own.is_duplicated().any() else (wanted, KEY)
    if twice.is_duplicated().any():
        key = quoted(str(twice.filter(twice.is_duplicated())[0]))
        raise DataError(
            f"{what} ({WHERE}): the key {key} occurs more than once in column trial of the trials"
        )
    odd = sorted({*own} ^ {*wanted}, key=str)
    if len(odd):
        raise DataError(
            f"scores ({WHERE}): its column trial and trial hold different keys: {len(odd)} are in only one of"
            f" them, first {quoted(str(odd[0]))}"
        )
    rows = wanted.to_frame().join(table.with_columns(own), on=KEY, how="left", maintain_order="left")
    return rows.drop(KEY)


def _paired(name: str, given: Any) -> Named:
    """Return the scores of one class, those of all models in one order where there are as many of each."""
    scores = _arguments(name, given)
    many = {len(each) for each in scores.values() if index_of(each) is not None}
    return aligned(scores, WHERE) if len(many) == 1 else scores


def _shared_index(scores: Iterable[Any]) -> Any | None:
    """Return the labels of the rows of all models; None where there are none, or others of each."""
    indexes = [index for each in scores if (index := index_of(each)) is not None]
    return next((index for index in indexes if all(index.equals(other) for other in indexes)), None)


def _label_of(y_true: Any, pos_label: Any) -> npt.NDArray[np.bool_]:
    """Return true for targets; DataError counts what is no label."""
    array = column_of(y_true, "y_true", WHERE)
    if pos_label is None and array.dtype.kind in "biu" and ((array == 0) | (array == 1)).all():
        return array.astype(np.bool_)
    words = np.array(
        ["" if is_unlabelled(value) else as_text(value) for value in array.tolist()], dtype=object
    )
    if pos_label is not None:
        return _is_target(words, pos_label)
    target, nontarget = np.isin(words, TRUE_WORDS), np.isin(words, FALSE_WORDS)
    for bad, what in (
        (words == "", "are missing"),
        (~(target | nontarget), "are neither true, 1 or target nor false, 0 or nontarget"),
    ):
        if bad.any():
            at = int(np.flatnonzero(bad)[0])
            position = f"{shown_value(array[at])} at" if words[at] else "at"
            counted = f"{int(bad.sum())} of {len(words)} labels"
            raise DataError(
                f"y_true ({WHERE}): {counted} {what}; first {position} index {at}{_way(words, array[at])}"
            )
    return target


def _way(words: Array, first: Any) -> str:
    every = sorted({*words} - {""})
    if is_unlabelled(first):
        return ""
    if len(every) == TWO:
        return f"; name the label of targets, pos_label={every[0]!r} or pos_label={every[1]!r}"
    return f"; pass y_true == {shown_value(first)} where that is the label of targets"


TWO = 2
"""Labels that a target may be one of."""


def _is_target(words: Array, pos_label: Any) -> npt.NDArray[np.bool_]:
    """Return which labels are that of targets; DataError where it is none of them, or one is missing."""
    every = sorted({*words} - {""})
    missing = int((words == "").sum())
    if missing:
        at = int(np.flatnonzero(words == "")[0])
        raise DataError(
            f"y_true ({WHERE}): {missing} of {len(words)} labels are missing; first at index {at}"
        )
    if as_text(pos_label) not in every or len(every) > TWO:
        raise DataError(
            f"pos_label ({WHERE}): expected one of two labels of y_true, found {shown_value(pos_label)}"
            f" (labels: {listed(map(quoted, every), 10)})"
        )
    return np.asarray(words == as_text(pos_label), dtype=np.bool_)


def _of_classes(
    targets: Any, nontargets: Any, model: str, given: Mapping[str, Any]
) -> tuple[list[Part], Named]:
    classes = {"targets": _paired("targets", targets), "nontargets": _paired("nontargets", nontargets)}
    rows = joined_index(*(_shared_index(each.values()) for each in classes.values()))
    given = aligned(given, WHERE, rows, "targets and nontargets")
    of_target = _by_model(targets, "targets", model, classes["targets"])
    of_nontarget = _by_model(nontargets, "nontargets", model, classes["nontargets"])
    if set(of_target) != set(of_nontarget):
        odd = sorted(set(of_target) ^ set(of_nontarget))
        raise DataError(
            f"targets, nontargets ({WHERE}): model {listed(map(quoted, odd))} is in only one of them"
        )
    parts = [
        (
            name,
            np.repeat([True, False], [len(score), len(of_nontarget[name])]),
            np.concatenate([score, of_nontarget[name]]),
        )
        for name, score in of_target.items()
    ]
    return parts, given


def _rows(name: str, label: npt.NDArray[np.bool_], score: Array, given: Mapping[str, Any]) -> pl.DataFrame:
    spread = {
        column: series_of(column, values, len(label), WHERE, text=column in ("split", "trial"))
        for column, values in given.items()
    }
    return pl.DataFrame({"model": [name] * len(label), **spread, "label": label, "score": score})


KINDS = "a table (Polars, pandas, Arrow, DuckDB, a list of rows)"


def is_table(given: Any) -> bool:
    """Whether something has rows and named columns."""
    if isinstance(given, type):
        return False
    if isinstance(given, pl.DataFrame | pl.LazyFrame) or _is_pandas(given, "DataFrame"):
        return True
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(row, Mapping) for row in given)
    return hasattr(given, "__arrow_c_stream__") and not _is_column(given)


def _is_column(given: Any) -> bool:
    """Whether something holds one value a row, with or without a name."""
    if isinstance(given, pl.Series) or _is_pandas(given, "Series") or _is_pandas(given, "Index"):
        return True
    if isinstance(given, list | tuple):
        return bool(given) and not any(isinstance(value, Mapping | str | PathLike) for value in given)
    return hasattr(given, "__array__") and not (hasattr(given, "columns") or hasattr(given, "column_names"))


def no_table(given: Any, where: str) -> ConfigError:
    """Return what to say of something that is no table."""
    is_column = _is_column(given) and np.ndim(given) > 0
    kind = f"one column of {counted(len(given), 'value')}" if is_column else kind_of_value(given)
    way = ""
    if _is_column(given) or isinstance(given, Mapping):
        way = "; make a table of labels and scores with reporting.trial_table(labels, scores)"
    return ConfigError(f"trials ({where}): expected {KINDS} or the path of one, found {kind}{way}")


def table_of(given: Any, where: str) -> pl.DataFrame | None:
    """Return a table as a Polars frame; None where it is none. DataError where it cannot be read."""
    if not is_table(given):
        return None
    try:
        if isinstance(given, pl.DataFrame):
            return given
        if isinstance(given, pl.LazyFrame):
            return given.collect()
        if _is_pandas(given, "DataFrame"):
            return _of_pandas(given)
        if isinstance(given, list | tuple):
            names = dict.fromkeys(name for row in given for name in row)
            _check_depth(value for row in given for value in row.values())
            return pl.DataFrame({str(name): [row.get(name) for row in given] for name in names}, strict=False)
        return pl.DataFrame(given)
    except (PolarsError, OSError, ValueError, TypeError, ArithmeticError) as error:
        raise DataError(f"trials ({where}): cannot be read: {first_line(error)}") from None


def _check_depth(values: Iterable[Any], left: int = MOST_NESTED) -> None:
    """Refuse lists without an end in each other: Polars follows one that contains itself until it dies."""
    for value in values:
        if isinstance(value, list | tuple | dict):
            if not left:
                raise ValueError(f"nested more than {MOST_NESTED} deep, or a list that contains itself")
            _check_depth(value.values() if isinstance(value, dict) else value, left - 1)


def _is_pandas(given: Any, kind: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, getattr(pandas, kind))


def _of_pandas(table: Any) -> pl.DataFrame:
    """Take columns over, and levels of the index that are named like columns; what pandas lacks is null."""
    names = [str(name) for name in table.columns]
    if twice := repeated(names):
        raise ValueError(f"column {listed(map(quoted, twice))} occurs more than once in it")
    levels = {
        name: table.index.get_level_values(at).to_series()
        for at, name in enumerate(table.index.names)
        if name in COLUMNS and name not in names
    }
    columns = [*levels.items(), *((name, table.iloc[:, at]) for at, name in enumerate(names))]
    return pl.DataFrame([_objects_column(name, values) for name, values in columns])


def _objects_column(name: str, values: Any) -> pl.Series:
    """Take one column over: numbers as they lie in memory, categories by their codes, others one by one."""
    kind = values.dtype
    if hasattr(values, "cat"):
        codes = pl.Series(values.cat.codes.to_numpy()).cast(pl.Int64)
        return _objects_column(name, values.cat.categories.to_series()).gather(codes.replace(-1, None))
    if kind.kind in "biuf":
        missing = pl.Series(values.isna().to_numpy(dtype=bool))
        hole = False if kind.kind == "b" else 0
        filled = pl.Series(name, values.to_numpy(dtype=getattr(kind, "numpy_dtype", kind), na_value=hole))
        return filled.set(missing, None) if missing.any() else filled
    every = zip(values.tolist(), values.isna().tolist(), strict=True)
    return pl.Series(name, [None if gone else value for value, gone in every], strict=False)


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Return a frame as a pandas table without pyarrow; an undefined number is NaN, a text None.

    Whole numbers and truths with undefined ones have the types ``Int64`` and ``boolean``, as pandas calls
    them. ConfigError where pandas is not installed.
    """
    if not isinstance(frame, pl.DataFrame):
        library = type(frame).__module__.partition(".")[0]
        way = "" if library in ("builtins", "numpy", "polars") else f" of {library}"
        way = "; collect() it first" if isinstance(frame, pl.LazyFrame) else way
        raise ConfigError(f"to_pandas: expected a Polars frame, found {kind_of_value(frame)}{way}")
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise ConfigError("to_pandas: pandas is not installed; run pip install pandas") from None
    return pd.DataFrame({column.name: _pandas_column(pd, column) for column in frame})


def _pandas_column(pandas: Any, column: pl.Series) -> Any:
    kind = column.dtype
    if kind.is_float():
        return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if kind.is_integer() or kind == pl.Boolean:
        whole = kind.is_integer()
        if not column.null_count():
            return column.to_numpy()
        filled = column.fill_null(0 if whole else False).to_numpy()
        values = pandas.array(filled, dtype="Int64" if whole else "boolean")
        values[column.is_null().to_numpy()] = pandas.NA
        return values
    return pandas.Series(column.to_list(), dtype=object)
