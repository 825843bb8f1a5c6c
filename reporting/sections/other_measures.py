"""Every other measure that was asked for, on test with its interval and on dev."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

from reporting.criteria.criterion import Criterion
from reporting.frames import MetricRow, Results
from reporting.measures.measure import Measure
from reporting.measures.threshold import HTER
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Cell, Column, Section
from reporting.sections.catalogue import SECTIONS
from reporting.wording.phrases import CHOSEN, criterion_label, interval_name, listing
from reporting.wording.printing import Printing
from reporting.wording.tables import ByRow, ColumnOf, TableOf, limits
from reporting.wording.view import View, views

SHOWN_BEFORE = (HTER,)


class Answer(NamedTuple):
    """The values of one measure and model, on test and on dev."""

    measure: Measure
    criterion: Criterion | None
    model: str
    test: MetricRow | None
    dev: MetricRow | None
    printed: Printing


def other_measures(results: Results) -> Section | None:
    """Return one long table for each dataset, a row for each measure and model."""
    return SECTIONS["other-measures"].per_view(views(results), _blocks)


def _blocks(view: View) -> tuple[Block, ...]:
    answers = [
        Answer(
            measure,
            criterion,
            model,
            view.metric(model, measure, criterion),
            view.metric(model, measure, criterion, "dev"),
            view.printing(measure),
        )
        for measure, criterion in _questions(view)
        for model in view.results.models
    ]
    if not answers:
        return ()
    table = TableOf[Answer](view)
    return (
        table.build(
            "other_measures",
            "Other measures; those without a threshold are taken over all of them on the split itself.",
            answers,
            (
                table.text(
                    "measure",
                    lambda row: view.terms.measure(row.measure) + (" (%)" if row.printed.percent else ""),
                ),
                table.text("threshold chosen by", lambda row: _chosen_by(view, row.criterion)),
                table.model(lambda row: row.model),
                _counted(view, "test", lambda row: row.test),
                table.interval(lambda row: limits(row.test), ByRow(lambda row: row.printed)),
                _counted(view, "dev", lambda row: row.dev),
            ),
            _notes(view),
        ),
    )


def _questions(view: View) -> Iterator[tuple[Measure, Criterion | None]]:
    """Measures over the sweep once; those at a threshold, shown nowhere else, once for each criterion."""
    for measure in view.study.measures:
        if measure.over != "threshold":
            yield measure, None
        elif measure not in (*SHOWN_BEFORE, view.study.primary.measure):
            for criterion in view.study.criteria:
                yield measure, criterion


def _counted(view: View, title: str, of: Callable[[Answer], MetricRow | None]) -> ColumnOf[Answer]:
    """Values; a rate that is errors over trials has its counts behind it."""

    def cell(answer: Answer) -> Cell:
        row = of(answer)
        if row is None or row.value is None:
            return Cell(UNDEFINED, reason=TableOf[Answer](view).reason(row))
        return Cell(
            answer.printed.value(row.value) + _counts(view, answer.measure, row, row.value), row.value
        )

    return ColumnOf(Column(title, "number"), cell)


def _counts(view: View, measure: Measure, row: MetricRow, rate: float) -> str:
    if measure.counted is None or view.results.weighted or row.misses is None or row.false_alarms is None:
        return ""
    counts = row.misses, row.false_alarms, row.n_target, row.n_nontarget
    errors, trials = measure.counted.counts(*counts, **measure.arguments)
    if not trials or not math.isclose(errors / trials, rate, rel_tol=1e-9, abs_tol=1e-12):
        return ""
    return f" ({numbers.count(errors)}/{numbers.count(trials)})"


def _chosen_by(view: View, criterion: Criterion | None) -> str:
    if criterion is None:
        return ""
    label = criterion_label(criterion, view.terms)
    if criterion.threshold is not None:
        return label
    return f"{label} {'on test (a posteriori)' if criterion.oracle else CHOSEN[view.study.thresholds.policy]}"


def _notes(view: View) -> tuple[str, ...]:
    """Return which interval each measure has."""
    intervals = []
    for measure in dict.fromkeys(measure for measure, _ in _questions(view)):
        rows = [row for row in view.metrics if row.measure == str(measure) and row.ci_method]
        if rows:
            methods = sorted({interval_name(row) for row in rows})
            intervals.append(f"{view.terms.measure(measure)} {listing(methods)}")
    return (f"Intervals: {'; '.join(intervals)}.", *_own_cut(view)) if intervals else ()


def _own_cut(view: View) -> tuple[str, ...]:
    """EER and minimum costs are read at the cut that suits the split itself, and biased low by that."""
    own = [view.terms.measure(measure) for measure in view.study.measures if measure.own_cut]
    if not own:
        return ()
    return (
        f"{listing(own)}: read at the best cut of the split itself (a posteriori); minima are biased low,"
        " in replicates more so, so that an interval may lie below the truth.",
    )
