"""What each criterion's thresholds yield on test: a priori beside a posteriori, errors as counts."""

from __future__ import annotations

from reporting.charts.scope import Row, Scope
from reporting.criteria.catalogue import oracle
from reporting.criteria.criterion import Criterion
from reporting.frames.results import Results
from reporting.measures.measure import Measure
from reporting.measures.rates import FAR, FRR, HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.by_scope import by_scope
from reporting.sections.printing import Printing, printing
from reporting.sections.wording import criterion_label, level_text, reason

NO_POINT = "no threshold was chosen"


def operating_points(results: Results) -> Section | None:
    """Return one table for each criterion and dataset."""
    return by_scope("Operating points", "operating-points", results, _blocks)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    measure = _judged(scope)
    priors = [criterion for criterion in scope.study.criteria if not criterion.oracle]
    return tuple(
        _table(scope, measure, criterion, number)
        for number, criterion in enumerate(priors, start=1)
        if any(scope.operating_point(model, criterion) for model in scope.results.models)
    )


def _judged(scope: Scope) -> Measure | None:
    """The measure that is set beside its a posteriori value: the primary one, HTER, or the first."""
    primary = scope.study.primary.measure
    offered = [m for m in (primary, *scope.study.measures) if m.over == "threshold" and m not in (FAR, FRR)]
    return primary if primary in offered else HTER if HTER in offered else next(iter(offered), None)


def _table(scope: Scope, measure: Measure | None, criterion: Criterion, number: int) -> Table:
    dev = f"thresholds chosen on dev by {criterion_label(criterion)} (a priori)"
    return Table(
        name=scope.called(f"operating_points_{number}"),
        caption=f"Errors on test at {dev}, beside those chosen on test itself (a posteriori).",
        columns=(*_rate_columns(), *(_measure_columns(scope, measure) if measure else ())),
        rows=tuple(
            (
                Cell(scope.names[model], float(place)),
                *_rate_cells(scope, model, criterion),
                *(_measure_cells(scope, model, measure, criterion) if measure else ()),
            )
            for place, model in enumerate(scope.results.models)
        ),
        notes=("Rates in percent with their counts, errors/trials.",),
    )


def _rate_columns() -> tuple[Column, ...]:
    return (
        Column("model"),
        Column("threshold, a priori", "number"),
        Column("threshold, a posteriori", "number"),
        Column("FAR", "number", "%", "lower is better"),
        Column("FRR", "number", "%", "lower is better"),
    )


def _measure_columns(scope: Scope, measure: Measure) -> tuple[Column, ...]:
    printed = printing(scope, measure)
    label = measure.printed
    sense = "lower is better" if measure.better == "lower" else "higher is better"
    return (
        Column(label, "number", printed.unit, sense),  # type: ignore[arg-type]
        Column(f"{level_text(scope.study.inference.level)} interval", "interval", printed.unit),
        Column(f"{label} on dev", "number", printed.unit),
        Column(f"{label}, a posteriori", "number", printed.unit),
        Column("gap", "number", printed.difference_unit),
    )


def _rate_cells(scope: Scope, model: str, criterion: Criterion) -> tuple[Cell, ...]:
    prior = scope.operating_point(model, criterion)
    best = scope.operating_point(model, oracle(criterion))
    return (
        _threshold(prior),
        _threshold(best),
        _rate(prior, "false_alarms", "n_nontarget", printing(scope, FAR), "no_nontargets"),
        _rate(prior, "misses", "n_target", printing(scope, FRR), "no_targets"),
    )


def _threshold(row: Row | None) -> Cell:
    if row is None or row["threshold"] is None:
        return Cell(UNDEFINED, reason=NO_POINT)
    return Cell(numbers.significant(row["threshold"]), row["threshold"])


def _rate(row: Row | None, errors: str, trials: str, printed: Printing, empty: str) -> Cell:
    if row is None:
        return Cell(UNDEFINED, reason=NO_POINT)
    if not row[trials]:
        return Cell(UNDEFINED, reason=reason(empty))
    rate = row[errors] / row[trials]
    return Cell(f"{printed.value(rate)} ({numbers.count(row[errors])}/{numbers.count(row[trials])})", rate)


def _measure_cells(scope: Scope, model: str, measure: Measure, criterion: Criterion) -> tuple[Cell, ...]:
    printed = printing(scope, measure)
    prior = scope.metric(model, measure, criterion)
    best = scope.metric(model, measure, oracle(criterion))
    interval = printed.interval(prior["ci_low"], prior["ci_high"]) if prior else UNDEFINED
    return (
        value_cell(prior, printed),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
        value_cell(scope.metric(model, measure, criterion, "dev"), printed),
        value_cell(best, printed),
        _gap(prior, best, printed),
    )


def value_cell(row: Row | None, printed: Printing) -> Cell:
    """Print a value, or an em rule with the reason."""
    if row is None or row["value"] is None:
        return Cell(UNDEFINED, reason=reason(None if row is None else row["status"]))
    return Cell(printed.value(row["value"]), row["value"])


def _gap(prior: Row | None, best: Row | None, printed: Printing) -> Cell:
    """A priori minus a posteriori: the price of not having seen test."""
    if prior is None or best is None or prior["value"] is None or best["value"] is None:
        return Cell(UNDEFINED, reason="one of the two values is undefined")
    gap = prior["value"] - best["value"]
    return Cell(numbers.fixed(printed.scaled(gap), printed.decimals), gap)
