"""Every other measure that was asked for, on test with its interval and on dev."""

from __future__ import annotations

from collections.abc import Iterator

from reporting.charts.scope import Scope
from reporting.criteria.criterion import Criterion
from reporting.frames.results import Results
from reporting.measures.measure import Measure
from reporting.measures.rates import HTER
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.by_scope import by_scope
from reporting.sections.operating_points import value_cell
from reporting.sections.printing import printing
from reporting.sections.wording import CHOSEN, criterion_label, interval_name, level_text, listing

SHOWN_BEFORE = (HTER,)


def other_measures(results: Results) -> Section | None:
    """Return one long table for each dataset, a row for each measure and model."""
    return by_scope("Other measures", "other-measures", results, _blocks)


def _blocks(scope: Scope) -> tuple[Block, ...]:
    rows = tuple(
        _row(scope, measure, criterion, model)
        for measure, criterion in _questions(scope)
        for model in scope.results.models
    )
    if not rows:
        return ()
    columns = (
        Column("measure"),
        Column("threshold chosen by"),
        Column("model"),
        Column("test", "number"),
        Column(f"{level_text(scope.study.inference.level)} interval", "interval"),
        Column("dev", "number"),
    )
    caption = "Other measures; those without a threshold are taken over all of them on the split itself."
    return (Table(scope.called("other_measures"), caption, columns, rows, _notes(scope)),)


def _questions(scope: Scope) -> Iterator[tuple[Measure, Criterion | None]]:
    """Measures over the sweep once; those at a threshold, shown nowhere else, once for each criterion."""
    for measure in scope.study.measures:
        if measure.over != "threshold":
            yield measure, None
        elif measure not in (*SHOWN_BEFORE, scope.study.primary.measure):
            for criterion in scope.study.criteria:
                yield measure, criterion


def _row(scope: Scope, measure: Measure, criterion: Criterion | None, model: str) -> tuple[Cell, ...]:
    printed = printing(scope, measure)
    test = scope.metric(model, measure, criterion)
    interval = printed.interval(test["ci_low"], test["ci_high"]) if test else UNDEFINED
    return (
        Cell(measure.printed + (" (%)" if printed.percent else "")),
        Cell(_chosen_by(scope, criterion)),
        Cell(scope.names[model]),
        value_cell(test, printed),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
        value_cell(scope.metric(model, measure, criterion, "dev"), printed),
    )


def _chosen_by(scope: Scope, criterion: Criterion | None) -> str:
    if criterion is None or criterion.threshold is not None:
        return "" if criterion is None else criterion_label(criterion)
    where = "on test (a posteriori)" if criterion.oracle else CHOSEN[scope.study.thresholds.policy]
    return f"{criterion_label(criterion)} {where}"


def _notes(scope: Scope) -> tuple[str, ...]:
    """Which interval each measure has."""
    said = []
    for measure in dict.fromkeys(measure for measure, _ in _questions(scope)):
        methods = {interval_name(r) for r in scope.metrics if r["measure"] == str(measure) and r["ci_method"]}
        if methods:
            said.append(f"{measure.printed} {listing(sorted(methods))}")
    return (f"Intervals: {'; '.join(said)}.", *_own_cut(scope)) if said else ()


def _own_cut(scope: Scope) -> tuple[str, ...]:
    """EER and minimum costs are read at the cut that suits the split itself, and biased low by that."""
    own = [m.printed for m in scope.study.measures if m.own_cut]
    if not own:
        return ()
    return (
        f"{listing(own)}: read at the best cut of the split itself (a posteriori); minima are biased low,"
        " in replicates more so, so that an interval may lie below the truth.",
    )
