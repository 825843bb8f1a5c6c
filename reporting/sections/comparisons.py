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
    CI_METHODS,
    CORRECTIONS,
    P_METHODS,
    TUNED,
    criterion_label,
    level_text,
    listing,
    method_name,
    reason,
)

DESCRIPTIVE = "descriptive, unadjusted"


def comparisons(results: Results) -> Section | None:
    """Return the tables of comparisons of every dataset."""
    return by_scope("Comparisons", "comparisons", results, _blocks)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    rows = sorted(scope.comparisons, key=lambda row: _place(scope, row))
    family = [row for row in rows if row["family"] != "descriptive"]
    descriptive = [row for row in rows if row["family"] == "descriptive"]
    tables = []
    if family:
        tables.append(
            _table(scope, "comparisons", f"The family of comparisons{_correction(family)}.", family)
        )
    if descriptive:
        tables.append(
            _table(scope, "comparisons_descriptive", "Other measures: descriptive, unadjusted.", descriptive)
        )
    return tuple(tables)


def _place(scope: Scope, row: Row) -> tuple[int, int, int, int]:
    """Sort as the report asks: measures, criteria and models in its order."""
    measures = [str(scope.study.primary.measure), *map(str, scope.study.measures)]
    criteria = [str(scope.study.primary.criterion), *map(str, scope.study.criteria)]
    models = list(scope.results.models)
    return (
        _index(measures, row["measure"]),
        _index(criteria, row["criterion"]),
        _index(models, row["model"]),
        _index(models, row["baseline"]),
    )


def _index(order: list[str], wanted: str | None) -> int:
    return order.index(wanted) if wanted in order else len(order)


def _correction(rows: list[Row]) -> str:
    row = rows[0]
    if not row["correction"] or not row["family_size"]:
        return ", unadjusted"
    name = CORRECTIONS.get(row["correction"], row["correction"])
    return f", adjusted by {name} over {row['family_size']}"


def _table(scope: Scope, name: str, caption: str, rows: list[Row]) -> Table:
    tuned = any(row["inference"] == "given_thresholds" for row in rows)
    return Table(
        name=scope.called(name),
        caption=caption,
        columns=(
            Column("measure"),
            Column("thresholds chosen on dev by"),
            Column("model"),
            Column("minus"),
            Column("difference", "number"),
            Column(f"{level_text(scope.study.inference.level)} interval", "interval"),
            Column("p, two tuned systems" if tuned else "p", "number"),
            Column("p, percentile", "number"),
            Column("p, exact mid-p", "number"),
            Column("adjusted p", "number"),
        ),
        rows=tuple(_row(scope, row) for row in rows),
        notes=(*_methods(rows), *_label(rows)),
    )


def _row(scope: Scope, row: Row) -> tuple[Cell, ...]:
    measure = read_measure(row["measure"])
    criterion = read_criterion(row["criterion"]) if row["criterion"] else None
    printed = printing(scope, measure)
    points = " (points)" if printed.percent else ""
    return (
        Cell(measure.printed + points),
        Cell("none" if criterion is None else criterion_label(criterion)),
        Cell(scope.names[row["model"]]),
        Cell(scope.names[row["baseline"]]),
        *_amount(row, printed),
        _p(row, "p_value", "no test is computed for it"),
        _p(row, "p_percentile", "it needs replicates"),
        _p(row, "p_exact", "exact only for weighted sums of FAR and FRR over independent trials"),
        _adjusted(row),
    )


def _amount(row: Row, printed: Printing) -> tuple[Cell, Cell]:
    if row["difference"] is None:
        undefined = Cell(UNDEFINED, reason=reason(row["status"]))
        return undefined, undefined
    interval = printed.interval(row["ci_low"], row["ci_high"])
    return (
        Cell(printed.value(row["difference"]), row["difference"]),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
    )


def _p(row: Row, column: str, why: str) -> Cell:
    p = row[column]
    if p is None:
        return Cell(UNDEFINED, reason=reason(row["status"]) if row["status"] else why)
    return Cell(numbers.p_value(p), p)


def _adjusted(row: Row) -> Cell:
    return _p(
        row, "p_adjusted", DESCRIPTIVE if row["family"] == "descriptive" else "no correction is asked for"
    )


def _methods(rows: Iterable[Row]) -> tuple[str, ...]:
    """Which interval and which test each measure has."""
    said: dict[str, list[str]] = {}
    for row in rows:
        if row["p_method"] or row["ci_method"]:
            interval = method_name(row["ci_method"], CI_METHODS)
            test = method_name(row["p_method"], P_METHODS)
            said.setdefault(f"interval {interval}, p {test}", []).append(read_measure(row["measure"]).printed)
    parts = [f"{listing(dict.fromkeys(labels))}: {methods}" for methods, labels in said.items()]
    return (f"{'; '.join(parts)}.",) if parts else ()


def _label(rows: Iterable[Row]) -> tuple[str, ...]:
    if any(row["inference"] == "given_thresholds" for row in rows):
        return (f"Where thresholds are involved, p is meant {TUNED}: thresholds are held as chosen on dev.",)
    return ()
