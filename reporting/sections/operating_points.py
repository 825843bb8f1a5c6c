"""What each criterion's thresholds yield on test: a priori beside a posteriori, errors as counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reporting.criteria.catalogue import oracle
from reporting.criteria.criterion import Criterion
from reporting.frames import MetricRow, Results
from reporting.measures.measure import Measure
from reporting.measures.threshold import FAR, FRR, HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.catalogue import SECTIONS
from reporting.wording.phrases import CHOSEN, acceptance, criterion_label, reason, sense, threshold_phrase
from reporting.wording.tables import ColumnOf, TableOf, blank_where, limits
from reporting.wording.view import View, views

NO_POINT = "no threshold was chosen"
COUNTS = "Rates in percent with their counts, errors/trials."
WEIGHTED = "Strata have weights: a rate is not its errors over its trials."
A_POSTERIORI = "What is chosen a posteriori saw the test data; it has no interval."


class Point(NamedTuple):
    """A model at the threshold of a criterion: the row of any measure there has its errors."""

    place: int
    model: str
    criterion: Criterion
    row: MetricRow | None


def operating_points(results: Results) -> Section | None:
    """Return one table for each criterion and dataset."""
    return SECTIONS["operating-points"].per_view(views(results), _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    a_priori = [criterion for criterion in view.study.criteria if not criterion.oracle]
    return tuple(
        _table(view, criterion, f"operating_points_{number}")
        for number, criterion in enumerate(a_priori, start=1)
        if any(view.operating_point(model, criterion) for model in view.results.models)
    )


def _table(view: View, criterion: Criterion, name: str) -> Table:
    measure, table = _judged(view), TableOf[Point](view)
    points = [
        Point(place, model, chosen, view.operating_point(model, chosen))
        for place, model in enumerate(view.results.models)
        for chosen in ((criterion, oracle(criterion)) if criterion.has_oracle else (criterion,))
    ]
    return table.build(
        name,
        _caption(view, criterion),
        points,
        (
            table.model(lambda point: point.model, order=lambda point: float(point.place)),
            table.text("threshold chosen", lambda point: _chosen(point.criterion)),
            table.number(
                "threshold",
                lambda point: None if point.row is None else point.row.threshold,
                numbers.significant,
                why=NO_POINT,
            ),
            _rate(view, FAR, "no_nontargets", lambda row: (row.false_alarms, row.n_nontarget)),
            _rate(view, FRR, "no_targets", lambda row: (row.misses, row.n_target)),
            *(_measure_columns(view, measure) if measure else ()),
        ),
        (
            COUNTS,
            *((WEIGHTED,) if view.results.weighted else ()),
            *((acceptance(view),) if view.study.negated else ()),
            A_POSTERIORI,
        ),
    )


def _judged(view: View) -> Measure | None:
    """Return the measure that is set beside its a posteriori value: the primary one, HTER, or the first."""
    primary = view.study.primary.measure
    offered = [m for m in (primary, *view.study.measures) if m.over == "threshold" and m not in (FAR, FRR)]
    return primary if primary in offered else HTER if HTER in offered else next(iter(offered), None)


def _caption(view: View, criterion: Criterion) -> str:
    if criterion.threshold is not None:
        return f"Errors on test at {threshold_phrase(criterion, view.study)}."
    return (
        f"Errors on test at thresholds chosen by {criterion_label(criterion, view.terms)}:"
        f" {CHOSEN[view.study.thresholds.policy]} (a priori), and on test itself (a posteriori)."
    )


def _chosen(criterion: Criterion) -> str:
    if criterion.threshold is not None:
        return "by prior and costs" if criterion.on == "llr" else "fixed"
    return "a posteriori" if criterion.oracle else "a priori"


def _rate(
    view: View, measure: Measure, empty: str, counts: Callable[[MetricRow], tuple[int | None, int]]
) -> ColumnOf[Point]:
    """The rate with its errors and trials behind it; ``empty`` is the status of a class without trials."""
    printed = view.printing(measure)

    def cell(point: Point) -> Cell:
        errors, trials = (None, 0) if point.row is None else counts(point.row)
        if errors is None:
            return Cell(UNDEFINED, reason=NO_POINT)
        if not trials:
            return Cell(UNDEFINED, reason=reason(empty, view.terms))
        far, frr = view.rates_at(point.model, point.criterion)
        rate = far if measure == FAR else frr
        shown = UNDEFINED if rate is None else printed.value(rate)
        return Cell(f"{shown} ({numbers.count(errors)}/{numbers.count(trials)})", rate)

    return ColumnOf(Column(view.terms.measure(measure), "number", "%", "lower is better"), cell)


def _measure_columns(view: View, measure: Measure) -> tuple[ColumnOf[Point], ...]:
    printed, title, table = view.printing(measure), view.terms.measure(measure), TableOf[Point](view)

    def row(point: Point, split: str = "test") -> MetricRow | None:
        return view.metric(point.model, measure, point.criterion, split)

    return (
        table.value(title, row, printed, sense=sense(measure)),
        blank_where(
            lambda point: point.criterion.oracle,
            table.interval(lambda point: limits(row(point)), printed),
        ),
        blank_where(
            lambda point: point.criterion.oracle,
            table.value(f"{title} on dev", lambda point: row(point, "dev"), printed),
        ),
    )
