"""What a result frame is: its columns with their meanings, and its rows as typed values.

Long and tidy, keys first. Counts are Int64, numbers Float64, ``flags`` a sorted list of text; an undefined
number is null with a ``status``. Only thresholds and ``llr`` may be infinite.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Generic, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl

from reporting.base.records import dataclass
from reporting.core.counts.cuts import Key
from reporting.core.engine.pairing import Pair
from reporting.core.engine.partition import in_order
from reporting.core.engine.parts import Part


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class FrameRow:
    """One row of a frame: a field for every column, ``Annotated`` with what the column holds."""


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class KeyRow(FrameRow):
    """A row about the trials of one model, run, dataset, split and group."""

    model: Annotated[str, "key of the model in the trial table"]
    run: Annotated[str, "run of the model; mean and pooled combine several runs"]
    dataset: Annotated[str, "evaluation set or condition"]
    split: Annotated[str, "dev or test"]
    group: Annotated[str, "empty for all trials; a group of a breakdown is column=value"]


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class PlaceRow(FrameRow):
    """A row about several models on one dataset, split and group."""

    dataset: Annotated[str, "evaluation set or condition"]
    split: Annotated[str, "dev or test"]
    group: Annotated[str, "empty for all trials; a group of a breakdown is column=value"]


GroupColumns = Annotated[
    list[str], "columns whose values make the group, in text order; empty for all trials"
]
GroupValues = Annotated[list[str], "value of the group in each of these columns; empty for all trials"]

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
class FrameColumn:
    """One column of a frame: its type, whether it may be null, and its meaning in a few words."""

    name: str
    dtype: pl.DataType
    nullable: bool
    meaning: str

    @property
    def is_list(self) -> bool:
        """Whether each of its values is a list, empty where there is nothing."""
        return isinstance(self.dtype, pl.List)

    @property
    def unwritten(self) -> pl.Expr:
        """What replaces the column where an earlier version did not write it."""
        return pl.lit([] if self.is_list and not self.nullable else None, dtype=self.dtype)


@dataclass(frozen=True, eq=False)
class Frame(Generic[R]):
    """A result frame: the file's name, the type of its rows, and the columns by which they are sorted."""

    name: str
    row: type[R]
    sorted_by: tuple[str, ...]

    @cached_property
    def columns(self) -> tuple[FrameColumn, ...]:
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

    def build(self, rows: Iterable[R | Mapping[str, object]]) -> pl.DataFrame:
        """Return rows as a frame of this schema, sorted by key (nulls first)."""
        names = self.schema.names()
        records = [row if isinstance(row, Mapping) else {n: getattr(row, n) for n in names} for row in rows]
        frame = pl.DataFrame(records, schema=self.schema, orient="row")
        return frame.sort(list(self.sorted_by), nulls_last=False, maintain_order=True)

    def stacked(self, parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Return parts as one frame, sorted by key (nulls first); without parts an empty frame."""
        return self._sorted(pl.concat([self.empty, *parts]))

    def of_columns(self, parts: Iterable[Columns]) -> pl.DataFrame:
        """Return arrays and what holds for all their rows, or one row of the latter, as one sorted frame.

        A column that is not given is null, and so is NaN.
        """
        frame = pl.concat([self.empty, *map(self._part, parts)])
        return self._sorted(frame.with_columns(pl.col(pl.Float64).fill_nan(None)))

    def _sorted(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame sorted by key (nulls first); a large one that is in order is not copied."""
        by = list(self.sorted_by)
        in_order = frame.height > MOST_COPIED and _in_order(frame, by)
        return frame if in_order else frame.sort(by, nulls_last=False, maintain_order=True)

    def _part(self, columns: Columns) -> pl.DataFrame:
        lengths = {len(values) for values in columns.values() if isinstance(values, ARRAYS)}
        length = max(lengths, default=1)
        return pl.DataFrame(
            [
                pl.Series(name, values, dtype)
                if isinstance(values := columns.get(name), ARRAYS)
                else pl.Series(name, [values], dtype).new_from_index(0, length)
                for name, dtype in self.schema.items()
            ]
        )

    def assembled(self, rows: Sequence[Any]) -> pl.DataFrame:
        """Return rows, or data frames of rows, as one frame sorted by key."""
        frames = [row for row in rows if isinstance(row, pl.DataFrame)]
        return self.stacked(frames) if frames else self.build(rows)

    def holds(self, frame: pl.DataFrame) -> bool:
        """Whether a table is this frame; one of an earlier version may lack columns that were added since.

        Those may be null, or are lists.
        """
        needed = {column.name for column in self.columns if not (column.nullable or column.is_list)}
        return needed <= set(frame.columns) and frame.schema.items() <= self.schema.items()

    def rows(self, frame: pl.DataFrame) -> list[R]:
        """Return the rows of a frame of this contract (in whichever order) as values.

        A column that an earlier version did not write is null, or an empty list.
        """
        names, read = self.schema.names(), self._read
        there = [
            pl.col(column.name) if column.name in frame.columns else column.unwritten.alias(column.name)
            for column in self.columns
        ]
        whole = frame if frame.columns == names else frame.select(there)
        return [read(**dict(zip(names, values, strict=True))) for values in whole.iter_rows()]


MOST_COPIED = 100_000
"""So many rows are sorted whether or not they are in order."""


def _in_order(frame: pl.DataFrame, by: Sequence[str]) -> bool:
    """Return whether no row comes before the one above it in the order of some columns, nulls first."""
    same, above = pl.lit(value=True), pl.lit(value=False)
    for name in by:
        here, before = pl.col(name), pl.col(name).shift()
        above |= same & ((before > here).fill_null(value=False) | (here.is_null() & before.is_not_null()))
        same &= here.eq_missing(before)
    return not frame.select(above.any()).item()


ARRAYS = (np.ndarray, list)
Columns = dict[str, Any]
"""Columns by name: arrays of one length and what holds for all rows, or values of one row."""


def place_of(key: Key) -> Mapping[str, Any]:
    """Return the columns of a ``PlaceRow``."""
    return {"dataset": key.dataset, "split": key.split, "group": key.group}


def pair_of(pair: Pair) -> Mapping[str, Any]:
    """Return the columns of a ``PlaceRow`` of two models."""
    return {**place_of(pair.model.key), "model": pair.model.key.model, "baseline": pair.baseline.key.model}


class Group(NamedTuple):
    """The columns of a frame that identify a group: both lists are empty for all trials."""

    group_columns: list[str]
    group_values: list[str]

    @classmethod
    def of(cls, columns: tuple[str, ...], values: tuple[str, ...]) -> Group:
        """Return the group that has these values, by column in text order."""
        pairs = in_order(columns, values)
        return cls([column for column, _ in pairs], [value for _, value in pairs])


def group_of(part: Part) -> Group:
    """Return the columns and values of a part, as in the name of its group."""
    return Group.of(part.columns, part.values)


def _column(name: str, hint: Any) -> FrameColumn:
    meaning = ""
    if get_origin(hint) is Annotated:
        hint, meaning = get_args(hint)
    nullable = get_origin(hint) in (Union, types.UnionType)
    if nullable:
        (hint,) = (kind for kind in get_args(hint) if kind is not types.NoneType)
        meaning = meaning if "null" in meaning else f"{meaning}; null if there is none"
    return FrameColumn(name, _TYPES[hint], nullable, meaning)
