"""Columns of a sample: what they hold, and which of our columns they may be."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from reporting.errors import listed, quoted
from reporting.starter.names import SPLITS, rank
from reporting.trials.layouts.numbers import is_number, number
from reporting.trials.layouts.raw import is_plain

FEW = 20
"""Values beyond which a column does not tell labels or splits apart."""
MANY_MODELS = 200
OPTIONAL = ("dataset", "run", "cluster", "stratum")
"""Our columns that a table need not have; where one is left empty here and there, it is something else."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of the sample, as text and as numbers."""

    name: str
    text: pl.Series

    @cached_property
    def numbers(self) -> pl.Series:
        """Its values as numbers; null where there is none."""
        return self.text.to_frame("it").select(number(pl.col("it")).fill_nan(None)).to_series()

    @cached_property
    def values(self) -> list[str]:
        """What occurs in it, sorted, nothing left out but what is empty."""
        return [text for text in self.text.unique().drop_nulls().sort().to_list() if text]

    @cached_property
    def is_numeric(self) -> bool:
        """Tell whether all it holds are numbers."""
        it = self.text.to_frame("it")
        return bool(it.select(is_number(pl.col("it")).all()).item()) and self.numbers.count() > 0

    @cached_property
    def is_fractional(self) -> bool:
        """Tell whether some of its numbers are no whole ones."""
        return self.is_numeric and bool((self.numbers.is_finite() & (self.numbers % 1 != 0)).any())

    @property
    def n_missing(self) -> int:
        """How many rows have nothing in it; NaN and its like are nothing where it is numeric."""
        empty = int(self.text.is_null().sum()) + int((self.text == "").sum())
        return self.numbers.null_count() if self.is_numeric else empty

    @property
    def told(self) -> str:
        """Its values in a comment."""
        if len(self.values) > FEW:
            return f"{len(self.values)} values"
        return (
            f"{len(self.values)} value{'s' * (len(self.values) != 1)}: {listed(map(quoted, self.values), 5)}"
        )

    @property
    def kind(self) -> str:
        """Its kind in a message."""
        if len(self.values) == 2:
            return f"two values, {listed(map(quoted, self.values))}"
        if self.is_fractional:
            return "fractions"
        return "whole numbers" if self.is_numeric else "text"


def columns_of(sample: pl.DataFrame) -> list[Column]:
    """Return the columns that have a name and hold plain values."""
    plain = [name for name, kind in sample.schema.items() if name and is_plain(kind)]
    return [Column(name, sample[name].cast(pl.String)) for name in plain]


def suits(column: Column, role: str, n_rows: int) -> bool:
    """Tell whether what a column holds can be what its name says."""
    n = len(column.values)
    if role in OPTIONAL and column.name != role and column.n_missing:
        return False
    if role == "split":
        return n <= FEW and (column.name == "split" or any(one.lower() in SPLITS for one in column.values))
    if role == "label":
        return 1 <= n <= FEW and not column.is_fractional
    if role == "score":
        return column.is_numeric and (n > 2 or column.is_fractional or column.name == "score")
    if role == "model":
        return 1 <= n <= MANY_MODELS and not column.is_fractional and not _is_boolean(column)
    if role in ("dataset", "run", "stratum"):
        return 1 <= n <= MANY_MODELS and not column.is_fractional
    if role == "count":
        return column.is_numeric and not column.is_fractional and bool((column.numbers >= 0).all())
    return n > 1 and not column.is_fractional


def _is_boolean(column: Column) -> bool:
    return {one.lower() for one in column.values} in ({"true", "false"}, {"0", "1"})


def named(columns: Collection[Column], role: str, n_rows: int) -> list[Column]:
    """Return the columns whose name and values suit a role, the likeliest first."""
    found = [(at, one) for one in columns if (at := rank(one.name, role)) is not None]
    return [one for _, one in sorted(found, key=lambda each: each[0]) if suits(one, role, n_rows)]
