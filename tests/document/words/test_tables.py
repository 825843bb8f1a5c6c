"""The table builder: what each kind of column prints, sorts by, and says where a number is undefined."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from reporting.document.blocks import UNDEFINED, Cell, Column
from reporting.document.words.printing import Printing
from reporting.document.words.tables import (
    NO_INTERVAL,
    ByRow,
    ColumnOf,
    TableOf,
    blank_where,
    limits,
    table_of,
)
from reporting.document.words.terms import terms


@dataclass(frozen=True)
class Measured:
    """A row with a value and an interval, as frames have them."""

    model: str
    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    status: str | None = None


KNOWN = Measured("a", 0.12345, 0.1, 0.15)
UNKNOWN = Measured("b", None, status="no_targets")


def table(vocabulary="detection", why=None):
    view = SimpleNamespace(
        names={"a": "System A", "b": "System B"},
        unique_name=lambda name: f"{name}_2",
        terms=terms(vocabulary),
        study=SimpleNamespace(inference=SimpleNamespace(level=0.9)),
    )
    return TableOf[Measured](view, why)


def test_a_table_has_a_cell_for_every_row_and_column_under_a_name_of_the_view():
    t = table()
    columns = (
        t.model(lambda row: row.model, order=lambda row: 1.0),
        t.text("status", lambda row: row.status),
    )
    built = t.build("errors", "Errors.", iter((KNOWN, UNKNOWN)), columns, ["A note."])
    assert (built.name, built.caption, built.notes) == ("errors_2", "Errors.", ("A note.",))
    assert built.columns == (Column("model"), Column("status"))
    assert built.rows[1] == (Cell("System B", 1.0), Cell("no_targets"))
    assert built.rows[0][1] == Cell(UNDEFINED, reason="it was not computed")
    assert table_of("errors", "Errors.", [KNOWN, UNKNOWN], columns).rows == built.rows


@pytest.mark.parametrize(
    ("show", "text", "unit"),
    [
        (3, "0.123", ""),
        (Printing(True, 1), "12.3", "%"),
        (lambda number: f"<{number:.1f}>", "<0.1>", ""),
        (ByRow(lambda row: Printing(False, 2 if row.model == "a" else 1)), "0.12", ""),
    ],
)
def test_a_number_prints_sorts_by_its_value_and_says_its_status(show, text, unit):
    column = table().number("error", lambda row: row.value, show, sense="lower is better")
    assert column.head == Column("error", "number", unit, "lower is better")
    assert column.cell(KNOWN) == Cell(text, 0.12345)
    assert column.cell(UNKNOWN) == Cell(UNDEFINED, reason="the set or group has no targets")


def test_reasons_are_in_the_words_of_the_report_unless_a_column_or_a_table_has_its_own():
    assert table("medical").number("error", lambda row: row.value, 2).cell(UNKNOWN).reason != (
        "the set or group has no targets"
    )
    own = table(why=lambda row: f"nothing of {row.model}")
    assert own.number("error", lambda row: row.value, 2).cell(UNKNOWN).reason == "nothing of b"
    assert own.number("error", lambda row: row.value, 2, why="never").cell(UNKNOWN).reason == "never"


def test_the_value_of_another_row_has_the_reason_of_that_row():
    rows = {"a": UNKNOWN, "b": KNOWN}
    column = table().value("error", lambda row: rows.get(row.model), Printing(True, 0))
    assert column.cell(UNKNOWN) == Cell("12", 0.12345)
    assert column.cell(KNOWN).reason == "the set or group has no targets"
    assert column.cell(Measured("c", 0.5)) == Cell(UNDEFINED, reason="it was not computed")


def test_an_interval_is_headed_by_the_level_and_needs_both_ends():
    column = table().interval(limits, Printing(True, 1))
    assert column.head == Column("90% CI", "interval", "%")
    assert column.cell(KNOWN) == Cell("[10.0, 15.0]")
    assert column.cell(Measured("a", 0.1, 0.05)) == Cell(UNDEFINED, reason=NO_INTERVAL)
    points = table().interval(limits, 2, title="joint", unit="points", why=None)
    assert points.head == Column("joint", "interval", "points")
    assert points.cell(KNOWN) == Cell("[0.10, 0.15]")
    assert points.cell(UNKNOWN).reason == "the set or group has no targets"
    assert limits(None) == (None, None)


def test_counts_and_p_values_print_as_everywhere():
    t = table()
    assert t.count("trials", lambda row: 12345).cell(KNOWN) == Cell("12,345", 12345)
    assert t.p_value("p", lambda row: 0.0001).cell(KNOWN) == Cell("< .001", 0.0001)


def test_a_column_is_blank_where_it_says_nothing():
    column = blank_where(lambda row: row.model == "b", ColumnOf(Column("x"), lambda row: Cell("here")))
    assert [column.cell(row).text for row in (KNOWN, UNKNOWN)] == ["here", ""]
