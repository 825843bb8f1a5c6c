"""Data of R: a data frame, or vectors of one length; factors are text."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
import polars as pl
import rdata
from rdata.conversion import DEFAULT_CLASS_MAP

from reporting.errors import listed, quoted
from reporting.inputs.formats.arrays import table_of, whole_where_exact
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.whole import MEGABYTE, ManyTablesError, check_growth, check_size

UNREAD = (
    NotImplementedError,
    LookupError,
    TypeError,
    RecursionError,
    AttributeError,
    OverflowError,
    AssertionError,
)
"""What rdata raises for objects that it does not know, and for some damage."""
OPENERS: dict[bytes, Callable[[Path], IO[bytes]]] = {
    b"\x1f\x8b": gzip.open,  # type: ignore[dict-item]
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
"""By first bytes: how R packs what it saves."""


def scan_r_data(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return the rows of the only data frame; ValueError where there are several, or the file is damaged."""
    check_size(path.stat().st_size)
    name = ".rds" if path.suffix.lower() == ".rds" else ".rda"
    try:
        with warnings.catch_warnings(action="ignore"):
            parsed = rdata.parser.parse_data(_unpacked(path), extension=name)
            held = rdata.conversion.convert(parsed, CLASSES)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        raise ValueError(f"it is cut off or damaged: {error}") from None
    except UNREAD as error:
        raise ValueError(f"it holds what is not read ({error}); save a data frame, or write.csv") from None
    return _table(held, reading.sheet).lazy()


def _unpacked(path: Path) -> bytes:
    with path.open("rb") as file:
        start = file.read(6)
    opened = next((opened for mark, opened in OPENERS.items() if start.startswith(mark)), None)
    if opened is None:
        return path.read_bytes()
    content, size = io.BytesIO(), path.stat().st_size
    with opened(path) as packed:
        while piece := packed.read(MEGABYTE):
            content.write(piece)
            check_growth(content.tell(), size)
    return content.getvalue()


def _times(values: Any, unit: str) -> np.ndarray[Any, Any]:
    """Return times as texts, in an array: pandas would move those of a series to rows of its index."""
    texts = np.asarray(values, dtype="float64").astype(f"datetime64[{unit}]").astype(str).astype(object)
    texts[texts == "NaT"] = None
    return texts


CLASSES = {
    **DEFAULT_CLASS_MAP,
    "Date": lambda days, _: _times(days, "D"),
    "POSIXct": lambda times, _: _times(times, "s"),
}
"""How objects of R become those of pandas; days and seconds become text."""


def _table(held: Any, named: str) -> pl.DataFrame:
    if isinstance(held, pd.DataFrame):
        return _frame(held)
    if not isinstance(held, Mapping):
        return table_of({"score": np.asarray(held)})
    frames = {str(name): each for name, each in held.items() if isinstance(each, pd.DataFrame)}
    if named and named not in frames:
        raise ValueError(
            f"it has no data frame {quoted(named)} (found: {listed(map(quoted, frames)) or 'none'})"
        )
    if named or len(frames) == 1:
        return _frame(frames[named or next(iter(frames))])
    if frames:
        raise ManyTablesError("it holds the data frames", frames)
    return table_of({str(name): np.asarray(each) for name, each in held.items()})


def _frame(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame([_series(str(name), frame[name]) for name in frame.columns])


def _series(name: str, column: Any) -> pl.Series:
    if column.dtype == np.float64:
        return whole_where_exact(pl.Series(name, column.to_numpy()))
    values = [None if pd.isna(value) else value for value in column.astype(object)]
    is_empty = all(value is None for value in values)
    return pl.Series(name, values, pl.String if is_empty else None, strict=False)


R_DATA = Reader(scan_r_data, lambda path: "")
