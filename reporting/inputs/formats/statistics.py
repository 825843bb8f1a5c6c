"""Data of Stata, SPSS and SAS: value labels in place of codes; what is marked as missing is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pyreadstat

from reporting.errors import quoted, repeated
from reporting.inputs.formats.arrays import whole_where_exact
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.whole import check_size

READERS: Mapping[str, Callable[..., Any]] = {
    ".dta": pyreadstat.read_dta,
    ".sav": pyreadstat.read_sav,
    ".zsav": pyreadstat.read_sav,
    ".por": pyreadstat.read_por,
    ".xpt": pyreadstat.read_xport,
    ".sas7bdat": pyreadstat.read_sas7bdat,
}
BYTES = 8
CODE = " (code)"
"""What follows the name of a column of codes, where their labels have the name alone."""


def scan_statistics(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return the variables of a file; ValueError where it is damaged.

    Where all values of a variable have labels, those are the values; of more than two the codes are kept too,
    as ``NAME (code)``: they may be ratings. Whole numbers have no decimals.
    """
    read = READERS[path.suffix.lower()]
    try:
        check_size(path.stat().st_size)
        _, about = read(str(path), metadataonly=True)
        check_size((about.number_rows or 0) * about.number_columns * BYTES)
        held, about = read(str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, MemoryError) as error:
        raise ValueError(f"it is damaged, or of a version that is not read: {error}") from None
    columns = [
        column
        for name, values in held.items()
        for column in _columns(name, _series(name, values), about.variable_value_labels.get(name, {}))
    ]
    if twice := repeated(column.name for column in columns):
        raise ValueError(f"column {quoted(twice[0])} occurs twice; rename the variable of this name")
    return pl.DataFrame(columns).lazy()


def _series(name: str, values: Any) -> pl.Series:
    column = pl.Series(name, list(values), strict=False)
    if column.dtype == pl.Null:
        return column.cast(pl.String)
    return whole_where_exact(column) if column.dtype.is_float() else column


def _columns(name: str, column: pl.Series, labels: Mapping[Any, str]) -> Iterator[pl.Series]:
    values = column.drop_nulls().unique().to_list()
    if not labels or not values or not all(value in labels for value in values):
        yield column
        return
    texts = {value: str(labels[value]) for value in values}
    if len(set(texts.values())) < len(texts):  # two codes of one label are two values
        yield column
        return
    yield pl.Series(name, [None if value is None else texts[value] for value in column], dtype=pl.String)
    if len(values) > 2:
        yield column.alias(f"{name}{CODE}")


STATISTICS = Reader(scan_statistics, lambda path: "")
