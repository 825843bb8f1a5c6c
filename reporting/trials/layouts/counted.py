"""Tables of counted rows: a row stands for a number of equal trials."""

from __future__ import annotations

import polars as pl

from reporting.errors import DataError, quoted
from reporting.trials.layouts.numbers import number
from reporting.trials.layouts.raw import Raw
from reporting.trials.spec import TrialSpec

COUNT = "count"
MOST_TRIALS = 10**9
"""Trials of a table of counted rows: they are written out when they are counted."""
SHOWN = 3


def written_out(rows: pl.LazyFrame) -> pl.LazyFrame:
    """Repeat every row as often as its count says, lazily; a count of 0 leaves it out."""
    if COUNT not in rows.collect_schema():
        return rows
    times = pl.int_ranges(0, _number().cast(pl.Int64)).alias(COUNT)
    return rows.with_columns(times).explode(COUNT, empty_as_null=False).drop(COUNT)


def check_counts(spec: TrialSpec, found: list[Raw]) -> None:
    """Raise DataError where rows in our words have a count beside a trial key, or one that is no number."""
    have = found[0].rows.collect_schema()
    if COUNT not in have:
        return
    if "trial" in have:
        raise DataError(
            f"{spec.called(COUNT)}: rows with a trial key (column {quoted(spec.column('trial'))}) are one"
            " trial each; leave one of the two columns out, or name the count's column otherwise in"
            " trials.columns.count"
        )
    faults = _strange(spec, found) or _too_many(spec, found)
    if faults:
        raise DataError(*faults)


def _strange(spec: TrialSpec, found: list[Raw]) -> list[str]:
    whole = _number().is_finite() & (_number() >= 0) & (_number().floor() == _number())
    strange = [(one, _rows(one, ~whole.fill_null(False))) for one in found]
    n = sum(len(rows) for _, rows in strange)
    if not n:
        return []
    first = [
        (f"{quoted(text)} at " if text is not None else "") + f"row {row} of {one.name}"
        for one, rows in strange
        for row, text in rows.head(SHOWN).rows()
    ]
    every = sum(one.rows.select(pl.len()).collect(engine="streaming").item() for one in found)
    what = "not whole numbers of at least 0"
    return [f"{spec.called(COUNT)}: {n} of {every} rows {what}; first {', '.join(first[:SHOWN])}"]


def _rows(one: Raw, bad: pl.Expr) -> pl.DataFrame:
    return one.rows.with_row_index("row", offset=1).filter(bad).select("row", COUNT).collect().sort("row")


def _too_many(spec: TrialSpec, found: list[Raw]) -> list[str]:
    n = sum(one.rows.select(_number().sum()).collect(engine="streaming").item() for one in found)
    if n <= MOST_TRIALS:
        return []
    return [f"{spec.called(COUNT)}: the rows stand for {n:.0f} trials; at most {MOST_TRIALS} are counted"]


def _number() -> pl.Expr:
    return number(pl.col(COUNT))
