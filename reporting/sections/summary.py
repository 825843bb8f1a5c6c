"""The first screen: every model's primary measure and its difference, drawn and in numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reporting.charts.ticks import nice_step
from reporting.frames.results import Results
from reporting.frames.schemas import ComparisonRow, MetricRow
from reporting.report import numbers
from reporting.report.blocks import UNDEFINED, Block, Caution, Cell, Column, Drawn, Section, Table
from reporting.sections.cautions import cautions
from reporting.sections.caveats import alpha, direction, shown_to_differ
from reporting.sections.comparisons import alone_best, standing_notes
from reporting.wording.codes import P_METHODS
from reporting.wording.oriented import Contrast, contrast, reference
from reporting.wording.phrases import (
    AFRESH,
    TUNED,
    adjustment,
    drawn_units,
    interval_name,
    is_tuned,
    level_text,
    listing,
    method_name,
    question,
    reason,
    sense,
)
from reporting.wording.printing import Printing
from reporting.wording.view import View, per_view

BLANK = Cell("")
DAGGER = "†"
LONGEST_NAME = 24
"""A longer name of the reference stands in a note, not in the head of a column."""
LONGEST_WORD = 14


def summary(results: Results) -> Section | None:
    """Return the summary table of every dataset with its cautions; those of all datasets come last, once."""
    made = per_view("Summary", "summary", results, lambda view: _blocks(view) if view.whole else ())
    parts = [block for block in made.blocks if isinstance(block, Section)] if made else []
    if made is None or len(parts) < 2:
        return made
    cautious = [[block for block in part.blocks if isinstance(block, Caution)] for part in parts]
    shared = [caution for caution in cautious[0] if all(caution in each for each in cautious)]
    own = (tuple(block for block in part.blocks if block not in shared) for part in parts)
    datasets = (replace(part, blocks=blocks) for part, blocks in zip(parts, own, strict=True))
    return replace(made, blocks=(*datasets, *shared))


def _blocks(view: View) -> tuple[Block, ...]:
    return (_table(view), *cautions(view))


def _table(view: View) -> Table:
    printed = view.printing(view.study.primary.measure)
    values = [_value_cells(view, model, printed) for model in view.ranked]
    other = reference(view)
    differences = [_difference_cells(view, model, other, printed) for model in view.ranked]
    rows = tuple(
        (Cell(view.names[model], float(place)), *left, *(right if other else ()))
        for place, (model, left, right) in enumerate(zip(view.ranked, values, differences, strict=True))
    )
    return Table(
        name=view.called("summary"),
        caption=_caption(view),
        columns=(
            *_value_columns(view, printed, values),
            *_difference_columns(view, printed, differences, other),
        ),
        rows=rows,
        notes=_notes(view, other),
    )


def _value_columns(view: View, printed: Printing, cells: list[tuple[Cell, ...]]) -> tuple[Column, ...]:
    measure = view.study.primary.measure
    low, high = _drawn_range(row[0].drawn for row in cells)
    return (
        Column("model"),
        Column("", "drawn", axis=(low, high)),
        Column(view.terms.measure(measure), "number", printed.unit, sense(measure)),
        Column(f"{level_text(view.study.inference.level)} interval", "interval", printed.unit),
    )


def _difference_columns(
    view: View, printed: Printing, cells: list[tuple[Cell, ...]], other: str | None
) -> tuple[Column, ...]:
    if other is None:
        return ()
    low, high = _drawn_range((row[0].drawn for row in cells), zero=True)
    made = (contrast(view, model, other) for model in view.ranked if model != other)
    tuned = ", two tuned systems" if any(one is not None and is_tuned(one.row) for one in made) else ""
    return (
        Column("", "drawn", axis=(low, high), zero_line=True),
        Column(f"difference to {_short(view, other)}", "number", printed.difference_unit),
        Column(f"{level_text(view.study.inference.level)} interval", "interval", printed.difference_unit),
        Column(f"p{tuned}", "number"),
        Column("adjusted p", "number"),
        Column("shown to be"),
    )


def _short(view: View, other: str) -> str:
    """The name of the reference in the head of a column, or what it is called there."""
    name = view.names[other]
    short = len(name) <= LONGEST_NAME and max(map(len, name.split()), default=0) <= LONGEST_WORD
    return name if short else "the reference"


def _value_cells(view: View, model: str, printed: Printing) -> tuple[Cell, ...]:
    row = view.primary(model)
    if row is None or row.value is None:
        why = _why(view, None if row is None else row.status)
        return BLANK, Cell(UNDEFINED, reason=why), Cell(UNDEFINED, reason=why)
    drawn = Drawn(printed.scale * row.value, printed.scaled(row.ci_low), printed.scaled(row.ci_high))
    return (
        Cell("", row.value, drawn=drawn),
        # Bold is a claim: no test of the table speaks against it.
        Cell(printed.value(row.value), row.value, bold=model == alone_best(view)),
        _interval_cell(printed.interval(row.ci_low, row.ci_high)),
    )


def _difference_cells(view: View, model: str, other: str | None, printed: Printing) -> tuple[Cell, ...]:
    if other is None or model == other:
        return (BLANK,) * 6
    made = contrast(view, model, other)
    if made is None or made.value is None:
        why = _why(view, None if made is None else made.row.status)
        return (BLANK, *(Cell(UNDEFINED, reason=why),) * 5)
    p, adjusted = made.row.p_value, made.row.p_adjusted
    drawn = Drawn(printed.scale * made.value, printed.scaled(made.low), printed.scaled(made.high))
    return (
        Cell("", made.value, drawn=drawn),
        Cell(printed.value(made.value), made.value, mark=DAGGER if _is_shown(view, made) else ""),
        _interval_cell(printed.interval(made.low, made.high)),
        Cell(numbers.p_value(p), p, "" if p is not None else _why(view, made.row.status)),
        Cell(numbers.p_value(adjusted), adjusted, "" if adjusted is not None else _unadjusted(view, made)),
        _shown(view, made),
    )


def _shown(view: View, made: Contrast) -> Cell:
    said = direction(view, made)
    return Cell(said) if said else Cell(UNDEFINED, reason=_why(view, made.row.status))


def _is_shown(view: View, made: Contrast) -> bool:
    return made.value is not None and shown_to_differ(view, made.row)


def _unadjusted(view: View, made: Contrast) -> str:
    return _why(view, made.row.status) if made.row.status else "no correction was asked for"


def _why(view: View, status: str | None) -> str:
    return reason(status, view.terms)


def _interval_cell(text: str) -> Cell:
    return Cell(text, reason="no interval is computed for it" if text == UNDEFINED else "")


def _drawn_range(drawn: Iterable[Drawn | None], zero: bool = False) -> tuple[float, float]:
    """A common range for a column of drawn intervals, with round ends; it holds zero where asked."""
    ends = [0.0] if zero else []
    for one in drawn:
        if one is not None:
            ends += [end for end in (one.low, one.value, one.high) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    air = 0.01 * (high - low) or 0.5
    step = nice_step(high - low + 2 * air, 10)
    return (
        round(step * math.floor((low - air) / step), 9),
        round(step * math.ceil((high + air) / step), 9),
    )


def _caption(view: View) -> str:
    asked = view.study.primary
    return f"Test {question(asked.measure, asked.criterion, view.study)}, sorted by value."


def _notes(view: View, other: str | None) -> tuple[str, ...]:
    rows = [row for model in view.ranked if (row := view.primary(model)) is not None]
    notes = []
    if methods := dict.fromkeys(interval_name(row) for row in rows if row.ci_method):
        notes.append(f"Intervals of values: {_how(view, list(methods), rows)}.")
    made = [contrast(view, model, other) for model in view.ranked if other and model != other]
    tests = [one.row for one in made if one is not None and one.row.p_value is not None]
    if other is not None and _short(view, other) != view.names[other]:
        notes.append(f"The reference is {view.names[other]}.")
    if any(one is not None and _is_shown(view, one) for one in made):
        notes.append(_dagger(view, tests))
    if tests:
        notes += [*_test_notes(view, tests), *standing_notes(view)]
    return tuple(notes)


def _dagger(view: View, tests: Sequence[ComparisonRow]) -> str:
    """Say what the dagger stands for: the level, the correction with its family, the test."""
    adjusted = next(filter(None, map(adjustment, tests)), "")
    methods = listing(dict.fromkeys(method_name(row.p_method, P_METHODS) for row in tests))
    level = numbers.p_value(alpha(view))
    return f"{DAGGER} Shown to differ: p at most {level}{f', {adjusted}' if adjusted else ''}; {methods}."


def _test_notes(view: View, tests: Sequence[ComparisonRow]) -> list[str]:
    """How the differences came by their intervals and p-values, in one note where both ways are one."""
    intervals = dict.fromkeys(interval_name(row) for row in tests if row.ci_method)
    ways = dict.fromkeys(method_name(row.p_method, P_METHODS) for row in tests)
    label = f" {TUNED}" if is_tuned(tests[0]) else ""
    alone = ", each interval for itself" if len(tests) > 1 else ""
    if list(intervals) == list(ways):
        return [f"Differences and p{label}: {_how(view, list(ways), tests)}{alone}{_correction(tests)}."]
    notes = [f"p{label}: {listing(ways)}{_correction(tests)}."]
    if intervals:
        notes.insert(0, f"Intervals of differences: {_how(view, list(intervals), tests)}{alone}.")
    return notes


def _how(view: View, methods: list[str], rows: Sequence[MetricRow | ComparisonRow]) -> str:
    """The method, and what was drawn how often where it rests on draws."""
    replicates = [row.replicates for row in rows if row.replicates]
    said = listing(dict.fromkeys(methods))
    if not replicates:
        return said
    afresh = f", {AFRESH}" if any(row.inference == "procedure" for row in rows) else ""
    drawn = drawn_units(view, rows[0].unit)
    return f"{said}, {drawn} resampled{afresh}, {numbers.count(max(replicates))} replicates"


def _correction(tests: Sequence[ComparisonRow]) -> str:
    return "; ".join(["", f"p {adjustment(tests[0])}"] if adjustment(tests[0]) else [])
