"""Tables of other libraries -> Polars: pandas column by column, Arrow through its C interface, plain rows.

No other library is imported; one that made a table is there already. pandas alone is taken without Arrow,
so that a frame reads the same whether or not pyarrow is installed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from reporting.errors import ConfigError, DataError, listed, quoted
from reporting.trials.files import first_line

KINDS = "a table (Polars, pandas, Arrow, a list of rows)"


def table_of(given: Any, where: str) -> pl.DataFrame | None:
    """Return a table as a Polars frame; None where it is none. DataError where it cannot be read."""
    if _is_pandas(given, "Series") or isinstance(given, pl.Series):
        raise ConfigError(f"trials ({where}): {KINDS} is expected, found one column; hand over the table")
    try:
        return _taken_over(given)
    except (PolarsError, OSError, ValueError, TypeError, ArithmeticError) as error:
        raise DataError(f"trials ({where}): cannot be read: {first_line(error)}") from None


def _taken_over(given: Any) -> pl.DataFrame | None:
    if isinstance(given, pl.DataFrame):
        return given
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if _is_pandas(given, "DataFrame"):
        return _of_pandas(given)
    if hasattr(given, "__arrow_c_stream__"):
        return pl.DataFrame(given)
    if isinstance(given, list | tuple) and given and all(isinstance(row, Mapping) for row in given):
        names = dict.fromkeys(name for row in given for name in row)
        return pl.DataFrame({str(name): [row.get(name) for row in given] for name in names}, strict=False)
    return None


def _is_pandas(given: Any, kind: str) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, getattr(pandas, kind))


def _of_pandas(table: Any) -> pl.DataFrame:
    """Take columns over, without the index; what pandas takes for missing is null."""
    names = [str(name) for name in table.columns]
    twice = [quoted(name) for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ValueError(f"column {listed(twice)} stands more than once in it")
    return pl.DataFrame([_column(name, table.iloc[:, at]) for at, name in enumerate(names)])


def _column(name: str, values: Any) -> pl.Series:
    """Take one column over: numbers as they lie in memory, categories by their codes, others one by one."""
    kind = values.dtype
    if hasattr(values, "cat"):
        codes = pl.Series(values.cat.codes.to_numpy()).cast(pl.Int64)
        return _column(name, values.cat.categories.to_series()).gather(codes.replace(-1, None))
    if kind.kind in "biuf":
        missing = pl.Series(values.isna().to_numpy(dtype=bool))
        hole = False if kind.kind == "b" else 0
        filled = pl.Series(name, values.to_numpy(dtype=getattr(kind, "numpy_dtype", kind), na_value=hole))
        return filled.set(missing, None) if missing.any() else filled
    every = zip(values.tolist(), values.isna().tolist(), strict=True)
    return pl.Series(name, [None if gone else value for value, gone in every], strict=False)
