"""What a result frame is: its columns with their meanings, and its rows as typed values.

Long and tidy, keys first. Counts are Int64, numbers Float64, ``flags`` a sorted list of text; an undefined
number is null with a ``status``. Only ``threshold`` and ``llr`` may be infinite.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin, get_type_hints

import polars as pl


@dataclass(frozen=True, kw_only=True, slots=True)
class FrameRow:
    """One row of a frame: a field for every column, ``Annotated`` with what the column holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyRow(FrameRow):
    """A row about the trials of one model, run, dataset, split and group."""

    model: Annotated[str, "key of the model in the trial table"]
    run: Annotated[str, "run of the model; mean and pooled stand for several runs together"]
    dataset: Annotated[str, "evaluation set or condition"]
    split: Annotated[str, "dev or test"]
    group: Annotated[str, "empty for all trials; a group of a breakdown is column=value"]


KEY = tuple(field.name for field in dataclasses.fields(KeyRow))

R = TypeVar("R", bound=FrameRow)

_TYPES: Mapping[object, pl.DataType] = {
    str: pl.String(),
    int: pl.Int64(),
    float: pl.Float64(),
    bool: pl.Boolean(),
    list[str]: pl.List(pl.String()),
}


@dataclass(frozen=True)
class Column:
    """One column of a frame: its type, whether it may be null, and its meaning in a few words."""

    name: str
    dtype: pl.DataType
    nullable: bool
    meaning: str


@dataclass(frozen=True, eq=False)
class Frame(Generic[R]):
    """A result frame: the file's name, the type of its rows, and the columns by which they are sorted."""

    name: str
    row: type[R]
    sorted_by: tuple[str, ...]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in their order in the file."""
        hints = get_type_hints(self.row, include_extras=True)
        return tuple(_column(field.name, hints[field.name]) for field in dataclasses.fields(self.row))

    @cached_property
    def schema(self) -> pl.Schema:
        """The columns' names and types."""
        return pl.Schema({column.name: column.dtype for column in self.columns})

    @cached_property
    def empty(self) -> pl.DataFrame:
        """The frame without rows."""
        return pl.DataFrame(schema=self.schema)

    @cached_property
    def _read(self) -> Callable[..., R]:
        return self.row

    def build(self, rows: Iterable[R] | Iterable[Mapping[str, object]]) -> pl.DataFrame:
        """Return rows as a frame of this schema, sorted by key (nulls first)."""
        records = [row if isinstance(row, Mapping) else values_of(row) for row in rows]
        frame = pl.DataFrame(records, schema=self.schema, orient="row")
        return frame.sort(list(self.sorted_by), nulls_last=False, maintain_order=True)

    def rows(self, frame: pl.DataFrame) -> list[R]:
        """Return the rows of a frame of this contract (in whichever order) as values.

        A column that an earlier version did not write is null.
        """
        names, read = self.schema.names(), self._read
        there = [pl.col(name) if name in frame.columns else pl.lit(None).alias(name) for name in names]
        return [read(**dict(zip(names, values, strict=True))) for values in frame.select(there).iter_rows()]


def values_of(row: FrameRow) -> dict[str, Any]:
    """Return a row's values by column."""
    return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}


def _column(name: str, hint: Any) -> Column:
    meaning = ""
    if get_origin(hint) is Annotated:
        hint, meaning = get_args(hint)
    nullable = get_origin(hint) in (Union, types.UnionType)
    if nullable:
        (hint,) = (kind for kind in get_args(hint) if kind is not types.NoneType)
    return Column(name, _TYPES[hint], nullable, meaning)
