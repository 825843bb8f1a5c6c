"""The table builder: columns over rows of any kind, in the words of one report.

A column is a value: its head, and how the cell of a row is made. No cell explains itself: a number prints,
sorts, and where it is undefined gives the sentence of its row's ``status`` as the reason::

    table = TableOf[DcfRow](view)
    table.build(
        "costs",
        "Detection costs on test.",
        view.rows(DCF, "test"),
        (
            table.text("operating point", lambda row: row.name),
            table.model(lambda row: row.model),
            table.number("actual DCF", lambda row: row.actual, 3, sense="lower is better"),
            table.interval(lambda row: (row.actual_ci_low, row.actual_ci_high), 3),
        ),
    )

Rows are those of a frame, or any values: the keys of models, pairs, tuples of one table's own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, Protocol, TypeVar

from reporting.base.records import dataclass, replace
from reporting.document import numbers
from reporting.document.blocks import UNDEFINED, Block, Cell, Column, IntervalMark, Sense, Table
from reporting.document.charts.axes import interval_axis
from reporting.document.words.phrases import level_text, listing, reason
from reporting.document.words.printing import Printing
from reporting.document.words.view import DatasetView

R = TypeVar("R")
T = TypeVar("T")

Limits = tuple[float | None, float | None]
"""The lower and the upper end of an interval."""

Show = Callable[[float], str] | Printing | int
"""How a number is printed: by a function, as a measure, or with so many decimals."""


@dataclass(frozen=True)
class ByRow(Generic[R]):
    """How the numbers of a column are printed where that differs from row to row."""

    show: Callable[[R], Show]


WIDEST = 7
"""So many numbers with their intervals fit in a row on a page."""
NO_INTERVAL = "not available"
UNASKED = (NO_INTERVAL, reason(None))
"""Reasons that say no more than an empty place does."""


@dataclass(frozen=True)
class ColumnOf(Generic[R]):
    """A column of a table: its head, and the cell of a row."""

    head: Column
    cell: Callable[[R], Cell]


def table_of(
    name: str, caption: str, rows: Iterable[R], columns: Sequence[ColumnOf[R]], notes: Iterable[str] = ()
) -> Table:
    """Return the table of some rows, under a name that is the report's own business."""
    cells = tuple(tuple(column.cell(row) for column in columns) for row in rows)
    return Table(name, caption, tuple(column.head for column in columns), cells, tuple(notes))


def without_empty(table: Table) -> Table:
    """Return the table without columns of which no cell holds anything; a note explains why a value lacks."""
    full = [
        place
        for place, cells in enumerate(zip(*table.rows, strict=True))
        if any(cell.text not in ("", UNDEFINED) or cell.drawn for cell in cells)
    ]
    if not table.rows or len(full) == len(table.columns):
        return table
    titles: dict[str, list[str]] = {}
    for place, column in enumerate(table.columns):
        if place not in full:
            why = dict.fromkeys(cell.reason for row in table.rows if (cell := row[place]).reason)
            for sentence in why:
                if sentence not in UNASKED:
                    titles.setdefault(sentence, []).append(column.title)
    missing = tuple(f"Omitted: {listing(words)} ({sentence})." for sentence, words in titles.items())
    return replace(
        table,
        columns=tuple(table.columns[place] for place in full),
        rows=tuple(tuple(row[place] for place in full) for row in table.rows),
        notes=table.notes + missing,
    )


def _without_brackets(table: Table) -> Table:
    """Return a table none of whose numbers has an interval without the sentences that explain brackets."""
    if any("[" in cell.text + cell.beneath for row in table.rows for cell in row):
        return table

    def rest(text: str) -> str:
        return " ".join(part for part in re.split(r"(?<=\.) ", text) if "brackets" not in part)

    notes = tuple(filter(None, map(rest, table.notes)))
    return replace(table, caption=rest(table.caption), notes=notes)


def by_dataset(shown: Sequence[tuple[DatasetView, tuple[Block, ...]]]) -> tuple[Block, ...]:
    """Return the tables of several datasets as one each, a group of rows for every dataset.

    Nothing where they differ in what they hold, such as measures that are undefined on one.
    """
    tables = [[block for block in blocks if isinstance(block, Table)] for _, blocks in shown]
    if any(len(of) != len(blocks) for of, (_, blocks) in zip(tables, shown, strict=True)):
        return ()
    views = [view for view, _ in shown]
    # What tables must share to be one: their name without the dataset, caption and heads.
    shared = {
        tuple((table.name.removesuffix(view.unique_name("")), table.caption, table.columns) for table in of)
        for view, of in zip(views, tables, strict=True)
    }
    if len(shared) > 1:
        return ()
    return tuple(_stacked(views, alike) for alike in zip(*tables, strict=True))


def _stacked(views: Sequence[DatasetView], tables: Sequence[Table]) -> Table:
    starts: list[tuple[int, str]] = []
    rows: list[tuple[Cell, ...]] = []
    for view, table in zip(views, tables, strict=True):
        groups = table.row_groups or ((0, ""),)
        starts += [
            (len(rows) + at, f"{view.label}: {title}" if title else view.label) for at, title in groups
        ]
        rows += table.rows
    first = tables[0]
    common = [note for note in first.notes if all(note in table.notes for table in tables)]
    own = [
        f"{view.label}: {note}"
        for view, table in zip(views, tables, strict=True)
        for note in table.notes
        if note not in common
    ]
    name = first.name.removesuffix(views[0].unique_name(""))
    return replace(first, name=name, rows=tuple(rows), notes=(*common, *own), row_groups=tuple(starts))


def spanner(group: str, *columns: ColumnOf[R]) -> tuple[ColumnOf[R], ...]:
    """Return columns that share a head above their own."""
    return tuple(ColumnOf(replace(column.head, group=group), column.cell) for column in columns)


def by_width(columns: Sequence[T]) -> list[Sequence[T]]:
    """Return what heads columns, in as few tables as fit a page and of about the same width."""
    count = math.ceil(len(columns) / WIDEST)
    ends = [number * len(columns) // max(count, 1) for number in range(count + 1)]
    return [columns[first:last] for first, last in pairwise(ends)]


def blank_where(blank: Callable[[R], bool], column: ColumnOf[R]) -> ColumnOf[R]:
    """Return the column with empty cells in the rows that it does not describe."""
    return ColumnOf(column.head, lambda row: Cell("") if blank(row) else column.cell(row))


def second_line(column: ColumnOf[R], text: Callable[[R], str]) -> ColumnOf[R]:
    """Return the column with a line beneath each number that it has, such as the interval."""

    def cell(row: R) -> Cell:
        above = column.cell(row)
        return above if above.text in ("", UNDEFINED) else replace(above, beneath=text(row))

    return ColumnOf(column.head, cell)


class WithInterval(Protocol):
    """A row with an interval of its own."""

    @property
    def ci_low(self) -> float | None:
        """The lower end."""

    @property
    def ci_high(self) -> float | None:
        """The upper end."""


class WithValue(Protocol):
    """A row with a value of its own, and why it has none."""

    @property
    def value(self) -> float | None:
        """The value."""

    @property
    def status(self) -> str | None:
        """Why it is undefined."""


class WithEstimate(WithValue, WithInterval, Protocol):
    """A row with a value and its interval."""


class Estimate(NamedTuple):
    """A value and its interval, out of a row that has several."""

    value: float | None
    ci_low: float | None
    ci_high: float | None
    status: str | None


class DrawnInterval(NamedTuple):
    """A value to be drawn with its interval, and with the one that holds for all rows together."""

    value: float
    low: float | None
    high: float | None
    outer_low: float | None = None
    outer_high: float | None = None


def limits(row: WithInterval | None) -> Limits:
    """Return the interval of a row; none of no row."""
    return (None, None) if row is None else (row.ci_low, row.ci_high)


class TableOf(Generic[R]):
    """Makes columns over rows of one kind, and the table of them, in the words of a view.

    ``why`` explains why a number of a row is undefined; without it the sentence of the row's ``status``
    does. A column can bring a reason of its own.
    """

    def __init__(self, view: DatasetView, why: Callable[[R], str] | None = None) -> None:
        self.view = view
        self._why: Callable[[R], str] = why if why is not None else self.reason

    def build(
        self,
        name: str,
        caption: str,
        rows: Iterable[R],
        columns: Sequence[ColumnOf[R]],
        notes: Iterable[str] = (),
        *,
        group: Callable[[R], str] | None = None,
        folded: bool = False,
    ) -> Table:
        """Return the table, under a name that no other view of the report uses, without empty columns.

        Rows that follow each other in one ``group`` share a line above them, where there are several.
        """
        every = list(rows)
        made = table_of(self.view.unique_name(name), caption, every, columns, notes)
        table = _without_brackets(without_empty(made))
        # The place and the title of the first row of each group; none of one group alone.
        titles = [] if group is None else [group(row) for row in every]
        starts = [(at, title) for at, title in enumerate(titles) if at == 0 or titles[at - 1] != title]
        return replace(table, row_groups=tuple(starts) if len(starts) > 1 else (), folded=folded)

    def text(
        self, title: str, text: Callable[[R], str | None], order: Callable[[R], float] | None = None
    ) -> ColumnOf[R]:
        """Return a column of words; they sort by ``order``, or else as words."""

        def cell(row: R) -> Cell:
            words = text(row)
            return self.undefined(row) if words is None else Cell(words, order(row) if order else None)

        return ColumnOf(Column(title), cell)

    def model(self, key: Callable[[R], str], order: Callable[[R], float] | None = None) -> ColumnOf[R]:
        """Return the column of the models' printed names."""
        return self.text("model", lambda row: self.view.names[key(row)], order)

    def number(
        self,
        title: str,
        value: Callable[[R], float | None],
        show: Show | ByRow[R],
        *,
        unit: str | None = None,
        sense: Sense = "",
        why: Callable[[R], str] | str | None = None,
    ) -> ColumnOf[R]:
        """Return a column of numbers; a measure's printing brings its unit where no other is named."""

        def cell(row: R) -> Cell:
            number = value(row)
            if number is None:
                return self.undefined(row, why)
            printed = show.show(row) if isinstance(show, ByRow) else show
            if isinstance(printed, Printing):
                return Cell(printed.value(number), number)
            return Cell(
                numbers.fixed(number, printed) if isinstance(printed, int) else printed(number), number
            )

        return ColumnOf(Column(title, "number", _unit(unit, show), sense), cell)

    def value(
        self,
        title: str,
        of: Callable[[R], WithValue | None],
        show: Show | ByRow[R],
        *,
        unit: str | None = None,
        sense: Sense = "",
    ) -> ColumnOf[R]:
        """Return a column of the values of other rows, each undefined one with the reason of its own."""

        def value(row: R) -> float | None:
            valued = of(row)
            return None if valued is None else valued.value

        return self.number(title, value, show, unit=unit, sense=sense, why=lambda row: self.reason(of(row)))

    def estimate(
        self,
        title: str,
        of: Callable[[R], WithEstimate | None],
        show: Printing | int | ByRow[R],
        *,
        unit: str | None = None,
        sense: Sense = "",
        after: Callable[[R], str] = lambda row: "",
    ) -> ColumnOf[R]:
        """Return a column of values with their intervals beneath; ``after`` is printed behind a value."""
        values = self.value(title, of, show, unit=unit, sense=sense)
        intervals = self.interval(lambda row: limits(of(row)), show)

        def cell(row: R) -> Cell:
            value, interval = values.cell(row), intervals.cell(row)
            if value.text == UNDEFINED:
                return value
            text = f"{value.text} {after(row)}".rstrip()
            return replace(value, text=text, beneath="" if interval.text == UNDEFINED else interval.text)

        return ColumnOf(values.head, cell)

    def count(
        self, title: str, count: Callable[[R], float | None], *, why: Callable[[R], str] | str | None = None
    ) -> ColumnOf[R]:
        """Return a column of whole numbers."""
        return self.number(title, count, lambda number: numbers.count(int(number)), why=why)

    def p_value(
        self, title: str, p: Callable[[R], float | None], *, why: Callable[[R], str] | str | None = None
    ) -> ColumnOf[R]:
        """Return a column of p-values."""
        return self.number(title, p, numbers.p_value, why=why)

    def interval(
        self,
        limits: Callable[[R], Limits],
        show: Printing | int | ByRow[R],
        *,
        title: str | None = None,
        unit: str | None = None,
        why: Callable[[R], str] | str | None = NO_INTERVAL,
    ) -> ColumnOf[R]:
        """Return a column of intervals, headed by the report's confidence level."""

        def cell(row: R) -> Cell:
            low, high = limits(row)
            if low is None or high is None:
                return self.undefined(row, why)
            printed = show.show(row) if isinstance(show, ByRow) else show
            if isinstance(printed, Printing):
                return Cell(printed.interval(low, high))
            return Cell(numbers.bracket(low, high, printed if isinstance(printed, int) else 0))

        head = title if title is not None else f"{self.level} CI"
        return ColumnOf(Column(head, "interval", _unit(unit, show)), cell)

    def drawn(
        self,
        rows: Iterable[R],
        interval: Callable[[R], DrawnInterval | None],
        printed: Printing,
        bounds: tuple[float, float] = (-math.inf, math.inf),
        *,
        zero: bool = False,
    ) -> ColumnOf[R]:
        """Return a column of drawn intervals; its axis holds those of ``rows``, and 0 if ``zero``."""

        def mark(row: R) -> IntervalMark | None:
            drawn = interval(row)
            if drawn is None:
                return None
            return IntervalMark(printed.scale * drawn.value, *map(printed.scaled, drawn[1:]))

        def cell(row: R) -> Cell:
            drawn = interval(row)
            return Cell("", drawn.value if drawn else None, drawn=mark(row))

        marks = [
            [
                bar.value,
                *(end for end in (bar.low, bar.high, bar.outer_low, bar.outer_high) if end is not None),
            ]
            for bar in map(mark, rows)
            if bar is not None
        ]
        low, high = (printed.scale * end for end in bounds)
        axis = interval_axis(marks, (low, high), [0.0] if zero else [])
        return ColumnOf(Column("", "drawn", axis=axis, zero_line=zero), cell)

    @property
    def level(self) -> str:
        """The report's confidence level: ``95%``."""
        return level_text(self.view.study.inference.level)

    def undefined(self, row: R, why: Callable[[R], str] | str | None = None) -> Cell:
        """Return the cell of what is undefined, with the reason."""
        return Cell(UNDEFINED, reason=why if isinstance(why, str) else (why or self._why)(row))

    def reason(self, row: object) -> str:
        """Return the sentence of a row's status, in the report's words."""
        return reason(getattr(row, "status", None), self.view.terms)


def _unit(unit: str | None, show: object) -> str:
    if unit is not None:
        return unit
    return show.unit if isinstance(show, Printing) else ""
