"""Expected performance averaged over the whole curve: a priori, a posteriori, and the gap between them."""

from __future__ import annotations

from reporting.criteria.catalogue import read_criterion
from reporting.frames import AREAS, AreaRow, Results
from reporting.measures.catalogue import read_measure
from reporting.measures.threshold import HTER
from reporting.report import numbers
from reporting.report.blocks import Block, Section
from reporting.sections.catalogue import SECTIONS
from reporting.stats.steps import area_equivalent
from reporting.wording.phrases import listing
from reporting.wording.printing import Printing
from reporting.wording.tables import ByRow, TableOf
from reporting.wording.view import View, views

GAP = (
    "A posteriori: the thresholds are chosen on test itself. The gap is what choosing them on dev costs; for"
    " the weighted error it cannot be negative."
)


def areas(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without expected performance curves."""
    return SECTIONS["areas"].per_view(views(results), _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    rows = sorted(view.rows(AREAS), key=lambda row: _place(view, row))
    if not rows:
        return ()
    table = TableOf[AreaRow](view)
    return (
        table.build(
            "areas",
            "Means of the expected performance curves on test, exact areas of their steps.",
            rows,
            (
                table.text("thresholds", lambda row: _curve(view, row.criterion)),
                table.text("measure", lambda row: _measure(view, row)),
                table.text("over", lambda row: f"[{row.low:g}, {row.high:g}]"),
                table.model(lambda row: row.model),
                table.number("a priori", lambda row: row.mean, ByRow(_printing)),
                table.number("a posteriori", _best, ByRow(_printing)),
                table.number("gap", _gap, ByRow(_printing)),
            ),
            (GAP, *_equivalents(view, rows)),
        ),
    )


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


def _curve(view: View, criterion: str) -> str:
    """Name a curve by what its thresholds do, without the parameter along which it runs."""
    if "+" in criterion:
        return f"G: half {criterion.replace('+', ', half ')}"
    target = {"target_far": view.terms.far, "target_frr": view.terms.frr}.get(criterion)
    return f"{target} aimed at" if target else view.terms.criterion(read_criterion(criterion))


def _measure(view: View, row: AreaRow) -> str:
    return view.terms.measure(read_measure(row.measure)) + (" (%)" if _printing(row).percent else "")


def _printing(row: AreaRow) -> Printing:
    percent = read_measure(row.measure).printed_in == "percent"
    return Printing(percent, 2 if percent else 4)


def _best(row: AreaRow) -> float | None:
    return None if row.value_oracle is None else row.value_oracle / (row.high - row.low)


def _gap(row: AreaRow) -> float | None:
    best = _best(row)
    return None if best is None or row.mean is None else row.mean - best


def _equivalents(view: View, rows: list[AreaRow]) -> tuple[str, ...]:
    """G of the HTER over [0, 1] on the scale of 1 - AUC, which it tends to where dev is test (7.7)."""
    equivalents = [
        f"{view.names[row.model]} {numbers.fixed(float(area_equivalent(row.area)), 4)}"
        for row in rows
        if "+" in row.criterion and row.measure == str(HTER) and (row.low, row.high) == (0, 1)
        if row.area is not None
    ]
    if not equivalents:
        return ()
    return (f"2 G − 1/2 of the {view.terms.hter}, on the scale of 1 − AUC: {listing(equivalents)}.",)
