"""The arguments of calls: what is neither a table nor a key of the config is checked here, in one place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from polars.exceptions import PolarsError

from reporting.app.config.values import SCALARS, is_text
from reporting.base.legible import counted
from reporting.errors import ConfigError, DataError, did_you_mean, kind_of_value, listed, quoted
from reporting.inputs.values import MISSING_WORDS

Array = npt.NDArray[Any]


def column_of(given: Any, name: str, where: str) -> Array:
    """Return an argument with one value per trial as an array; DataError for any other shape."""
    if isinstance(given, np.ma.MaskedArray):  # what is masked is missing, not the value beneath
        values: Any = np.ma.getdata(given).astype(object)
        values[np.ma.getmaskarray(given)] = None
        given = values
    try:
        array = np.asarray(given)
    except (ValueError, RecursionError):
        raise DataError(
            f"{name} ({where}): expected one value per trial, found rows of unequal lengths"
        ) from None
    except TypeError:
        raise _no_column(name, where, kind_of_value(given)) from None
    ways = {
        "scores": "; take the column of the target (scores[:, 1]), or give several models by name:"
        " {'A': scores[:, 0], ...}",
        "scores[": "; take the column of the target's class, such as [:, 1]",
    }
    if array.ndim != 1:
        is_value = isinstance(given, (*SCALARS, np.ndarray))
        alone = "one value" if is_value else kind_of_value(given)
        way = ways.get(name[:7], "") if array.ndim == 2 and array.shape[1] > 1 else ""
        raise _no_column(name, where, alone if array.ndim == 0 else f"shape {array.shape}{way}")
    return array


def _no_column(name: str, where: str, kind: str) -> DataError:
    return DataError(f"{name} ({where}): expected one value per trial, shape (N,), found {kind}")


def numbers_of(given: Any, name: str, where: str) -> npt.NDArray[np.float64]:
    """Return a column of numbers, a missing one NaN; DataError for what is none or too large."""
    array = column_of(given, name, where)
    if array.dtype.kind == "O":
        return np.array([_number(value, name, where) for value in array], dtype=np.float64)
    if array.dtype.kind not in "biuf":
        for value in array[:1]:
            raise DataError(f"{name} ({where}): expected numbers, found {shown_value(value)}")
        return np.zeros(0)
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64)
    if array.dtype.itemsize > 8 and (np.isinf(numbers) & ~np.isinf(array)).any():
        raise DataError(f"{name} ({where}): a number is too large")
    return numbers


def _number(value: Any, name: str, where: str) -> float:
    if is_missing(value):
        return float("nan")
    try:
        if isinstance(value, Real | Decimal | str):
            return float(value)
    except OverflowError:
        raise DataError(f"{name} ({where}): a number is too large") from None
    except (TypeError, ValueError):
        pass
    raise DataError(f"{name} ({where}): expected numbers, found {shown_value(value)}")


def series_of(name: str, given: Any, n: int, where: str, *, text: bool) -> pl.Series:
    """Return one value a trial, of one type; DataError where a column cannot hold them."""
    if given is None or isinstance(given, (*SCALARS, bytes)):
        given = [given] * n
    column = _series(name, given if isinstance(given, pl.Series) else column_of(given, name, where))
    if column is None:
        raise DataError(
            f"{name} ({where}): expected values of one kind for all trials: text, numbers, dates, or true and"
            " false"
        )
    if len(column) != n:
        raise DataError(f"{name} ({where}): {counted(len(column), 'value')} for {counted(n, 'trial')}")
    return column.cast(pl.String) if text else column


def _series(name: str, values: pl.Series | Array) -> pl.Series | None:
    try:
        if isinstance(values, pl.Series):
            column = values.alias(name)
        elif values.dtype.kind in "mM":
            column = pl.Series(name, values)
        else:
            column = pl.Series(name, [None if is_missing(value) else value for value in values.tolist()])
    except (PolarsError, TypeError, ValueError, OverflowError):
        return None
    return None if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary) else column


def is_missing(value: Any) -> bool:
    """Whether a value is none: None, NaN, and what pandas and NumPy call so."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64 | Decimal):
        return bool(value != value)
    return type(value).__name__ in ("NAType", "NaTType")


def is_unlabelled(value: Any) -> bool:
    """Whether a label is none, also one that is a word for it: NA, null, ..."""
    return is_missing(value) or (isinstance(value, str) and value.strip() in MISSING_WORDS)


def as_text(value: Any) -> str:
    """Return a scalar as it is written; of anything else its kind in brackets."""
    try:
        return str(value) if isinstance(value, SCALARS) else f"<{kind_of_value(value)}>"
    except ValueError:  # more digits than Python prints
        return "<a number of thousands of digits>"


def shown_value(value: Any) -> str:
    """Show a value in a message: a scalar in quotes, of anything else its kind."""
    text = as_text(value)
    return quoted(text) if isinstance(value, SCALARS) and not text.startswith("<a number") else text[1:-1]


def name_of(given: Any, name: str, where: str) -> str:
    """Return a name as text; ConfigError for what is none."""
    text = as_text(given)
    if isinstance(given, SCALARS) and is_text(text):
        return text
    raise ConfigError(f"{name} ({where}): expected text, found {shown_value(given)}")


def named_values(given: Mapping[Any, Any], name: str, where: str) -> Mapping[str, Any]:
    """Return a mapping by names; ConfigError for a key that is no text, or two of one text."""
    named: MutableMapping[str, Any] = {}
    for key, value in given.items():
        text = name_of(key, name, where)
        if text in named:
            raise ConfigError(f"{name} ({where}): {quoted(text)} is given twice")
        named[text] = value
    return named


def flag_of(given: Any, name: str, where: str) -> bool:
    """Return a switch; ConfigError for anything but true and false."""
    if isinstance(given, bool | np.bool_):
        return bool(given)
    raise ConfigError(f"{name} ({where}): expected True or False, found {shown_value(given)}")


def one_of(given: Any, known: Collection[str], what: str) -> str:
    """Return a name that is known; ``what`` begins the ConfigError for any other."""
    if isinstance(given, str) and given in known:
        return given
    guess = did_you_mean(given, known) if isinstance(given, str) else ""
    raise ConfigError(f"{what} {shown_value(given)}{guess} (available: {listed(known, 40)})")
