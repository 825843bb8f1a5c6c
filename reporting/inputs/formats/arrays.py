"""Arrays of NumPy and MATLAB: one of them is a column, and several of one length are the columns of a table.

Nothing in a file is executed: arrays of Python objects, which need pickle, are refused.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from reporting.errors import listed, quoted
from reporting.inputs.formats.catalogue import Reader, Reading
from reporting.inputs.formats.whole import check_size

ROW = "row"
"""The column that numbers the values of a file with one array, from 1: what another file's are joined by."""
LABEL, SCORE = "label", "score"
Arrays = Mapping[str, np.ndarray[Any, Any]]


def scan_numpy(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return the array of an ``.npy`` file, or the arrays of an ``.npz`` file; ValueError where that fails.

    An array alone is called ``label`` where it has two values, else ``score``, and its values are numbered.
    """
    try:
        if path.suffix.lower() == ".npy":
            check_size(path.stat().st_size)
            # A map shows a header that promises more than there is.
            return _alone(np.array(np.load(path, mmap_mode="r", allow_pickle=False))).lazy()
        with zipfile.ZipFile(path) as archive:
            check_size(sum(each.file_size for each in archive.infolist()))
        with np.load(path, allow_pickle=False) as held:
            return table_of({name: held[name] for name in held.files}).lazy()
    except (zipfile.BadZipFile, zlib.error, EOFError, SyntaxError, TypeError, NotImplementedError) as error:
        raise ValueError(f"it is damaged: {error}") from None
    except ValueError as error:
        if "allow_pickle" in str(error) or "Python objects" in str(error):
            raise ValueError(
                "it holds Python objects, which are not read since they may run code; save numbers or text"
            ) from None
        raise


def _alone(array: np.ndarray[Any, Any]) -> pl.DataFrame:
    if array.dtype.names:
        return table_of({name: array[name] for name in array.dtype.names})
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        return table_of({"": array})
    name = LABEL if len(np.unique(array[:10_000])) <= 2 else SCORE
    return table_of({ROW: np.arange(1, len(array) + 1), name: array})


def table_of(arrays: Arrays) -> pl.DataFrame:
    """Return arrays as the columns of a table; a single value is that of all rows.

    The columns of a matrix are numbered from 0. Two columns of scores, one for each class, may differ in
    length. ValueError lists the shapes of arrays that are no table.
    """
    columns = dict(_columns(arrays))
    if not columns:
        raise ValueError("it holds no array of numbers or text")
    lengths = [len(values) for values in columns.values() if len(values) > 1] or [1]
    if len(set(lengths)) > 1 and not len(lengths) == len(columns) == 2:
        shapes = listed(
            f"{name or 'array'} {' × '.join(map(str, np.shape(values))) or 1}"
            for name, values in arrays.items()
        )
        raise ValueError(f"its arrays differ in length ({shapes}); save those of the trials alone")
    n = max(lengths)
    series = [_series(name, np.repeat(each, n) if len(each) == 1 else each) for name, each in columns.items()]
    return pl.DataFrame([each.extend_constant(None, n - len(each)) for each in series])


def whole_where_exact(numbers: pl.Series) -> pl.Series:
    """Return floats without a fraction as whole numbers: programs that keep them so print no .0."""
    there = numbers.drop_nulls().drop_nans()
    is_whole = len(there) > 0 and bool(((there.floor() == there) & (there.abs() < 2**53)).all())
    return numbers.fill_nan(None).cast(pl.Int64) if is_whole else numbers.fill_nan(None)


def _columns(arrays: Arrays) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for name, given in arrays.items():
        array = np.asarray(given)
        if array.dtype.kind not in "biufUSM" or array.size == 0:
            continue
        if array.ndim == 2 and 1 in array.shape:
            array = array.reshape(-1)
        if array.ndim < 2:
            yield name, array.reshape(-1)
        elif array.ndim == 2:
            for at in range(array.shape[1]):
                yield (f"{name} {at}" if name else f"{at}"), array[:, at]
        else:
            raise ValueError(f"its array {quoted(name)} has {array.ndim} dimensions; a table has two")


def _series(name: str, values: np.ndarray[Any, Any]) -> pl.Series:
    if values.dtype.kind == "S":
        return pl.Series(name, [value.decode("utf-8", "backslashreplace") for value in values.tolist()])
    if values.dtype.kind in "UM":
        return pl.Series(name, values.astype(str).tolist())
    if values.dtype.kind == "f" and values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64)
    return pl.Series(name, np.ascontiguousarray(values.astype(values.dtype.newbyteorder("="))))


def scan_matlab(path: Path, reading: Reading) -> pl.LazyFrame:
    """Return the variables of a MATLAB file up to version 7, or the fields of its only structure.

    ValueError where that fails.
    """
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError

    if "MATLAB 7.3" in path.read_bytes()[:32].decode("latin-1"):
        raise ValueError("it is of version 7.3, which is HDF5; save it with save(..., '-v7')")
    try:
        check_size(sum(8 * int(np.prod(shape)) for _, shape, _ in whosmat(path, appendmat=False)))
        held = loadmat(path, appendmat=False, squeeze_me=True, struct_as_record=True, chars_as_strings=True)
    except (
        MatReadError,
        TypeError,
        KeyError,
        IndexError,
        zlib.error,
        NotImplementedError,
        EOFError,
    ) as error:
        raise ValueError(f"it is damaged, or no MATLAB file: {error}") from None
    arrays = {name: np.asarray(value) for name, value in held.items() if not name.startswith("__")}
    structures = [value for value in arrays.values() if value.dtype.names]
    if len(structures) == len(arrays) == 1:
        (structure,) = structures
        fields = {name: structure[name] for name in structure.dtype.names or ()}
        # One structure, or an array of them.
        arrays = {
            name: np.asarray(field.item() if field.ndim == 0 else field.tolist())
            for name, field in fields.items()
        }
    for name, array in arrays.items():
        if array.dtype.kind == "O" and all(isinstance(each, str) for each in array.reshape(-1)):
            arrays[name] = array.astype(str)  # a cell array of texts
    return table_of(arrays).lazy()


NUMPY = Reader(scan_numpy, lambda path: "")
MATLAB = Reader(scan_matlab, lambda path: "")
