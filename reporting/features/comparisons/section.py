"""The comparisons behind the answer, those of other measures, and what would decide what is open."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from reporting.core.criteria.catalogue import read_criterion
from reporting.core.criteria.criterion import Criterion
from reporting.core.measures.measure import Measure
from reporting.core.stats.planning import detectable
from reporting.document import numbers
from reporting.document.blocks import Block, Cell, Column, Prose, Section, Table
from reporting.document.frames.comparisons import ComparisonRow
from reporting.document.frames.results import Results
from reporting.document.words import decisions
from reporting.document.words.caveats import pair, sensitivity_notes
from reporting.document.words.codes import CAUTIONS
from reporting.document.words.oriented import Contrast, contrast, primary_rows, turned
from reporting.document.words.phrases import (
    TUNED,
    UNROUNDED,
    adjustment,
    draws,
    first_question,
    interval_name,
    is_tuned,
    level_text,
    listing,
    test_name,
    threshold_phrase,
    units,
)
from reporting.document.words.printing import Printing
from reporting.document.words.tables import ByRow, ColumnOf, Estimate, TableOf, by_width
from reporting.document.words.terms import capitalised
from reporting.document.words.view import DatasetView, views
from reporting.features.comparisons import FEATURE
from reporting.features.comparisons.forest_chart import forest

R = TypeVar("R")
FEWEST, MOST = 3, 8
"""From so many models, and up to so many, all pairs are in a matrix."""
SHOWN = "*"
"""Behind what is significant: it must be read without colour, and by a voice."""
NO_VALUE, NO_TEST = "undefined", "no test"
WANTED = 0.8
"""The power of detectable differences."""


def comparisons(results: Results) -> Section | None:
    """Return the comparisons of every dataset."""
    return FEATURE.section("comparisons").per_view(views(results), _blocks)


def _blocks(view: DatasetView) -> tuple[Block, ...]:
    outcome, rows = decisions.answer(view), primary_rows(view)
    return (
        *forest(view, outcome),
        *_primary(view, outcome, rows),
        *_between_questions(view, outcome),
        *map(CAUTIONS["another_analysis"].caution, sensitivity_notes(view, rows)),
        *_detectable(view, rows),
        *_secondary(view, outcome),
    )


def _primary(view: DatasetView, outcome: decisions.Answer, rows: list[ComparisonRow]) -> Iterator[Table]:
    """Yield the comparisons of the family: with the baseline, or else of all pairs, once.

    Of two models the answer is the comparison.
    """
    if outcome.question == "none" or (outcome.question == "best" and len(view.results.models) < FEWEST):
        return
    matrix = pairwise(view) if outcome.question == "best" else None
    if matrix is not None:
        yield matrix
    elif rows:
        yield _list(view, outcome, rows)


def _list(view: DatasetView, outcome: decisions.Answer, rows: list[ComparisonRow]) -> Table:
    """Return one row per comparison: its difference, the interval that goes with its p, and the decision."""
    table, printed = TableOf[ComparisonRow](view), view.printing(view.study.primary.measure)

    def tuned(row: ComparisonRow) -> Estimate:
        return _estimate(view.tuned(row) or row)

    unit = printed.difference_unit
    place = {model: number for number, model in enumerate(view.ranked)}
    columns = [
        table.text("comparison", lambda row: pair(view, row)),
        table.estimate(f"difference, {table.level} CI", _estimate, _off_zero(printed, _estimate), unit=unit),
    ]
    if any(decisions.joint_limits(row) not in ((row.ci_low, row.ci_high), (None, None)) for row in rows):
        adjusted = ByRow[ComparisonRow](lambda row: printed.off_zero(*decisions.joint_limits(row)))
        columns.append(table.interval(decisions.joint_limits, adjusted, title="adjusted CI", unit=unit))
    columns.append(table.text("decision", lambda row: _decided(view, row)))
    if any(view.tuned(row) for row in rows):
        columns.append(table.estimate(TUNED, tuned, _off_zero(printed, tuned), unit=unit))
    which = "Comparisons with the baseline" if outcome.question == "baseline" else "All pairs"
    return table.build(
        "comparisons",
        f"{which}: {first_question(view)}, test set.",
        sorted(rows, key=lambda row: (place[row.model], place[row.baseline])),
        columns,
        _notes(view, rows),
    )


def _estimate(row: ComparisonRow) -> Estimate:
    return Estimate(row.difference, row.ci_low, row.ci_high, row.status)


def _off_zero(printed: Printing, of: Callable[[R], Estimate | None]) -> ByRow[R]:
    """Return how differences are printed whose limits must not be rounded to 0."""

    def show(row: R) -> Printing:
        estimate = of(row)
        return printed if estimate is None else printed.off_zero(estimate.ci_low, estimate.ci_high)

    return ByRow(show)


def _decided(view: DatasetView, row: ComparisonRow) -> str:
    word, p = decisions.word_of(view, turned(row, row.model)), decisions.decisive_p(row)
    return word if p is None or word in ("undefined", "identical") else f"{word}, {numbers.equation(p)}"


def _notes(view: DatasetView, rows: list[ComparisonRow]) -> list[str]:
    """Return how intervals and p-values were made, and what dependence does to them."""
    tested = [row for row in rows if row.p_method and row.ci_method]
    notes = list(dict.fromkeys(_methods(view, row) for row in tested))
    if any(view.tuned(row) for row in rows):
        notes.append(
            f"{capitalised(TUNED)}: the two systems as deployed, without the uncertainty of setting their"
            " thresholds; not adjusted."
        )
    effects = [judged.design_effect or 0.0 for row in rows if (judged := effect_row(view, row)) is not None]
    if effects:
        least, most = (f"{end:.1f}" for end in (min(effects), max(effects)))
        span = least if least == most else f"{least} to {most}"
        notes.append(f"Design effects: {span} (variance relative to independent {view.terms.trials}).")
    return notes


def _methods(view: DatasetView, row: ComparisonRow) -> str:
    """Return which interval and which test a row has, and from how many draws of how many units."""
    interval, test = interval_name(row), test_name(row)
    parts = [f"CI and p: {test}" if interval == test else f"CI: {interval}; p: {test}"]
    if drawn := draws(view, row, of=f"{numbers.count(row.n_units)} " if row.n_units else ""):
        parts.append(drawn)
    if is_tuned(row):
        parts.append(TUNED)
    if adjusted := adjustment(row):
        parts.append(f"p {adjusted}; CIs are not")
    return f"{', '.join(parts)}."


def pairwise(view: DatasetView) -> Table | None:
    """Return all pairs: differences above the diagonal, p-values below it, values on it.

    None for two models or very many, or against a baseline alone.
    """
    models, primary = view.ranked, view.study.primary
    pairs = [each for both in itertools.combinations(models, 2) if (each := contrast(view, *both))]
    if not FEWEST <= len(models) <= MOST or len(pairs) < len(models) * (len(models) - 1) / 2:
        return None
    if all(each.value is None for each in pairs):
        return None
    printed, table = view.printing(primary.measure), TableOf[str](view)
    adjusted = next(filter(None, (adjustment(each.row) for each in pairs)), "")
    unit = f" ({printed.difference_unit})" if printed.difference_unit else ""
    value = f"{view.terms.measure(primary.measure)}{f' ({printed.unit})' if printed.unit else ''}"
    at_most = f"p ≤ {decisions.printed_alpha(view)}"
    significant = any(decisions.shown_to_differ(view, each.row) for each in pairs if each.value is not None)
    return table.build(
        "pairs",
        f"All pairs: {first_question(view)}, test set. Above the diagonal"
        f" the difference row minus column{unit} with its {table.level} CI, below it p"
        f"{f', {adjusted}' if adjusted else ''}, on it {value}.",
        models,
        (
            table.model(lambda model: model, order=lambda model: float(models.index(model))),
            *(_against(view, other) for other in models),
        ),
        (
            f"Bold with {SHOWN}: {at_most}." if significant else f"No pair has {at_most}.",
            *dict.fromkeys(_methods(view, each.row) for each in pairs if each.row.ci_method),
            *(() if all(_adds_up(view, each) for each in pairs) else (UNROUNDED,)),
        ),
    )


def _adds_up(view: DatasetView, compared: Contrast) -> bool:
    """Return whether the printed difference of a pair is that of its printed values."""
    values = (view.primary(model) for model in (compared.model, compared.other))
    model, other = (None if row is None else row.value for row in values)
    return view.printing(view.study.primary.measure).adds_up(compared.value, model, other)


def _against(view: DatasetView, other: str) -> ColumnOf[str]:
    """Return the comparisons with one model; they sort by the difference from it."""
    printed, place = view.printing(view.study.primary.measure), view.ranked.index

    def cell(model: str) -> Cell:
        if model == other:
            row = view.primary(model)
            return Cell(NO_VALUE if row is None or row.value is None else printed.value(row.value))
        compared = contrast(view, model, other)
        if compared is None or compared.value is None:
            return Cell(NO_VALUE)
        if place(model) < place(other):
            # Marked once, at the difference: p below the diagonal is the same fact.
            significant = decisions.shown_to_differ(view, compared.row)
            mark = f" {SHOWN}" if significant else ""
            shown = printed.off_zero(compared.low, compared.high)
            beneath = "" if compared.low is None else shown.interval(compared.low, compared.high)
            text = f"{shown.value(compared.value)}{mark}"
            return Cell(text, compared.value, bold=significant, beneath=beneath)
        p = decisions.decisive_p(compared.row)
        text = NO_TEST if p is None else numbers.p_value(p)
        return Cell(text, compared.value)

    return ColumnOf(Column(view.names[other]), cell)


def _between_questions(view: DatasetView, outcome: decisions.Answer) -> Iterator[Prose]:
    """Yield where a pair among all pairs and the question which is best fall apart; they ask other things."""
    if outcome.question != "best" or len(view.results.models) < FEWEST:
        return
    for word, significant in (("ruled out", False), ("in contention", True)):
        apart = []
        for model in outcome.where("ruled out") if word == "ruled out" else outcome.candidates:
            decision = outcome.decisions[model]
            compared = decision.contrast
            if compared is None or decisions.decisive_p(compared.row) is None or decision.p is None:
                continue
            if decisions.shown_to_differ(view, compared.row) == significant:
                p = numbers.equation(decisions.decisive_p(compared.row))
                apart.append(f"{view.names[model]} ({numbers.equation(decision.p)} as best, {p} as a pair)")
        if apart:
            size = outcome.decisions[view.ranked[-1]].contrast
            among = f"all {size.row.family_size} pairs" if size and size.row.family_size else "all pairs"
            yield Prose(
                f"Ruled out as best, but inconclusive against {view.names[view.ranked[0]]} among {among}:"
                f" {listing(apart)}. Which model is best is a one-sided question, and asks less."
                if word == "ruled out"
                else f"In contention as best, although significant against {view.names[view.ranked[0]]} among"
                f" {among}: {listing(apart)}. The two procedures differ; the answer takes the former."
            )


class Open(NamedTuple):
    """A comparison that is not decided, and the difference that trials like these can detect."""

    row: ComparisonRow
    difference: float


def _detectable(view: DatasetView, rows: list[ComparisonRow]) -> Iterator[Table]:
    """Yield the differences that trials like these detect, for what is open; not where power is requested."""
    if "power" in view.study.inference.tests:
        return
    level, printed = view.study.inference.level, view.printing(view.study.primary.measure)
    leader = view.ranked[0]
    lines = [
        Open(row, detectable(row.se, level, WANTED))
        for row in rows
        if row.se
        and decisions.decisive_p(row) is not None
        and not decisions.shown_to_differ(view, row)
        and (view.study.baseline is not None or leader in (row.model, row.baseline))
    ]
    if not lines:
        return
    table, first = TableOf[Open](view), lines[0].row
    readers = " with these readers" if view.study.runs == "reader" else ""
    many = (
        f"{numbers.count(first.n_units)} {units(view.results, first.unit)}{readers}"
        if first.n_units
        else f"these {view.terms.trials}"
    )
    yield table.build(
        "detectable",
        f"Differences that {many} detect with {100 * WANTED:g}% power (one two-sided test at"
        f" {level_text(1 - level)}, approximate). An inconclusive difference is no evidence of equality.",
        lines,
        (
            table.text("comparison", lambda line: pair(view, line.row)),
            table.number(
                "detectable difference", lambda line: line.difference, printed, unit=printed.difference_unit
            ),
        ),
    )


class ComparedLine(NamedTuple):
    """A model under the thresholds of a criterion, against the reference."""

    model: str
    criterion: Criterion | None


def _secondary(view: DatasetView, outcome: decisions.Answer) -> Iterator[Table]:
    """Yield the differences in every other measure: one row per model, one column per measure, no p."""
    other = outcome.reference
    if other is None or not view.whole:
        return
    first = {(row.measure, row.criterion) for row in primary_rows(view)}
    rows = [row for row in view.headlines if (row.measure, row.criterion) not in first]
    at = [row for row in rows if row.criterion is not None]
    over = [row for row in rows if row.criterion is None]
    models = [model for model in view.ranked if model != other]
    number = itertools.count(1)
    for some in (at, over):
        named = {row.measure for row in some}
        measures = [measure for measure in view.study.measures if str(measure) in named]
        criteria = list(dict.fromkeys(row.criterion for row in some))
        order = [str(criterion) for criterion in view.study.criteria]
        criteria.sort(key=lambda name: order.index(name) if name in order else len(order))
        lines = [
            ComparedLine(model, read_criterion(name) if name else None)
            for name in criteria
            for model in models
        ]
        for part in by_width(measures):
            if lines:
                yield _differences(view, next(number), other, part, lines)


def _differences(
    view: DatasetView, number: int, other: str, measures: Sequence[Measure], lines: list[ComparedLine]
) -> Table:
    table = TableOf[ComparedLine](view)

    def group(line: ComparedLine) -> str:
        phrase = "" if line.criterion is None else threshold_phrase(line.criterion, view.study)
        return f"at {phrase}" if phrase else ""

    def column(measure: Measure) -> ColumnOf[ComparedLine]:
        printed = view.printing(measure)

        def of(line: ComparedLine) -> Estimate | None:
            compared = _compared(view, measure, line, other)
            if compared is None:
                return None
            return Estimate(compared.value, compared.low, compared.high, compared.row.status)

        return table.estimate(
            view.terms.measure(measure), of, _off_zero(printed, of), unit=printed.difference_unit
        )

    estimated = [row for row in view.headlines if row.measure in map(str, measures) and row.ci_method]
    how = listing(dict.fromkeys(interval_name(row) for row in estimated))
    only = group(lines[0]) if len({line.criterion for line in lines}) == 1 else ""
    note = f"Exploratory; not adjusted for multiple comparisons. {table.level} CIs in brackets: {how}."
    notes: tuple[str, ...] = (note,) if how else ()
    if withheld := [view.terms.measure(measure) for measure in measures if _has_withheld(view, measure)]:
        notes += (
            f"Values of {listing(withheld)} have no CI because few errors support them; CIs of differences"
            " rest on the same errors and are approximate.",
        )
    return table.build(
        f"differences_{number}",
        f"Differences from {view.names[other]} on the test set{f', {only}' if only else ''}; row"
        f" minus {view.names[other]}.",
        lines,
        (table.model(lambda line: line.model), *map(column, measures)),
        notes,
        group=lambda line: capitalised(group(line)),
    )


def _has_withheld(view: DatasetView, measure: Measure) -> bool:
    """Return whether a value of a measure has no interval, while its differences do."""
    name = str(measure)
    return any(row.measure == name and row.ci_low is not None for row in view.headlines) and any(
        row.measure == name and "interval_withheld" in row.flags for row in view.metrics
    )


def _compared(view: DatasetView, measure: Measure, line: ComparedLine, other: str) -> Contrast | None:
    """Return the comparison of a model with the reference in one measure, from the side of the model."""
    criterion = None if line.criterion is None else str(line.criterion)
    wanted = str(measure), criterion, {line.model, other}
    rows = (
        row for row in view.headlines if (row.measure, row.criterion, {row.model, row.baseline}) == wanted
    )
    return next((turned(row, line.model) for row in rows), None)


def effect_row(view: DatasetView, row: ComparisonRow) -> ComparisonRow | None:
    """Return the row of a comparison, or that with thresholds fixed, which has a design effect."""
    for candidate in (row, view.tuned(row)):
        if candidate is not None and candidate.design_effect and candidate.ci_low is not None:
            return candidate
    return None
