"""Expected performance averaged over the whole curve: a priori, a posteriori, and the gap between them."""

from __future__ import annotations

from reporting.criteria.catalogue import read_criterion
from reporting.criteria.rates import WEIGHTED_ERROR as WEIGHTED
from reporting.frames import AREAS, AreaRow, Results
from reporting.measures.catalogue import read_measure
from reporting.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.report import numbers
from reporting.report.blocks import Block, Section
from reporting.sections.catalogue import SECTIONS
from reporting.stats.steps import area_equivalent
from reporting.wording.phrases import listing
from reporting.wording.printing import Printing
from reporting.wording.tables import ByRow, TableOf, blank_where, by_dataset
from reporting.wording.view import View, views

CAPTION = "Mean height of each expected performance curve (exact area)"
GAP = "Gap: the price of setting thresholds on development data."


def areas(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without expected performance curves."""
    return SECTIONS["areas"].per_view(views(results), _blocks, merged=by_dataset)


def _blocks(view: View) -> tuple[Block, ...]:
    every = sorted(view.rows(AREAS), key=lambda row: _place(view, row))
    rows = [row for row in every if not _is_no_bound(row)]
    if not rows:
        return ()
    table = TableOf[AreaRow](view)
    curves = {_curve(view, row) for row in rows}
    caption = f"{CAPTION}: {curves.pop()}." if len(curves) == 1 else f"{CAPTION}."
    return (
        table.build(
            "areas",
            caption,
            rows,
            (
                table.model(lambda row: row.model),
                table.number(view.terms.a_priori, lambda row: row.mean, ByRow(_printing)),
                table.number(f"{view.terms.a_posteriori} (optimistic)", _best, ByRow(_printing)),
                blank_where(lambda row: not _is_minimised(row), table.number("gap", _gap, ByRow(_printing))),
            ),
            ((GAP,) if any(map(_is_minimised, rows)) else ()) + _equivalents(view, every),
            group=lambda row: _curve(view, row),
        ),
    )


def _is_minimised(row: AreaRow) -> bool:
    """Return whether the thresholds minimise what the curve shows, so that those of test are a bound."""
    return (row.criterion, row.measure) == (str(WEIGHTED), str(WEIGHTED_ERROR))


def _is_no_bound(row: AreaRow) -> bool:
    """Return whether it is the HTER at thresholds that minimise the weighted error, which is shown itself."""
    return (row.criterion, row.measure) == (str(WEIGHTED), str(HTER))


def _place(view: View, row: AreaRow) -> tuple[int, int, float, float, int]:
    plan = view.study.epc
    criteria = [str(criterion) for criterion in plan.criteria] if plan else []
    measures = [str(measure) for measure in plan.measures] if plan else []
    return (
        criteria.index(row.criterion) if row.criterion in criteria else len(criteria),
        measures.index(row.measure) if row.measure in measures else len(measures),
        row.low,
        -row.high,
        view.ranked.index(row.model),
    )


def _curve(view: View, row: AreaRow) -> str:
    """Name a curve by its measure, what its thresholds do, and the range it is averaged over."""
    unit = " (%)" if _printing(row).percent else ""
    measure = view.terms.measure(read_measure(row.measure))
    return f"{measure}{unit}, {_thresholds(view, row.criterion)}, over [{row.low:g}, {row.high:g}]"


def _thresholds(view: View, criterion: str) -> str:
    far, frr = f"target {view.terms.far}", f"target {view.terms.frr}"
    if "+" in criterion:
        return f"G (mean of {far} and {frr})"
    named = {"target_far": far, "target_frr": frr}.get(criterion)
    return f"thresholds by {named or view.terms.criterion(read_criterion(criterion))}"


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
