"""Neighbouring scores of a bundle of counts, merged until no count is so small that it could name somebody.

A bin is a run of neighbouring keys, the same for both classes and all clusters and breakdowns, so a merged
file is one whose scores were floored more coarsely where trials are rare: nothing else of it changes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from reporting.base.arrays import IntArray
from reporting.base.legible import counted
from reporting.errors import DataError
from reporting.inputs.bundle import NUMBER, Bundle, content_of, summed

SET = ["model", "run", "dataset", "split"]
"""The columns of a set of scores."""


def bins_of(bundle: Bundle, least: int) -> pl.DataFrame:
    """Return the bin of every key of every set of scores: its lowest and highest key, ``low`` and ``high``.

    In each bin a cell (class, clusters and breakdowns) holds no trial or at least ``least``. Bins are closed
    from the lowest key upwards, as early as may be; what is left at the top joins the last. DataError where
    one bin of all keys would still hold fewer, or where counts are joint patterns of several models.
    """
    if bundle.about.form == "patterns":
        raise DataError(
            f"--least {least}: joint patterns of several models have no neighbours to be merged with; leave"
            " --paired out, or keep fewer bits in trials.coarse"
        )
    cell = [name for name in bundle.rows.columns if name not in (*SET, "key", NUMBER)]
    pieces = []
    for whose, rows in bundle.rows.group_by(SET, maintain_order=True):
        counts = rows.select("key", pl.struct(cell).rank("dense").alias("cell"), NUMBER)
        table = counts.pivot("cell", index="key", values=NUMBER).sort("key").fill_null(0)
        key = table["key"].to_numpy()
        starts = _starts(table.drop("key").to_numpy().astype(np.int64), least)
        if starts is None:
            model, _, dataset, split = whose
            smallest = int(rows.group_by(cell).agg(pl.col(NUMBER).sum())[NUMBER].min())  # type: ignore[arg-type]
            place = ", ".join(text for text in (str(dataset), str(split)) if text)
            raise DataError(
                f"--least {least}: model {model!r}, {place}: a class in a cluster or breakdown has"
                f" {counted(smallest, 'trial')} in all; leave the cluster or breakdown out"
            )
        lengths = np.diff(starts, append=len(key))
        bins = {
            "key": key,
            "low": np.repeat(key[starts], lengths),
            "high": np.repeat(key[starts + lengths - 1], lengths),
        }
        pieces.append(pl.DataFrame({**dict(zip(SET, whose, strict=True)), **bins}))
    return pl.concat(pieces)


def _starts(counts: IntArray, least: int) -> IntArray | None:
    """Return where bins start among rows of counts (keys, cells); None where no bin would do."""

    def holds(cells: IntArray) -> bool:
        return not bool(((cells > 0) & (cells < least)).any())

    starts, sums = [0], [np.zeros_like(counts[0])]
    for at, row in enumerate(counts):
        if at > starts[-1] and holds(sums[-1]):
            starts.append(at)
            sums.append(np.zeros_like(row))
        sums[-1] = sums[-1] + row
    while not holds(sums[-1]):
        if len(sums) == 1:
            return None
        sums[-2:] = [sums[-2] + sums[-1]]
        starts.pop()
    return np.array(starts, dtype=np.int64)


def merged(bundle: Bundle, bins: pl.DataFrame, target: str = "low", nontarget: str = "low") -> Bundle:
    """Return the bundle whose keys are the lowest of their bins, or the ``high``est of a class."""
    key = pl.when("label").then(target).otherwise(nontarget)
    rows = bundle.rows.join(bins, on=[*SET, "key"], how="left").with_columns(key=key)
    return with_rows(bundle, rows.drop("low", "high"))


def with_rows(bundle: Bundle, rows: pl.DataFrame) -> Bundle:
    """Return a bundle of other counts with the same description."""
    rows = summed(bundle.about, rows)
    return replace(bundle, about=replace(bundle.about, content=content_of(rows)), rows=rows)
