"""All paired comparisons: the primary family first, then the descriptive ones."""

from __future__ import annotations

from collections.abc import Iterable

from reporting.charts.scope import Row, Scope
from reporting.criteria.catalogue import read_criterion
from reporting.frames.results import Results
from reporting.measures.catalogue import read_measure
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.by_scope import by_scope
from reporting.sections.printing import Printing, printing
from reporting.sections.wording import (
    CHOSEN,
    P_METHODS,
    TUNED,
    adjustment,
    interval_name,
    level_text,
    method_name,
    question,
    reason,
)

DESCRIPTIVE = "descriptive, unadjusted"

Question = tuple[str, str | None]
"""A measure and a criterion, as the frame names them."""


def comparisons(results: Results) -> Section | None:
    """Return the tables of comparisons of every dataset."""
    return by_scope("Comparisons", "comparisons", results, _blocks)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    """One table a question; those of the family come first."""
    asked: dict[Question, list[Row]] = {}
    for row in sorted(scope.comparisons, key=lambda row: _place(scope, row)):
        asked.setdefault((row["measure"], row["criterion"]), []).append(row)
    return tuple(
        _table(scope, f"comparisons_{number}", rows) for number, rows in enumerate(asked.values(), start=1)
    )


def _place(scope: Scope, row: Row) -> tuple[int, int, int, int, int]:
    """Sort the family first, then as the report asks: measures, criteria and models in its order."""
    measures = [str(scope.study.primary.measure), *map(str, scope.study.measures)]
    criteria = [str(scope.study.primary.criterion), *map(str, scope.study.criteria)]
    models = list(scope.results.models)
    return (
        int(row["family"] == "descriptive"),
        _index(measures, row["measure"]),
        _index(criteria, row["criterion"]),
        _index(models, row["model"]),
        _index(models, row["baseline"]),
    )


def _index(order: list[str], wanted: str | None) -> int:
    return order.index(wanted) if wanted in order else len(order)


def _table(scope: Scope, name: str, rows: list[Row]) -> Table:
    first = rows[0]
    measure = read_measure(first["measure"])
    criterion = read_criterion(first["criterion"]) if first["criterion"] else None
    printed = printing(scope, measure)
    p_columns = _p_columns(rows)
    return Table(
        name=scope.called(name),
        caption=f"{question(measure, criterion, scope.study)}: {_family(first)}.",
        columns=(
            Column("model"),
            Column("minus"),
            Column("difference", "number", printed.difference_unit),
            Column(
                f"{level_text(scope.study.inference.level)} interval", "interval", printed.difference_unit
            ),
            *(Column(title, "number") for title in p_columns.values()),
        ),
        rows=tuple(
            (
                Cell(scope.names[row["model"]]),
                Cell(scope.names[row["baseline"]]),
                *_amount(row, printed),
                *(_p(row, column) for column in p_columns),
            )
            for row in rows
        ),
        notes=(*_methods(rows), *_label(scope, rows)),
    )


def _family(row: Row) -> str:
    """Say whether the p-values are adjusted, and over what."""
    if row["family"] == "descriptive":
        return DESCRIPTIVE
    return f"the family of comparisons, {adjustment(row) or 'unadjusted'}"


def _p_columns(rows: list[Row]) -> dict[str, str]:
    """The p-values to show, with their heads; those that no row has are left out."""
    tuned = rows[0]["inference"] == "given_thresholds"
    heads = {
        "p_value": "p, two tuned systems" if tuned else "p",
        "p_percentile": "p, percentile",
        "p_exact": "p, exact mid-p",
        "p_adjusted": "adjusted p",
    }
    return {
        column: head
        for column, head in heads.items()
        if column == "p_value" or any(row[column] is not None for row in rows)
    }


def _amount(row: Row, printed: Printing) -> tuple[Cell, Cell]:
    if row["difference"] is None:
        undefined = Cell(UNDEFINED, reason=reason(row["status"]))
        return undefined, undefined
    interval = printed.interval(row["ci_low"], row["ci_high"])
    return (
        Cell(printed.value(row["difference"]), row["difference"]),
        Cell(interval, reason=_no_interval(row) if interval == UNDEFINED else ""),
    )


def _no_interval(row: Row) -> str:
    return reason(row["status"]) if row["status"] else "too few trials are decided differently"


def _p(row: Row, column: str) -> Cell:
    if row[column] is None:
        return Cell(UNDEFINED, reason=reason(row["status"]))
    return Cell(numbers.p_value(row[column]), row[column])


def _methods(rows: Iterable[Row]) -> tuple[str, ...]:
    """Which interval and which test the rows have."""
    made = dict.fromkeys(
        f"Interval: {interval_name(row)}; p: {method_name(row['p_method'], P_METHODS)}."
        for row in rows
        if row["p_method"] and row["ci_method"]
    )
    return tuple(made)


def _label(scope: Scope, rows: Iterable[Row]) -> tuple[str, ...]:
    if any(row["inference"] == "given_thresholds" for row in rows):
        return (
            f"p is meant {TUNED}: thresholds are held as chosen {CHOSEN[scope.study.thresholds.policy]}.",
        )
    return ()
