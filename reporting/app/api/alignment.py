"""Arguments whose rows have labels (the index of a pandas Series or table), put in one order by them."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any

import numpy as np

from reporting.errors import DataError, quoted

Named = MutableMapping[str, Any]
"""Arguments by what messages call them."""
BY_POSITION = "; where rows correspond by position, pass .to_numpy()"


def index_of(given: Any) -> Any | None:
    """Return the row labels of something that carries them; None of arrays, lists and Polars columns."""
    return given.index if hasattr(given, "index") and hasattr(given, "iloc") else None


def joined_index(*parts: Any | None) -> Any | None:
    """Return the labels of sets of rows one after the other; None unless every set has some of its own."""
    named = [part for part in parts if part is not None and not _is_default(part)]
    return named[0].append(named[1:]) if len(named) == len(parts) else None


def aligned(given: Mapping[str, Any], where: str, rows: Any | None = None, of: str = "the rows") -> Named:
    """Return arguments by name, all that carry an index with their rows in the order of the first of these.

    ``rows`` is the index to follow instead, and ``of`` what messages call it. Labels decide as they do in
    pandas; 0, 1, 2, ... on both sides are positions. What carries no index goes by position. DataError where
    an index holds other labels than the first, or repeats some in another order, or where orders differ and
    the first argument carries no index, so that its order is unknown.
    """
    indexes = {name: index for name, each in given.items() if (index := index_of(each)) is not None}
    first, by_rows = next(iter(given), ""), rows is not None
    if not by_rows and indexes:
        of, rows = next(iter(indexes.items()))
    ordered = dict(given)
    for name, index in indexes.items():
        if rows is None or index.equals(rows) or (_is_default(index) and _is_default(rows)):
            continue
        at = _places(name, index, of, rows, where)
        if not by_rows and first not in indexes:
            raise DataError(
                f"{name} ({where}): its index has another order than that of {of}, and {first} has no index"
                f" to follow either; pass {first} as a Series with its index{BY_POSITION}"
            )
        ordered[name] = given[name].iloc[at]
    return ordered


def _is_default(index: Any) -> bool:
    """Whether row labels are what pandas gives where no one names any: 0, 1, 2, ..."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _places(name: str, index: Any, of: str, rows: Any, where: str) -> Any:
    """Return where the rows of one index are in another; DataError where they are not all there, once."""
    odd = rows.to_flat_index().symmetric_difference(index.to_flat_index(), sort=False)
    if len(odd):
        raise DataError(
            f"{name} ({where}): its index and that of {of} have different labels: {len(odd)} are in only one"
            f" of them, first {quoted(str(odd[0]))}; select the same rows with .loc{BY_POSITION}"
        )
    for what, labels in ((of, rows), (name, index)):
        if not labels.is_unique:
            twice = labels[np.asarray(labels.duplicated())][0]
            raise DataError(
                f"{name} ({where}): its index has another order than that of {of}, and {quoted(str(twice))}"
                f" occurs more than once in that of {what}; give every row a label of its own{BY_POSITION}"
            )
    return index.get_indexer(rows)
