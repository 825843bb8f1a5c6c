"""Expected performance averaged over the whole curve: a priori, a posteriori, and the gap between them."""

from __future__ import annotations

from reporting.criteria.catalogue import read_criterion
from reporting.frames.curve_schemas import AREAS, AreaRow
from reporting.frames.results import Results
from reporting.measures.catalogue import read_measure
from reporting.measures.measure import Measure
from reporting.measures.rates import HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.stats.epc_areas import area_equivalent
from reporting.wording.phrases import listing, reason
from reporting.wording.view import View, per_view


def areas(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without expected performance curves."""
    return per_view("Mean expected performance", "areas", results, _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    rows = sorted(view.rows(AREAS), key=lambda row: _place(view, row))
    if not rows:
        return ()
    return (
        Table(
            name=view.called("areas"),
            caption="Means of the expected performance curves on test, exact areas of their steps.",
            columns=(
                Column("thresholds"),
                Column("measure"),
                Column("over"),
                Column("model"),
                Column("a priori", "number"),
                Column("a posteriori", "number"),
                Column("gap", "number"),
            ),
            rows=tuple(_cells(view, row) for row in rows),
            notes=(GAP, *_equivalents(view, rows)),
        ),
    )


GAP = (
    "A posteriori: the thresholds are chosen on test itself. The gap is what choosing them on dev costs; for"
    " the weighted error it cannot be negative."
)


def _equivalents(view: View, rows: list[AreaRow]) -> tuple[str, ...]:
    """G of the HTER over [0, 1] on the scale of 1 - AUC, which it tends to where dev is test (7.7)."""
    said = [
        f"{view.names[row.model]} {numbers.fixed(float(area_equivalent(row.area)), 4)}"
        for row in rows
        if "+" in row.criterion and row.measure == str(HTER) and (row.low, row.high) == (0, 1)
        if row.area is not None
    ]
    return (f"2 G − 1/2 of the {view.terms.hter}, on the scale of 1 − AUC: {listing(said)}.",) if said else ()


def _place(view: View, row: AreaRow) -> tuple[int, int, float, float, int]:
    plan = view.study.epc
    criteria = [str(criterion) for criterion in plan.criteria] if plan else []
    measures = [str(measure) for measure in plan.measures] if plan else []
    return (
        criteria.index(row.criterion) if row.criterion in criteria else len(criteria),
        measures.index(row.measure) if row.measure in measures else len(measures),
        row.low,
        -row.high,
        view.results.models.index(row.model),
    )


def _cells(view: View, row: AreaRow) -> tuple[Cell, ...]:
    measure = read_measure(row.measure)
    best = None if row.value_oracle is None else row.value_oracle / (row.high - row.low)
    gap = None if best is None or row.mean is None else row.mean - best
    return (
        Cell(_curve(view, row.criterion)),
        Cell(view.terms.measure(measure) + (" (%)" if measure.printed_in == "percent" else "")),
        Cell(f"[{row.low:g}, {row.high:g}]"),
        Cell(view.names[row.model]),
        *(_value(view, value, measure, row.status) for value in (row.mean, best, gap)),
    )


def _curve(view: View, criterion: str) -> str:
    """Name a curve by what its thresholds do, without the parameter along which it runs."""
    if "+" in criterion:
        return f"G: half {criterion.replace('+', ', half ')}"
    spoken = view.terms
    aimed_at = {"target_far": spoken.far, "target_frr": spoken.frr}.get(criterion)
    return f"{aimed_at} aimed at" if aimed_at else spoken.criterion(read_criterion(criterion))


def _value(view: View, value: float | None, measure: Measure, status: str | None) -> Cell:
    if value is None:
        return Cell(UNDEFINED, reason=reason(status, view.terms))
    if measure.printed_in == "percent":
        return Cell(numbers.percent(value, 2), value)
    return Cell(numbers.fixed(value, 4), value)
