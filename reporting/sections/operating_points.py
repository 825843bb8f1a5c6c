"""What each criterion's thresholds yield on test: a priori beside a posteriori, errors as counts."""

from __future__ import annotations

from reporting.charts.scope import Row, Scope
from reporting.charts.words import terms_of
from reporting.criteria.catalogue import oracle
from reporting.criteria.criterion import Criterion
from reporting.frames.results import Results
from reporting.measures.measure import Measure
from reporting.measures.rates import FAR, FRR, HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.by_scope import by_scope
from reporting.sections.printing import Printing, printing
from reporting.sections.wording import CHOSEN, criterion_label, level_text, reason, sense, threshold_phrase

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
    return Table(
        name=scope.called(f"operating_points_{number}"),
        caption=_caption(scope, criterion),
        columns=(*_rate_columns(scope), *(_measure_columns(scope, measure) if measure else ())),
        rows=tuple(
            (
                Cell(scope.names[model], float(place)),
                *_rate_cells(scope, model, chosen),
                *(_measure_cells(scope, model, measure, chosen) if measure else ()),
            )
            for place, model in enumerate(scope.results.models)
            for chosen in ((criterion, oracle(criterion)) if criterion.has_oracle else (criterion,))
        ),
        notes=(COUNTS, *((WEIGHTED,) if scope.results.weighted else ()), A_POSTERIORI),
    )


def _caption(scope: Scope, criterion: Criterion) -> str:
    if criterion.threshold is not None:
        return f"Errors on test at {threshold_phrase(criterion, scope.study)}."
    return (
        f"Errors on test at thresholds chosen by {criterion_label(criterion, terms_of(scope))}:"
        f" {CHOSEN[scope.study.thresholds.policy]} (a priori), and on test itself (a posteriori)."
    )


COUNTS = "Rates in percent with their counts, errors/trials."
WEIGHTED = "Strata have weights: a rate is not its errors over its trials."
A_POSTERIORI = "What is chosen a posteriori saw the test data; it has no interval."


def _rate_columns(scope: Scope) -> tuple[Column, ...]:
    spoken = terms_of(scope)
    return (
        Column("model"),
        Column("threshold chosen"),
        Column("threshold", "number"),
        Column(spoken.far, "number", "%", "lower is better"),
        Column(spoken.frr, "number", "%", "lower is better"),
    )


def _measure_columns(scope: Scope, measure: Measure) -> tuple[Column, ...]:
    printed, name = printing(scope, measure), terms_of(scope).measure(measure)
    return (
        Column(name, "number", printed.unit, sense(measure)),
        Column(f"{level_text(scope.study.inference.level)} interval", "interval", printed.unit),
        Column(f"{name} on dev", "number", printed.unit),
    )


def _rate_cells(scope: Scope, model: str, criterion: Criterion) -> tuple[Cell, ...]:
    row = scope.operating_point(model, criterion)
    far, frr = scope.rates_at(model, criterion)
    return (
        Cell(_chosen(criterion)),
        _threshold(row),
        _rate(scope, row, far, "false_alarms", "n_nontarget", FAR, "no_nontargets"),
        _rate(scope, row, frr, "misses", "n_target", FRR, "no_targets"),
    )


def _chosen(criterion: Criterion) -> str:
    if criterion.threshold is not None:
        return "by prior and costs" if criterion.on == "llr" else "fixed"
    return "a posteriori" if criterion.oracle else "a priori"


def _threshold(row: Row | None) -> Cell:
    if row is None or row["threshold"] is None:
        return Cell(UNDEFINED, reason=NO_POINT)
    return Cell(numbers.significant(row["threshold"]), row["threshold"])


def _rate(
    scope: Scope, row: Row | None, rate: float | None, errors: str, trials: str, measure: Measure, empty: str
) -> Cell:
    if row is None:
        return Cell(UNDEFINED, reason=NO_POINT)
    if not row[trials]:
        return Cell(UNDEFINED, reason=reason(empty, terms_of(scope)))
    counts = f"({numbers.count(row[errors])}/{numbers.count(row[trials])})"
    return Cell(f"{UNDEFINED if rate is None else printing(scope, measure).value(rate)} {counts}", rate)


def _measure_cells(scope: Scope, model: str, measure: Measure, criterion: Criterion) -> tuple[Cell, ...]:
    printed = printing(scope, measure)
    row = scope.metric(model, measure, criterion)
    if criterion.oracle:
        return value_cell(scope, row, printed), Cell(""), Cell("")
    interval = printed.interval(row["ci_low"], row["ci_high"]) if row else UNDEFINED
    return (
        value_cell(scope, row, printed),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
        value_cell(scope, scope.metric(model, measure, criterion, "dev"), printed),
    )


def value_cell(scope: Scope, row: Row | None, printed: Printing) -> Cell:
    """Print a value, or an em rule with the reason."""
    if row is None or row["value"] is None:
        return Cell(UNDEFINED, reason=reason(None if row is None else row["status"], terms_of(scope)))
    return Cell(printed.value(row["value"]), row["value"])
