"""Every other requested measure: one row per model, one column per measure, intervals beneath."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.core.measures.sweep import EER_ROCCH
from reporting.core.measures.threshold import FAR, FRR
from reporting.document import numbers
from reporting.document.blocks import Block, Section, Table
from reporting.document.frames.metrics import MetricRow
from reporting.document.frames.results import Results
from reporting.document.words.core_set import measures_in_core_set
from reporting.document.words.equal_error import interpolated
from reporting.document.words.phrases import interval_name, listing, sense, threshold_phrase
from reporting.document.words.tables import ColumnOf, TableOf, by_dataset, by_width
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.operating_points import FEATURE
from reporting.features.operating_points.optimism import optimism_of
from reporting.features.operating_points.section import judged

OVER = {"sweep": "Measures over all thresholds.", "scores": "Measures computed from the scores."}
SPLITS = {"test": "Test set", "dev": "Development set"}


class MeasuredLine(NamedTuple):
    """A model on a split, at the thresholds of a criterion where there are any."""

    model: str
    split: Literal["test", "dev"]
    criterion: Criterion | None = None


def other_measures(results: Results) -> Section | None:
    """Return the measures over all thresholds, then those at the thresholds of each criterion."""
    return FEATURE.section("other-measures").per_view(views(results), _blocks, merged=by_dataset)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    plans = enumerate((*_over_all(view), *_at_thresholds(view)), start=1)
    names = ((f"other_measures_{number}" if number > 1 else "other_measures", plan) for number, plan in plans)
    return tuple(_table(view, name, plan) for name, plan in names if plan.lines)


class TableLayout(NamedTuple):
    """A table to be made: its measures, its rows, and its caption."""

    caption: str
    measures: Sequence[Measure]
    lines: Sequence[MeasuredLine]


def _over_all(view: DatasetView) -> Iterator[TableLayout]:
    """Yield the measures without a threshold, on the test set and on the development set."""
    before = measures_in_core_set(view.study)
    for over, caption in OVER.items():
        measures = [
            measure
            for measure in view.study.measures
            if measure.over == over and measure not in (view.study.primary.measure, *before)
        ]
        lines = _on_both_sets(view, measures)
        for some in by_width(measures):
            yield TableLayout(caption, some, lines)


def _on_both_sets(view: DatasetView, measures: list[Measure]) -> list[MeasuredLine]:
    splits: list[Literal["test", "dev"]] = ["test"]
    if any(view.metric(model, measure, None, "dev") for model in view.ranked for measure in measures):
        splits.append("dev")
    return [MeasuredLine(model, split) for split in splits for model in view.ranked]


def _at_thresholds(view: DatasetView) -> Iterator[TableLayout]:
    """Yield the measures at a threshold that no other table has, under each criterion."""
    before = (FAR, FRR, judged(view))
    measures = [m for m in view.study.measures if m.over == "threshold" and m not in before]
    criteria = [criterion for criterion in view.study.criteria if not criterion.oracle]
    tuned = [criterion for criterion in view.study.criteria if criterion.oracle]
    lines = [MeasuredLine(model, "test", each) for each in (*criteria, *tuned) for model in view.ranked]
    where = f" at {threshold_phrase(criteria[0], view.study)}" if len(criteria) == 1 and not tuned else ""
    for some in by_width(measures):
        yield TableLayout(f"Further measures on the test set{where or ' at chosen thresholds'}.", some, lines)


def _table(view: DatasetView, name: str, plan: TableLayout) -> Table:
    table = TableOf[MeasuredLine](view)

    def group(line: MeasuredLine) -> str:
        if line.criterion is None:
            return SPLITS[line.split]
        return capitalised(threshold_phrase(line.criterion, view.study))

    return table.build(
        name,
        plan.caption,
        plan.lines,
        (table.model(lambda line: line.model), *(_column(view, measure) for measure in plan.measures)),
        _notes(view, plan.measures),
        group=group,
    )


def _column(view: DatasetView, measure: Measure) -> ColumnOf[MeasuredLine]:
    def row(line: MeasuredLine) -> MetricRow | None:
        return view.metric(line.model, measure, line.criterion, line.split)

    return TableOf[MeasuredLine](view).estimate(
        view.terms.measure(measure),
        row,
        view.printing(measure),
        sense=sense(measure),
        after=lambda line: _counts(view, measure, row(line)),
    )


def _counts(view: DatasetView, measure: Measure, row: MetricRow | None) -> str:
    """Return the errors and trials of a rate in parentheses; empty where it is none of them."""
    if row is None or row.value is None or row.misses is None or row.false_alarms is None:
        return ""
    if measure.counted is None or view.results.weighted:
        return ""
    counts = row.misses, row.false_alarms, row.n_target, row.n_nontarget
    errors, trials = measure.counted.counts(*counts, **measure.arguments)
    if not trials or not math.isclose(errors / trials, row.value, rel_tol=1e-9, abs_tol=1e-12):
        return ""  # a declared share of targets, which no count is a part of
    return f"({numbers.count(errors)}/{numbers.count(trials)})"


def _notes(view: DatasetView, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Return which interval each measure has, and what is biased."""
    by_method: dict[str, list[str]] = {}
    for measure in measures:
        rows = [row for row in view.metrics if row.measure == str(measure) and row.ci_method]
        for method in sorted({interval_name(row) for row in rows}):
            by_method.setdefault(method, []).append(view.terms.measure(measure))
    how = "; ".join(f"{method} ({listing(names)})" for method, names in by_method.items())
    level = TableOf[MeasuredLine](view).level
    of_hull = interpolated(view) if EER_ROCCH in measures else ()
    brackets = (f"{level} CIs in brackets: {how}.",) if how else ()
    return brackets + _own_cut(view, measures) + _above_zero(view, measures) + of_hull


def _above_zero(view: DatasetView, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Measures of calibration lie above 0 by chance, and a CI by a named method does not allow for it."""
    raised = [view.terms.measure(measure) for measure in measures if measure.biased_upward]
    if not raised or view.study.inference.interval == "auto":
        return ()
    lie, their = ("lies", "its CI does") if len(raised) == 1 else ("lie", "their CIs do")
    return (f"{listing(raised)} {lie} above 0 even without miscalibration; {their} not allow for it.",)


def _own_cut(view: DatasetView, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Least costs and other optima are read at the threshold that suits the split itself."""
    own = [measure for measure in measures if measure.optimised]
    if not own:
        return ()
    each = "is" if len(own) == 1 else "are"
    where = "read at the best threshold of the set itself"
    named = listing(map(view.terms.measure, own))
    return (f"{named} {each} {where} ({view.terms.hindsight}). {optimism_of(view, own)}".rstrip(),)
