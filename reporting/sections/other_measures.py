"""Every other measure that was asked for, on test with its interval and on dev."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

from reporting.criteria.criterion import Criterion
from reporting.frames.results import Results
from reporting.frames.schemas import MetricRow
from reporting.measures.measure import Measure
from reporting.measures.rates import HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section, Table
from reporting.sections.operating_points import value_cell
from reporting.wording.phrases import CHOSEN, criterion_label, interval_name, level_text, listing
from reporting.wording.view import View, per_view

SHOWN_BEFORE = (HTER,)


def other_measures(results: Results) -> Section | None:
    """Return one long table for each dataset, a row for each measure and model."""
    return per_view("Other measures", "other-measures", results, _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    rows = tuple(
        _row(view, measure, criterion, model)
        for measure, criterion in _questions(view)
        for model in view.results.models
    )
    if not rows:
        return ()
    columns = (
        Column("measure"),
        Column("threshold chosen by"),
        Column("model"),
        Column("test", "number"),
        Column(f"{level_text(view.study.inference.level)} interval", "interval"),
        Column("dev", "number"),
    )
    caption = "Other measures; those without a threshold are taken over all of them on the split itself."
    return (Table(view.called("other_measures"), caption, columns, rows, _notes(view)),)


def _questions(view: View) -> Iterator[tuple[Measure, Criterion | None]]:
    """Measures over the sweep once; those at a threshold, shown nowhere else, once for each criterion."""
    for measure in view.study.measures:
        if measure.over != "threshold":
            yield measure, None
        elif measure not in (*SHOWN_BEFORE, view.study.primary.measure):
            for criterion in view.study.criteria:
                yield measure, criterion


def _row(view: View, measure: Measure, criterion: Criterion | None, model: str) -> tuple[Cell, ...]:
    printed = view.printing(measure)
    test, dev = (view.metric(model, measure, criterion, split) for split in ("test", "dev"))
    interval = printed.interval(test.ci_low, test.ci_high) if test else UNDEFINED
    return (
        Cell(view.terms.measure(measure) + (" (%)" if printed.percent else "")),
        Cell(_chosen_by(view, criterion)),
        Cell(view.names[model]),
        _counted(view, measure, test, value_cell(view, test, printed)),
        Cell(interval, reason="no interval is computed for it" if interval == UNDEFINED else ""),
        _counted(view, measure, dev, value_cell(view, dev, printed)),
    )


def _counted(view: View, measure: Measure, row: MetricRow | None, cell: Cell) -> Cell:
    """Put its counts beside a rate that is errors over trials."""
    if row is None or row.value is None or measure.counted is None or view.results.weighted:
        return cell
    if row.misses is None or row.false_alarms is None:
        return cell
    counts = row.misses, row.false_alarms, row.n_target, row.n_nontarget
    errors, trials = measure.counted(*counts, **measure.arguments)
    if not trials or not math.isclose(errors / trials, row.value, rel_tol=1e-9, abs_tol=1e-12):
        return cell
    return dataclasses.replace(cell, text=f"{cell.text} ({numbers.count(errors)}/{numbers.count(trials)})")


def _chosen_by(view: View, criterion: Criterion | None) -> str:
    if criterion is None or criterion.threshold is not None:
        return "" if criterion is None else criterion_label(criterion, view.terms)
    where = "on test (a posteriori)" if criterion.oracle else CHOSEN[view.study.thresholds.policy]
    return f"{criterion_label(criterion, view.terms)} {where}"


def _notes(view: View) -> tuple[str, ...]:
    """Which interval each measure has."""
    said = []
    for measure in dict.fromkeys(measure for measure, _ in _questions(view)):
        methods = {interval_name(r) for r in view.metrics if r.measure == str(measure) and r.ci_method}
        if methods:
            said.append(f"{view.terms.measure(measure)} {listing(sorted(methods))}")
    return (f"Intervals: {'; '.join(said)}.", *_own_cut(view)) if said else ()


def _own_cut(view: View) -> tuple[str, ...]:
    """EER and minimum costs are read at the cut that suits the split itself, and biased low by that."""
    own = [view.terms.measure(m) for m in view.study.measures if m.own_cut]
    if not own:
        return ()
    return (
        f"{listing(own)}: read at the best cut of the split itself (a posteriori); minima are biased low,"
        " in replicates more so, so that an interval may lie below the truth.",
    )
