"""The first screen: every model's primary measure and its difference, drawn and in numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from reporting.charts.axes import nice_step
from reporting.frames import ComparisonRow, MetricRow, Results
from reporting.report import numbers
from reporting.report.blocks import Block, Caution, Cell, Column, Drawn, Section
from reporting.sections.catalogue import SECTIONS
from reporting.sections.cautions import cautions
from reporting.sections.comparisons import alone_best, standing_notes
from reporting.wording.codes import P_METHODS
from reporting.wording.decisions import alpha, shown_to_differ, word_of
from reporting.wording.oriented import Contrast, contrast, reference
from reporting.wording.phrases import (
    AFRESH,
    TUNED,
    adjustment,
    drawn_units,
    interval_name,
    is_tuned,
    listing,
    method_name,
    question,
    sense,
)
from reporting.wording.printing import Printing
from reporting.wording.tables import NO_INTERVAL, ColumnOf, Limits, TableOf, blank_where, limits
from reporting.wording.view import View, views

DAGGER = "†"
LONGEST_NAME = 24
"""A longer name of the reference stands in a note, not in the head of a column."""
LONGEST_WORD = 14


class Ranked(NamedTuple):
    """A model, its primary value, and its comparison with the reference, which itself has none."""

    model: str
    row: MetricRow | None
    contrast: Contrast | None

    @property
    def value(self) -> float | None:
        """The primary value."""
        return None if self.row is None else self.row.value

    @property
    def difference(self) -> float | None:
        """The difference to the reference."""
        return None if self.contrast is None else self.contrast.value

    @property
    def limits(self) -> Limits:
        """The interval of the difference."""
        return (None, None) if self.contrast is None else (self.contrast.low, self.contrast.high)

    @property
    def comparison(self) -> ComparisonRow | None:
        """The row that the difference was read from."""
        return None if self.contrast is None else self.contrast.row

    def differs(self, view: View) -> bool:
        """Return whether the model is shown to differ from the reference."""
        row = self.comparison
        return row is not None and self.difference is not None and shown_to_differ(view, row)


def summary(results: Results) -> Section | None:
    """Return the summary table of every dataset with its cautions; those of all datasets come last, once."""
    section = SECTIONS["summary"].per_view(views(results), lambda view: _blocks(view) if view.whole else ())
    parts = [block for block in section.blocks if isinstance(block, Section)] if section else []
    if section is None or len(parts) < 2:
        return section
    cautious = [[block for block in part.blocks if isinstance(block, Caution)] for part in parts]
    shared = [caution for caution in cautious[0] if all(caution in each for each in cautious)]
    own = (tuple(block for block in part.blocks if block not in shared) for part in parts)
    datasets = (replace(part, blocks=blocks) for part, blocks in zip(parts, own, strict=True))
    return replace(section, blocks=(*datasets, *shared))


def _blocks(view: View) -> tuple[Block, ...]:
    primary, other = view.study.primary, reference(view)
    lines = [
        Ranked(model, view.primary(model), contrast(view, model, other) if other and model != other else None)
        for model in view.ranked
    ]
    table = TableOf[Ranked](view).build(
        "summary",
        f"Test {question(primary.measure, primary.criterion, view.study)}, sorted by value.",
        lines,
        (*_value_columns(view, lines), *(_difference_columns(view, lines, other) if other else ())),
        _notes(view, lines, other),
    )
    return (table, *cautions(view))


def _value_columns(view: View, lines: list[Ranked]) -> tuple[ColumnOf[Ranked], ...]:
    measure, best = view.study.primary.measure, alone_best(view)
    printed, table = view.printing(measure), TableOf[Ranked](view, lambda line: table.reason(line.row))
    value = table.number(view.terms.measure(measure), lambda line: line.value, printed, sense=sense(measure))

    def bold(line: Ranked) -> Cell:
        # Bold is a claim: no test of the table speaks against it.
        return replace(value.cell(line), bold=line.value is not None and line.model == best)

    return (
        table.model(lambda line: line.model, order=lambda line: float(view.ranked.index(line.model))),
        _drawn(printed, [(line, line.value, *limits(line.row)) for line in lines]),
        ColumnOf(value.head, bold),
        table.interval(
            lambda line: limits(line.row),
            printed,
            why=lambda line: table.reason(line.row) if line.value is None else NO_INTERVAL,
        ),
    )


def _difference_columns(view: View, lines: list[Ranked], other: str) -> tuple[ColumnOf[Ranked], ...]:
    printed = view.printing(view.study.primary.measure)
    unit, table = printed.difference_unit, TableOf[Ranked](view, lambda line: table.reason(line.comparison))
    tuned = any(line.comparison is not None and is_tuned(line.comparison) for line in lines)
    title = f"difference to {_short(view, other)}"
    difference = table.number(title, lambda line: line.difference, printed, unit=unit)

    def marked(line: Ranked) -> Cell:
        return replace(difference.cell(line), mark=DAGGER if line.differs(view) else "")

    def no_interval(line: Ranked) -> str:
        return table.reason(line.comparison) if line.difference is None else NO_INTERVAL

    def unadjusted(line: Ranked) -> str:
        row = line.comparison
        return "no correction was asked for" if row and not row.status else table.reason(row)

    columns = (
        ColumnOf(difference.head, marked),
        table.interval(lambda line: line.limits, printed, unit=unit, why=no_interval),
        table.p_value(
            f"p{', two tuned systems' if tuned else ''}",
            lambda line: line.comparison.p_value if line.comparison else None,
        ),
        table.p_value(
            "adjusted p",
            lambda line: line.comparison.p_adjusted if line.comparison else None,
            why=unadjusted,
        ),
        table.text("verdict", lambda line: word_of(view, line.contrast) if line.contrast else None),
    )
    return (
        _drawn(printed, [(line, line.difference, *line.limits) for line in lines], zero=True),
        *(blank_where(lambda line: line.model == other, column) for column in columns),
    )


def _drawn(
    printed: Printing,
    intervals: list[tuple[Ranked, float | None, float | None, float | None]],
    zero: bool = False,
) -> ColumnOf[Ranked]:
    """Return the intervals drawn on a common range with round ends, which holds zero where that is wanted."""
    drawn = {
        line.model: (value, Drawn(printed.scale * value, printed.scaled(low), printed.scaled(high)))
        for line, value, low, high in intervals
        if value is not None
    }
    ends = [0.0] if zero else []
    for _, mark in drawn.values():
        ends += [end for end in (mark.low, mark.value, mark.high) if end is not None]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    air = 0.01 * (high - low) or 0.5
    step = nice_step(high - low + 2 * air, 10)
    axis = (
        round(step * math.floor((low - air) / step), 9),
        round(step * math.ceil((high + air) / step), 9),
    )

    def cell(line: Ranked) -> Cell:
        value, mark = drawn.get(line.model, (None, None))
        return Cell("", value, drawn=mark)

    return ColumnOf(Column("", "drawn", axis=axis, zero_line=zero), cell)


def _short(view: View, other: str) -> str:
    """Return the name of the reference in the head of a column, or what it is called there."""
    name = view.names[other]
    short = len(name) <= LONGEST_NAME and max(map(len, name.split()), default=0) <= LONGEST_WORD
    return name if short else "the reference"


def _notes(view: View, lines: list[Ranked], other: str | None) -> list[str]:
    rows = [line.row for line in lines if line.row is not None]
    compared = [line.comparison for line in lines if line.comparison is not None]
    tests = [row for row in compared if row.p_value is not None]
    notes = []
    if methods := dict.fromkeys(interval_name(row) for row in rows if row.ci_method):
        notes.append(f"Intervals of values: {_how(view, list(methods), rows)}.")
    if other is not None and _short(view, other) != view.names[other]:
        notes.append(f"The reference is {view.names[other]}.")
    if any(line.differs(view) for line in lines):
        notes.append(_dagger(view, tests))
    if tests:
        notes += [*_test_notes(view, tests), *standing_notes(view)]
    return notes


def _dagger(view: View, tests: Sequence[ComparisonRow]) -> str:
    """Return what the dagger stands for: the level, the correction with its family, the test."""
    adjusted = next(filter(None, map(adjustment, tests)), "")
    methods = listing(dict.fromkeys(method_name(row.p_method, P_METHODS) for row in tests))
    level = numbers.p_value(alpha(view))
    return f"{DAGGER} Shown to differ: p at most {level}{f', {adjusted}' if adjusted else ''}; {methods}."


def _test_notes(view: View, tests: Sequence[ComparisonRow]) -> list[str]:
    """How the differences came by their intervals and p-values, in one note where both ways are one."""
    intervals = list(dict.fromkeys(interval_name(row) for row in tests if row.ci_method))
    methods = list(dict.fromkeys(method_name(row.p_method, P_METHODS) for row in tests))
    label = f" {TUNED}" if is_tuned(tests[0]) else ""
    alone = ", each interval for itself" if len(tests) > 1 else ""
    correction = f"; p {adjustment(tests[0])}" if adjustment(tests[0]) else ""
    if intervals == methods:
        return [f"Differences and p{label}: {_how(view, methods, tests)}{alone}{correction}."]
    p = f"p{label}: {listing(methods)}{correction}."
    return [f"Intervals of differences: {_how(view, intervals, tests)}{alone}.", p] if intervals else [p]


def _how(view: View, methods: list[str], rows: Sequence[MetricRow | ComparisonRow]) -> str:
    """Return the method, and what was drawn how often where it rests on draws."""
    replicates = [row.replicates for row in rows if row.replicates]
    if not replicates:
        return listing(methods)
    afresh = f", {AFRESH}" if any(row.inference == "procedure" for row in rows) else ""
    drawn = f"{drawn_units(view, rows[0].unit)} resampled{afresh}"
    return f"{listing(methods)}, {drawn}, {numbers.count(max(replicates))} replicates"
