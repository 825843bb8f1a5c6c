"""What each criterion's thresholds yield on test: a priori beside a posteriori, errors as counts."""

from __future__ import annotations

from reporting.criteria.catalogue import oracle
from reporting.criteria.criterion import Criterion
from reporting.frames.results import Results
from reporting.frames.schemas import MetricRow
from reporting.frames.transfer import TransferRow
from reporting.measures.measure import Measure
from reporting.measures.rates import FAR, FRR, HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.wording.phrases import CHOSEN, criterion_label, level_text, reason, sense, threshold_phrase
from reporting.wording.printing import Printing
from reporting.wording.view import View, per_view

NO_POINT = "no threshold was chosen"


def operating_points(results: Results) -> Section | None:
    """Return one table for each criterion and dataset."""
    return per_view("Operating points", "operating-points", results, _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    measure = _judged(view)
    priors = [criterion for criterion in view.study.criteria if not criterion.oracle]
    return tuple(
        _table(view, measure, criterion, number)
        for number, criterion in enumerate(priors, start=1)
        if any(view.operating_point(model, criterion) for model in view.results.models)
    )


def _judged(view: View) -> Measure | None:
    """The measure that is set beside its a posteriori value: the primary one, HTER, or the first."""
    primary = view.study.primary.measure
    offered = [m for m in (primary, *view.study.measures) if m.over == "threshold" and m not in (FAR, FRR)]
    return primary if primary in offered else HTER if HTER in offered else next(iter(offered), None)


def _table(view: View, measure: Measure | None, criterion: Criterion, number: int) -> Table:
    return Table(
        name=view.called(f"operating_points_{number}"),
        caption=_caption(view, criterion),
        columns=(*_rate_columns(view), *(_measure_columns(view, measure) if measure else ())),
        rows=tuple(
            (
                Cell(view.names[model], float(place)),
                *_rate_cells(view, model, chosen),
                *(_measure_cells(view, model, measure, chosen) if measure else ()),
            )
            for place, model in enumerate(view.results.models)
            for chosen in ((criterion, oracle(criterion)) if criterion.has_oracle else (criterion,))
        ),
        notes=(COUNTS, *((WEIGHTED,) if view.results.weighted else ()), A_POSTERIORI),
    )


def _caption(view: View, criterion: Criterion) -> str:
    if criterion.threshold is not None:
        return f"Errors on test at {threshold_phrase(criterion, view.study)}."
    return (
        f"Errors on test at thresholds chosen by {criterion_label(criterion, view.terms)}:"
        f" {CHOSEN[view.study.thresholds.policy]} (a priori), and on test itself (a posteriori)."
    )


COUNTS = "Rates in percent with their counts, errors/trials."
WEIGHTED = "Strata have weights: a rate is not its errors over its trials."
A_POSTERIORI = "What is chosen a posteriori saw the test data; it has no interval."


def _rate_columns(view: View) -> tuple[Column, ...]:
    spoken = view.terms
    return (
        Column("model"),
        Column("threshold chosen"),
        Column("threshold", "number"),
        Column(spoken.far, "number", "%", "lower is better"),
        Column(spoken.frr, "number", "%", "lower is better"),
    )


def _measure_columns(view: View, measure: Measure) -> tuple[Column, ...]:
    printed, name = view.printing(measure), view.terms.measure(measure)
    return (
        Column(name, "number", printed.unit, sense(measure)),
        Column(f"{level_text(view.study.inference.level)} interval", "interval", printed.unit),
        Column(f"{name} on dev", "number", printed.unit),
    )


def _rate_cells(view: View, model: str, criterion: Criterion) -> tuple[Cell, ...]:
    row = view.operating_point(model, criterion)
    far, frr = view.rates_at(model, criterion)
    alarms, misses = (None, None) if row is None else (row.false_alarms, row.misses)
    nontargets, targets = (0, 0) if row is None else (row.n_nontarget, row.n_target)
    return (
        Cell(_chosen(criterion)),
        _threshold(row),
        _rate(view, FAR, far, alarms, nontargets, "no_nontargets"),
        _rate(view, FRR, frr, misses, targets, "no_targets"),
    )


def _chosen(criterion: Criterion) -> str:
    if criterion.threshold is not None:
        return "by prior and costs" if criterion.on == "llr" else "fixed"
    return "a posteriori" if criterion.oracle else "a priori"


def _threshold(row: MetricRow | None) -> Cell:
    if row is None or row.threshold is None:
        return Cell(UNDEFINED, reason=NO_POINT)
    return Cell(numbers.significant(row.threshold), row.threshold)


def _rate(
    view: View, measure: Measure, rate: float | None, errors: int | None, trials: int, empty: str
) -> Cell:
    if errors is None:
        return Cell(UNDEFINED, reason=NO_POINT)
    if not trials:
        return Cell(UNDEFINED, reason=reason(empty, view.terms))
    counts = f"({numbers.count(errors)}/{numbers.count(trials)})"
    return Cell(f"{UNDEFINED if rate is None else view.printing(measure).value(rate)} {counts}", rate)


def _measure_cells(view: View, model: str, measure: Measure, criterion: Criterion) -> tuple[Cell, ...]:
    printed = view.printing(measure)
    row = view.metric(model, measure, criterion)
    if criterion.oracle:
        return value_cell(view, row, printed), Cell(""), Cell("")
    interval = printed.interval(row.ci_low, row.ci_high) if row else UNDEFINED
    return (
        value_cell(view, row, printed),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
        value_cell(view, view.metric(model, measure, criterion, "dev"), printed),
    )


def value_cell(view: View, row: MetricRow | TransferRow | None, printed: Printing) -> Cell:
    """Print a value, or an em rule with the reason."""
    if row is None or row.value is None:
        return Cell(UNDEFINED, reason=reason(None if row is None else row.status, view.terms))
    return Cell(printed.value(row.value), row.value)
