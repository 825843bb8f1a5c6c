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

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Cell, Column, Sense, Table
from reporting.wording.phrases import level_text, reason
from reporting.wording.printing import Printing
from reporting.wording.view import View

R = TypeVar("R")

Limits = tuple[float | None, float | None]
"""The lower and the upper end of an interval."""

Show = Callable[[float], str] | Printing | int
"""How a number is printed: by a function, as a measure, or with so many decimals."""

NO_INTERVAL = "no interval is computed for it"


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


def blank_where(blank: Callable[[R], bool], column: ColumnOf[R]) -> ColumnOf[R]:
    """Return the column with empty cells in the rows that it says nothing of."""
    return ColumnOf(column.head, lambda row: Cell("") if blank(row) else column.cell(row))


class WithInterval(Protocol):
    """A row with an interval of its own."""

    @property
    def ci_low(self) -> float | None:
        """The lower end."""

    @property
    def ci_high(self) -> float | None:
        """The upper end."""


def limits(row: WithInterval | None) -> Limits:
    """Return the interval of a row; none of no row."""
    return (None, None) if row is None else (row.ci_low, row.ci_high)


class TableOf(Generic[R]):
    """Makes columns over rows of one kind, and the table of them, in the words of a view.

    ``why`` says of a row why a number of it is undefined; without it the sentence of the row's ``status``
    does. A column can bring a reason of its own.
    """

    def __init__(self, view: View, why: Callable[[R], str] | None = None) -> None:
        self.view = view
        self._why = why if why is not None else self._status

    def build(
        self,
        name: str,
        caption: str,
        rows: Iterable[R],
        columns: Sequence[ColumnOf[R]],
        notes: Iterable[str] = (),
    ) -> Table:
        """Return the table, under a name that no other view of the report uses."""
        return table_of(self.view.called(name), caption, rows, columns, notes)

    def column(self, head: Column, cell: Callable[[R], Cell]) -> ColumnOf[R]:
        """Return a column whose cells no other method makes."""
        return ColumnOf(head, cell)

    def text(
        self, title: str, text: Callable[[R], str], order: Callable[[R], float] | None = None
    ) -> ColumnOf[R]:
        """Return a column of words; they sort by ``order``, or else as words."""
        return ColumnOf(Column(title), lambda row: Cell(text(row), order(row) if order else None))

    def model(self, key: Callable[[R], str], order: Callable[[R], float] | None = None) -> ColumnOf[R]:
        """Return the column of the models' printed names."""
        return self.text("model", lambda row: self.view.names[key(row)], order)

    def number(
        self,
        title: str,
        value: Callable[[R], float | None],
        show: Show,
        *,
        unit: str | None = None,
        sense: Sense = "",
        why: Callable[[R], str] | str | None = None,
    ) -> ColumnOf[R]:
        """Return a column of numbers; ``unit`` is the measure's own where nothing else is said."""
        if unit is None:
            unit = show.unit if isinstance(show, Printing) else ""
        return self.varied(title, value, lambda row: show, unit=unit, sense=sense, why=why)

    def varied(
        self,
        title: str,
        value: Callable[[R], float | None],
        show: Callable[[R], Show],
        *,
        unit: str = "",
        sense: Sense = "",
        why: Callable[[R], str] | str | None = None,
    ) -> ColumnOf[R]:
        """Return a column of numbers that print differently from row to row."""

        def cell(row: R) -> Cell:
            number = value(row)
            if number is None:
                return self.undefined(row, why)
            return Cell(_shown(show(row), number), number)

        return ColumnOf(Column(title, "number", unit, sense), cell)

    def interval(
        self,
        limits: Callable[[R], Limits],
        show: Printing | int,
        *,
        title: str | None = None,
        unit: str | None = None,
        why: Callable[[R], str] | str = NO_INTERVAL,
    ) -> ColumnOf[R]:
        """Return a column of intervals, headed by the report's confidence level."""
        if unit is None:
            unit = show.unit if isinstance(show, Printing) else ""
        return self.varied_interval(limits, lambda row: show, title=title, unit=unit, why=why)

    def varied_interval(
        self,
        limits: Callable[[R], Limits],
        show: Callable[[R], Printing | int],
        *,
        title: str | None = None,
        unit: str = "",
        why: Callable[[R], str] | str = NO_INTERVAL,
    ) -> ColumnOf[R]:
        """Return a column of intervals that print differently from row to row."""

        def cell(row: R) -> Cell:
            low, high = limits(row)
            if low is None or high is None:
                return self.undefined(row, why)
            printed = show(row)
            if isinstance(printed, int):
                return Cell(numbers.bracket(low, high, printed))
            return Cell(printed.interval(low, high))

        return ColumnOf(Column(title or self.level_interval, "interval", unit), cell)

    @property
    def level_interval(self) -> str:
        """The head of a column of intervals: ``95 % interval``."""
        return f"{level_text(self.view.study.inference.level)} interval"

    def undefined(self, row: R, why: Callable[[R], str] | str | None = None) -> Cell:
        """Return the cell of what is undefined, with the reason."""
        if isinstance(why, str):
            return Cell(UNDEFINED, reason=why)
        return Cell(UNDEFINED, reason=(why or self._why)(row))

    def _status(self, row: R) -> str:
        return reason(getattr(row, "status", None), self.view.terms)


def _shown(show: Show, number: float) -> str:
    if isinstance(show, Printing):
        return show.value(number)
    return numbers.fixed(number, show) if isinstance(show, int) else show(number)
