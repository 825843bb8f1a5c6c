"""Expected performance averaged over the whole curve: a priori, a posteriori, and the gap between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.rates import WEIGHTED_ERROR as WEIGHTED
from reporting.core.measures.catalogue import read_measure
from reporting.core.measures.threshold import HTER, WEIGHTED_ERROR
from reporting.document import numbers
from reporting.document.blocks import Block, Section
from reporting.document.frames.results import Results
from reporting.document.words.phrases import listing
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ColumnOf, TableOf, blank_where, by_dataset, spanner
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.epc import FEATURE
from reporting.features.epc.exact_frames import AREAS, AreaRow

CAPTION = "Mean height of each expected performance curve (exact area)"
GAP = "Gap: the price of setting thresholds on development data."


class AreaKey(NamedTuple):
    """What an area is of: a measure along a range of the curve's parameter."""

    measure: str
    low: float
    high: float


def areas(results: Results) -> Section | None:
    """Return one table for each dataset; nothing without expected performance curves."""
    return FEATURE.section("areas").per_view(views(results), _blocks, merged=by_dataset)


class AreaLine(NamedTuple):
    """A model at the thresholds of a criterion: its areas by measure and range."""

    model: str
    criterion: str
    by_curve: Mapping[AreaKey, AreaRow]


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    every = view.rows(AREAS)
    # The HTER at thresholds that minimise the weighted error is no bound of that error, which is shown.
    bounds = (row for row in every if (row.criterion, row.measure) != (str(WEIGHTED), str(HTER)))
    rows = sorted(bounds, key=lambda row: _place(view, row))
    if not rows:
        return ()
    table = TableOf[AreaLine](view)
    lines = [
        AreaLine(
            model, criterion, {_curve(r): r for r in rows if (r.criterion, r.model) == (criterion, model)}
        )
        for criterion in dict.fromkeys(row.criterion for row in rows)
        for model in view.ranked
    ]
    alone = len({line.criterion for line in lines}) == 1
    curves = dict.fromkeys(_curve(row) for row in sorted(rows, key=lambda row: _place(view, row)[1:]))
    return (
        table.build(
            "areas",
            f"{CAPTION}{f': {_thresholds(view, lines[0].criterion)}' if alone else ''}.",
            lines,
            (
                table.model(lambda line: line.model),
                *(column for curve in curves for column in _columns(view, rows, curve)),
            ),
            ((GAP,) if any(map(_is_minimised, rows)) else ()) + _equivalents(view, every),
            group=lambda line: capitalised(_thresholds(view, line.criterion)),
        ),
    )


def _columns(view: DatasetView, rows: list[AreaRow], curve: AreaKey) -> tuple[ColumnOf[AreaLine], ...]:
    """What development thresholds yield, what those tuned on test do, and the gap where these are a bound."""
    measure, table = read_measure(curve.measure), TableOf[AreaLine](view)
    printed = Printing(measure.printed_in == "percent", 2 if measure.printed_in == "percent" else 4)
    unit = f" ({printed.unit})" if printed.unit else ""
    head = f"{view.terms.measure(measure)}{unit}, [{curve.low:g}, {curve.high:g}]"

    def number(
        title: str, of: Callable[[AreaRow], float | None], shows: Callable[[AreaRow], bool] = lambda row: True
    ) -> ColumnOf[AreaLine]:
        def value(line: AreaLine) -> float | None:
            row = line.by_curve.get(curve)
            return None if row is None else of(row)

        column = table.number(title, value, printed, unit="")
        return blank_where(lambda line: curve not in line.by_curve or not shows(line.by_curve[curve]), column)

    gap = any(_is_minimised(row) and _curve(row) == curve for row in rows)
    return spanner(
        head,
        number(view.terms.a_priori, lambda row: row.mean),
        number(f"{view.terms.a_posteriori} (optimistic)", _best),
        *((number("gap", _gap, _is_minimised),) if gap else ()),
    )


def _is_minimised(row: AreaRow) -> bool:
    """Return whether the thresholds minimise what the curve shows, so that those of test are a bound."""
    return (row.criterion, row.measure) == (str(WEIGHTED), str(WEIGHTED_ERROR))


def _place(view: DatasetView, row: AreaRow) -> tuple[int, int, float, float, int]:
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


def _curve(row: AreaRow) -> AreaKey:
    return AreaKey(row.measure, row.low, row.high)


def _thresholds(view: DatasetView, criterion: str) -> str:
    far, frr = f"target {view.terms.far}", f"target {view.terms.frr}"
    if "+" in criterion:
        return f"G (mean of {far} and {frr})"
    named = {"target_far": far, "target_frr": frr}.get(criterion)
    return f"thresholds by {named or view.terms.criterion(read_criterion(criterion))}"


def _best(row: AreaRow) -> float | None:
    return None if row.value_oracle is None else row.value_oracle / (row.high - row.low)


def _gap(row: AreaRow) -> float | None:
    best = _best(row)
    return None if best is None or row.mean is None else row.mean - best


def _equivalents(view: DatasetView, rows: list[AreaRow]) -> tuple[str, ...]:
    """2 G - 1/2, G of the HTER over [0, 1]: on the scale of 1 - AUC, to which it tends where dev is test.

    A perfect system has G = 1/4, chance 1/2. Methods 7.7.
    """
    equivalents = [
        f"{view.names[row.model]} {numbers.fixed(2 * row.area - 0.5, 4)}"
        for row in rows
        if "+" in row.criterion and row.measure == str(HTER) and (row.low, row.high) == (0, 1)
        if row.area is not None
    ]
    if not equivalents:
        return ()
    return (f"2 G − 1/2 of the {view.terms.hter}, on the scale of 1 − AUC: {listing(equivalents)}.",)
